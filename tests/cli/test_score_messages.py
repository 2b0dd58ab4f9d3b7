"""Messages and exit codes of ``score`` and ``report`` where videos or verdicts are missing."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from vmevalkit.cli.main import make_app
from vmevalkit.datasets.generate import generate
from vmevalkit.runs.run import run


@pytest.fixture(scope="module")
def experiments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two mazes with videos, and a question of which the baseline ``oracle`` cannot generate a video."""
    root = tmp_path_factory.mktemp("experiments")
    questions = root / "data" / "questions"
    generate(["maze"], n=2, seed=1, out=questions)
    run(["oracle"], questions, "first", root / "data" / "outputs", seconds=1.0)
    door = questions / "doors_task" / "my_door"
    door.mkdir(parents=True)
    shutil.copy(questions / "maze_task" / "maze_0000" / "first_frame.png", door)
    (door / "prompt.txt").write_text("Open it.")
    run(["oracle"], questions, "second", root / "data" / "outputs", seconds=1.0)
    return root


@pytest.fixture(autouse=True)
def in_a_copy(experiments: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(experiments / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path)


def call(line: str) -> Result:
    result = CliRunner().invoke(make_app(), line.split())
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def video_of(question_id: str) -> Path:
    return next(Path("data/outputs/first/oracle/maze_task", question_id).rglob("*.mp4"))


@pytest.mark.slow
def test_videos_without_a_verdict_are_named_and_the_exit_code_says_so() -> None:
    Path("videos").mkdir()
    Path("videos/maze_0000.mp4").write_bytes(b"\x17no video" * 400)
    shutil.copy(video_of("maze_0000"), "videos/maze_0001.mp4")
    Path("videos/my_door.mp4").touch()
    for scored, kept in ((3, 0), (0, 3)):
        result = call("score --videos videos --name mine")
        assert result.exit_code == 1
        assert result.stdout.startswith(f"mine: {scored} scored, {kept} kept; 0 passed, 3 without a verdict")
        noise, other, door = result.stderr.splitlines()
        assert noise.startswith("failed: mine on maze_0000: no verdict: ")
        assert "videos/maze_0000.mp4" in noise
        assert other.startswith("failed: mine on maze_0001: no verdict: the start of the video does not show")
        assert door.startswith("failed: mine on my_door: no verdict: the question has no puzzle")


def test_many_videos_without_a_verdict_take_few_lines() -> None:
    for index in range(13):
        shutil.copytree("data/questions/doors_task/my_door", f"data/questions/doors_task/door_{index:02d}")
        Path("videos").mkdir(exist_ok=True)
        Path("videos", f"door_{index:02d}.mp4").touch()
    result = call("score --videos videos --name mine")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 11
    assert result.stderr.endswith("failed: 3 more\n")


def test_runs_without_a_video_are_listed_and_not_failures_of_scoring() -> None:
    result = call("score --experiment second")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "second: 2 scored, 0 kept; 2 passed, 0 without a verdict; 1 run without a video"
    assert lines[2].split() == ["oracle", "doors", "-", "-", "0", "0", "-", "1", "without", "a", "video"]
    assert lines[-1] == "next: vmevalkit report --experiment second"
    assert result.stderr.startswith("no video to score: oracle on my_door: ModelError: the baseline 'oracle'")
    assert len(result.stderr.splitlines()) == 1
    page = call("report --experiment second")
    assert page.exit_code == 0
    assert page.stderr == "1 run has no video: oracle 1; the rates leave them out\n"


def test_a_wrong_model_is_refused_with_the_nearest() -> None:
    result = call("score --experiment first --model oracle nosuch")
    assert (result.exit_code, result.stderr) == (
        2, "error: no model 'nosuch' with runs in data/outputs/first; known: oracle\n",
    )  # fmt: skip
    result = call("score --experiment first --model orcle")
    assert result.exit_code == 2
    assert result.stderr == "error: no model 'orcle' with runs in data/outputs/first; did you mean 'oracle'?\n"
    assert not Path("data/evaluations").exists()
    result = call("score --experiment thirst --model oracle")
    assert (result.exit_code, result.stderr) == (
        1,
        "error: there are no runs in data/outputs/thirst; generate videos first: "
        "vmevalkit run --model oracle --experiment thirst\n",
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            "--experiment first --name mine",
            "--name mine is the model of --videos, which are not given; "
            "to score one model of an experiment: --model mine",
        ),
        (
            "--videos videos --name mine --model oracle",
            "--model oracle selects runs of an experiment and has no effect on --videos",
        ),
    ],
)
def test_options_that_would_be_ignored_are_refused(options: str, message: str) -> None:
    result = call(f"score {options}")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: {message}")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.slow
def test_the_report_lists_what_is_not_scored_and_reports_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    from vmevalkit.report import build

    updates: list[tuple[int, int]] = []
    original = build.build_report

    def build_and_record(*given: Any) -> Path:
        *rest, on_done, on_remark, options = given

        def record(done: int, total: int) -> None:
            updates.append((done, total))
            on_done(done, total)

        return original(*rest, record, on_remark, options)

    monkeypatch.setattr(build, "build_report", build_and_record)
    assert call("score --experiment first").exit_code == 0
    video_of("maze_0000").parent.parent.rename("away")
    result = call("report --experiment first")
    assert result.stdout == "report: data/reports/first/index.html\n"
    assert result.stderr == "1 verdict is on a video no longer in data/outputs/first, and not counted\n"
    assert updates == [(1, 1)]
    assert call("generate --task maze --n 1 --seed 2 --force").exit_code == 0
    assert call("run --model oracle --experiment first --task maze --seconds 1 --force").exit_code == 0
    result = call("report --experiment first")
    assert result.exit_code == 0
    assert result.stderr == "1 video has no current verdict: oracle 1; run: vmevalkit score --experiment first\n"
