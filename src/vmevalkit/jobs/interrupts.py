"""Ctrl-C while many jobs run."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")

_SIGNALS = (signal.SIGINT, signal.SIGTERM)  # Slurm sends SIGTERM before it kills


@dataclass(slots=True)
class Interrupt:
    """Whether an interrupt has arrived."""

    is_received: bool = False


@contextmanager
def stop_on_interrupt(stop: Callable[[], None]) -> Iterator[Interrupt]:
    """Call ``stop`` on the first interrupt of a running loop, so that critical steps can finish.

    A second interrupt cancels the current task."""
    interrupt, loop, task = Interrupt(), asyncio.get_running_loop(), asyncio.current_task()

    def on_signal() -> None:
        if not interrupt.is_received:
            interrupt.is_received = True
            stop()
        elif task is not None:
            task.cancel()

    if threading.current_thread() is not threading.main_thread():  # only the main thread gets signals
        yield interrupt
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    for number in _SIGNALS:
        loop.add_signal_handler(number, on_signal)
    try:
        yield interrupt
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


def run_coroutine(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine, for a caller that may itself run in an event loop, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    results: list[T] = []
    errors: list[BaseException] = []

    def run_in_thread() -> None:
        try:
            results.append(asyncio.run(coroutine))
        except BaseException as error:  # noqa: BLE001  - it is raised again, in the caller's thread
            errors.append(error)

    thread = threading.Thread(target=run_in_thread)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
