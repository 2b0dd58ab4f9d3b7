"""``vmevalkit export``: questions, videos and scores in the formats of other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vmevalkit.cli.command import inform, select_tasks
from vmevalkit.cli.completion import complete_experiments
from vmevalkit.cli.options import EVALUATIONS, OUTPUTS, QUESTIONS, Evaluations, Outputs, Questions, Tasks


def export(
    out: Annotated[Path, typer.Argument(help="The new folder.")],
    to: Annotated[str, typer.Option(help="hf, hf-disk, webdataset, parquet, videofolder, wandb or trackio.")],
    experiment: Annotated[
        str | None,
        typer.Option(
            help="Export the videos and scores of this experiment.",
            show_default="questions alone",
            autocompletion=complete_experiments,
        ),
    ] = None,
    questions: Questions = QUESTIONS,
    outputs: Outputs = OUTPUTS,
    evaluations: Evaluations = EVALUATIONS,
    task: Tasks = None,
    name: Annotated[str | None, typer.Option(help="Name of the set in its card.", show_default="the folder's")] = None,
    licence: Annotated[str, typer.Option(help="Licence of the set in its card, such as cc-by-4.0.")] = "unknown",
) -> None:
    """Export questions, or the videos and scores of an experiment, with a dataset card."""
    from vmevalkit.exchange.export import export_rows
    from vmevalkit.exchange.row import iterate_question_rows, iterate_run_rows

    if experiment is None:
        rows = iterate_question_rows(questions, select_tasks(task))
    else:
        rows = iterate_run_rows(experiment, outputs, evaluations)
    done = export_rows(rows, to, out, name, licence)
    typer.echo(f"{done.folder}: {done.rows} rows; fingerprint {done.fingerprint[:16]}")
    inform(f"the card, with the code that loads it: {done.folder / 'README.md'}")
