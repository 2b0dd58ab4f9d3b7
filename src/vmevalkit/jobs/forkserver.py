"""A process that loads the work once, and forks the workers."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from multiprocessing import current_process, get_context, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any

from vmevalkit.jobs.result import JobFailure
from vmevalkit.jobs.worker import Worker, run_worker

# A thread that holds a lock during a fork leaves it locked in the child forever. The main process may have any number
# of threads, so it is never forked. The fork server is a new interpreter, which has no other threads.
_PROCESSES = get_context("spawn")
_THREAD_SETTINGS = ("OPENCV_FOR_THREADS_NUM", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_EXIT_TIMEOUT_S = 5.0
_CHECK_EVERY_S = 0.002
NO_MAIN_GUARD = 3
"""Exit code of a fork server that runs a script which starts workers while it is imported."""


class WorkerSpawner:
    """Starts the workers of one function.

    Importing numpy and a task costs as much as drawing some fifty questions: the fork server does it once for all
    workers, and they share the memory. A fork server that was killed is replaced; its workers continue.
    """

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function
        self._spawned = 0
        self._start_server()

    def _start_server(self) -> None:
        if getattr(current_process(), "_inheriting", False):
            # A script without a main guard runs again in the fork server. The main process says so; here nobody reads.
            raise SystemExit(NO_MAIN_GUARD)
        self._control, theirs = _PROCESSES.Pipe()
        self._process: BaseProcess = _PROCESSES.Process(
            target=_run_fork_server, args=(theirs, self._spawned), daemon=True
        )
        resource_tracker.ensure_running()  # else it starts with the fork server, and lets the interrupt through
        with _limit_library_threads(), _defer_interrupt():
            self._process.start()
        theirs.close()
        with suppress(BrokenPipeError):  # it died at the start: its workers' pipes will report it
            self._control.send(self._function)

    def spawn(self) -> Worker:
        """Return a new worker. Where none can be started its pipe is closed, as if it had died."""
        if not self._process.is_alive():
            self._control.close()
            self._start_server()
        ours, theirs = _PROCESSES.Pipe()
        number, self._spawned = self._spawned, self._spawned + 1
        with suppress(BrokenPipeError, ConnectionResetError):
            self._control.send(None)
            send_handle(self._control, theirs.fileno(), self._process.pid)
        theirs.close()
        return Worker(number, ours)

    def exit_code(self, worker: Worker) -> int | None:
        """Return the exit code of a dead worker: the fork server's own if that died too, None where it is unknown."""
        try:
            self._control.send(worker.number)
            code: int | None = self._control.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            self._process.join()
            return self._process.exitcode
        return code

    def close(self, workers: Sequence[Worker]) -> None:
        """End all processes now. A job that is interrupted removes what it has written so far."""
        self._control.close()
        has_jobs = any(worker.is_ready for worker in workers)  # without jobs, do not wait for an import that takes long
        deadline = time.monotonic() + (2 * _EXIT_TIMEOUT_S if has_jobs else 0.0)
        while self._process.is_alive():
            if time.monotonic() > deadline:
                self._process.kill()
            time.sleep(_CHECK_EVERY_S)
        for worker in workers:
            worker.pipe.close()


@contextmanager
def _limit_library_threads() -> Iterator[None]:
    """Give each process that starts now one thread per library: there are as many processes as cores.

    It must apply from their first import on: a thread of OpenBLAS spins for a while before it sleeps."""
    before = {name: os.environ.get(name) for name in _THREAD_SETTINGS}
    os.environ.update(dict.fromkeys(_THREAD_SETTINGS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _defer_interrupt() -> Iterator[None]:
    """Block Ctrl-C for a process that starts now; this process gets it at the end of the block.

    A blocked signal may still reach another thread, and Python then interrupts the main thread all the same. So the
    handler only notes it here. Otherwise a process could be left half started, waiting for its work.
    """
    caught: list[int] = []
    is_main_thread = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, lambda number, _: caught.append(number)) if is_main_thread else None
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if is_main_thread:
            signal.signal(signal.SIGINT, signal.SIG_DFL if handler is None else handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if caught:
            signal.raise_signal(signal.SIGINT)


def _run_fork_server(control: Connection, first_number: int) -> None:
    """Run the fork server to its end; and, in each process that it forks, the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main process, which then ends the others
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        function = control.recv()
    except EOFError:
        return
    except Exception as error:  # noqa: BLE001  - an import may raise anything; the workers report it
        function = JobFailure.from_exception(error)
    gc.freeze()  # a garbage collection of what is loaded would copy the shared memory
    pipe = _fork_on_demand(control, first_number)
    if pipe is not None:
        run_worker(pipe, function)


def _fork_on_demand(control: Connection, first_number: int) -> Connection | None:
    """In a new worker: return its pipe. In the fork server: return None once the main process is finished or gone."""
    process_ids: dict[int, int] = {}
    numbers = count(first_number)
    try:
        while True:
            number = control.recv()
            if number is not None:
                control.send(_wait_for_exit_code(process_ids.pop(number, None)))
                continue
            handle = recv_handle(control)
            process_id = os.fork()
            if not process_id:
                process_ids.clear()  # they are not children of the worker
                control.close()
                return Connection(handle)
            os.close(handle)
            process_ids[next(numbers)] = process_id
    except (EOFError, ConnectionResetError, BrokenPipeError):
        return None
    finally:
        _terminate(list(process_ids.values()))


def _wait_for_exit_code(process_id: int | None) -> int | None:
    """Return the exit code of a process whose pipe is closed. Until then the system does not reuse its id."""
    return None if process_id is None else os.waitstatus_to_exitcode(os.waitpid(process_id, 0)[1])


def _terminate(process_ids: list[int]) -> None:
    for process_id in process_ids:
        os.kill(process_id, signal.SIGTERM)
    deadline = time.monotonic() + _EXIT_TIMEOUT_S
    while process_ids:
        process_ids = [process_id for process_id in process_ids if not os.waitpid(process_id, os.WNOHANG)[0]]
        if time.monotonic() > deadline:
            for process_id in process_ids:
                os.kill(process_id, signal.SIGKILL)
        time.sleep(_CHECK_EVERY_S)
