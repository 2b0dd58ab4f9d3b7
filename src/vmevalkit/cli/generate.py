"""``vmevalkit generate``: make questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from vmevalkit.cli.command import failures
from vmevalkit.cli.progress import progress
from vmevalkit.core.errors import UsageError


def generate(
    task: Annotated[list[str], typer.Option(help="One task or several; see `vmevalkit tasks`.")],
    n: Annotated[int, typer.Option(help="Questions of each task.")] = 10,
    seed: Annotated[int, typer.Option(help="Another seed gives other questions.")] = 42,
    difficulty: Annotated[str | None, typer.Option(help="easy, medium or hard.", show_default="the task's own")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Turn single knobs: KNOB=VALUE.", show_default=False)
    ] = None,
    out: Annotated[Path, typer.Option(help="Where questions go.")] = Path("data/questions"),
    solutions: Annotated[bool, typer.Option(help="Film each solution, too.")] = False,
    workers: Annotated[int, typer.Option(help="Processes that draw.")] = 1,
    force: Annotated[bool, typer.Option("--force", help="Replace other questions in the folder.")] = False,
) -> None:
    """Make questions whose answers are known. What is there already is kept; the same command goes on from there."""
    knobs = dict(_knob(text) for text in set_ or [])
    with progress("questions") as on_done:
        from vmevalkit.runner.generate import generate as make

        summary = make(
            task, n, seed=seed, difficulty=difficulty, knobs=knobs, out=out, solutions=solutions, workers=workers,
            force=force, on_done=on_done,
        )  # fmt: skip
    for made in summary.tasks:
        beyond = f", {made.beyond} more stay" if made.beyond else ""
        typer.echo(f"{made.task}: {made.drawn} drawn, {made.kept} kept{beyond}; fingerprint {made.fingerprint[:16]}")
    typer.echo(f"the index is at {summary.index}")
    failures([f"{name}: {failure}" for name, failure in summary.failures])


def _knob(text: str) -> tuple[str, Any]:
    """``grid_n=5`` as a name and a JSON value; what is not JSON is a word."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"--set {text!r} is not KNOB=VALUE, such as grid_n=5")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
