"""A progress bar on stderr, where somebody can see it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


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
def _interrupts() -> Iterator[threading.Event]:
    """Remember Ctrl-C: Python forgets the exception where it happens to strike in a ``__del__``."""
    pressed = threading.Event()

    def press(*_: Any) -> None:
        pressed.set()
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():  # signals reach the main thread alone
        yield pressed
        return
    before = signal.signal(signal.SIGINT, press)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)
