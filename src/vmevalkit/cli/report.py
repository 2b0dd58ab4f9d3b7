"""``vmevalkit report``: one page with the verdicts of an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    experiment: Annotated[str, typer.Option(help="The experiment to show.")],
    outputs: Annotated[Path, typer.Option(help="Where the runs lie.")] = Path("data/outputs"),
    evaluations: Annotated[Path, typer.Option(help="Where the scores lie.")] = Path("data/evaluations"),
    out: Annotated[
        Path | None, typer.Option(help="Folder of the page; data/reports/EXPERIMENT if not given.", show_default=False)
    ] = None,
) -> None:
    """Write a static page: the table of pass rates, and every film with its strip, verdict and findings."""
    from vmevalkit.report.page import build_report

    typer.echo(f"the report is at {build_report(experiment, outputs, evaluations, out)}")
