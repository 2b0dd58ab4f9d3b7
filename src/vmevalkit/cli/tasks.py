"""``vmevalkit tasks``: what puzzles there are."""

from __future__ import annotations

import typer


def tasks() -> None:
    """List the tasks with their difficulties and knobs."""
    from dataclasses import fields

    from vmevalkit.tasks import TASKS

    for name, task in TASKS.items():
        typer.echo(f"{name}: {task.description}")
        for difficulty, preset in task.difficulties.items():
            default = " (default)" if difficulty == task.default_difficulty else ""
            values = "  ".join(f"{field.name}={getattr(preset, field.name)}" for field in fields(task.knobs_type))
            typer.echo(f"  {difficulty}{default}: {values}")
