"""``vmevalkit run``: have models film the questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vmevalkit.cli.command import failures
from vmevalkit.cli.progress import progress


def run(
    model: Annotated[list[str], typer.Option(help="One model or several, such as oracle static.")],
    experiment: Annotated[str, typer.Option(help="Name of the experiment.")],
    questions: Annotated[Path, typer.Option(help="Where the questions lie.")] = Path("data/questions"),
    outputs: Annotated[Path, typer.Option(help="Where films go.")] = Path("data/outputs"),
    task: Annotated[list[str] | None, typer.Option(help="Only these tasks.", show_default="all that are there")] = None,
    samples: Annotated[int, typer.Option(help="Films of each question.")] = 1,
    seconds: Annotated[float | None, typer.Option(help="Length of a film.", show_default="the task's own")] = None,
    workers: Annotated[int, typer.Option(help="Processes.")] = 1,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Try again what failed before.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Remove films of other questions with the same ids.")] = False,
) -> None:
    """Have models film the questions. What is filmed already is kept; the same command goes on from there."""
    with progress("films") as on_done:
        from vmevalkit.runner.run import run as film

        summary = film(
            model, questions, experiment, outputs, domains=task, samples=samples, seconds=seconds, workers=workers,
            retry_failed=retry_failed, force=force, on_done=on_done,
        )  # fmt: skip
    good = len(summary.runs) - len(summary.failed)
    typer.echo(f"{experiment}: {summary.made} made, {summary.kept} kept; {good} films, {len(summary.failed)} failed")
    if summary.not_applicable:
        model_name, question_id = summary.not_applicable[0]
        typer.echo(f"{len(summary.not_applicable)} do not apply, such as {model_name} on {question_id}")
    failures([f"{bad.model} on {bad.question_id}: {bad.error or bad.status}" for bad in summary.failed])
