"""Arrays in shared memory: copied when they are sent, and the memory is used again."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from vmevalkit.core.errors import MediaError
from vmevalkit.jobs.pool import WorkerPool
from vmevalkit.jobs.shared_arrays import ReceivedArray, SharedArray, SharedMemory


def add_up(shared: SharedArray | ReceivedArray) -> tuple[int, int, bool]:
    return int(shared.array.sum()), os.getpid(), isinstance(shared, ReceivedArray)


def count_pieces() -> int:
    """Return how many pieces of shared memory this process has open. A mapping opens its file once more."""
    names = [str(path.readlink()) for path in list(Path("/proc/self/fd").iterdir()) if path.is_symlink()]
    return sum("memfd:vmevalkit" in name for name in names) // 2


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="counts pieces as Linux shows them")
def test_arrays_arrive_and_memory_is_used_again() -> None:
    memory, arrays = SharedMemory(), [np.full((n + 1, 300, 200), n, np.uint8) for n in range(12)]
    before = count_pieces()
    with WorkerPool(add_up, 2) as pool:
        for _ in range(2):
            sent = [memory.wrap(array) for array in arrays]
            done: dict[int, tuple[int, int, bool]] = {}

            def take(number: int, job: object, sent: list[SharedArray] = sent, done: dict = done) -> None:
                sent[number].release()
                done[number] = job.value  # type: ignore[attr-defined]

            pool.run(sent, take)
            assert [done[n][0] for n in range(12)] == [int(array.sum(dtype=np.int64)) for array in arrays]
            assert all(done[n][2] and done[n][1] != os.getpid() for n in range(12))
        assert 0 < count_pieces() - before <= 12, "a piece of memory serves many arrays"
    memory.close()
    assert count_pieces() == before


def test_a_view_is_sent_as_it_is_seen() -> None:
    memory = SharedMemory()
    array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for view in (array.transpose(2, 0, 1), array[:, ::-1], array[..., :0]):
        shared = memory.wrap(view)
        opener, arguments = shared.__reduce__()
        received = opener(*arguments)
        assert np.array_equal(received.array, view) and received.array.dtype == view.dtype
        shared.release()


def test_memory_that_is_not_there_is_an_error_and_not_the_end_of_the_process() -> None:
    memory = SharedMemory()
    huge = np.broadcast_to(np.zeros(1, np.uint8), (1 << 50,))
    with pytest.raises(MediaError, match="there is no memory for"):
        memory.place(memory.wrap(huge))
