"""``vmevalkit``: each command is a module of this folder with a function of the same name.

Commands import what they need when they are called: the help loads nothing heavy.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from inspect import getdoc
from keyword import iskeyword
from pathlib import Path
from typing import Annotated

import typer

from vmevalkit import __version__
from vmevalkit.cli.command import Command, Group, report_interrupt, set_quiet
from vmevalkit.core.settings import DEBUG

GROUPS = {
    "Make puzzles": ("tasks", "generate", "benchmark", "gallery", "vqa_dataset"),
    "Run models": ("models", "run", "play", "claim", "experiment", "vqa"),
    "Score videos": ("score", "annotate", "audit", "validate", "attack", "selftest", "serve"),
    "Look at results": ("results", "compare", "agree", "analyze", "power", "report", "leaderboard", "vqa_report"),
    "Exchange": ("import", "export", "push", "pull"),
}
"""The commands in the order of the help; other modules of this folder follow by name, in a group of their own."""
COMMANDS = tuple(name for names in GROUPS.values() for name in names)
OTHERS = "More commands"
PARTS = {"main", "command", "completion", "options", "judge_options", "progress"}
"""Modules of this folder that are not commands."""
HELP_OPTIONS = {"help_option_names": ["-h", "--help"]}


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"vmevalkit {__version__}")
        raise typer.Exit


FIRST_STEPS = """vmevalkit measures whether video models can reason. Three steps, without keys or GPU:

  vmevalkit generate --task maze --n 3 --solutions                  more puzzles: vmevalkit tasks
  vmevalkit run --model oracle static --experiment first            real models: vmevalkit models
  vmevalkit score --experiment first                                videos of your own: --videos FOLDER

Then vmevalkit report --experiment first. All commands: vmevalkit --help
"""


def _main_options(
    ctx: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress; results and errors only.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Failures with the traceback of the exception.")] = False,
) -> None:
    """Measure whether video models can reason: generate puzzles, run models, score their videos, read the report."""
    set_quiet(quiet)
    if debug:
        os.environ[DEBUG] = "1"  # worker processes inherit it
    if ctx.invoked_subcommand is None:
        typer.echo(FIRST_STEPS, nl=False)


def find_commands() -> list[str]:
    """Return the names of all commands."""
    found = {path.stem.removesuffix("_") for path in Path(__file__).parent.glob("[a-z]*.py")} - PARTS
    return [name for name in COMMANDS if name in found] + sorted(found - set(COMMANDS))


def make_app() -> typer.Typer:
    app = typer.Typer(cls=Group, pretty_exceptions_enable=False, context_settings=HELP_OPTIONS)
    app.callback(invoke_without_command=True)(_main_options)
    groups = {name: group for group, names in GROUPS.items() for name in names}
    for name in find_commands():
        module = f"{name}_" if iskeyword(name) else name  # a module cannot be called import
        function = getattr(import_module(f"vmevalkit.cli.{module}"), module)
        command = name.replace("_", "-")
        add = app.command(
            command, cls=Command, context_settings=HELP_OPTIONS, help=_join_lines(function),
            rich_help_panel=groups.get(name, OTHERS),
        )  # fmt: skip
        add(function)
    return app


def _join_lines(function: Callable[..., None]) -> str:
    """Return the docstring with one line for each paragraph: the help wraps it to the width of the terminal."""
    paragraphs = (getdoc(function) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def main() -> None:
    try:
        make_app()()
    except KeyboardInterrupt:  # while the commands are imported
        sys.exit(report_interrupt())


if __name__ == "__main__":
    main()
