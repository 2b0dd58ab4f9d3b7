"""One worker process, seen from both sides of its pipe."""

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

from vmevalkit.core.errors import SetupError
from vmevalkit.jobs.done import Failure, attempt

Outcome = tuple[Any, Failure | None]


class Worker:
    """A process that works off lists of items, one after the other.

    It reads what it is given at once, whatever it is doing, so ``give`` never waits for a job to end.
    """

    def __init__(self, number: int, pipe: Connection) -> None:
        self.number, self.pipe = number, pipe
        self.ready = False

    def give(self, items: Sequence[Any]) -> None:
        with suppress(BrokenPipeError):  # it has died: ``take`` will say so
            self.pipe.send(items)

    def take(self) -> tuple[list[Outcome], float] | None:
        """The outcome of each item and the seconds they took together; None if the process has died.

        The first time, before anything was given, it is the news that the worker is ready.
        """
        try:
            answer = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            self.pipe.close()
            return None
        if isinstance(answer, Failure):
            raise SetupError(f"a worker process cannot load the work: {answer}; use one worker")
        self.ready = True
        outcomes, seconds = answer
        return outcomes, seconds


def work(pipe: Connection, function: Callable[[Any], Any] | Failure) -> None:
    """A worker's life. A function that could not be loaded is reported, and ends it."""
    if isinstance(function, Failure):
        pipe.send(function)
        return
    given: SimpleQueue[Sequence[Any] | BaseException] = SimpleQueue()

    def leave(*_: object) -> None:
        given.put(SystemExit(1))  # if this moment's code swallows what is raised here, as a destructor does
        sys.exit(1)

    signal.signal(signal.SIGTERM, leave)
    threading.Thread(target=_keep_reading, args=(pipe, given), daemon=True).start()
    with suppress(BrokenPipeError):
        pipe.send(([], 0.0))
        while True:
            items = given.get()
            if isinstance(items, BaseException):
                raise items
            began = time.perf_counter()
            done = [attempt(function, item) for item in items]
            outcomes: list[Outcome] = [(job.value, job.error) for job in done]
            pipe.send_bytes(_packed(outcomes, time.perf_counter() - began))


def _keep_reading(pipe: Connection, given: SimpleQueue[Sequence[Any] | BaseException]) -> None:
    """Two sides that write into full pipes would wait for each other for ever: this side always reads."""
    while True:
        try:
            given.put(pipe.recv())
        except (EOFError, ConnectionResetError):
            os._exit(1)  # the main process is gone, however it went: nobody takes the results
        except Exception as error:  # noqa: BLE001  - loading an item may raise anything; it ends this worker
            given.put(error)
            return


def _packed(outcomes: list[Outcome], seconds: float) -> Any:
    try:
        return ForkingPickler.dumps((outcomes, seconds))
    except Exception:  # noqa: BLE001  - ``__reduce__`` may raise anything; find out whose
        return ForkingPickler.dumps(([_portable(outcome) for outcome in outcomes], seconds))


def _portable(outcome: Outcome) -> Outcome:
    try:
        ForkingPickler.dumps(outcome)
    except Exception as error:  # noqa: BLE001
        return None, Failure.of(error)
    return outcome
