"""A process that loads the work once, and divides into the workers."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any

from vmevalkit.jobs.done import Failure
from vmevalkit.jobs.worker import Worker, work

# Threads that a library started before a fork may have held a lock, which the child then waits for in vain. So the main
# process is never forked, as it may have any number of them; the nursery is a new interpreter, which has none.
_PROCESSES = get_context("spawn")
_ONE_THREAD = ("OPENCV_FOR_THREADS_NUM", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_PATIENCE_S = 5.0
_GLANCE_S = 0.002


class Nursery:
    """Where the workers of one function come from.

    Loading numpy and a task costs as much as drawing some fifty questions: here it is paid once for all workers, and
    they share the memory. A nursery that was killed is replaced by a new one; its workers live on.
    """

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function
        self._born = 0
        self._start()

    def _start(self) -> None:
        self._control, theirs = _PROCESSES.Pipe()
        self._process: BaseProcess = _PROCESSES.Process(target=_nurse, args=(theirs, self._born), daemon=True)
        resource_tracker.ensure_running()  # else it starts with the nursery, and lets the interrupt through
        with _one_thread(), _no_interrupt():
            self._process.start()
        theirs.close()
        with suppress(BrokenPipeError):  # it died at the start: its workers' pipes will say so
            self._control.send(self._function)

    def bear(self) -> Worker:
        """A new worker. Where none can be born its pipe is closed, as if it had died."""
        if not self._process.is_alive():
            self._control.close()
            self._start()
        ours, theirs = _PROCESSES.Pipe()
        number, self._born = self._born, self._born + 1
        with suppress(BrokenPipeError, ConnectionResetError):
            self._control.send(None)
            send_handle(self._control, theirs.fileno(), self._process.pid)
        theirs.close()
        return Worker(number, ours)

    def fate(self, worker: Worker) -> int | None:
        """The exit code of a worker that has died: the nursery's own if that has died too, None if nobody knows."""
        try:
            self._control.send(worker.number)
            code: int | None = self._control.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            self._process.join()
            return self._process.exitcode
        return code

    def close(self, workers: Sequence[Worker]) -> None:
        """End all of them now. A job in the middle removes what it has written so far."""
        self._control.close()
        begun = any(worker.ready for worker in workers)  # if not, there is no job to end, and loading may take long
        deadline = time.monotonic() + (2 * _PATIENCE_S if begun else 0.0)
        while self._process.is_alive():
            if time.monotonic() > deadline:
                self._process.kill()
            time.sleep(_GLANCE_S)
        for worker in workers:
            worker.pipe.close()


@contextmanager
def _one_thread() -> Iterator[None]:
    """For processes that are started now: they are as many as there are cores, and shall not fight over them. It holds
    from their first import on: a thread of OpenBLAS turns for a while before it sleeps."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """A process that is started now does not meet Ctrl-C; this one does so at the end of the block.

    A blocked signal may still reach another thread, and Python then interrupts the main one all the same: so it is only
    noted here. Else a process could be left half started, waiting for what it is to do.
    """
    came: list[int] = []
    mine = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, lambda number, _: came.append(number)) if mine else None
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if mine:
            signal.signal(signal.SIGINT, signal.SIG_DFL if handler is None else handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if came:
            signal.raise_signal(signal.SIGINT)


def _nurse(control: Connection, first: int) -> None:
    """The nursery's life; and, from its birth on, the life of each worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main process, which then ends the others
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        function = control.recv()
    except EOFError:
        return
    except Exception as error:  # noqa: BLE001  - an import may raise anything; the workers tell the main process
        function = Failure.of(error)
    gc.freeze()  # what is loaded stays: a collection that looked at it would copy the memory it shares
    pipe = _bear_on_demand(control, first)
    if pipe is not None:
        work(pipe, function)


def _bear_on_demand(control: Connection, first: int) -> Connection | None:
    """In a newborn worker: its pipe. In the nursery, once the main process is done or gone: None."""
    born: dict[int, int] = {}
    numbers = count(first)
    try:
        while True:
            number = control.recv()
            if number is not None:
                control.send(_exit_code(born.pop(number, None)))
                continue
            handle = recv_handle(control)
            process = os.fork()
            if not process:
                born.clear()  # they are not its children
                control.close()
                return Connection(handle)
            os.close(handle)
            born[next(numbers)] = process
    except (EOFError, ConnectionResetError, BrokenPipeError):
        return None
    finally:
        _end(list(born.values()))


def _exit_code(process: int | None) -> int | None:
    """Of a process whose pipe is closed. Until it is asked for, the number of the process is not given to another."""
    return None if process is None else os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _end(processes: list[int]) -> None:
    for process in processes:
        os.kill(process, signal.SIGTERM)
    deadline = time.monotonic() + _PATIENCE_S
    while processes:
        processes = [process for process in processes if not os.waitpid(process, os.WNOHANG)[0]]
        if time.monotonic() > deadline:
            for process in processes:
                os.kill(process, signal.SIGKILL)
        time.sleep(_GLANCE_S)
