from __future__ import annotations

import os
import re
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

from vmevalkit.core.errors import ConflictError, SetupError, StoreError, UsageError
from vmevalkit.datasets.generate import Drawer, TaskRecipe
from vmevalkit.eval.experiment import score_one
from vmevalkit.jobs.pool import map_jobs
from vmevalkit.jobs.result import JobResult, run_item
from vmevalkit.tasks import TASKS

EXECUTION_MODES = pytest.mark.parametrize(
    "mode",
    [{"workers": 1}, {"workers": 2}, {"workers": 2, "use_main_process": True}],
    ids=["here", "elsewhere", "both"],
)


def square(number: int) -> int:
    return number * number


def raise_for_some(number: int) -> int:
    if number % 10 == 3:
        raise ConflictError(f"{number} is taken")
    return number


def kill_for_some(number: int) -> int:
    if number in (7, 8, 30):
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def get_process_id(_: int) -> int:
    time.sleep(0.002)
    return os.getpid()


def kill_other_process(item: tuple[int, int]) -> int:
    """Every fifth job kills its process, unless that is the main process."""
    number, main_process = item
    if number % 5 == 0 and os.getpid() != main_process:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.002)
    return number


def kill_fork_server(number: int) -> int:
    """The first job kills the fork server, a later one its own process."""
    if number in (0, 50):
        os.kill(os.getppid() if number == 0 else os.getpid(), signal.SIGKILL)
    return number


def count_fork_server_threads(_: int) -> int:
    return len(list(Path(f"/proc/{os.getppid()}/task").iterdir()))


def ignore_sigterm(place: str) -> None:
    """A job that ignores SIGTERM."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Path(place).write_text(str(os.getpid()))
    time.sleep(600)


class EndedInDel:
    """The exception that ends a worker is lost in its ``__del__``: Python only prints it."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        list(range(10))


def delete_while_ended(number: int) -> int:
    EndedInDel()
    return number


def exit_with(number: int) -> int:
    os._exit(number)


def return_unpicklable(number: int) -> Any:
    return (lambda: number) if number == 2 else number


def read_thread_setting(_: int) -> str:
    return os.environ["OPENBLAS_NUM_THREADS"]


def sleep_and_touch(place: str) -> int:
    """A slow job that can be watched from outside."""
    Path(place).with_suffix(".begun").write_text(str(os.getpid()))
    time.sleep(0.2)
    Path(place).touch()
    return os.getpid()


def double(text: bytes) -> bytes:
    return text + text


def wait_for_others(place: str) -> None:
    """The first job ends after all others."""
    mine = Path(place)
    if mine.stem == "0":
        deadline = time.monotonic() + 30
        while len(list(mine.parent.glob("*.done"))) < 6:
            assert time.monotonic() < deadline, "the other jobs do not run"
            time.sleep(0.01)
    else:
        time.sleep(0.1)
        mine.with_suffix(".done").touch()


def count_until(enough: Callable[[], bool]) -> Iterator[int]:
    """Yield numbers until the condition holds."""
    deadline = time.monotonic() + 60
    number = 0
    while not enough():
        assert time.monotonic() < deadline, "the condition never holds"
        yield number
        number += 1


class Unloadable:
    """Work that no other process can load."""

    def __call__(self, number: int) -> int:
        return number

    def __reduce__(self) -> Any:
        return (int, ("no number",))


@EXECUTION_MODES
def test_results_come_in_the_order_of_the_items(mode: dict[str, Any]) -> None:
    reported: list[JobResult[int, int]] = []
    done = map_jobs(square, range(200), on_done=reported.append, **mode)
    assert [(job.item, job.value) for job in done] == [(n, n * n) for n in range(200)]
    assert all(job.ok for job in done)
    assert sorted(job.item for job in reported) == list(range(200))
    assert map_jobs(square, [], **mode) == []


@EXECUTION_MODES
def test_a_job_that_raises_is_a_record(mode: dict[str, Any]) -> None:
    done = map_jobs(raise_for_some, range(30), **mode)
    failed = [job for job in done if job.error is not None]
    assert [job.item for job in failed] == [3, 13, 23]
    error = failed[0].error
    assert error is not None
    assert str(error) == "ConflictError: 3 is taken"
    assert error.is_a(StoreError)
    assert not error.is_a(UsageError)
    assert "raise_for_some" in error.traceback_text
    assert [job.value for job in done if job.ok] == [n for n in range(30) if n % 10 != 3]


def test_a_killed_worker_costs_only_its_job() -> None:
    done = map_jobs(kill_for_some, range(60), 2)
    assert [job.item for job in done] == list(range(60))
    killed = [job for job in done if job.error is not None]
    assert [job.item for job in killed] == [7, 8, 30]
    assert all(
        job.error is not None and job.error.type_name == "Killed" and "signal 9" in str(job.error) for job in killed
    )
    assert all(job.value == job.item for job in done if job.ok)
    assert active_children() == []


def test_this_process_can_be_one_of_the_workers() -> None:
    """Two workers are two processes, and both are at work."""
    at_work: set[int] = set()
    done = map_jobs(
        get_process_id,
        count_until(lambda: len(at_work) > 1),
        2,
        lambda job: at_work.add(job.value or 0),
        use_main_process=True,
    )
    assert all(job.ok for job in done)
    assert len(at_work) == 2
    assert os.getpid() in at_work
    assert active_children() == []


