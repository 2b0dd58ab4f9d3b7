"""The verbs as a user calls them, in this process."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from vmevalkit.cli.main import make_app
from vmevalkit.store.questions import load_questions
from vmevalkit.store.runs import find_runs
from vmevalkit.store.scores import load_scores
from vmevalkit.tasks import TASKS


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def call(line: str) -> Result:
    return CliRunner().invoke(make_app(), line.split())


def good(line: str) -> str:
    result = call(line)
    assert result.exit_code == 0, result.output
    return result.stdout


def bad(line: str) -> tuple[int, str]:
    result = call(line)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result.exit_code, result.stderr.strip()


def test_tasks_are_listed_with_their_knobs() -> None:
    listed = good("tasks")
    assert all(f"{name}: {task.description}" in listed for name, task in TASKS.items())
    assert "easy (default): grid_n=3" in listed


def test_version_and_help() -> None:
    assert good("--version").startswith("vmevalkit ")
    assert all(verb in good("--help") for verb in ("tasks", "generate", "run", "score", "report", "audit"))
    assert call("").exit_code == 2


def test_the_whole_line() -> None:
    out = good("generate --task maze --n 2 --seed 7 --difficulty medium --set least_steps=9 --solutions")
    assert out.startswith("maze: 2 drawn, 0 kept; fingerprint ")
    assert "the index is at data/questions/vmeval_dataset.json" in out
    questions = load_questions("data/questions")
    assert [question.metadata["knobs"]["least_steps"] for question in questions] == [9, 9]
    assert {question.metadata["difficulty"] for question in questions} == {"custom"}
    assert all((question.folder / "solution.mp4").is_file() for question in questions)
    assert "0 drawn, 1 kept, 1 more stay" in good(
        "generate --task maze --n 1 --seed 7 --difficulty medium --set least_steps=9"
    )

    out = good("run --model oracle static --experiment first --seconds 1")
    assert out == "first: 4 made, 0 kept; 4 films, 0 failed\n"
    assert len(find_runs("data/outputs", "first")) == 4
    assert good("run --model oracle --experiment first --questions data/questions").startswith("first: 0 made, 2 kept")

    out = good("score --with rules --experiment first")
    assert out == "first: 4 scored, 0 kept; 2 passed, 0 without a verdict\n"
    assert good("score --experiment first --model oracle") == "first: 0 scored, 2 kept; 2 passed, 0 without a verdict\n"
    verdicts = {(scored.model, scored.score.passed) for scored in load_scores("data/evaluations", "first")}
    assert verdicts == {("oracle", True), ("static", False)}

    for run in find_runs("data/outputs", "first", ["oracle"]):
        assert run.video is not None
        Path("films").mkdir(exist_ok=True)
        shutil.copy(run.video, Path("films") / f"{run.question_id}.mp4")
    shutil.copy("films/maze_0000.mp4", "films/stranger.mp4")
    result = call("score --videos films --questions data/questions --name mymodel")
    assert result.exit_code == 0
    assert result.stdout == "videos: 2 scored, 0 kept; 2 passed, 0 without a verdict\n"
    assert "no film to score: stranger.mp4" in result.stderr
    assert {scored.model for scored in load_scores("data/evaluations", "videos")} == {"mymodel"}

    assert "the report is at" in good("report --experiment first")


def test_usage_errors_are_one_line_and_two() -> None:
    assert bad("generate --task mase") == (2, "error: no task 'mase'; did you mean 'maze'?")
    assert bad("generate --task maze --difficulty hrd") == (
        2, "error: no difficulty of maze 'hrd'; did you mean 'hard'?",
    )  # fmt: skip
    assert bad("generate --task maze --n -3") == (
        2, "error: -3 questions of maze were asked for; ask for at least 1",
    )  # fmt: skip
    assert bad("generate --task maze --set grid_n") == (
        2, "error: --set 'grid_n' is not KNOB=VALUE, such as grid_n=5",
    )  # fmt: skip
    assert bad("generate --task maze --set grid=3")[1] == "error: no knob of maze 'grid'; did you mean 'grid_n'?"
    assert bad("generate --task maze --workers 0")[0] == 2
    assert bad("score")[0] == 2
    assert bad("score --videos films")[1].endswith("--name MODEL")
    assert bad("score --experiment first --with rulez") == (2, "error: no scorer 'rulez'; did you mean 'rules'?")
    code, text = bad("generate --task maze --bogus")
    assert (code, "No such option" in text) == (2, True)
    code, text = bad("run --model oracle")
    assert (code, "--experiment" in text) == (2, True)
    assert list(Path.cwd().iterdir()) == []


def test_failures_are_one_line_and_one() -> None:
    code, text = bad("run --model oracle --experiment first")
    assert (code, text) == (
        1, "error: there is no folder data/questions; make questions first: vmevalkit generate --out data/questions",
    )  # fmt: skip
    code, text = bad("generate --task maze --n 1000000")
    assert code == 1
    assert text.startswith("error: 1000000 questions of maze were asked for, but only ")
    good("generate --task maze --n 2")
    before = json.loads(Path("data/questions/vmeval_dataset.json").read_text())
    code, text = bad("generate --task maze --n 2 --seed 1")
    assert code == 1
    assert text.startswith(
        "error: data/questions/maze_task holds other questions (2; maze_0000: its seed is 42, not 1)"
    )
    assert json.loads(Path("data/questions/vmeval_dataset.json").read_text()) == before
    assert "2 drawn" in good("generate --task maze --n 2 --seed 1 --force")
    Path("file").touch()
    code, text = bad("generate --task maze --n 1 --out file/questions")
    assert (code, "file, not a folder" in text) == (1, True)


def test_a_failed_job_makes_the_exit_code_say_so() -> None:
    good("generate --task maze --n 1")
    mine = Path("data/questions/doors_task/my_door")
    mine.mkdir(parents=True)
    shutil.copy("data/questions/maze_task/maze_0000/first_frame.png", mine)
    (mine / "prompt.txt").write_text("Open it.")
    for _ in range(2):
        code, text = bad("run --model static --experiment first --seconds 0.5")
        assert code == 1
        assert text.startswith("failed: static on my_door: ModelError: the baseline 'static' films known puzzles")
    assert good("run --model static --experiment first --task maze").startswith("first: 0 made, 1 kept")
