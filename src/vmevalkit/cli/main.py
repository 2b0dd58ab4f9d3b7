"""``vmevalkit``: a verb is a module of this folder, and the function of the same name in it.

Verbs import what they need when they are called: to show the help, nothing heavy is loaded.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from vmevalkit import __version__
from vmevalkit.cli.command import Command

VERBS = ("tasks", "models", "generate", "run", "score", "report", "audit", "experiment", "benchmark", "gallery")
"""In the order of the line, for the help; other modules of this folder follow by name."""


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"vmevalkit {__version__}")
        raise typer.Exit


def _about(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Measure whether video-generation models can reason: make puzzles, film them, score the films, read the report."""


def verbs() -> list[str]:
    """The modules of this folder, but this one and its parts."""
    parts = {"main", "command", "progress"}
    found = {path.stem for path in Path(__file__).parent.glob("[a-z]*.py")} - parts
    return [verb for verb in VERBS if verb in found] + sorted(found - set(VERBS))


def make_app() -> typer.Typer:
    app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
    app.callback()(_about)
    for verb in verbs():
        app.command(verb, cls=Command)(getattr(import_module(f"vmevalkit.cli.{verb}"), verb))
    return app


def main() -> None:
    make_app()()


if __name__ == "__main__":
    main()
