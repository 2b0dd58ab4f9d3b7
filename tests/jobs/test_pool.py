from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from vmevalkit.core.errors import Occupied, SetupError, StoreError, UsageError
from vmevalkit.eval.experiment import score_one
from vmevalkit.jobs.done import Done
from vmevalkit.jobs.pool import map_jobs
from vmevalkit.runner.generate import Drawer, Recipe
from vmevalkit.tasks import TASKS

WAYS = pytest.mark.parametrize(
    "way",
    [{"workers": 1}, {"workers": 2}, {"workers": 2, "lend_a_hand": True}],
    ids=["here", "elsewhere", "both"],
)


def square(number: int) -> int:
    return number * number


def picky(number: int) -> int:
    if number % 10 == 3:
        raise Occupied(f"{number} is taken")
    return number


def deadly(number: int) -> int:
    if number in (7, 8, 30):
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def process(_: int) -> int:
    time.sleep(0.002)
    return os.getpid()


def deadly_elsewhere(item: tuple[int, int]) -> int:
    """A job of every five kills its process, if that is not the one whose number it has."""
    number, home = item
    if number % 5 == 0 and os.getpid() != home:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.002)
    return number


def orphaning(number: int) -> int:
    """The first job kills the process that workers come from, a later one its own."""
    if number in (0, 50):
        os.kill(os.getppid() if number == 0 else os.getpid(), signal.SIGKILL)
    return number


def threads_of_the_nursery(_: int) -> int:
    return len(list(Path(f"/proc/{os.getppid()}/task").iterdir()))


