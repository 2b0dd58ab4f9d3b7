"""Ctrl-C while many jobs are under way."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")

_SIGNALS = (signal.SIGINT, signal.SIGTERM)  # Slurm sends the second before it kills


@dataclass(slots=True)
class Interrupt:
    pressed: bool = False


@contextmanager
def stopping(stop: Callable[[], None]) -> Iterator[Interrupt]:
    """In a running loop: the first interrupt calls ``stop``, which lets what must not be cut off finish; a second one
    cancels all that is left."""
    interrupt, loop, task = Interrupt(), asyncio.get_running_loop(), asyncio.current_task()

    def press() -> None:
        if not interrupt.pressed:
            interrupt.pressed = True
            stop()
        elif task is not None:
            task.cancel()

    if threading.current_thread() is not threading.main_thread():  # signals reach the main thread alone
        yield interrupt
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    for number in _SIGNALS:
        loop.add_signal_handler(number, press)
    try:
        yield interrupt
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, for a caller that may itself be in a loop, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(asyncio.run(work))
        except BaseException as error:  # noqa: BLE001  - it is raised again, in the caller's thread
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
