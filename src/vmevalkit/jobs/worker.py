"""One worker process, from both ends of its pipe."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from queue import SimpleQueue
from typing import Any

import vmevalkit.core.plugins  # noqa: F401  - workers unpickle objects of plugin files
from vmevalkit.core.errors import SetupError
from vmevalkit.jobs.result import JobFailure, run_item

ItemResult = tuple[Any, JobFailure | None]
"""The value of one item, or the reason why it has none."""


class Worker:
    """The main process's end: a process that works through lists of items, one list after the other.

    The process reads its pipe at once, even while a job runs, so ``send_items`` never waits for a job to end.
    """

    def __init__(self, number: int, pipe: Connection) -> None:
        self.number, self.pipe = number, pipe
        self.is_ready = False

    def send_items(self, items: Sequence[Any]) -> None:
        with suppress(BrokenPipeError):  # the process has died: ``receive_results`` will report it
            self.pipe.send(items)

    def receive_results(self) -> tuple[list[ItemResult], float] | None:
        """Return the result of each item and the seconds for all of them; None if the process has died.

        The first message has no results: it says that the worker is ready.
        """
        try:
            message = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            self.pipe.close()
            return None
        if isinstance(message, JobFailure):
            raise SetupError(f"a worker process cannot load the work: {message}; use one worker")
        self.is_ready = True
        results, seconds = message
        return results, seconds


def run_worker(pipe: Connection, function: Callable[[Any], Any] | JobFailure) -> None:
    """Run the worker process to its end. A function that could not be loaded is reported, and ends it."""
    if isinstance(function, JobFailure):
        pipe.send(function)
        return
    inbox: SimpleQueue[Sequence[Any] | BaseException] = SimpleQueue()

    def exit_on_signal(*_: object) -> None:
        # The current code may swallow the exception below, as a destructor or a callback of a weak reference does:
        # then the inbox ends this process, and Python must not print the exception.
        sys.unraisablehook = lambda _lost: None
        inbox.put(SystemExit(1))
        sys.exit(1)

    signal.signal(signal.SIGTERM, exit_on_signal)
    threading.Thread(target=_read_pipe, args=(pipe, inbox), daemon=True).start()
    with suppress(BrokenPipeError):
        pipe.send(([], 0.0))
        while True:
            items = inbox.get()
            if isinstance(items, BaseException):
                raise items
            start = time.perf_counter()
            jobs = [run_item(function, item) for item in items]
            results: list[ItemResult] = [(job.value, job.error) for job in jobs]
            pipe.send_bytes(_pickle_results(results, time.perf_counter() - start))


def _read_pipe(pipe: Connection, inbox: SimpleQueue[Sequence[Any] | BaseException]) -> None:
    """Read all the time: if both ends wrote into full pipes, they would wait for each other forever."""
    while True:
        try:
            inbox.put(pipe.recv())
        except (EOFError, ConnectionResetError):
            os._exit(1)  # the main process is gone: there is no reader for the results
        except Exception as error:  # noqa: BLE001  - unpickling an item may raise anything; it ends this worker
            inbox.put(error)
            return


def _pickle_results(results: list[ItemResult], seconds: float) -> Any:
    try:
        return ForkingPickler.dumps((results, seconds))
    except Exception:  # noqa: BLE001  - ``__reduce__`` may raise anything; find out which result it was
        return ForkingPickler.dumps(([_make_picklable(result) for result in results], seconds))


def _make_picklable(result: ItemResult) -> ItemResult:
    try:
        ForkingPickler.dumps(result)
    except Exception as error:  # noqa: BLE001
        return None, JobFailure.from_exception(error)
    return result
