"""Commands that are stopped halfway, each in its own process: the next call resumes, and no partial file is visible."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from vmevalkit.core.scorer import RULES
from vmevalkit.datasets.generate import generate
from vmevalkit.media.image import read_image
from vmevalkit.media.video import probe
from vmevalkit.runs.run import run
from vmevalkit.store.atomic import file_digest
from vmevalkit.store.questions import load_questions
from vmevalkit.store.runs import find_runs
from vmevalkit.store.scores import load_scores

N = 900  # as many as the main process draws in two or three times what a worker takes to start


def start(where: Path, line: str, **how: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "vmevalkit", *line.split()],
        cwd=where, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, **how,
    )  # type: ignore[call-overload,no-any-return]  # fmt: skip


def finish(where: Path, line: str) -> str:
    process = start(where, line)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out


def stop_when(process: subprocess.Popen[str], reached: Callable[[], bool], how: signal.Signals) -> tuple[str, str]:
    while not reached() and process.poll() is None:
        time.sleep(0.001)
    if process.poll() is None:
        if how == signal.SIGINT:
            os.killpg(process.pid, how)  # as a terminal does: to all of them
        else:
            process.kill()
    return process.communicate(timeout=60)


def list_questions(where: Path) -> list[str]:
    folder = where / "data" / "questions" / "maze_task"
    return [name for name in os.listdir(folder) if not name.startswith(".")] if folder.is_dir() else []  # noqa: PTH208


def count_videos(where: Path) -> int:
    return sum(1 for _ in (where / "data" / "outputs").glob("*/*/*/*/[!.]*"))


def check_questions(where: Path) -> None:
    """Check that everything visible is complete."""
    if not list_questions(where):
        return
    for question in load_questions(where / "data" / "questions"):
        assert question.prompt == question.metadata["prompt"]
        for name in ("first_frame.png", "final_frame.png"):
            assert read_image(question.folder / name).shape == (480, 832, 3)
    index = where / "data" / "questions" / "vmeval_dataset.json"
    if index.exists():
        assert json.loads(index.read_text())["total_pairs"] == N


def list_leftovers(where: Path) -> list[Path]:
    return [path for path in where.rglob(".*") if path.name != ".lock"]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The fingerprint of the images that an uninterrupted call draws."""
    return generate(["maze"], N, out=tmp_path_factory.mktemp("uninterrupted")).tasks[0].pixel_fingerprint


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workers", "how", "moments"),
    [
        (1, signal.SIGKILL, (1, 60)),
        (2, signal.SIGKILL, (1, 300, 600)),
        (1, signal.SIGINT, (40,)),
        (2, signal.SIGINT, (1, 500)),
    ],
)
def test_generate_resumes_where_it_was_stopped(
    tmp_path: Path, uninterrupted: str, workers: int, how: signal.Signals, moments: tuple[int, ...]
) -> None:
    line = f"generate --task maze --n {N} --workers {workers}"
    for moment in moments:
        process = start(tmp_path, line)
        out, err = stop_when(process, lambda m=moment: len(list_questions(tmp_path)) >= m, how)  # type: ignore[misc]
        assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL), out + err
        if how == signal.SIGINT:
            assert err == "interrupted: finished work is kept; the same command resumes\n"
        assert moment <= len(list_questions(tmp_path)) < N
        check_questions(tmp_path)
    before = set(list_questions(tmp_path))
    assert f"{N - len(before)} drawn, {len(before)} kept" in finish(tmp_path, line)
    check_questions(tmp_path)
    assert list_leftovers(tmp_path) == []
    again = generate(["maze"], N, out=tmp_path / "data" / "questions")
    assert (again.tasks[0].kept, again.tasks[0].pixel_fingerprint) == (N, uninterrupted)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_run_resumes_where_it_was_stopped(tmp_path: Path, how: signal.Signals) -> None:
    n = 12
    generate(["maze"], n, out=tmp_path / "data" / "questions")
    line = "run --model oracle --experiment first --seconds 1 --workers 2"
    for moment in (1, 3):
        process = start(tmp_path, line)
        stop_when(process, lambda m=moment: count_videos(tmp_path) >= m, how)  # type: ignore[misc]
        assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
        runs = find_runs(tmp_path / "data" / "outputs", "first")
        assert moment <= len(runs) == count_videos(tmp_path) < n
        for each in runs:
            assert each.status == "success"
            assert each.video is not None
            assert probe(each.video).width == 832
            assert file_digest(each.video) == each.video_digest
    kept = {each.run_id for each in find_runs(tmp_path / "data" / "outputs", "first")}
    assert f"{n - len(kept)} run, {len(kept)} kept" in finish(tmp_path, line)
    runs = find_runs(tmp_path / "data" / "outputs", "first")
    assert kept < {each.run_id for each in runs}
    assert sorted(each.question_id for each in runs) == [f"maze_{i:04d}" for i in range(n)]
    assert list_leftovers(tmp_path / "data" / "outputs") == []


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_score_resumes_where_it_was_stopped(tmp_path: Path, how: signal.Signals) -> None:
    n = 20  # scoring the others takes far longer than the signal
    generate(["maze"], n, out=tmp_path / "data" / "questions")
    run(["oracle"], tmp_path / "data" / "questions", "first", tmp_path / "data" / "outputs", seconds=1.0)
    evaluations = tmp_path / "data" / "evaluations"
    process = start(tmp_path, "score --experiment first")
    # The trace and the strip are written before the score: only the score file is finished work.
    stop_when(process, lambda: any(evaluations.glob(f"*/*/*/*/{RULES}.json")), how)
    assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    kept = len(load_scores(evaluations, "first"))
    assert 1 <= kept < n
    assert f"{n - kept} scored, {kept} kept; {n} passed" in finish(tmp_path, "score --experiment first")
    assert list_leftovers(evaluations) == []


