"""Jobs on a Ray cluster. This process draws the items, sends them in batches and gets the results."""

from __future__ import annotations

import os
import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Generic, TypeVar

from vmevalkit import __version__
from vmevalkit.core.errors import SetupError
from vmevalkit.core.extras import make_install_command
from vmevalkit.core.settings import setting
from vmevalkit.jobs import ray_worker
from vmevalkit.jobs.portable import PortableJob, pack
from vmevalkit.jobs.ray_worker import BatchResult, Work
from vmevalkit.jobs.result import JobFailure, JobResult

I = TypeVar("I")  # noqa: E741
V = TypeVar("V")

_BATCH_SECONDS = 0.5
_MAX_BATCH_SIZE = 256
_MAX_BATCH_BYTES = 8 << 20
_AHEAD = 2
"""Batches per processor that are sent before results of earlier ones are back."""
_MAX_DEATHS = 3
"""Deaths of a process that has one job alone, after which the job has failed."""
_REFRESH_S = 1.0
_SENT_SETTINGS = (
    "VMEVALKIT_TASKS", "VMEVALKIT_MODELS", "VMEVALKIT_SCORERS", "VMEVALKIT_SIZE", "VMEVALKIT_STEPS", "VMEVALKIT_FRAMES",
    "VMEVALKIT_GUIDANCE", "VMEVALKIT_DTYPE", "VMEVALKIT_OFFLOAD",
)  # fmt: skip
"""Settings that a worker must share: which plugins there are, and how local models generate videos."""


@dataclass(frozen=True, slots=True)
class RayOptions:
    """How a Ray cluster is used."""

    address: str | None = None
    """``auto`` or the address of a running cluster; None starts Ray on this machine alone."""
    shared: bool = False
    """Whether all machines see the data folder under the same path: then workers read and write it themselves."""
    gpus: float | None = None
    """GPUs of each process that loads a model; None means 1 if the cluster has any, else 0."""
    workers: int | None = None
    """Processors that are used where Ray is started on this machine; None means all."""


class RayExecutor:
    """Runs jobs on a Ray cluster; a context manager, which connects to the cluster and leaves it.

    Unless the data folder is shared, the files of a job travel with it and come back with its result, and this process
    alone writes the data folder. At most two batches per processor are on their way, so memory does not grow with the
    number of jobs. A batch whose process or machine dies is run again, each job alone.
    """

    def __init__(self, options: RayOptions | None = None) -> None:
        self.options = options or RayOptions()
        self._ray: ModuleType | None = None
        self._is_owner = False

    def __enter__(self) -> RayExecutor:
        self._ray = ray = _import_ray()
        if not ray.is_initialized():
            _connect(ray, self.options)
            self._is_owner = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._is_owner and self._ray is not None:
            with suppress(self._ray.exceptions.RayError, ConnectionError):
                self._ray.shutdown()
        self._ray, self._is_owner = None, False

    def map(
        self,
        function: Callable[[I], V],
        items: Iterable[I],
        on_result: Callable[[int, JobResult[I, V]], None],
        *,
        use_main_process: bool = False,
        loads_model: bool = False,
    ) -> None:
        if self._ray is None:
            raise SetupError("this executor is not connected; use it in a with statement")
        lost = (self._ray.exceptions.RayError, ConnectionError)
        try:
            place = _Actors(self._ray, self.options.gpus) if loads_model else _Tasks(self._ray)
            _RayRun(self._ray, place, self.options, function, items, on_result).run()
        except lost as error:
            raise SetupError(
                f"the Ray cluster is lost ({_describe(error)}); start it again and repeat the command: it resumes"
            ) from error


def _import_ray() -> ModuleType:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported without being asked for
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # the coming default; else Ray warns
    try:
        import ray
        import ray.exceptions
    except ImportError as error:
        raise SetupError(f"--executor ray needs Ray: {make_install_command('ray')}") from error
    module: ModuleType = ray
    return module


def _connect(ray: ModuleType, options: RayOptions) -> None:
    common = {"log_to_driver": False, "logging_level": "error", "configure_logging": True}
    try:
        if options.address is None:
            # "local": without an address Ray would join a cluster that happens to run on this machine.
            ray.init(address="local", num_cpus=options.workers, include_dashboard=False, **common)
        else:
            ray.init(address=options.address, **common)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise SetupError(
            f"there is no Ray cluster at {options.address!r}: {str(error).splitlines()[0]}; "
            "start one (docs/SCALING.md), or leave out --address to use this machine alone"
        ) from error


@dataclass(frozen=True, slots=True)
class _Batch(Generic[I]):
    """Numbered items that are sent together."""

    items: list[tuple[int, I, I]]
    """Of each its number, the item, and the item as it is sent."""
    payload: bytes


