"""The commands as a user calls them, in this process. Commands with tests of their own are in other files."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from vmevalkit.cli.main import make_app
from vmevalkit.media.video import probe
from vmevalkit.store.questions import load_questions
from vmevalkit.store.runs import find_runs
from vmevalkit.store.scores import load_scores
from vmevalkit.tasks import TASKS


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def call(line: str) -> Result:
    return CliRunner().invoke(make_app(), line.split())


def succeed(line: str) -> str:
    result = call(line)
    assert result.exit_code == 0, result.output
    return result.stdout


def fail(line: str) -> tuple[int, str]:
    result = call(line)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result.exit_code, result.stderr.strip()


@pytest.mark.slow
def test_every_stage_in_turn() -> None:
    out = succeed("generate --task maze --n 2 --seed 7 --difficulty medium --set least_steps=9")
    assert out.startswith("maze: 2 drawn, 0 kept; fingerprint ")
    assert out.splitlines()[1] == "index: data/questions/vmeval_dataset.json"
    questions = load_questions("data/questions")
    assert [question.metadata["params"]["least_steps"] for question in questions] == [9, 9]
    assert {question.metadata["difficulty"] for question in questions} == {"custom"}
    assert "0 drawn, 1 kept, 1 more kept" in succeed(
        "generate --task maze --n 1 --seed 7 --difficulty medium --set least_steps=9"
    )

    out = succeed("run --model oracle static --experiment first --seconds 1")
    assert out == "first: 4 run, 0 kept; 4 videos, 0 failed\n"
    assert len(find_runs("data/outputs", "first")) == 4
    assert succeed("run --model oracle --experiment first --questions data/questions").startswith(
        "first: 0 run, 2 kept"
    )

    out = succeed("score --with rules --experiment first")
    assert out.splitlines()[0] == "first: 4 scored, 0 kept; 2 passed, 0 without a verdict"
    assert out.splitlines()[-1] == "next: vmevalkit report --experiment first"
    out = succeed("score --experiment first --model oracle")
    assert out.startswith("first: 0 scored, 2 kept; 2 passed, 0 without a verdict\n")
    verdicts = {(scored.model, scored.score.passed) for scored in load_scores("data/evaluations", "first")}
    assert verdicts == {("oracle", True), ("static", False)}
    assert succeed("report --experiment first") == "report: data/reports/first/index.html\n"


def test_solutions_are_rendered_and_added_to_existing_questions() -> None:
    succeed("generate --task maze --n 1")
    assert succeed("generate --task maze --n 1 --solutions").startswith("maze: 0 drawn, 1 kept; ")
    [question] = load_questions("data/questions")
    assert probe(question.folder / "solution.mp4").width == 832


@pytest.mark.slow
def test_videos_made_elsewhere_are_scored_and_reported_under_the_name_of_their_model() -> None:
    succeed("generate --task maze --n 2")
    succeed("run --model oracle --experiment first --seconds 1")
    for run in find_runs("data/outputs", "first", ["oracle"]):
        assert run.video is not None
        Path("videos").mkdir(exist_ok=True)
        shutil.copy(run.video, Path("videos") / f"{run.question_id}.mp4")
    shutil.copy("videos/maze_0000.mp4", "videos/unmatched.mp4")
    result = call("score --videos videos --questions data/questions --name mymodel")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "mymodel: 2 scored, 0 kept; 2 passed, 0 without a verdict"
    assert result.stdout.splitlines()[-1] == "next: vmevalkit report --experiment mymodel"
    assert "no video to score: unmatched.mp4" in result.stderr
    assert {scored.model for scored in load_scores("data/evaluations", "mymodel")} == {"mymodel"}
    assert succeed("report --experiment mymodel") == "report: data/reports/mymodel/index.html\n"
    assert "2 videos scored by RuleEvaluator" in Path("data/reports/mymodel/index.html").read_text("utf-8")


def test_usage_errors_are_one_line_and_exit_with_2() -> None:
    assert fail("generate --task mase") == (2, "error: no task 'mase'; did you mean 'maze'?")
    assert fail("generate --task maze --difficulty hrd") == (
        2, "error: no difficulty of maze 'hrd'; did you mean 'hard'?",
    )  # fmt: skip
    assert fail("generate --task maze --n -3") == (
        2, "error: -3 questions of maze were asked for; ask for at least 1",
    )  # fmt: skip
    assert fail("generate --task maze --set grid_n") == (
        2, "error: --set 'grid_n' is not of the form NAME=VALUE, such as grid_n=5",
    )  # fmt: skip
    assert fail("generate --task maze --set grid=3")[1] == "error: no param of maze 'grid'; did you mean 'grid_n'?"
    assert fail("generate --task maze --workers 0")[0] == 2
    assert fail("score")[0] == 2
    assert fail("score --videos videos")[1] == (
        "error: the videos in videos need the name of their model: --name MODEL"
    )
    assert fail("score --experiment first --with rulez") == (2, "error: no scorer 'rulez'; did you mean 'rules'?")
    code, text = fail("generate --task maze --bogus")
    assert (code, "No such option" in text) == (2, True)
    code, text = fail("run --model oracle")
    assert (code, "--experiment" in text) == (2, True)
    assert list(Path.cwd().iterdir()) == []


def test_failures_are_one_line_and_exit_with_1() -> None:
    code, text = fail("run --model oracle --experiment first")
    assert code == 1
    assert text == (
        "error: there is no folder data/questions; generate questions first: vmevalkit generate --out data/questions"
    )
    code, text = fail("generate --task rotation_puzzle --difficulty hard --n 100 --out few")
    assert code == 1
    assert re.search(r"^failed: .* no more questions of rotation_puzzle: only \d\d exist", text, re.MULTILINE)
    succeed("generate --task maze --n 2")
    before = json.loads(Path("data/questions/vmeval_dataset.json").read_text())
    code, text = fail("generate --task maze --n 2 --seed 1")
    assert code == 1
    assert text.startswith(
        "error: data/questions/maze_task holds other questions (2; maze_0000: its seed is 42, not 1)"
    )
    assert json.loads(Path("data/questions/vmeval_dataset.json").read_text()) == before
    assert "2 drawn" in succeed("generate --task maze --n 2 --seed 1 --force")
    Path("file").touch()
    code, text = fail("generate --task maze --n 1 --out file/questions")
    assert (code, "file, not a folder" in text) == (1, True)


def test_a_failed_job_sets_the_exit_code() -> None:
    succeed("generate --task maze --n 1")
    mine = Path("data/questions/doors_task/my_door")
    mine.mkdir(parents=True)
    shutil.copy("data/questions/maze_task/maze_0000/first_frame.png", mine)
    (mine / "prompt.txt").write_text("Open it.")
    for _ in range(2):
        code, text = fail("run --model oracle --experiment first --seconds 0.5")
        assert code == 1
        assert text.startswith(
            "failed: oracle on my_door: ModelError: the baseline 'oracle' needs a puzzle, and my_door has none"
        )
    assert succeed("run --model oracle --experiment first --task maze").startswith("first: 0 run, 1 kept")


def test_several_tasks_are_given_in_every_way() -> None:
    for number, tasks in enumerate(("maze sudoku", "maze --task sudoku", "maze,sudoku", "maze, sudoku")):
        out = succeed(f"generate --task {tasks} --n 1 --out {number}")
        assert [line.split(":")[0] for line in out.splitlines()] == ["maze", "sudoku", "index"]
    for number, option in ((4, "--task all"), (5, "")):
        out = succeed(f"generate {option} --n 1 --out {number}")
        assert [line.split(":")[0] for line in out.splitlines()] == [*TASKS, "index"]


def test_a_benchmark_may_be_named_after_the_tasks() -> None:
    out = succeed("benchmark --task sudoku vmeval-1 --workers 1")
    assert [line.split(":")[0] for line in out.splitlines()] == ["sudoku", "data/vmeval-1"]
    assert out.splitlines()[1] == "data/vmeval-1: vmeval-1, as published"
    code, text = fail("benchmark --task sudoku vmeval-11")
    assert (code, text) == (2, "error: no benchmark 'vmeval-11'; did you mean 'vmeval-1'?")
    code, text = fail("benchmark vmeval-1 --task sudoku --seed 3 --out data/vmeval-1")
    assert code == 1
    assert text.startswith("error: data/vmeval-1/sudoku_task holds other questions (100; sudoku_0000: its seed is ")
    assert text.endswith("Choose another folder, or replace them with --force")
    out = succeed("benchmark vmeval-1 --task sudoku --seed 3 --out data/vmeval-1 --force")
    assert out.splitlines()[1] == "data/vmeval-1: a twin of vmeval-1 with seed 3"


def test_an_overview_of_a_task_is_written() -> None:
    assert succeed("gallery --task sudoku --overview overview.png") == "overview: overview.png\n"
    assert Path("overview.png").read_bytes().startswith(b"\x89PNG")
    assert succeed("gallery --task sudoku,maze --out page.md") == "gallery: page.md\n"
    assert [line for line in Path("page.md").read_text().splitlines() if line.startswith("## ")] == [
        "## Sudoku", "## Maze",
    ]  # fmt: skip


@pytest.mark.slow
def test_the_next_command_works_when_it_is_pasted() -> None:
    succeed("generate --task maze --n 1")
    succeed("run --model oracle --experiment first --seconds 1 --outputs my/outputs")
    out = succeed("score --experiment first --outputs my/outputs --evaluations my/scores")
    command = "vmevalkit report --experiment first --outputs my/outputs --evaluations my/scores"
    assert out.splitlines()[-1] == f"next: {command}"
    assert succeed(command.removeprefix("vmevalkit ")) == "report: data/reports/first/index.html\n"

    Path("videos").mkdir()
    shutil.copy(str(find_runs("my/outputs", "first")[0].video), "videos/maze_0000.mp4")
    result = CliRunner().invoke(make_app(), ["score", "--videos", "videos", "--name", "my model"])
    assert result.stdout.splitlines()[-1] == "next: vmevalkit report --experiment 'my model'"
    pasted = shlex.split(result.stdout.splitlines()[-1].removeprefix("next: vmevalkit "))
    assert CliRunner().invoke(make_app(), pasted).exit_code == 0
    out = succeed("score --videos videos --name mine --experiment compared")
    assert out.splitlines()[-1] == "next: vmevalkit report --experiment compared"
