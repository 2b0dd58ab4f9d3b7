"""An analysis as text, CSV and LaTeX, and as plain JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import orjson

from vmevalkit.results.analysis import Analysis
from vmevalkit.results.analysis_sections import Section, describe_analysis
from vmevalkit.results.formats import encode_csv, escape_latex, format_latex, format_rows
from vmevalkit.results.words import count, end_sentence

MOST_ROWS = 24
"""Rows of a long table that are printed; the files have all."""


def encode_analysis(analyses: Iterable[Analysis], name: str) -> str:
    """Return analyses as ``table``, ``markdown``, ``csv``, ``latex`` or ``json``."""
    analyses = list(analyses)
    if name == "json":
        records = [analysis_record(analysis) for analysis in analyses]
        return orjson.dumps(records, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode() + "\n"
    if name == "csv":
        return encode_csv([line for analysis in analyses for line in list_cells(analysis)]).decode()
    sections = [section for analysis in analyses for section in describe_analysis(analysis)]
    if name == "latex":
        return "\n".join(map(_format_latex, sections))
    return "\n".join(_format_section(section, name) for section in sections)


def list_cells(analysis: Analysis) -> Iterator[dict[str, Any]]:
    """Yield each number and name in the tables of an analysis: its section, line and column."""
    for section in describe_analysis(analysis):
        for line, record in enumerate(section.records, start=1):
            for column, value in record.items():
                yield {
                    "scorer": analysis.scorer, "section": section.title, "line": line, "column": column, "value": value,
                }  # fmt: skip


def _format_section(section: Section, name: str) -> str:
    heading = f"## {section.title}" if name == "markdown" else f"{section.title}\n{'-' * len(section.title)}"
    body = format_rows(section.rows[:MOST_ROWS], name)
    hidden = len(section.rows) - MOST_ROWS
    more = [f"{count(hidden, f'more {section.noun}')} in the CSV, LaTeX and JSON"] if hidden > 0 else []
    lines = "".join(f"- {sentence}\n" for sentence in (*section.sentences, *more))
    gap = "\n" if name == "markdown" and body and lines else ""
    return f"{heading}\n{chr(10) if name == 'markdown' else ''}{body}{gap}{lines}"


def _format_latex(section: Section) -> str:
    """Return a section as a float with its caption, or as a paragraph where it has no table."""
    title = escape_latex(section.title)
    sentences = [escape_latex(end_sentence(sentence)) for sentence in section.sentences]
    if not section.rows:
        return f"\\paragraph{{{title}}} {' '.join(sentences)}\n"
    caption = " ".join([f"{title}.", *sentences])
    return f"\\begin{{table}}\n\\caption{{{caption}}}\n{format_latex(section.rows)}\\end{{table}}\n"


def analysis_record(analysis: Analysis) -> dict[str, Any]:
    """Return every number of an analysis as plain JSON values."""
    record: dict[str, Any] = _plain(analysis)
    return record


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {
            " - ".join(map(str, key)) if isinstance(key, tuple) else str(key): _plain(v) for key, v in value.items()
        }
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value.item() if hasattr(value, "item") else value