def children(parent: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def find_forkserver(pid: int) -> list[int]:
    """Return the child of the main process that spawns workers; none before it has started."""
    return [child for child in children(pid) if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


@pytest.mark.parametrize("later_s", [0.0, 0.01, 0.03, 0.1, 0.2])
def test_an_interrupt_while_the_workers_start_is_one_line(tmp_path: Path, later_s: float) -> None:
    """Only the main process reports it, at whatever point of their start the others are."""
    process = start(tmp_path, f"generate --task maze --n {N} --workers 2")
    while not find_forkserver(process.pid):
        assert process.poll() is None
        time.sleep(0.001)
    time.sleep(later_s)
    _, err = stop_when(process, lambda: True, signal.SIGINT)
    assert process.returncode == 130
    assert err.startswith("interrupted: ")
    assert err.count("\n") == 1
    assert list_leftovers(tmp_path) == []


@pytest.mark.slow
def test_a_worker_that_is_killed_does_not_end_the_batch(tmp_path: Path, uninterrupted: str) -> None:
    process = start(tmp_path, f"generate --task maze --n {N} --workers 2")
    while not (workers := [pid for server in find_forkserver(process.pid) for pid in children(server)]):
        assert process.poll() is None
        time.sleep(0.001)
    before = len(list_questions(tmp_path))
    while len(list_questions(tmp_path)) < before + 50:  # the worker draws too
        assert process.poll() is None
        time.sleep(0.001)
    os.kill(workers[0], signal.SIGKILL)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert f"maze: {N} drawn, 0 kept" in out
    again = generate(["maze"], N, out=tmp_path / "data" / "questions")
    assert (again.tasks[0].kept, again.tasks[0].pixel_fingerprint) == (N, uninterrupted)


def limit_file_size(size: int) -> Callable[[], None]:
    def set_limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return set_limit


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_full_disk_is_one_line_and_the_next_call_resumes(tmp_path: Path, workers: int) -> None:
    line = f"generate --task maze --n 40 --workers {workers}"
    process = start(tmp_path, line, preexec_fn=limit_file_size(2_000))  # no image fits
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert err.startswith("error: cannot write ")
    assert "exceeds the size limit" in err
    assert err.count("\n") == 1
    assert list_questions(tmp_path) == list_leftovers(tmp_path) == []

    process = start(tmp_path, line, preexec_fn=limit_file_size(30_000))  # images fit, the records of all do not
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert err.startswith("error: cannot write ")
    assert "exceeds the size limit" in err
    assert err.count("\n") == 1
    assert 10 < len(list_questions(tmp_path)) <= 40
    assert list_leftovers(tmp_path) == []
    assert not list(tmp_path.rglob("*.json.*"))
    assert not (tmp_path / "data" / "questions" / "vmeval_dataset.json").exists()

    kept = len(list_questions(tmp_path))
    assert f"{40 - kept} drawn, {kept} kept" in finish(tmp_path, line)
    assert json.loads((tmp_path / "data" / "questions" / "vmeval_dataset.json").read_text())["total_pairs"] == 40


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_run_on_a_full_disk_is_one_line(tmp_path: Path, workers: int) -> None:
    generate(["maze"], 2, out=tmp_path / "data" / "questions")
    line = f"run --model oracle --experiment first --seconds 1 --workers {workers}"
    process = start(tmp_path, line, preexec_fn=limit_file_size(3_000))
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert err.startswith("error: cannot write ")
    assert count_videos(tmp_path) == 0
    assert list_leftovers(tmp_path / "data" / "outputs") == []
    assert "2 run, 0 kept" in finish(tmp_path, line)
    assert list_leftovers(tmp_path / "data" / "outputs") == []