def deaf(place: str) -> None:
    """A job that does not heed being ended."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Path(place).write_text(str(os.getpid()))
    time.sleep(600)


def leave(number: int) -> int:
    os._exit(number)


def unpicklable(number: int) -> Any:
    return (lambda: number) if number == 2 else number


def threads(_: int) -> str:
    return os.environ["OPENBLAS_NUM_THREADS"]


def leave_a_mark(place: str) -> int:
    """A slow job that can be watched from outside."""
    Path(place).with_suffix(".begun").write_text(str(os.getpid()))
    time.sleep(0.2)
    Path(place).touch()
    return os.getpid()


def doubled(text: bytes) -> bytes:
    return text + text


def last_of_all(place: str) -> None:
    """The first job ends when all others have, which take their time."""
    mine = Path(place)
    if mine.stem == "0":
        deadline = time.monotonic() + 30
        while len(list(mine.parent.glob("*.done"))) < 6:
            assert time.monotonic() < deadline, "nobody does the others"
            time.sleep(0.01)
    else:
        time.sleep(0.1)
        mine.with_suffix(".done").touch()


def until(enough: Callable[[], bool]) -> Iterator[int]:
    """Numbers for as long as they are wanted."""
    deadline = time.monotonic() + 60
    number = 0
    while not enough():
        assert time.monotonic() < deadline, "what is waited for does not happen"
        yield number
        number += 1


class Homeless:
    """Work that no other process can load."""

    def __call__(self, number: int) -> int:
        return number

    def __reduce__(self) -> Any:
        return (int, ("no number",))


@WAYS
def test_results_come_in_the_order_of_the_items(way: dict[str, Any]) -> None:
    told: list[Done[int, int]] = []
    done = map_jobs(square, range(200), on_done=told.append, **way)
    assert [(job.item, job.value) for job in done] == [(n, n * n) for n in range(200)]
    assert all(job.ok for job in done)
    assert sorted(job.item for job in told) == list(range(200))
    assert map_jobs(square, [], **way) == []


@WAYS
def test_a_job_that_raises_is_a_record(way: dict[str, Any]) -> None:
    done = map_jobs(picky, range(30), **way)
    failed = [job for job in done if job.error is not None]
    assert [job.item for job in failed] == [3, 13, 23]
    error = failed[0].error
    assert error is not None
    assert str(error) == "Occupied: 3 is taken"
    assert error.is_a(StoreError)
    assert not error.is_a(UsageError)
    assert "picky" in error.trace
    assert [job.value for job in done if job.ok] == [n for n in range(30) if n % 10 != 3]


def test_a_killed_worker_costs_its_job_alone() -> None:
    done = map_jobs(deadly, range(60), 2)
    assert [job.item for job in done] == list(range(60))
    killed = [job for job in done if job.error is not None]
    assert [job.item for job in killed] == [7, 8, 30]
    assert all(job.error is not None and job.error.kind == "Killed" and "signal 9" in str(job.error) for job in killed)
    assert all(job.value == job.item for job in done if job.ok)
    assert active_children() == []


def test_this_process_can_be_one_of_the_workers() -> None:
    """Two workers are two processes, and both are at work."""
    at_work: set[int] = set()
    done = map_jobs(
        process, until(lambda: len(at_work) > 1), 2, lambda job: at_work.add(job.value or 0), lend_a_hand=True
    )
    assert all(job.ok for job in done)
    assert len(at_work) == 2
    assert os.getpid() in at_work
    assert active_children() == []


def test_a_killed_worker_does_not_end_the_one_that_lends_a_hand() -> None:
    killed: list[int] = []

    def take(job: Done[tuple[int, int], int]) -> None:
        killed.extend([job.item[0]] if job.error is not None else [])

    items = ((number, os.getpid()) for number in until(lambda: len(killed) > 1))
    done = map_jobs(deadly_elsewhere, items, 2, take, lend_a_hand=True)
    assert [job.item[0] for job in done] == list(range(len(done)))
    assert all(number % 5 == 0 for number in killed)
    assert all(job.value == job.item[0] for job in done if job.ok)
    assert active_children() == []


def test_a_killed_nursery_costs_nothing() -> None:
    done = map_jobs(orphaning, range(100), 2)
    assert [job.item for job in done if not job.ok] == [50]
    assert all(job.value == job.item for job in done if job.ok)
    assert active_children() == []


def test_a_worker_that_leaves_is_a_record_too() -> None:
    [done] = map_jobs(leave, [5], 2)
    assert done.error is not None
    assert "exit code 5" in str(done.error)


def test_a_value_that_cannot_travel_is_a_record() -> None:
    done = map_jobs(unpicklable, range(4), 2)
    assert [job.ok for job in done] == [True, True, False, True]


def test_large_items_and_values_do_not_block_each_other() -> None:
    """Both sides write more than a pipe holds while the other one does too."""
    items = [bytes([number]) * 300_000 for number in range(120)]
    done = map_jobs(doubled, items, 2)
    assert [job.value for job in done] == [item + item for item in items]


def test_long_jobs_do_not_wait_behind_another(tmp_path: Path) -> None:
    done = map_jobs(last_of_all, [str(tmp_path / str(number)) for number in range(7)], 2)
    assert [str(job.error) for job in done if job.error is not None] == []


def test_workers_do_not_fight_over_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert map_jobs(threads, [0, 1], 2)[0].value == "1"
    assert os.environ["OMP_NUM_THREADS"] == "7", "what is started later is no concern of the pool"
    assert "OPENBLAS_NUM_THREADS" not in os.environ


@dataclass(frozen=True)
class WithItsTasks:
    """Work that brings what drawing and scoring load."""

    drawer: Drawer
    score: Callable[..., object] = score_one

    def __call__(self, item: int) -> int:
        return threads_of_the_nursery(item)


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="counts threads as Linux does")
def test_the_nursery_has_one_thread_when_it_divides(tmp_path: Path) -> None:
    """A thread that held a lock at that moment would hold it for ever in the worker."""
    recipes = {name: Recipe(TASKS[name], 0, TASKS[name].preset(), "easy", tmp_path) for name in TASKS}
    assert map_jobs(WithItsTasks(Drawer(recipes)), [0, 1], 2)[0].value == 1


def test_a_job_that_does_not_end_is_ended(tmp_path: Path) -> None:
    def items() -> Iterator[str]:
        yield str(tmp_path / "pid")
        while not (tmp_path / "pid").is_file():
            time.sleep(0.01)
            yield str(tmp_path / "pid")
        raise InterruptedError

    with pytest.raises(InterruptedError):
        map_jobs(deaf, items(), 2)
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text()}").exists()


@WAYS
def test_items_are_made_while_they_are_worked_on(way: dict[str, Any]) -> None:
    made = 0

    def items() -> Iterator[int]:
        nonlocal made
        for number in range(5000):
            made += 1
            yield number

    def stop(_: Done[int, int]) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        map_jobs(square, items(), on_done=stop, **way)
    assert 0 < made < 5000
    assert active_children() == []


@WAYS
def test_what_the_items_raise_ends_the_batch(way: dict[str, Any]) -> None:
    def items() -> Iterator[int]:
        yield from range(5)
        raise StoreError("no more")

    told: list[Done[int, int]] = []
    with pytest.raises(StoreError, match="no more"):
        map_jobs(square, items(), on_done=told.append, **way)
    assert active_children() == []


def test_impossible_calls_are_refused() -> None:
    with pytest.raises(UsageError, match="0 workers"):
        map_jobs(square, [1], 0)
    with pytest.raises(SetupError, match=r"cannot load the work: ValueError.*use one worker"):
        map_jobs(Homeless(), [1, 2], 2)


BATCH = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_pool import leave_a_mark
from vmevalkit.jobs.pool import map_jobs
if __name__ == "__main__":
    try:
        marks = [str(Path(sys.argv[2]) / str(n)) for n in range(50)]
        map_jobs(leave_a_mark, marks, 2, lend_a_hand=sys.argv[3] == "both")
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.parametrize("where", ["elsewhere", "both"])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_workers_go_with_the_main_process(tmp_path: Path, how: signal.Signals, where: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(BATCH)
    marks = tmp_path / "marks"
    marks.mkdir()
    child = subprocess.Popen(
        [sys.executable, str(script), str(Path(__file__).parent), str(marks), where],
        stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    workers: set[int] = set()
    while len(list(marks.glob("?"))) < 2 or not workers:
        assert child.poll() is None
        time.sleep(0.01)
        workers = {int(path.read_text() or 0) for path in marks.glob("*.begun")} - {0, child.pid}
    if how == signal.SIGINT:
        os.killpg(child.pid, how)  # as a terminal does: to all of them
    else:
        child.kill()
    output, _ = child.communicate(timeout=30)
    assert output == ("interrupted\n" if how == signal.SIGINT else "")
    finished = len(list(marks.glob("[0-9]"))) + len(list(marks.glob("[0-9][0-9]")))
    assert 2 <= finished < 50
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in workers):
        assert time.monotonic() < deadline, "workers outlive the main process"
        time.sleep(0.01)


UNGUARDED = """
from math import sqrt
from vmevalkit.jobs.pool import map_jobs
map_jobs(sqrt, [1, 2], 2)
"""


def test_a_script_without_a_guard_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "call from under `if __name__ == '__main__':`" in done.stderr.splitlines()[-1]
