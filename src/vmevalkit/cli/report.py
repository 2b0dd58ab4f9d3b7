"""``vmevalkit report``: one page with the verdicts of an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vmevalkit.cli.progress import progress


def report(
    experiment: Annotated[str, typer.Option(help="The experiment to show.")],
    outputs: Annotated[Path, typer.Option(help="Where the runs lie.")] = Path("data/outputs"),
    evaluations: Annotated[Path, typer.Option(help="Where the scores lie.")] = Path("data/evaluations"),
    out: Annotated[
        Path | None, typer.Option(help="Folder of the page; data/reports/EXPERIMENT if not given.", show_default=False)
    ] = None,
) -> None:
    """Write a static page: the table of pass rates, and every film with its strip, verdict and findings. It says which
    films are not scored yet, and which runs have no film; neither is counted."""
    write_report(experiment, outputs, evaluations, out)


def write_report(experiment: str, outputs: Path, evaluations: Path, out: Path | None = None) -> None:
    told: list[str] = []
    with progress("films") as on_done:
        from vmevalkit.report.page import build_report

        page = build_report(experiment, outputs, evaluations, out, on_done, told.append)
    for line in told:
        typer.echo(line, err=True)
    typer.echo(f"the report is at {page}")
