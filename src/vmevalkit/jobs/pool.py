"""A function over many items, in this process or in several."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Generic, TypeVar

from vmevalkit.core.errors import SetupError, UsageError
from vmevalkit.jobs.done import Done, Failure, attempt
from vmevalkit.jobs.nursery import Nursery
from vmevalkit.jobs.worker import Worker

I = TypeVar("I")  # noqa: E741
V = TypeVar("V")

_CHUNK_SECONDS = 0.05
_LARGEST_CHUNK = 64
_PLANNING_SECONDS = 0.005
_STILLBORN = 5


def map_jobs(
    function: Callable[[I], V],
    items: Iterable[I],
    workers: int = 1,
    on_done: Callable[[Done[I, V]], None] | None = None,
    *,
    lend_a_hand: bool = False,
) -> list[Done[I, V]]:
    """The finished jobs, in the order of the items. ``on_done`` meets each as it finishes, in any order.

    A job that raises is a Done with an error. So is one whose process is killed: the jobs that were with it are run
    again, one at a time, so a job must not mind being done twice. ``items`` are taken as they are needed: making them
    overlaps with working on them. What ``on_done`` or ``items`` raises, or an interrupt, ends the batch and its
    processes; what was done until then stays done. With one worker all happens in this process; otherwise
    ``function``, items and values must be picklable.

    With ``lend_a_hand`` this process is one of the workers whenever there are items enough: for jobs of milliseconds
    whose items take as long to make, since three busy processes on two cores hinder each other. A job that gets its
    process killed may then be in this one.
    """
    check_workers(workers)
    tell = on_done or _nobody_listens
    if workers > 1:
        return _Batch(function, items, workers, tell, lend_a_hand).run()
    finished = []
    for item in items:
        finished.append(attempt(function, item))
        tell(finished[-1])
    return finished


def check_workers(workers: int) -> None:
    if workers < 1:
        raise UsageError(f"{workers} workers were asked for; ask for at least 1")


def _nobody_listens(_: Done[I, V]) -> None:
    return None


@dataclass(frozen=True, slots=True)
class _Chunk(Generic[I]):
    """Numbered items that one worker was given together."""

    items: list[tuple[int, I]]
    suspect: bool
    """The one item in it was with a worker when that died."""


class _Batch(Generic[I, V]):
    """Numbered items on their way through the workers."""

    def __init__(
        self,
        function: Callable[[I], V],
        items: Iterable[I],
        most: int,
        tell: Callable[[Done[I, V]], None],
        lend_a_hand: bool,
    ) -> None:
        self._function, self._most, self._tell, self._lend_a_hand = function, most, tell, lend_a_hand
        self._source: Iterator[tuple[int, I]] | None = enumerate(items)
        self._waiting: deque[tuple[int, I]] = deque()
        self._suspects: deque[tuple[int, I]] = deque()
        """Items that were with a worker when it died."""
        self._nursery: Nursery
        """There is one as soon as there is an item."""
        self._workers: list[Worker] = []
        self._with: dict[Worker, deque[_Chunk[I]]] = {}
        """The chunks that each worker has, the one it works on first."""
        self._finished: dict[int, Done[I, V]] = {}
        self._seconds = 0.0
        self._stillborn = 0

    def run(self) -> list[Done[I, V]]:
        if not self._left():
            return []
        self._nursery = Nursery(self._function)
        try:
            while self._left():
                self._hand_out()
                self._take_in()
        finally:
            self._nursery.close(self._workers)
        return [self._finished[number] for number in sorted(self._finished)]

    def _left(self) -> bool:
        if not self._waiting and not self._suspects and not self._busy():
            self._draw_item()
        return bool(self._waiting or self._suspects or self._busy())

    def _busy(self) -> int:
        """How many workers have something to do."""
        return sum(map(bool, self._with.values()))

    def _short(self) -> bool:
        """Whether more items should be made ahead."""
        return self._source is not None and len(self._waiting) < self._most * _LARGEST_CHUNK

    def _draw_item(self) -> None:
        if self._source is None:
            return
        item = next(self._source, None)
        if item is None:
            self._source = None
        else:
            self._waiting.append(item)

    def _hand_out(self) -> None:
        most = self._most - self._lend_a_hand
        while len(self._workers) < min(most, self._busy() + len(self._waiting) + len(self._suspects)):
            self._workers.append(self._nursery.bear())
            self._with[self._workers[-1]] = deque()
        for ahead in (0, 1):  # who has nothing comes first
            for worker in self._workers:
                if worker.ready and len(self._with[worker]) == ahead:
                    self._give(worker, ahead)

    def _give(self, worker: Worker, ahead: int) -> None:
        """The next chunk. Whoever has one gets another, so that it need not wait while this process is busy."""
        size = self._chunk()
        if self._suspects and not ahead:
            chunk = _Chunk([self._suspects.popleft()], suspect=True)
        elif self._waiting and (not ahead or (self._hurries(size) and not self._with[worker][0].suspect)):
            size = min(size, -(-len(self._waiting) // self._most))  # leave the others their share
            chunk = _Chunk([self._waiting.popleft() for _ in range(size)], suspect=False)
        else:
            return
        self._with[worker].append(chunk)
        worker.give([item for _, item in chunk.items])

    def _hurries(self, size: int) -> bool:
        """Long work is not given ahead, as somebody else may do it sooner; unless this process may be busy as long."""
        return size > 1 or self._lend_a_hand

    def _chunk(self) -> int:
        """As many jobs as fill a twentieth of a second: a message costs as much as a small job."""
        if not self._seconds:
            return 1
        return max(1, min(_LARGEST_CHUNK, int(_CHUNK_SECONDS * len(self._finished) / self._seconds)))

    def _take_in(self) -> None:
        """Wait for a worker; meanwhile make the items that the workers will want next, or do one of them."""
        pipes = {worker.pipe: worker for worker in self._workers if self._with[worker] or not worker.ready}
        helping = self._lend_a_hand and bool(self._waiting)
        answered = wait(list(pipes), 0 if self._short() or helping or not pipes else None)
        deadline = time.perf_counter() + _PLANNING_SECONDS
        while not answered and self._short() and time.perf_counter() < deadline:
            self._draw_item()
        if helping and not answered and not self._short():
            self._help()
        for pipe, worker in pipes.items():
            if pipe in answered:
                self._receive(worker)

    def _help(self) -> None:
        number, item = self._waiting.popleft()
        began = time.perf_counter()
        done = attempt(self._function, item)
        self._seconds += time.perf_counter() - began
        self._finish(number, done)

    def _receive(self, worker: Worker) -> None:
        was_ready = worker.ready
        answer = worker.take()
        if answer is None:
            self._workers.remove(worker)
            self._bury(worker, was_ready, self._with.pop(worker))
        elif was_ready:
            outcomes, seconds = answer
            self._seconds += seconds
            chunk = self._with[worker].popleft()
            for (number, item), (value, error) in zip(chunk.items, outcomes, strict=True):
                self._finish(number, Done(item, value, error))

    def _bury(self, worker: Worker, was_ready: bool, chunks: Iterable[_Chunk[I]]) -> None:
        code = self._nursery.fate(worker)
        if not was_ready:
            self._stillborn += 1
            if (code or 0) > 0 or self._stillborn > _STILLBORN:
                raise SetupError(
                    f"worker processes do not start (exit code {code}); call from under `if __name__ == '__main__':` "
                    "in a script, or use one worker"
                )
        for chunk in chunks:
            if chunk.suspect:
                [(number, item)] = chunk.items
                self._finish(number, Done(item, error=Failure.killed(code)))
            else:
                self._suspects.extend(chunk.items)

    def _finish(self, number: int, done: Done[I, V]) -> None:
        self._finished[number] = done
        self._tell(done)