def test_a_killed_worker_does_not_end_the_main_process() -> None:
    killed: list[int] = []

    def take(job: JobResult[tuple[int, int], int]) -> None:
        killed.extend([job.item[0]] if job.error is not None else [])

    items = ((number, os.getpid()) for number in count_until(lambda: len(killed) > 1))
    done = map_jobs(kill_other_process, items, 2, take, use_main_process=True)
    assert [job.item[0] for job in done] == list(range(len(done)))
    assert all(number % 5 == 0 for number in killed)
    assert all(job.value == job.item[0] for job in done if job.ok)
    assert active_children() == []


def test_a_killed_fork_server_costs_nothing() -> None:
    done = map_jobs(kill_fork_server, range(100), 2)
    assert [job.item for job in done if not job.ok] == [50]
    assert all(job.value == job.item for job in done if job.ok)
    assert active_children() == []


def test_a_worker_that_exits_is_a_record() -> None:
    [done] = map_jobs(exit_with, [5], 2)
    assert done.error is not None
    assert "exit code 5" in str(done.error)


def test_an_unpicklable_value_is_a_record() -> None:
    done = map_jobs(return_unpicklable, range(4), 2)
    assert [job.ok for job in done] == [True, True, False, True]


def test_large_items_and_values_do_not_block_each_other() -> None:
    """Both sides write more than a pipe holds while the other one does too."""
    items = [bytes([number]) * 300_000 for number in range(120)]
    done = map_jobs(double, items, 2)
    assert [job.value for job in done] == [item + item for item in items]


def test_long_jobs_do_not_wait_behind_another(tmp_path: Path) -> None:
    done = map_jobs(wait_for_others, [str(tmp_path / str(number)) for number in range(7)], 2)
    assert [str(job.error) for job in done if job.error is not None] == []


def test_workers_use_one_thread_per_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert map_jobs(read_thread_setting, [0, 1], 2)[0].value == "1"
    assert os.environ["OMP_NUM_THREADS"] == "7", "processes started later are not affected"
    assert "OPENBLAS_NUM_THREADS" not in os.environ


@dataclass(frozen=True)
class CountThreadsWithTasks:
    """Work that imports what drawing and scoring import."""

    drawer: Drawer
    score: Callable[..., object] = score_one

    def __call__(self, item: int) -> int:
        return count_fork_server_threads(item)


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="counts threads as Linux does")
def test_the_fork_server_has_one_thread_when_it_forks(tmp_path: Path) -> None:
    """A thread that held a lock during the fork would leave it locked in the worker forever."""
    recipes = {name: TaskRecipe(TASKS[name], 0, TASKS[name].preset(), "easy", tmp_path) for name in TASKS}
    assert map_jobs(CountThreadsWithTasks(Drawer(recipes)), [0, 1], 2)[0].value == 1


@pytest.mark.slow
def test_a_job_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    def items() -> Iterator[str]:
        yield str(tmp_path / "pid")
        while not (tmp_path / "pid").is_file():
            time.sleep(0.01)
            yield str(tmp_path / "pid")
        raise InterruptedError

    with pytest.raises(InterruptedError):
        map_jobs(ignore_sigterm, items(), 2)
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text()}").exists()


@EXECUTION_MODES
def test_items_are_drawn_while_others_run(mode: dict[str, Any]) -> None:
    made = 0

    def items() -> Iterator[int]:
        nonlocal made
        for number in range(5000):
            made += 1
            yield number

    def stop(_: JobResult[int, int]) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        map_jobs(square, items(), on_done=stop, **mode)
    assert 0 < made < 5000
    assert active_children() == []


@EXECUTION_MODES
def test_what_the_items_raise_ends_the_batch(mode: dict[str, Any]) -> None:
    def items() -> Iterator[int]:
        yield from range(5)
        raise StoreError("no more")

    reported: list[JobResult[int, int]] = []
    with pytest.raises(StoreError, match="no more"):
        map_jobs(square, items(), on_done=reported.append, **mode)
    assert active_children() == []


def test_impossible_calls_are_refused() -> None:
    with pytest.raises(UsageError, match="the number of workers is 0"):
        map_jobs(square, [1], 0)
    with pytest.raises(SetupError, match=r"cannot load the work: ValueError.*use one worker"):
        map_jobs(Unloadable(), [1, 2], 2)


BATCH = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_pool import sleep_and_touch
from vmevalkit.jobs.pool import map_jobs
if __name__ == "__main__":
    try:
        marks = [str(Path(sys.argv[2]) / str(n)) for n in range(50)]
        map_jobs(sleep_and_touch, marks, 2, use_main_process=sys.argv[3] == "both")
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.slow
@pytest.mark.parametrize("where", ["elsewhere", "both"])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_the_main_process(tmp_path: Path, how: signal.Signals, where: str) -> None:
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


def test_a_script_without_a_main_guard_gets_a_clear_error(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "call from under `if __name__ == '__main__':`" in done.stderr.splitlines()[-1]
    assert "bootstrapping" not in done.stderr


def test_a_failure_names_the_place_of_an_unexpected_exception_only() -> None:
    def fail(error: Exception) -> None:
        raise error

    unexpected, stated = (run_item(fail, error).error for error in (ValueError("no 17"), StoreError("gone")))
    assert unexpected is not None and stated is not None
    assert str(unexpected) == "ValueError: no 17"
    assert re.fullmatch(r"ValueError: no 17 \(.*test_pool\.py, line \d+\)", unexpected.describe())
    assert stated.describe() == str(stated) == "StoreError: gone"


def test_a_worker_that_is_ended_in_a_destructor_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    assert [job.value for job in map_jobs(delete_while_ended, range(2), 2)] == [0, 1]
    assert capfd.readouterr().err == ""
