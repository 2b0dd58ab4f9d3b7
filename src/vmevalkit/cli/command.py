"""How every verb behaves: options that take several values, and errors of a line."""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperCommand

from vmevalkit.core.errors import UsageError, VMEvalKitError
from vmevalkit.core.secrets import redacted

FAILED, WRONG_USAGE, INTERRUPTED = 1, 2, 130


class Command(TyperCommand):
    """A verb. ``--task maze rotation`` means ``--task maze --task rotation``; an error of ours is one line."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        several = {name for param in self.params if getattr(param, "multiple", False) for name in param.opts}
        return super().parse_args(ctx, repeated(args, several))

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except VMEvalKitError as error:
            typer.echo(redacted(f"error: {error}"), err=True)
            raise typer.Exit(WRONG_USAGE if isinstance(error, UsageError) else FAILED) from error
        except KeyboardInterrupt as error:
            typer.echo("interrupted: what is finished is kept, and the same command goes on from there", err=True)
            raise typer.Exit(INTERRUPTED) from error


def repeated(args: list[str], several: set[str]) -> list[str]:
    """Name an option of several values again before each further value."""
    given: list[str] = []
    option, values = "", 0
    for place, arg in enumerate(args):
        if arg == "--":
            return given + args[place:]
        if arg.startswith("-") and arg != "-":
            name, equals, _ = arg.partition("=")
            option, values = (name, 1 if equals else 0) if name in several else ("", 0)
        elif option:
            given += [option] if values else []
            values += 1
        given.append(arg)
    return given


def failures(lines: list[str], most: int = 10) -> None:
    """Say what failed, and leave with an exit code that says so. Does nothing where nothing failed."""
    if not lines:
        return
    for line in lines[:most]:
        typer.echo(f"failed: {line}", err=True)
    if len(lines) > most:
        typer.echo(f"failed: {len(lines) - most} more", err=True)
    sys.stdout.flush()
    raise typer.Exit(FAILED)
