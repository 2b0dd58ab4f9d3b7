"""A report: one folder with pages, figures, tables, data and copies of the videos. Only files are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vmevalkit.core.errors import StoreError, UsageError
from vmevalkit.core.jsonable import to_json
from vmevalkit.report.analysis_page import write_analysis_page
from vmevalkit.report.context import ReportContext, choose_scorers, make_context
from vmevalkit.report.examples import ExampleChooser
from vmevalkit.report.exports import check_exports, write_exports
from vmevalkit.report.gallery import write_gallery
from vmevalkit.report.media_files import sum_video_bytes
from vmevalkit.report.methods import write_methods
from vmevalkit.report.missing_data import list_missing_data
from vmevalkit.report.notes import list_notes
from vmevalkit.report.pages import (
    Link,
    describe_section,
    describe_table,
    encode_path,
    make_links,
    render_page,
    write_assets,
)
from vmevalkit.report.part_files import write_sections, write_table
from vmevalkit.report.provenance import Provenance, collect_provenance
from vmevalkit.report.provenance_tables import tabulate_provenance
from vmevalkit.report.section import Section
from vmevalkit.report.sections import SECTIONS
from vmevalkit.report.sections.ranking import compute_bands
from vmevalkit.report.summary import write_summary
from vmevalkit.report.video_differences import list_video_differences
from vmevalkit.results.commands import format_command
from vmevalkit.results.plain_table import read_plain_table
from vmevalkit.results.selection import find_baselines, require_name
from vmevalkit.results.table import load_results
from vmevalkit.results.words import end_sentence
from vmevalkit.stats.complexity import DomainComplexity
from vmevalkit.store import layout
from vmevalkit.store.atomic import clean_tree, write_file
from vmevalkit.store.foreign_file import read_foreign_file
from vmevalkit.store.records import record_bytes

if TYPE_CHECKING:
    import pandas as pd

PAGE = "index.html"
LARGE_BYTES = 1_000_000_000
"""Videos above this size are copied only after a question."""


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """How a report is made."""

    scorer: str | None = None
    """The scorer that the first page is about; the rules where they are present."""
    compare_with: Sequence[str] = ()
    """Experiments with other prompts or fresh questions."""
    with_videos: bool = True
    """Whether videos are copied."""
    workers: int = 1
    """Processes that copy videos and make thumbnails."""
    certificates: Path | None = None
    """Folder of certificates; ``docs/certificates`` where it exists."""
    exports: Sequence[str] = ()
    """Formats of other tools to write: ``huggingface``, ``every-eval-ever``."""
    confirm: Callable[[int], bool] | None = None
    """Gets the size of the videos where it is above a gigabyte, and returns whether they are copied. Without it the
    videos are copied."""
    complexity: Mapping[str, DomainComplexity] | None = None
    """What the tasks state about the domains, for the page of the analysis."""


def build_report(
    experiment: str,
    outputs: Path | str = layout.OUTPUTS,
    evaluations: Path | str = layout.EVALUATIONS,
    out: Path | str | None = None,
    on_done: Callable[[int, int], None] | None = None,
    on_note: Callable[[str], None] | None = None,
    options: ReportOptions | None = None,
) -> Path:
    """Write the report of an experiment and return its first page. Nothing is scored.

    ``on_done`` gets the numbers of finished and of all videos, ``on_note`` a line for each thing that the rates leave
    out. The first page is written last, so an interrupted report keeps its old one.
    """
    options = options or ReportOptions()
    check_exports(options.exports)
    outputs, evaluations = Path(outputs), Path(evaluations)
    frame = load_experiment(experiment, outputs, evaluations)
    others = [load_experiment(name, outputs, evaluations) for name in options.compare_with]
    if options.scorer is not None:
        require_name(frame, "scorer", options.scorer)
    folder = choose_folder(experiment, out)
    with_videos = options.with_videos and _may_copy(frame, options.confirm)
    clean_tree(folder)
    write_assets(folder)
    scorers = choose_scorers(frame, options.scorer)
    contexts = [make_context(frame, scorer, outputs, evaluations, others) for scorer in scorers]
    has_analysis = bool(contexts) and len(contexts[0].scored) > 0
    links = make_links(PAGE, has_analysis=has_analysis)
    models = contexts[0].models if contexts else sorted(frame["model"].unique(), key=layout.natural_key)
    chooser = ExampleChooser(scorers[0] if scorers else "", find_baselines(frame))
    write_gallery(
        frame, folder, evaluations, models, scorers, experiment, with_videos, options.workers, chooser, on_done,
        has_analysis,
    )  # fmt: skip
    notes = [*list_notes(frame, experiment, outputs, evaluations), *list_video_differences(frame)]
    provenance = collect_provenance(frame, options.certificates)
    write_file(folder / "provenance.json", record_bytes(to_json(provenance)))
    certificates = _copy_certificates(provenance, folder)
    shared: dict[str, Any] = {
        "kicker": "VMEvalKit report",
        "notes": notes,
        "with_videos": with_videos,
        "examples": chooser.chosen,
        "video_count": f"{chooser.count:,}",
        "downloads": [Link("provenance.json", "provenance as JSON"), *certificates],
    }
    if contexts:
        write_exports(options.exports, contexts[0], provenance, folder / "exports")
    for place in reversed(range(len(contexts))):
        if len(contexts[place].scored):
            own = make_links("analysis.html", has_analysis=has_analysis)
            write_analysis_page(contexts, place, folder, experiment, own, options.complexity)
        write_scorer_page(contexts, place, provenance, folder, experiment, shared, SECTIONS, links)
    if not contexts:
        _write_page_without_scores(frame, provenance, folder, experiment, shared, links)
    if on_note:
        for line in notes:
            on_note(line)
    return folder / PAGE


def build_table_report(
    table: Path | str,
    out: Path | str | None = None,
    on_note: Callable[[str], None] | None = None,
    options: ReportOptions | None = None,
) -> Path:
    """Write the report of a table of scores made elsewhere and return its first page.

    It has no gallery, since there are no videos. Raises UsageError for options that need the runs of an experiment."""
    options, table = options or ReportOptions(), Path(table)
    if options.compare_with or options.exports:
        raise UsageError(f"{table} has no runs, which --compare-with and --export need; name an experiment for these")
    found = read_plain_table(table)
    frame, folder, nowhere = found.frame, choose_folder(table.stem, out), Path()
    if options.scorer is not None:
        require_name(frame, "scorer", options.scorer)
    scorers = choose_scorers(frame, options.scorer)
    contexts = [make_context(frame, scorer, nowhere, nowhere) for scorer in scorers]
    if not len(contexts[0].scored):
        raise UsageError(f"no row of {table} has a score of {scorers[0]}, so there is nothing to report")
    clean_tree(folder)
    write_assets(folder)
    provenance = collect_provenance(frame, options.certificates, table)
    write_file(folder / "provenance.json", record_bytes(to_json(provenance)))
    shared: dict[str, Any] = {
        "kicker": "VMEvalKit report",
        "notes": [end_sentence(note) for note in found.notes],
        "with_videos": True,
        "examples": [],
        "video_count": "0",
        "downloads": [Link("provenance.json", "provenance as JSON"), *_copy_certificates(provenance, folder)],
    }
    for place in reversed(range(len(contexts))):
        own = make_links("analysis.html", has_gallery=False)
        if len(contexts[place].scored):
            write_analysis_page(contexts, place, folder, table.name, own, options.complexity)
        links = make_links(PAGE, has_gallery=False)
        write_scorer_page(contexts, place, provenance, folder, table.name, shared, SECTIONS, links)
    if on_note:
        for line in found.notes:
            on_note(line)
    return folder / PAGE


def choose_folder(name: str, out: Path | str | None) -> Path:
    """Return the folder of a report: the one given, or that of the experiment or table."""
    return layout.experiment_folder(layout.REPORTS, name) if out is None else Path(out)


def load_experiment(experiment: str, outputs: Path, evaluations: Path) -> pd.DataFrame:
    """Return the tidy table of an experiment. Raises StoreError where it is empty."""
    frame = load_results(experiment, outputs=outputs, evaluations=evaluations)
    if not len(frame):
        command = format_command(["run", "--model", "MODEL", "--experiment", experiment], outputs)
        raise StoreError(f"there are no runs and no scores in {experiment}; generate videos first: {command}")
    return frame


def _may_copy(frame: pd.DataFrame, confirm: Callable[[int], bool] | None) -> bool:
    size = sum_video_bytes(frame["video"].dropna().unique().tolist())
    if confirm is None or size <= LARGE_BYTES or confirm(size):
        return True
    raise UsageError("the report was not written; --no-videos leaves the videos out, --yes copies them without asking")


def _copy_certificates(provenance: Provenance, folder: Path) -> list[Link]:
    """Copy the certificates that the provenance names, and return links to them."""
    paths = sorted({note.path for scorer in provenance.scorers for note in scorer.certificates})
    for path in paths:
        write_file(folder / "certificates" / Path(path).name, read_foreign_file(Path(path).parent, Path(path).name))
    return [Link(f"certificates/{encode_path(Path(path).name)}", f"certificate {Path(path).name}") for path in paths]


def page_of(scorers: Sequence[str], place: int) -> str:
    """Return the name of a scorer's page; the first scorer has the first page."""
    return PAGE if place == 0 else f"scorer-{layout.folder_name(scorers[place])}.html"