class _Tasks:
    """Processes for batches of short jobs: Ray's tasks. Ray starts as many as there are processors."""

    max_batch_size = _MAX_BATCH_SIZE
    threads: int | None = 1

    def __init__(self, ray: ModuleType) -> None:
        self._ray = ray
        # Not Ray's retries: they would run a whole batch again for one job that kills its process each time.
        self._run = ray.remote(num_cpus=1, max_retries=0)(ray_worker.run_batch)
        self._capacity, self._checked_at = 0, 0.0

    def capacity(self) -> int:
        """Return how many batches may be on their way. The cluster may grow or shrink meanwhile."""
        return _AHEAD * self._count("CPU")

    def _count(self, resource: str) -> int:
        if time.monotonic() - self._checked_at > _REFRESH_S:
            self._capacity = max(1, int(self._ray.cluster_resources().get(resource, 0)))
            self._checked_at = time.monotonic()
        return self._capacity

    def submit(self, work: Any, batch: _Batch[Any]) -> Any:
        return self._run.remote(work, batch.payload)

    def on_finished(self, ref: Any, has_died: bool) -> None:
        """Take note that a batch is finished."""

    def starting(self) -> list[Any]:
        """Return references that become ready when there is room for more."""
        return []

    def cancel(self, refs: Iterable[Any]) -> None:
        """End what is running."""
        for ref in refs:
            self._ray.cancel(ref, force=True)


class _Actors(_Tasks):
    """Processes that each load a model once, with the GPUs that it needs: Ray's actors."""

    max_batch_size = 1
    threads = None

    def __init__(self, ray: ModuleType, gpus: float | None) -> None:
        super().__init__(ray)
        has_gpus = ray.cluster_resources().get("GPU", 0) > 0
        self._gpus = float(has_gpus) if gpus is None else gpus
        self._process = ray.remote(num_cpus=1, num_gpus=self._gpus, max_restarts=0)(ray_worker.ModelProcess)
        self._starting: dict[Any, Any] = {}
        self._idle: list[Any] = []
        self._busy: dict[Any, Any] = {}

    def capacity(self) -> int:
        """Return the number of processes that are ready, and start further ones where there is room.

        A process that has not started may never start, if its machine is gone: it gets no job."""
        wanted = max(1, int(self._count("GPU") / self._gpus)) if self._gpus else self._count("CPU")
        while len(self._starting) + len(self._idle) + len(self._busy) < wanted:
            actor = self._process.remote()
            self._starting[actor.is_ready.remote()] = actor
        ready, _ = self._ray.wait(list(self._starting), num_returns=len(self._starting), timeout=0)
        for ref in ready:
            actor = self._starting.pop(ref)
            try:
                self._ray.get(ref)
            except self._ray.exceptions.RayError:
                continue  # it died at the start; the next call starts another
            self._idle.append(actor)
        return len(self._idle) + len(self._busy)

    def submit(self, work: Any, batch: _Batch[Any]) -> Any:
        actor = self._idle.pop()
        ref = actor.run_batch.remote(work, batch.payload)
        self._busy[ref] = actor
        return ref

    def on_finished(self, ref: Any, has_died: bool) -> None:
        actor = self._busy.pop(ref)
        if has_died:
            self._ray.kill(actor)
        else:
            self._idle.append(actor)

    def starting(self) -> list[Any]:
        return list(self._starting)

    def cancel(self, refs: Iterable[Any]) -> None:
        for actor in (*self._starting.values(), *self._idle, *self._busy.values()):
            self._ray.kill(actor)


