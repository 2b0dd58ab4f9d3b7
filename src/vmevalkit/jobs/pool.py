"""A function applied to many items, in this process or in several."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Generic, TypeVar

from vmevalkit.core.errors import SetupError, UsageError
from vmevalkit.jobs.forkserver import WorkerSpawner
from vmevalkit.jobs.result import JobFailure, JobResult, run_item
from vmevalkit.jobs.worker import Worker

I = TypeVar("I")  # noqa: E741
V = TypeVar("V")

_CHUNK_SECONDS = 0.05
_MAX_CHUNK_SIZE = 64
_DRAW_SECONDS = 0.005
_MAX_START_FAILURES = 5


def map_jobs(
    function: Callable[[I], V],
    items: Iterable[I],
    workers: int = 1,
    on_done: Callable[[JobResult[I, V]], None] | None = None,
    *,
    use_main_process: bool = False,
) -> list[JobResult[I, V]]:
    """Return the finished jobs in the order of the items. ``on_done`` gets each one as it finishes, in any order.

    See ``run_jobs``, which keeps no results."""
    finished: dict[int, JobResult[I, V]] = {}

    def on_result(number: int, result: JobResult[I, V]) -> None:
        finished[number] = result
        if on_done:
            on_done(result)

    run_jobs(function, items, workers, on_result, use_main_process=use_main_process)
    return [finished[number] for number in sorted(finished)]


def run_jobs(
    function: Callable[[I], V],
    items: Iterable[I],
    workers: int,
    on_result: Callable[[int, JobResult[I, V]], None],
    *,
    use_main_process: bool = False,
) -> None:
    """Run ``function`` on every item. ``on_result`` gets the number of each item, from 0, and its result, in any order.

    A job that raises gives a JobResult with an error. So does a job whose process is killed: the jobs that were in that
    process are run again, one at a time, so a job must tolerate being run twice. ``items`` are drawn when they are
    needed, while other items are being worked on. An exception of ``on_result`` or ``items``, or an interrupt, ends the
    batch and its processes; finished jobs stay finished. With one worker everything happens in this process; otherwise
    ``function``, items and values must be picklable.

    With ``use_main_process`` this process works too, whenever enough items are drawn: for jobs of milliseconds whose
    items take as long to draw, since three busy processes on two cores slow each other down. A job that kills its
    process may then kill this one.
    """
    check_workers(workers)
    if workers > 1:
        with WorkerPool(function, workers) as pool:
            pool.run(items, on_result, use_main_process=use_main_process)
        return
    for number, item in enumerate(items):
        on_result(number, run_item(function, item))


def check_workers(workers: int) -> None:
    if workers < 1:
        raise UsageError(f"the number of workers is {workers}; it must be at least 1")


class WorkerPool(Generic[I, V]):
    """Processes that apply one function to batch after batch: starting them takes longer than a small batch.

    They start at the first batch and end with ``close``, after an exception that ended a batch, or with this process.
    Calls of ``run`` must follow each other."""

    def __init__(self, function: Callable[[I], V], workers: int) -> None:
        check_workers(workers)
        self.function, self.max_workers = function, workers
        self.workers: list[Worker] = []
        self._spawner: WorkerSpawner | None = None

    def run(
        self,
        items: Iterable[I],
        on_result: Callable[[int, JobResult[I, V]], None],
        *,
        use_main_process: bool = False,
    ) -> None:
        """Run the function on every item, as ``run_jobs`` does, in the processes alone or with this one among them."""
        run = _PoolRun(self, items, on_result, use_main_process)
        try:
            run.run()
        except BaseException:  # what the workers still do belongs to the batch that has ended
            self.close()
            raise

    def map(self, items: Iterable[I], *, use_main_process: bool = False) -> list[JobResult[I, V]]:
        """Return the finished jobs in the order of the items."""
        finished: dict[int, JobResult[I, V]] = {}
        self.run(items, finished.__setitem__, use_main_process=use_main_process)
        return [finished[number] for number in sorted(finished)]

    def spawn(self) -> Worker:
        """Start another process."""
        if self._spawner is None:
            self._spawner = WorkerSpawner(self.function)
        self.workers.append(self._spawner.spawn())
        return self.workers[-1]

    def drop(self, worker: Worker) -> int | None:
        """Forget a process that has ended. Returns its exit code; None where that is unknown."""
        assert self._spawner is not None
        self.workers.remove(worker)
        return self._spawner.exit_code(worker)

    def close(self) -> None:
        """End the processes. A later batch starts new ones."""
        if self._spawner is not None:
            self._spawner.close(self.workers)
        self._spawner, self.workers = None, []

    def __enter__(self) -> WorkerPool[I, V]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class _Chunk(Generic[I]):
    """Numbered items that a worker gets together."""

    items: list[tuple[int, I]]
    is_suspect: bool
    """Whether its only item was in a worker that died."""


class _PoolRun(Generic[I, V]):
    """One batch of a pool."""

    def __init__(
        self,
        pool: WorkerPool[I, V],
        items: Iterable[I],
        on_result: Callable[[int, JobResult[I, V]], None],
        use_main_process: bool,
    ) -> None:
        self._pool, self._max_workers = pool, pool.max_workers
        self._on_result, self._use_main_process = on_result, use_main_process
        self._source: Iterator[tuple[int, I]] | None = enumerate(items)
        self._waiting: deque[tuple[int, I]] = deque()
        self._suspects: deque[tuple[int, I]] = deque()
        """Items that were in a worker when it died."""
        self._assigned: dict[Worker, deque[_Chunk[I]]] = {worker: deque() for worker in pool.workers}
        """The chunks of each worker, the current one first."""
        self._finished = 0
        self._job_seconds = 0.0
        self._start_failures = 0

    def run(self) -> None:
        while self._has_work():
            self._assign_chunks()
            self._collect_results()

    def _has_work(self) -> bool:
        if not self._waiting and not self._suspects and not self._count_busy():
            self._draw_item()
        return bool(self._waiting or self._suspects or self._count_busy())

    def _count_busy(self) -> int:
        """Return how many workers have chunks."""
        return sum(map(bool, self._assigned.values()))

    def _needs_items(self) -> bool:
        """Whether more items should be drawn ahead."""
        return self._source is not None and len(self._waiting) < self._max_workers * _MAX_CHUNK_SIZE

    def _draw_item(self) -> None:
        if self._source is None:
            return
        item = next(self._source, None)
        if item is None:
            self._source = None
        else:
            self._waiting.append(item)

    def _assign_chunks(self) -> None:
        max_workers = self._max_workers - self._use_main_process
        while len(self._assigned) < min(max_workers, self._count_busy() + len(self._waiting) + len(self._suspects)):
            self._assigned[self._pool.spawn()] = deque()
        for ahead in (0, 1):  # idle workers come first
            for worker in self._assigned:
                if worker.is_ready and len(self._assigned[worker]) == ahead:
                    self._assign_chunk(worker, ahead)

    def _assign_chunk(self, worker: Worker, ahead: int) -> None:
        """Send the next chunk. A busy worker gets one ahead, so that it need not wait while this process is busy."""
        size = self._chunk_size()
        if self._suspects and not ahead:
            chunk = _Chunk([self._suspects.popleft()], is_suspect=True)
        elif self._waiting and (not ahead or (self._may_send_ahead(size) and not self._assigned[worker][0].is_suspect)):
            size = min(size, -(-len(self._waiting) // self._max_workers))  # leave the other workers their share
            chunk = _Chunk([self._waiting.popleft() for _ in range(size)], is_suspect=False)
        else:
            return
        self._assigned[worker].append(chunk)
        worker.send_items([item for _, item in chunk.items])

    def _may_send_ahead(self, size: int) -> bool:
        """Whether to queue a chunk. A long job may start sooner in another worker; unless this process is as busy."""
        return size > 1 or self._use_main_process

    def _chunk_size(self) -> int:
        """Return how many jobs fill a twentieth of a second: a message costs as much as a small job."""
        if not self._job_seconds:
            return 1
        return max(1, min(_MAX_CHUNK_SIZE, int(_CHUNK_SECONDS * self._finished / self._job_seconds)))

    def _collect_results(self) -> None:
        """Wait for a worker. Meanwhile draw the items that are needed next, or run one of them here."""
        pipes = {worker.pipe: worker for worker, chunks in self._assigned.items() if chunks or not worker.is_ready}
        can_run_here = self._use_main_process and bool(self._waiting)
        answered = wait(list(pipes), 0 if self._needs_items() or can_run_here or not pipes else None)
        deadline = time.perf_counter() + _DRAW_SECONDS
        while not answered and self._needs_items() and time.perf_counter() < deadline:
            self._draw_item()
        if can_run_here and not answered and not self._needs_items():
            self._run_item_here()
        for pipe, worker in pipes.items():
            if pipe in answered:
                self._receive(worker)

    def _run_item_here(self) -> None:
        number, item = self._waiting.popleft()
        start = time.perf_counter()
        result = run_item(self._pool.function, item)
        self._job_seconds += time.perf_counter() - start
        self._finish(number, result)

    def _receive(self, worker: Worker) -> None:
        was_ready = worker.is_ready
        message = worker.receive_results()
        if message is None:
            self._on_worker_exit(worker, was_ready, self._assigned.pop(worker))
        elif was_ready:
            results, seconds = message
            self._job_seconds += seconds
            chunk = self._assigned[worker].popleft()
            for (number, item), (value, error) in zip(chunk.items, results, strict=True):
                self._finish(number, JobResult(item, value, error))

    def _on_worker_exit(self, worker: Worker, was_ready: bool, chunks: Iterable[_Chunk[I]]) -> None:
        code = self._pool.drop(worker)
        if not was_ready:
            self._start_failures += 1
            if (code or 0) > 0 or self._start_failures > _MAX_START_FAILURES:
                raise SetupError(
                    f"worker processes do not start (exit code {code}); call from under `if __name__ == '__main__':` "
                    "in a script, or use one worker"
                )
        for chunk in chunks:
            if chunk.is_suspect:
                [(number, item)] = chunk.items
                self._finish(number, JobResult(item, error=JobFailure.from_exit_code(code)))
            else:
                self._suspects.extend(chunk.items)

    def _finish(self, number: int, result: JobResult[I, V]) -> None:
        self._finished += 1
        self._on_result(number, result)
