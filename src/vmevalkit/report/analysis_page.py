"""The page of a scorer's whole analysis: variance, effect sizes, models, forest, consistency, complexity and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from vmevalkit.report.context import ReportContext
from vmevalkit.report.pages import Link, describe_section, render_page
from vmevalkit.report.part_files import write_table
from vmevalkit.report.section import Section, TablePart
from vmevalkit.results.analysis import analyze
from vmevalkit.results.analysis_sections import Section as AnalysisSection
from vmevalkit.results.analysis_sections import describe_analysis
from vmevalkit.results.cells import name_column
from vmevalkit.results.words import end_sentence
from vmevalkit.stats.complexity import DomainComplexity
from vmevalkit.store import layout
from vmevalkit.store.atomic import write_file

PAGE = "analysis.html"
LONG = 24
"""Lines above which a table is folded."""


def page_of_analysis(scorers: Sequence[str], place: int) -> str:
    """Return the name of the page of a scorer's analysis; that of the first has the plain name."""
    return PAGE if place == 0 else f"analysis-{layout.folder_name(scorers[place])}.html"


def write_analysis_page(
    contexts: Sequence[ReportContext],
    place: int,
    folder: Path,
    title: str,
    links: Sequence[Link],
    complexity: Mapping[str, DomainComplexity] | None = None,
) -> None:
    """Write the page, and its tables as CSV and LaTeX. ``complexity`` is what the tasks state about the domains."""
    context = contexts[place]
    analysis = analyze(context.rows, context.scorer, complexity=complexity)
    tables = f"tables/{layout.folder_name(context.scorer)}"
    sections = [_make_section(each) for each in describe_analysis(analysis)]
    for section in sections:
        for table in section.tables:
            write_table(table, folder / tables)
    scorers = [each.scorer for each in contexts]
    values = {
        "heading": f"Analysis of the scores of {context.scorer}",
        "first_page": "index.html",
        "other_pages": [
            Link(page_of_analysis(scorers, other), scorers[other], other == place)
            for other in range(len(contexts))
            if len(contexts[other].scored)
        ],
        "sections": [describe_section(section) for section in sections],
        "tables": tables,
    }
    write_file(folder / page_of_analysis(scorers, place), render_page("analysis.html", title, links, values))


def _make_section(section: AnalysisSection) -> Section:
    name = name_column(section.title)
    title = section.title[:1].upper() + section.title[1:]
    tables = [TablePart(f"analysis_{name}", title, section.rows, section.records, is_long=len(section.rows) > LONG)]
    sentences = [end_sentence(sentence) for sentence in section.sentences]
    return Section(name.replace("_", "-"), title, tables=tables if section.rows else (), notes=sentences)