class _RayRun(Generic[I, V]):
    """One call of ``RayExecutor.map``."""

    def __init__(
        self,
        ray: ModuleType,
        place: _Tasks,
        options: RayOptions,
        function: Callable[[I], V],
        items: Iterable[I],
        on_result: Callable[[int, JobResult[I, V]], None],
    ) -> None:
        self._ray, self._place, self._on_result = ray, place, on_result
        self._job = function if isinstance(function, PortableJob) else None
        if self._job is not None and options.shared:
            function = self._job.move_function(Path.absolute)
        self._in_place = options.shared
        settings = {name: value for name in _SENT_SETTINGS if (value := setting(name))}
        self._work = ray.put(Work(pickle.dumps(function), __version__, settings, options.shared, place.threads))
        self._source: Iterator[tuple[int, I]] | None = enumerate(items)
        self._suspects: deque[tuple[int, I, I]] = deque()
        """Items that were in a process when it died."""
        self._deaths: dict[int, int] = {}
        self._in_flight: dict[Any, _Batch[I]] = {}
        self._finished = 0
        self._job_seconds = 0.0

    def run(self) -> None:
        try:
            while True:
                self._submit_batches()
                starting = self._place.starting()
                if not self._in_flight and not (starting and (self._source is not None or self._suspects)):
                    if self._source is None and not self._suspects:
                        return
                    continue
                ready, _ = self._ray.wait([*self._in_flight, *starting], num_returns=1, timeout=_REFRESH_S)
                for ref in ready:
                    if ref in self._in_flight:
                        self._receive(ref)
        finally:
            with suppress(self._ray.exceptions.RayError, ConnectionError):  # a cluster that is lost runs nothing
                self._place.cancel(self._in_flight)

    def _submit_batches(self) -> None:
        while len(self._in_flight) < self._place.capacity():
            batch = self._next_batch()
            if batch is None:
                return
            self._in_flight[self._place.submit(self._work, batch)] = batch

    def _next_batch(self) -> _Batch[I] | None:
        """Return the next items: a suspect alone, or as many as are worth a message."""
        chosen: list[tuple[int, I, I]] = []
        parcels: list[Any] = []
        size, wanted = 0, self._batch_size()
        while len(chosen) < wanted and size < _MAX_BATCH_BYTES:
            is_suspect = bool(self._suspects)
            if is_suspect and chosen:
                break
            entry = self._suspects.popleft() if is_suspect else self._draw_item()
            if entry is None:
                break
            packed = self._pack(*entry, again=is_suspect)
            if packed is None:
                continue
            chosen.append(entry)
            parcels.append(packed)
            size += getattr(packed, "size", 0)
            if is_suspect:
                break
        return _Batch(chosen, pickle.dumps(parcels, protocol=5)) if chosen else None

    def _draw_item(self) -> tuple[int, I, I] | None:
        drawn = None if self._source is None else next(self._source, None)
        if drawn is None:
            self._source = None
            return None
        number, item = drawn
        return number, item, item if self._job is None else self._job.prepare(item)

    def _pack(self, number: int, item: I, prepared: I, *, again: bool) -> Any:
        """Return what is sent for an item; None where it is finished already."""
        if self._job is None:
            return prepared
        try:
            # Where workers write the folder, one may have died between its last write and its answer.
            value = self._job.find_value(prepared) if again or not self._in_place else None
            if value is None:
                if self._in_place:
                    return self._job.move_item(prepared, Path.absolute)
                return pack(self._job, prepared)
        except Exception as error:  # noqa: BLE001  - the job's edge, as in ``run_item``
            self._finish(number, JobResult(item, error=JobFailure.from_exception(error)))
        else:
            self._finish(number, JobResult(item, value))
        return None

    def _batch_size(self) -> int:
        """Return how many jobs fill half a second: sending a batch costs about a millisecond."""
        if not self._job_seconds:
            return 1
        return max(1, min(self._place.max_batch_size, int(_BATCH_SECONDS * self._finished / self._job_seconds)))

    def _receive(self, ref: Any) -> None:
        batch = self._in_flight.pop(ref)
        errors = self._ray.exceptions
        try:
            answer: BatchResult = pickle.loads(self._ray.get(ref))
        except errors.RayTaskError as error:
            self._place.on_finished(ref, has_died=False)
            raise SetupError(f"a process of the Ray cluster cannot run the work: {_describe(error)}") from error
        except errors.RayError as error:
            self._place.on_finished(ref, has_died=True)
            self._on_death(batch, error)
            return
        self._place.on_finished(ref, has_died=False)
        self._job_seconds += answer.seconds
        for (number, item, prepared), (value, failure, outputs) in zip(batch.items, answer.results, strict=True):
            if self._job is not None and outputs:
                self._job.publish(prepared, outputs)
            self._finish(number, JobResult(item, value, failure))

    def _on_death(self, batch: _Batch[I], error: Exception) -> None:
        """Run the jobs of a process that died again, each alone. One that dies alone again and again has failed."""
        for number, item, prepared in batch.items:
            alone = len(batch.items) == 1
            deaths = self._deaths[number] = self._deaths.get(number, 0) + alone
            if deaths < _MAX_DEATHS:
                self._suspects.append((number, item, prepared))
            else:
                message = f"the worker process died {deaths} times ({_describe(error)}); it may have run out of memory"
                self._finish(number, JobResult(item, error=JobFailure(("Killed",), message)))

    def _finish(self, number: int, result: JobResult[I, V]) -> None:
        self._deaths.pop(number, None)
        self._finished += 1
        self._on_result(number, result)


def _describe(error: Exception) -> str:
    """Return the kind of an error of Ray and the line that says most."""
    cause = getattr(error, "cause", None)
    if cause is not None:
        return str(cause)
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"
