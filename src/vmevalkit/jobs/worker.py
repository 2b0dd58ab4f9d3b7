"""One worker process, seen from both sides of its pipe."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from queue import SimpleQueue
from typing import Any

from vmevalkit.core.errors import SetupError
from vmevalkit.jobs.done import Failure, attempt

# Threads that a library started before a fork may have held a lock, which the child then waits for in vain. A new
# interpreter inherits none.
_PROCESSES = get_context("spawn")
_ONE_THREAD = ("OPENCV_FOR_THREADS_NUM", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

Outcome = tuple[Any, Failure | None]


class Worker:
    """A process that works off lists of items, one after the other.

    It reads what it is given at once, whatever it is doing, so ``give`` never waits for a job to end.
    """

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.pipe, theirs = _PROCESSES.Pipe()
        self.process: BaseProcess = _PROCESSES.Process(target=_work, args=(theirs,), daemon=True)
        self.ready = False
        self.process.start()
        theirs.close()
        with suppress(BrokenPipeError):  # it died at the start: ``take`` will say so
            self.pipe.send(function)

    def give(self, items: Sequence[Any]) -> None:
        with suppress(BrokenPipeError):
            self.pipe.send(items)

    def take(self) -> tuple[list[Outcome], float] | None:
        """The outcome of each item and the seconds they took together; None if the process has died.

        The first time, before anything was given, it is the news that the worker is ready.
        """
        try:
            answer = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            self.process.join()
            self.pipe.close()
            return None
        if isinstance(answer, Failure):
            raise SetupError(f"a worker process cannot load the work: {answer}; use one worker")
        self.ready = True
        outcomes, seconds = answer
        return outcomes, seconds


def stop(workers: Sequence[Worker], patience_s: float = 5.0) -> None:
    """End them now. A job in the middle removes what it has written so far."""
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.process.join(patience_s)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.pipe.close()


def _work(pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main process, which then ends the workers
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    threading.Thread(target=_follow_parent, daemon=True).start()
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        function = pipe.recv()
    except EOFError:
        return
    except Exception as error:  # noqa: BLE001  - an import may raise anything; the main process says what
        pipe.send(Failure.of(error))
        return
    given: SimpleQueue[Sequence[Any] | Exception] = SimpleQueue()
    threading.Thread(target=_keep_reading, args=(pipe, given), daemon=True).start()
    with suppress(EOFError, BrokenPipeError):
        pipe.send(([], 0.0))
        while True:
            items = given.get()
            if isinstance(items, Exception):
                raise items
            began = time.perf_counter()
            done = [attempt(function, item) for item in items]
            outcomes: list[Outcome] = [(job.value, job.error) for job in done]
            pipe.send_bytes(_packed(outcomes, time.perf_counter() - began))


def _keep_reading(pipe: Connection, given: SimpleQueue[Sequence[Any] | Exception]) -> None:
    """Two sides that write into full pipes would wait for each other for ever: this side always reads."""
    while True:
        try:
            given.put(pipe.recv())
        except Exception as error:  # noqa: BLE001  - loading an item may raise anything; it ends this worker
            given.put(error)
            return


def _follow_parent() -> None:
    """Once the main process is gone, however it went, nobody takes the results."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


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
