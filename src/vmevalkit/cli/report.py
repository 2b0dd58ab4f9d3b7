"""``vmevalkit report``: a folder with pages, figures and tables of an experiment."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vmevalkit.cli.analyze import state_complexity
from vmevalkit.cli.command import split_names
from vmevalkit.cli.completion import complete_experiments
from vmevalkit.cli.options import EVALUATIONS, OUTPUTS, WORKERS, Evaluations, FromTable, Outputs, Workers
from vmevalkit.cli.progress import progress
from vmevalkit.cli.results import print_notes
from vmevalkit.core.errors import UsageError
from vmevalkit.store.layout import REPORTS

if TYPE_CHECKING:
    from vmevalkit.report.build import ReportOptions


def report(
    experiment: Annotated[
        str | None,
        typer.Option(help="The experiment to show.", show_default=False, autocompletion=complete_experiments),
    ] = None,
    table: FromTable = None,
    outputs: Outputs = OUTPUTS,
    evaluations: Evaluations = EVALUATIONS,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the report.", show_default=f"{REPORTS}/EXPERIMENT")
    ] = None,
    compare_with: Annotated[
        list[str] | None,
        typer.Option(help="Experiments with another prompt on the same questions, or with fresh questions."),
    ] = None,
    scorer: Annotated[
        str | None, typer.Option(help="The scorer of the first page.", show_default="RuleEvaluator")
    ] = None,
    no_videos: Annotated[bool, typer.Option("--no-videos", help="Leave the videos out.")] = False,
    certificates: Annotated[
        Path | None, typer.Option(help="Folder of the scorers' certificates.", show_default="docs/certificates")
    ] = None,
    export: Annotated[
        list[str] | None, typer.Option(help="Also write results for others: huggingface, every-eval-ever.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Copy more than a gigabyte of videos without asking.")] = False,
    workers: Workers = WORKERS,
) -> None:
    """Write a report that opens in any browser, works offline and can be zipped and published.

    It has rankings with intervals, figures, tables, the whole analysis, a gallery of all videos and a page for each
    question. Videos are copied. Videos without a score are listed with their reasons; the rates leave them out. The
    report of a table (--from) has no gallery.
    """
    from vmevalkit.report.build import ReportOptions

    if (experiment is None) == (table is None):
        given = "neither is given" if experiment is None else "both are given"
        raise UsageError(f"name an experiment with --experiment, or a table of scores with --from; {given}")
    options = ReportOptions(
        scorer=scorer,
        compare_with=split_names(compare_with),
        with_videos=not no_videos,
        workers=workers,
        certificates=certificates,
        confirm=None if yes else _confirm_size,
        exports=split_names(export),
    )
    if experiment is not None:
        write_report(experiment, outputs, evaluations, out, options)
    elif table is not None:
        _write_table_report(table, out, options)


def write_report(
    experiment: str,
    outputs: Path,
    evaluations: Path,
    out: Path | None = None,
    options: object | None = None,
) -> None:
    """Write the report and print where it is."""
    notes: list[str] = []
    with progress("videos") as on_done:
        from vmevalkit.report import build

        given = options if isinstance(options, build.ReportOptions) else build.ReportOptions(confirm=_confirm_size)
        given = replace(given, complexity=state_complexity())
        page = build.build_report(experiment, outputs, evaluations, out, on_done, notes.append, given)
    for line in notes:
        typer.echo(line, err=True)
    typer.echo(f"report: {page}")


def _write_table_report(table: Path, out: Path | None, options: ReportOptions) -> None:
    from vmevalkit.report.build import build_table_report

    notes: list[str] = []
    page = build_table_report(table, out, notes.append, options)
    print_notes(notes, err=True)
    typer.echo(f"report: {page}")


def _confirm_size(size: int) -> bool:
    """Ask whether videos above a gigabyte are copied. Raises UsageError where nobody can answer."""
    from vmevalkit.report.words import format_bytes

    text = f"the videos are {format_bytes(size)}"
    if not sys.stdin.isatty():
        raise UsageError(f"{text}; --yes copies them, --no-videos leaves them out of the report")
    return typer.confirm(f"{text}. Copy them into the report?", err=True)
