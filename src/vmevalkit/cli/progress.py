"""Progress on stderr: a bar or a table on a terminal, a line every 30 seconds elsewhere."""

from __future__ import annotations

import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType
from typing import TYPE_CHECKING

import typer

from vmevalkit.cli.command import is_quiet

if TYPE_CHECKING:
    from rich.table import Table

    from vmevalkit.jobs.progress import Progress

LINE_EVERY_S = 30.0
"""How often a line is printed where stderr is not a terminal."""

FULL_WIDTH = 1000
"""Columns of output that goes to a file or a pipe: nothing is wrapped or cut."""

_POLL_S = 1.0
_RUNNING = ("submitting", "generating", "downloading")
_PROBLEMS = ("failed", "refused", "uncertain")
_COUNTS_WIDTH, _PROBLEMS_WIDTH = 24, 13
"""Columns of the run table for its counts and, at least, for the problems, with the gaps before them."""
_MAX_NAME, _MIN_BAR, _MAX_BAR = 44, 6, 30
_WIDE = 110


class PlainProgress:
    """Prints how many of how many are finished, at most every LINE_EVERY_S seconds."""

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._what, self._clock = what, clock
        self._start = self._last = clock()
        self._before: int | None = None

    def update(self, finished: int, total: int, note: str = "") -> None:
        now = self._clock()
        if self._before is None:
            self._before = finished  # from earlier calls: they say nothing about the speed
        if now - self._last < LINE_EVERY_S or not total or is_quiet():
            return
        self._last = now
        left = _estimate_left(now - self._start, finished - self._before, total - finished)
        typer.echo(f"{self._what}: {finished} of {total}, {left}{note}", err=True)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that takes the numbers of finished and of all items."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    plain = PlainProgress(what)
    shown = console.is_terminal and not is_quiet()
    with _catch_interrupts() as interrupted, Progress(*columns, console=console, disable=not shown) as bar:
        line = bar.add_task(what, total=None)

        def update(finished: int, total: int) -> None:
            if interrupted.is_set():
                raise KeyboardInterrupt
            bar.update(line, completed=finished, total=total)
            if not shown:
                plain.update(finished, total)

        yield update


@contextmanager
def jobs_table(jobs: Progress) -> Iterator[Callable[[int, int], None]]:
    """Show a table of the jobs, a line for each model. Yields a function to be called whenever a job ends."""
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    start = time.monotonic()
    live = Live(
        get_renderable=lambda: make_table(jobs, time.monotonic() - start, console.width),
        console=console,
        refresh_per_second=4,
    )
    display = nullcontext() if is_quiet() else live if console.is_terminal else _print_lines(jobs)
    with _catch_interrupts() as interrupted, display:

        def update(_finished: int, _total: int) -> None:
            if interrupted.is_set():
                raise KeyboardInterrupt

        yield update


@contextmanager
def _print_lines(jobs: Progress) -> Iterator[None]:
    """Print lines of progress from another thread: one video may take longer than LINE_EVERY_S."""
    plain, stop = PlainProgress("videos"), threading.Event()

    def print_until_stopped() -> None:
        while not stop.wait(_POLL_S):
            plain.update(jobs.finished, jobs.total, describe_pauses(jobs))

    thread = threading.Thread(target=print_until_stopped, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def describe_pauses(jobs: Progress) -> str:
    """Return which models wait because their providers asked for it (Retry-After)."""
    pauses = [(model.model, model.get_pause_s()) for model in list(jobs.models.values())]
    return "".join(f"; {name} is paused {pause_s:.0f} s by its provider" for name, pause_s in pauses if pause_s)


def make_table(jobs: Progress, elapsed_s: float, width: int = 80) -> Table:
    """Return the table of all models: a bar, counts of what runs and of what ended, time left, money.

    Where long model names leave no room for the bar, it is left out.
    """
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    models = list(jobs.models.values())
    new = jobs.finished - sum(model.kept for model in models)
    left = _estimate_left(elapsed_s, new, jobs.total - jobs.finished)
    title = f"{jobs.finished} of {jobs.total} videos, {left}"
    if jobs.budget is not None:
        limit = "" if jobs.budget.max_usd is None else f" of ${jobs.budget.max_usd:.2f}"
        title += f", ${jobs.budget.spent_usd:.2f}{limit} spent"
    table = Table(title=title, box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    longest = max((len(model.model) for model in models), default=0)
    table.add_column("model", overflow="fold", min_width=min(longest, _MAX_NAME))
    bar_width = min(_MAX_BAR, width - longest - _COUNTS_WIDTH - _PROBLEMS_WIDTH - 1)
    if bar_width >= _MIN_BAR:
        table.add_column("", width=bar_width)
    for name in ("done", "running", "waiting"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("problems", overflow="fold")
    for model in models:
        running = sum(getattr(model, name) for name in _RUNNING)
        problems = [f"{getattr(model, name)} {name}" for name in _PROBLEMS if getattr(model, name)]
        if pause_s := model.get_pause_s():
            problems.append(f"paused {pause_s:.0f} s by its provider")
        bar = [ProgressBar(total=max(model.total, 1), completed=model.finished)] if bar_width >= _MIN_BAR else []
        table.add_row(
            model.model, *bar, f"{model.kept + model.success}/{model.total}", str(running or ""),
            str(model.waiting or ""), (", " if width >= _WIDE else "\n").join(problems),
        )  # fmt: skip
    return table


def _estimate_left(elapsed_s: float, finished: int, remaining: int) -> str:
    """Return the time that the remaining items take at the speed of the finished ones."""
    if not finished:
        return "time left unknown"
    seconds = elapsed_s * remaining / finished
    if seconds < 90:
        return f"about {seconds:.0f} s left"
    return f"about {seconds / 60:.0f} min left" if seconds < 5400 else f"about {seconds / 3600:.1f} h left"


def output_width() -> int:
    """Return the columns of stdout: those of the terminal, or FULL_WIDTH for a file or a pipe."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else FULL_WIDTH


def print_tables(tables: list[Table]) -> None:
    """Print tables on stdout: as wide as the terminal, or in full width where they go to a file or a pipe."""
    from rich.console import Console

    # Without markup: rich would drop `[openai]` in a pip line as an unknown tag.
    console = Console(highlight=False, markup=False, width=output_width())
    for table in tables:
        console.print(table)


@contextmanager
def _catch_interrupts() -> Iterator[threading.Event]:
    """Remember Ctrl-C: an exception raised inside a ``__del__``, or in a callback of a weak reference or of the garbage
    collector, would only be printed by Python."""
    interrupted = threading.Event()
    hook = sys.unraisablehook

    def hide_interrupt(lost: sys.UnraisableHookArgs) -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            hook(lost)

    def interrupt(_signal: int, frame: FrameType | None) -> None:
        interrupted.set()
        while frame is not None:
            if frame.f_code.co_name == "__del__":
                return
            frame = frame.f_back
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():  # only the main thread receives signals
        yield interrupted
        return
    before = signal.signal(signal.SIGINT, interrupt)
    sys.unraisablehook = hide_interrupt
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = hook
