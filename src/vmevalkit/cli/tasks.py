"""``vmevalkit tasks``: the puzzles and their parameters."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

import typer

from vmevalkit.cli.completion import complete_tasks

if TYPE_CHECKING:
    from vmevalkit.tasks.task import AnyTask


class Template(StrEnum):
    """Which kind of puzzle a template is."""

    FILL = "fill"
    MOVE = "move"
    TURN = "turn"


def tasks(
    name: Annotated[
        list[str] | None, typer.Argument(help="Show the parameters of these tasks.", autocompletion=complete_tasks)
    ] = None,
    template: Annotated[
        Template | None, typer.Option(help="Print a small puzzle file that runs as it is: a start for your own puzzle.")
    ] = None,
) -> None:
    """List the tasks, or show the parameters of some of them.

    The option --set of the command generate takes the parameters as printed here.
    """
    from vmevalkit.tasks import TASKS

    if template is not None:
        from importlib import resources

        folder = resources.files("vmevalkit.tasks.kit.templates")
        typer.echo((folder / f"{template.value}.py").read_text("utf-8"), nl=False)
        return
    for index, task in enumerate([TASKS[each] for each in name or TASKS]):
        if name:
            typer.echo(("\n" if index else "") + "\n".join(_describe_params(task)))
        else:
            typer.echo(f"{task.name}: {task.description} ({', '.join(task.difficulties)})")
    if not name:
        for line in TASKS.list_missing():
            typer.echo(line)
        typer.echo("\nparameters of a task: vmevalkit tasks NAME")


def _describe_params(task: AnyTask) -> list[str]:
    """Return the defaults with their types, then what differs in each difficulty."""
    from dataclasses import fields
    from typing import get_type_hints

    default = task.preset()
    hints = get_type_hints(task.params_type)
    lines = [f"{task.name}: {task.description}", f"  {task.default_difficulty} (default):"]
    lines += [
        f"    {field.name}={_format(getattr(default, field.name))}  ({_format_type(hints[field.name])})"
        for field in fields(task.params_type)
    ]
    for difficulty, preset in task.difficulties.items():
        if difficulty != task.default_difficulty:
            changed = [
                f"{field.name}={_format(getattr(preset, field.name))}"
                for field in fields(task.params_type)
                if getattr(preset, field.name) != getattr(default, field.name)
            ]
            lines.append(f"  {difficulty}: {'  '.join(changed)}")
    return lines


def _format(value: Any) -> str:
    """Return the value as ``--set`` takes it, without spaces, so that it needs no quotes in a shell."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _format_type(kind: Any) -> str:
    arguments = get_args(kind)
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, arguments))}"
    if get_origin(kind) is tuple and get_origin(arguments[0]) is Literal:
        return f"some of {', '.join(map(str, get_args(arguments[0])))}"
    return str(kind) if arguments else str(kind.__name__)
