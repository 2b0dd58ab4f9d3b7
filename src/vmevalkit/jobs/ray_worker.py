"""The end of a Ray executor that runs on the cluster: a batch of jobs in, their results out, as bytes.

Ray imports this module on the other machine before anything of the batch is unpickled, so it imports little.
"""

from __future__ import annotations

import os
import pickle
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from vmevalkit import __version__

THREAD_SETTINGS = ("OPENCV_FOR_THREADS_NUM", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class Work:
    """What all batches of one call have in common."""

    function: bytes
    """The pickled function."""
    version: str
    """The version of this package that sends the work."""
    settings: Mapping[str, str]
    """Settings of the caller: plugins, because what is unpickled may be from one, and how models generate videos."""
    in_place: bool
    """Whether jobs work in the data folder itself. Otherwise the files of portable jobs are sent with them."""
    threads: int | None
    """Threads of numeric libraries; None leaves them their own number."""


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The results of a batch, in the order of its items."""

    results: Sequence[Any]
    """Of each item: a JobResult without the item, and the outputs of a portable job."""
    seconds: float


def run_batch(work: Work, batch: bytes) -> bytes:
    """Run the jobs of a batch. Returns a pickled BatchResult; a SetupError means that this machine cannot run any."""
    from vmevalkit.core.errors import SetupError

    if work.version != __version__:
        raise SetupError(
            f"the machine {socket.gethostname()} has vmevalkit {__version__}, this one has {work.version}; "
            "install the same version on all machines"
        )
    os.environ.update(work.settings)
    if work.threads is not None:
        os.environ.update(dict.fromkeys(THREAD_SETTINGS, str(work.threads)))
    function = _load_function(work.function)
    items = pickle.loads(batch)
    start = time.perf_counter()
    results = [_run(function, item, work.in_place) for item in items]
    return _pickle(results, time.perf_counter() - start)


class ModelProcess:
    """An actor: a process that keeps what its first job has loaded, such as a model on a GPU."""

    def is_ready(self) -> bool:
        return True

    def run_batch(self, work: Work, batch: bytes) -> bytes:
        return run_batch(work, batch)


@lru_cache(maxsize=2)
def _load_function(function: bytes) -> Callable[[Any], Any]:
    import vmevalkit.core.plugins  # noqa: F401  - the function may contain objects of plugin files

    loaded: Callable[[Any], Any] = pickle.loads(function)
    return loaded


def _run(function: Callable[[Any], Any], item: Any, in_place: bool) -> tuple[Any, Any, Any]:
    from vmevalkit.jobs.portable import PortableJob, run_parcel
    from vmevalkit.jobs.result import run_item

    if isinstance(function, PortableJob) and not in_place:
        result, outputs = run_parcel(function, item)
        return result.value, result.error, outputs
    result = run_item(function, item)
    return result.value, result.error, ()


def _pickle(results: Sequence[tuple[Any, Any, Any]], seconds: float) -> bytes:
    from vmevalkit.jobs.result import JobFailure

    try:
        return pickle.dumps(BatchResult(results, seconds), protocol=5)
    except Exception:  # noqa: BLE001  - ``__reduce__`` may raise anything; find out which result it was
        checked = []
        for result in results:
            try:
                pickle.dumps(result)
            except Exception as error:  # noqa: BLE001
                result = (None, JobFailure.from_exception(error), ())
            checked.append(result)
        return pickle.dumps(BatchResult(checked, seconds), protocol=5)
