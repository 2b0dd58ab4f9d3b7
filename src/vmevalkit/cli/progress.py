"""Progress on stderr, where somebody can see it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from vmevalkit.jobs.tally import Board

_PLACES = ("kept", "waiting", "ordering", "making", "fetching", "success", "failed", "refused", "uncertain")


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A function to be told how many of how many are done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with _interrupts() as pressed, Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        line = bar.add_task(what, total=None)

        def tell(done: int, total: int) -> None:
            if pressed.is_set():
                raise KeyboardInterrupt
            bar.update(line, completed=done, total=total)

        yield tell


@contextmanager
def jobs_table(board: Board) -> Iterator[Callable[[int, int], None]]:
    """A table that follows the board, a line a model. The function is to be called whenever a job ends."""
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    live = Live(get_renderable=lambda: table_of(board), console=console, refresh_per_second=4)
    with _interrupts() as pressed, live if console.is_terminal else nullcontext():

        def tell(_done: int, _total: int) -> None:
            if pressed.is_set():
                raise KeyboardInterrupt

        yield tell


def table_of(board: Board) -> Table:
    from rich.table import Column, Table

    title = f"{board.finished} of {board.total} jobs"
    if board.budget is not None:
        most = "" if board.budget.most_usd is None else f" of ${board.budget.most_usd:.2f}"
        title += f", ${board.budget.spent_usd:.2f}{most} spent"
    table = Table("model", *(Column(name, justify="right") for name in _PLACES), title=title)
    for tally in list(board.tallies.values()):
        table.add_row(tally.model, *(str(getattr(tally, name) or "") for name in _PLACES))
    return table


@contextmanager
def _interrupts() -> Iterator[threading.Event]:
    """Remember Ctrl-C: where it happens to strike in a ``__del__``, Python only complains about the exception."""
    pressed = threading.Event()

    def press(_signal: int, frame: FrameType | None) -> None:
        pressed.set()
        while frame is not None:
            if frame.f_code.co_name == "__del__":
                return
            frame = frame.f_back
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():  # signals reach the main thread alone
        yield pressed
        return
    before = signal.signal(signal.SIGINT, press)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)
