"""Executors: where the jobs of a batch run. One interface for the processes of this machine and for a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.jobs.pool import check_workers, run_jobs
from vmevalkit.jobs.result import JobResult

I = TypeVar("I")  # noqa: E741
V = TypeVar("V")


class Executor(Protocol):
    """Runs many jobs. All executors give the same results and leave the same files."""

    def map(
        self,
        function: Callable[[I], V],
        items: Iterable[I],
        on_result: Callable[[int, JobResult[I, V]], None],
        *,
        use_main_process: bool = False,
        loads_model: bool = False,
    ) -> None:
        """Run ``function`` on every item; ``on_result`` gets the number of each item, from 0, and its result.

        Results come in any order, in this process, one at a time, and none is kept. Items are drawn when they are
        needed. A job that raises gives a result with an error. A job whose process dies is run again alone; one that
        dies again gives a result with an error. An exception of ``on_result`` or of ``items`` ends the batch.

        ``use_main_process`` allows an executor to run short jobs in this process too. ``loads_model`` says that a job
        needs what takes long to load, such as the weights of a model: its process should stay, and have a GPU.
        """
        ...


@dataclass(frozen=True, slots=True)
class LocalExecutor:
    """Runs jobs in processes of this machine; in this process if there is one worker."""

    workers: int = 1

    def __post_init__(self) -> None:
        check_workers(self.workers)

    def map(
        self,
        function: Callable[[I], V],
        items: Iterable[I],
        on_result: Callable[[int, JobResult[I, V]], None],
        *,
        use_main_process: bool = False,
        loads_model: bool = False,
    ) -> None:
        run_jobs(function, items, self.workers, on_result, use_main_process=use_main_process)


EXECUTORS = ("local", "ray")


@contextmanager
def open_executor(
    name: str = "local",
    *,
    workers: int = 1,
    address: str | None = None,
    shared: bool = False,
    gpus: float | None = None,
) -> Iterator[Executor]:
    """Yield the executor of this name; the other arguments are those of ``RayOptions``.

    Raises UsageError for options that have no effect on the executor, and SetupError where Ray is missing."""
    if name not in EXECUTORS:
        raise UnknownName("executor", name, EXECUTORS)
    if name == "ray":
        from vmevalkit.jobs.ray_executor import RayExecutor, RayOptions

        check_workers(workers)
        with RayExecutor(RayOptions(address, shared, gpus, workers)) as executor:
            yield executor
        return
    for option, value in (("--address", address), ("--shared", shared), ("--gpus-per-worker", gpus)):
        if value:
            raise UsageError(f"{option} belongs to --executor ray; add that, or leave out {option}")
    yield LocalExecutor(workers)
