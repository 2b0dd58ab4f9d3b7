"""What all commands have in common: options that take several values, one-line errors, quiet mode, exit codes."""

from __future__ import annotations

import errno
import os
import select
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from vmevalkit.core.errors import UsageError, VMEvalKitError
from vmevalkit.core.secrets import redact

FAILED, WRONG_USAGE, INTERRUPTED, READER_GONE = 1, 2, 130, 141
MOST_LINES = 10
"""Most lines of one kind, such as failures, that a command prints."""

_quiet = False


def set_quiet(quiet: bool) -> None:
    """Suppress progress and information for this process. Results, warnings and errors are still printed."""
    global _quiet
    _quiet = quiet


def is_quiet() -> bool:
    return _quiet


def inform(line: str) -> None:
    """Print a line of information, unless the user asked for quiet."""
    if not _quiet:
        typer.echo(line)


def confirm_resubmission(outputs: Path, experiment: str, models: Iterable[str], yes: bool) -> None:
    """Name the orders that may be paid for twice, and ask. Without a terminal ``--yes`` is needed."""
    from vmevalkit.runs.claim import list_uncertain_orders

    orders = list_uncertain_orders(outputs, experiment, models)
    if not orders:
        return
    usd = sum(order.usd or 0.0 for order in orders)
    typer.echo(
        err=True,
        message=f"{len(orders)} videos may be paid for twice, up to ${usd:.2f}, unless the provider's list shows them:",
    )
    print_capped([f"  {order.job}" for order in orders], "  and {} more")
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("confirm with --yes, or take an order from your account: vmevalkit claim JOB ORDER_ID")
    if not typer.confirm("order what is not found again?"):
        raise UsageError("nothing was ordered")


_OPEN_OPTION = "vmevalkit.open_option"
"""Under this key a context keeps the option of several values that a further word would belong to."""


class _PlainFlags:
    """A command whose help shows no type beside a flag: ``--yes <bool>`` would ask for a value."""

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
        return params


class Group(_PlainFlags, TyperGroup):
    """All commands."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:  # while the options of a command are read
            raise typer.Exit(report_interrupt()) from error


class Command(_PlainFlags, TyperCommand):
    """A command. ``--task maze rotation`` means ``--task maze --task rotation``; an error is printed in one line."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        multiple = {name for param in self.params if getattr(param, "multiple", False) for name in param.opts}
        has_arguments = any(param.param_type_name == "argument" for param in self.params)
        known = {"--task": _is_task} if has_arguments else {}
        repeated = repeat_options(args, multiple, known)
        ctx.meta[_OPEN_OPTION] = repeated[-2] if len(repeated) > 1 and repeated[-2] in multiple else None
        return super().parse_args(ctx, repeated)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Complete a further value of an option, as in ``--task maze rot``."""
        option = ctx.meta.get(_OPEN_OPTION)
        if option is None or incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        [param] = [param for param in self.params if option in param.opts]
        return param.shell_complete(ctx, incomplete)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except VMEvalKitError as error:
            typer.echo(redact(f"error: {error}"), err=True)
            raise typer.Exit(WRONG_USAGE if isinstance(error, UsageError) else FAILED) from error
        except BrokenPipeError as error:
            if not _is_reader_gone():
                typer.echo(redact(f"error: {error}"), err=True)
                raise typer.Exit(FAILED) from error
            # The reader, such as head, has what it wanted. What is still buffered must not fail at the exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(READER_GONE) from error
        except (OSError, MemoryError) as error:
            typer.echo(redact(f"error: {_describe_system_error(error)}"), err=True)
            raise typer.Exit(FAILED) from error
        except KeyboardInterrupt as error:
            raise typer.Exit(report_interrupt()) from error


def report_interrupt() -> int:
    """Print what Ctrl-C means for the work. Returns the exit code."""
    typer.echo("interrupted: finished work is kept; the same command resumes", err=True)
    return INTERRUPTED


def _is_reader_gone() -> bool:
    """Whether stdout is a pipe that nobody reads any more."""
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        return any(event & select.POLLERR for _, event in poll.poll(0))
    except (OSError, ValueError):
        return False


def _describe_system_error(error: OSError | MemoryError) -> str:
    """Return what the operating system refuses, and the remedy."""
    if isinstance(error, MemoryError):
        return "there is not enough memory; use fewer --workers"
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return "too many files are open; raise the limit (ulimit -n 256) or use fewer --workers"
    return str(error)


def repeat_options(
    args: Sequence[str], multiple: set[str], known: Mapping[str, Callable[[str], bool]] | None = None
) -> list[str]:
    """Repeat an option of several values before each further value.

    ``known`` says of an option which values it takes: a further one that it does not know is a positional argument.
    """
    result: list[str] = []
    option, values = "", 0
    for index, arg in enumerate(args):
        if arg == "--":
            return [*result, *args[index:]]
        if arg.startswith("-") and arg != "-":
            name, equals, _ = arg.partition("=")
            option, values = (name, 1 if equals else 0) if name in multiple else ("", 0)
        elif option and values and not (known or {}).get(option, _is_anything)(arg):
            option = ""
        elif option:
            result += [option] if values else []
            values += 1
        result.append(arg)
    return result


def _is_anything(_: str) -> bool:
    return True


def _is_task(value: str) -> bool:
    from vmevalkit.tasks import TASKS

    return value == ALL or any(part in TASKS for part in value.split(","))


ALL = "all"


def split_names(values: Iterable[str] | None) -> list[str]:
    """Return the names of a repeatable option, each once: ``a b``, ``a,b`` and ``a --task b`` are the same."""
    return list(dict.fromkeys(part.strip() for value in values or () for part in value.split(",") if part.strip()))


def split_models(values: Iterable[str]) -> list[str]:
    """Return the models of a repeatable option, each once. An address or a command may contain commas."""
    from vmevalkit.models.model_reference import is_model_reference

    parts = ([value] if is_model_reference(value) else split_names([value]) for value in values)
    return list(dict.fromkeys(name for names in parts for name in names))


def select_tasks(values: Iterable[str] | None) -> list[str] | None:
    """Return the task names of ``--task``; None for all tasks. Raises UnknownName with the nearest task."""
    from vmevalkit.tasks import TASKS

    names = split_names(values)
    if not names or ALL in names:
        return None
    for name in names:
        TASKS[name]
    return names


def count_cores() -> int:
    """Return the number of cores that this process may use: the default number of workers."""
    try:
        return max(1, len(os.sched_getaffinity(0)))
    except AttributeError:  # macOS
        return os.cpu_count() or 1


def report_failures(lines: Sequence[str], most: int = MOST_LINES) -> None:
    """Print the failures and exit with a code that says so. Does nothing where nothing failed."""
    if not lines:
        return
    print_capped([f"failed: {line}" for line in lines], "failed: {} more", most)
    sys.stdout.flush()
    raise typer.Exit(FAILED)


def print_capped(lines: Sequence[str], rest: str, most: int = MOST_LINES) -> None:
    """Print the first lines on stderr, and how many more there are."""
    for line in lines[:most]:
        typer.echo(redact(line), err=True)
    if len(lines) > most:
        typer.echo(rest.format(len(lines) - most), err=True)