def write_scorer_page(
    contexts: Sequence[ReportContext],
    place: int,
    provenance: Provenance,
    folder: Path,
    title: str,
    shared: dict[str, Any],
    makers: Sequence[Callable[[ReportContext], Section | None]],
    links: Sequence[Link],
) -> None:
    """Write the page of one scorer with its figures and tables. ``shared`` is what all pages have in common."""
    context = contexts[place]
    name = layout.folder_name(context.scorer)
    figures, tables = f"figures/{name}", f"tables/{name}"
    sections = [section for make in makers if (section := make(context)) is not None]
    bands = compute_bands(context) if len(context.scored) else None
    missing, origin = list_missing_data(context), tabulate_provenance(provenance)
    write_sections(sections, folder / figures, folder / tables)
    for table in [*missing, *origin]:
        write_table(table, folder / tables)
    scorers = [each.scorer for each in contexts]
    values = {
        **shared,
        "heading": title,
        "summary": write_summary(context, compute_bands(context, without_baselines=True) if bands else None),
        "tiles": _make_tiles(context),
        "other_pages": [Link(page_of(scorers, other), scorers[other], other == place) for other in range(len(contexts))]
        if len(contexts) > 1
        else [],
        "sections": [describe_section(section) for section in sections],
        "figures": figures,
        "tables": tables,
        "missing_data": [describe_table(table) for table in missing],
        "methods": write_methods(context, provenance, bands),
        "provenance": [describe_table(table) for table in origin],
    }
    page = page_of(scorers, place)
    write_file(folder / page, render_page("index.html", title, links, values))


def _write_page_without_scores(
    frame: pd.DataFrame,
    provenance: Provenance,
    folder: Path,
    title: str,
    shared: dict[str, Any],
    links: Sequence[Link],
) -> None:
    origin = tabulate_provenance(provenance)
    for table in origin:
        write_table(table, folder / "tables")
    values = {
        **shared, "heading": title, "summary": ["No video is scored, so there is nothing to conclude."],
        "tiles": [{"name": "models", "value": frame["model"].nunique()}], "other_pages": [], "sections": [],
        "figures": "figures", "tables": "tables", "missing_data": [], "methods": [],
        "provenance": [describe_table(table) for table in origin],
    }  # fmt: skip
    write_file(folder / PAGE, render_page("index.html", title, links, values))


def _make_tiles(context: ReportContext) -> list[dict[str, str]]:
    real = len(context.models) - len(context.baselines & set(context.models))
    counts = [
        ("models", real), ("baselines", len(context.models) - real), ("domains", len(context.domains)),
        ("questions", context.videos["item"].nunique()), ("videos scored", context.scored["job"].nunique()),
        ("successes", int(context.scored["success"].fillna(False).sum())),
    ]  # fmt: skip
    return [{"name": name, "value": f"{number:,}"} for name, number in counts if number]
