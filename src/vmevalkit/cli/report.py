"""``vmevalkit report``: a folder with pages, figures and tables of an experiment."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from vmevalkit.cli.command import split_names
from vmevalkit.cli.completion import complete_experiments
from vmevalkit.cli.options import EVALUATIONS, OUTPUTS, WORKERS, Evaluations, Outputs, Workers
from vmevalkit.cli.progress import progress
from vmevalkit.core.errors import UsageError
from vmevalkit.store.layout import REPORTS


def report(
    experiment: Annotated[str, typer.Option(help="The experiment to show.", autocompletion=complete_experiments)],
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

    It has rankings with intervals, figures, tables, a gallery of all videos and a page for each question. Videos are
    copied. Videos without a score are listed with their reasons; the rates leave them out.
    """
    from vmevalkit.report.build import ReportOptions

    options = ReportOptions(
        scorer=scorer,
        compare_with=split_names(compare_with),
        with_videos=not no_videos,
        workers=workers,
        certificates=certificates,
        confirm=None if yes else _confirm_size,
        exports=split_names(export),
    )
    write_report(experiment, outputs, evaluations, out, options)


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
        page = build.build_report(experiment, outputs, evaluations, out, on_done, notes.append, given)
    for line in notes:
        typer.echo(line, err=True)
    typer.echo(f"report: {page}")


def _confirm_size(size: int) -> bool:
    """Ask whether videos above a gigabyte are copied. Raises UsageError where nobody can answer."""
    from vmevalkit.report.words import format_bytes

    text = f"the videos are {format_bytes(size)}"
    if not sys.stdin.isatty():
        raise UsageError(f"{text}; --yes copies them, --no-videos leaves them out of the report")
    return typer.confirm(f"{text}. Copy them into the report?", err=True)
