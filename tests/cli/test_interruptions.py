"""The verbs as processes of their own that are stopped in the middle: the next call goes on, and nothing half-written
is ever visible."""

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

from vmevalkit.media.picture import read_picture
from vmevalkit.media.video import probe
from vmevalkit.runner.generate import generate
from vmevalkit.runner.run import run
from vmevalkit.store.commit import file_digest
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


def questions_there(where: Path) -> list[str]:
    folder = where / "data" / "questions" / "maze_task"
    return [name for name in os.listdir(folder) if not name.startswith(".")] if folder.is_dir() else []  # noqa: PTH208


def films_there(where: Path) -> int:
    return sum(1 for _ in (where / "data" / "outputs").glob("*/*/*/*/[!.]*"))


def check_questions(where: Path) -> None:
    """All that can be seen is complete."""
    if not questions_there(where):
        return
    for question in load_questions(where / "data" / "questions"):
        assert question.prompt == question.metadata["prompt"]
        for name in ("first_frame.png", "final_frame.png"):
            assert read_picture(question.folder / name).shape == (480, 832, 3)
    index = where / "data" / "questions" / "vmeval_dataset.json"
    if index.exists():
        assert json.loads(index.read_text())["total_pairs"] == N


def left_behind(where: Path) -> list[Path]:
    return [path for path in where.rglob(".*") if path.name != ".lock"]


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The fingerprint of the pictures that an undisturbed call draws."""
    return generate(["maze"], N, out=tmp_path_factory.mktemp("untouched")).tasks[0].pixel_fingerprint


@pytest.mark.parametrize(
    ("workers", "how", "moments"),
    [
        (1, signal.SIGKILL, (1, 60)),
        (2, signal.SIGKILL, (1, 300, 600)),
        (1, signal.SIGINT, (40,)),
        (2, signal.SIGINT, (1, 500)),
    ],
)
def test_generate_goes_on_where_it_was_stopped(
    tmp_path: Path, untouched: str, workers: int, how: signal.Signals, moments: tuple[int, ...]
) -> None:
    line = f"generate --task maze --n {N} --workers {workers}"
    for moment in moments:
        process = start(tmp_path, line)
        out, err = stop_when(process, lambda m=moment: len(questions_there(tmp_path)) >= m, how)  # type: ignore[misc]
        assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL), out + err
        if how == signal.SIGINT:
            assert err == "interrupted: what is finished is kept, and the same command goes on from there\n"
        assert moment <= len(questions_there(tmp_path)) < N
        check_questions(tmp_path)
    before = set(questions_there(tmp_path))
    assert f"{N - len(before)} drawn, {len(before)} kept" in finish(tmp_path, line)
    check_questions(tmp_path)
    assert left_behind(tmp_path) == []
    again = generate(["maze"], N, out=tmp_path / "data" / "questions")
    assert (again.tasks[0].kept, again.tasks[0].pixel_fingerprint) == (N, untouched)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_run_goes_on_where_it_was_stopped(tmp_path: Path, how: signal.Signals) -> None:
    generate(["maze"], 6, out=tmp_path / "data" / "questions")
    line = "run --model oracle --experiment first --seconds 1 --workers 2"
    for moment in (1, 3):
        process = start(tmp_path, line)
        stop_when(process, lambda m=moment: films_there(tmp_path) >= m, how)  # type: ignore[misc]
        assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
        runs = find_runs(tmp_path / "data" / "outputs", "first")
        assert moment <= len(runs) == films_there(tmp_path) < 6
        for made in runs:
            assert made.status == "success"
            assert made.video is not None
            assert probe(made.video).width == 832
            assert file_digest(made.video) == made.video_digest
    kept = {made.run_id for made in find_runs(tmp_path / "data" / "outputs", "first")}
    assert f"{6 - len(kept)} made, {len(kept)} kept" in finish(tmp_path, line)
    runs = find_runs(tmp_path / "data" / "outputs", "first")
    assert kept < {made.run_id for made in runs}
    assert sorted(made.question_id for made in runs) == [f"maze_000{i}" for i in range(6)]
    assert left_behind(tmp_path / "data" / "outputs") == []


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_score_goes_on_where_it_was_stopped(tmp_path: Path, how: signal.Signals) -> None:
    generate(["maze"], 6, out=tmp_path / "data" / "questions")
    run(["oracle"], tmp_path / "data" / "questions", "first", tmp_path / "data" / "outputs", seconds=1.0)
    evaluations = tmp_path / "data" / "evaluations"
    process = start(tmp_path, "score --experiment first")
    stop_when(process, lambda: bool(list(evaluations.glob("*/*/*/*/[!.]*"))), how)
    assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    kept = len(load_scores(evaluations, "first"))
    assert 1 <= kept < 6
    assert f"{6 - kept} scored, {kept} kept; 6 passed" in finish(tmp_path, "score --experiment first")
    assert left_behind(evaluations) == []


def children(parent: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def nursery_of(pid: int) -> list[int]:
    """The child of the main process that workers come from; none before it has started."""
    return [child for child in children(pid) if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


@pytest.mark.parametrize("later_s", [0.0, 0.01, 0.03, 0.1, 0.2])
def test_an_interrupt_while_the_workers_start_is_one_line(tmp_path: Path, later_s: float) -> None:
    """No process tells of it but the main one, wherever the others are in their own start."""
    process = start(tmp_path, f"generate --task maze --n {N} --workers 2")
    while not nursery_of(process.pid):
        assert process.poll() is None
        time.sleep(0.001)
    time.sleep(later_s)
    _, err = stop_when(process, lambda: True, signal.SIGINT)
    assert process.returncode == 130
    assert err.startswith("interrupted: ")
    assert err.count("\n") == 1
    assert left_behind(tmp_path) == []


def test_a_worker_that_is_killed_does_not_end_the_batch(tmp_path: Path, untouched: str) -> None:
    process = start(tmp_path, f"generate --task maze --n {N} --workers 2")
    while not (born := [worker for nursery in nursery_of(process.pid) for worker in children(nursery)]):
        assert process.poll() is None
        time.sleep(0.001)
    there = len(questions_there(tmp_path))
    while len(questions_there(tmp_path)) < there + 50:  # it is at work too
        assert process.poll() is None
        time.sleep(0.001)
    os.kill(born[0], signal.SIGKILL)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert f"maze: {N} drawn, 0 kept" in out
    again = generate(["maze"], N, out=tmp_path / "data" / "questions")
    assert (again.tasks[0].kept, again.tasks[0].pixel_fingerprint) == (N, untouched)


def limited(size: int) -> Callable[[], None]:
    def set_limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return set_limit


@pytest.mark.parametrize("workers", [1, 2])
def test_a_disk_without_room_is_one_line_and_the_next_call_goes_on(tmp_path: Path, workers: int) -> None:
    line = f"generate --task maze --n 40 --workers {workers}"
    process = start(tmp_path, line, preexec_fn=limited(2_000))  # no picture fits
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert err.startswith("error: cannot write ")
    assert "may not grow that large" in err
    assert err.count("\n") == 1
    assert questions_there(tmp_path) == left_behind(tmp_path) == []

    process = start(tmp_path, line, preexec_fn=limited(30_000))  # pictures fit, the index does not
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "tasks.json" in err or "vmeval_dataset.json" in err
    assert len(questions_there(tmp_path)) == 40
    assert left_behind(tmp_path) == []
    assert not list(tmp_path.rglob("*.json.*"))
    assert not (tmp_path / "data" / "questions" / "vmeval_dataset.json").exists()

    assert "0 drawn, 40 kept" in finish(tmp_path, line)
    assert json.loads((tmp_path / "data" / "questions" / "vmeval_dataset.json").read_text())["total_pairs"] == 40


def test_run_without_room_is_one_line(tmp_path: Path) -> None:
    generate(["maze"], 2, out=tmp_path / "data" / "questions")
    line = "run --model oracle --experiment first --seconds 1"
    process = start(tmp_path, line, preexec_fn=limited(3_000))
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert err.startswith("error: cannot write ")
    assert films_there(tmp_path) == 0
    assert left_behind(tmp_path / "data" / "outputs") == []
    assert "2 made, 0 kept" in finish(tmp_path, line)
