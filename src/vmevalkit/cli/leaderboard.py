"""``vmevalkit leaderboard``: several experiments on the same questions, on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vmevalkit.cli.command import split_names
from vmevalkit.cli.options import EVALUATIONS, OUTPUTS, Evaluations, Outputs


def leaderboard(
    experiments: Annotated[list[str], typer.Option(help="Experiments on the same questions: --experiments A B C.")],
    out: Annotated[Path, typer.Option(help="Folder of the page.")],
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "Leaderboard",
    scorer: Annotated[
        str | None, typer.Option(help="The scorer of the first page.", show_default="RuleEvaluator")
    ] = None,
    certificates: Annotated[
        Path | None, typer.Option(help="Folder of the scorers' certificates.", show_default="docs/certificates")
    ] = None,
    outputs: Outputs = OUTPUTS,
    evaluations: Evaluations = EVALUATIONS,
) -> None:
    """Write a static page that ranks the models of several experiments, with intervals and rank bands.

    Experiments whose questions differ are refused. Baselines are part of the ranking.
    """
    from vmevalkit.report.leaderboard import build_leaderboard

    page = build_leaderboard(
        split_names(experiments), out, outputs, evaluations, title=title, scorer=scorer, certificates=certificates
    )
    typer.echo(f"leaderboard: {page}")
