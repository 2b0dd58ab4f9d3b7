"""What ``score`` and ``report`` say, and the code they leave with, where there is less than there should be."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from vmevalkit.cli.main import make_app
from vmevalkit.runner.generate import generate
from vmevalkit.runner.run import run


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two mazes with films, and a question that no baseline can film."""
    root = tmp_path_factory.mktemp("line")
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
def in_a_copy(line: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(line / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path)


def call(words: str) -> Result:
    result = CliRunner().invoke(make_app(), words.split())
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def film_of(question_id: str) -> Path:
    return next(Path("data/outputs/first/oracle/maze_task", question_id).rglob("*.mp4"))


def test_films_without_a_verdict_are_named_and_the_exit_code_says_so() -> None:
    Path("films").mkdir()
    Path("films/maze_0000.mp4").write_bytes(b"\x17no film" * 400)
    shutil.copy(film_of("maze_0000"), "films/maze_0001.mp4")
    Path("films/my_door.mp4").touch()
    for scored, kept in ((3, 0), (0, 3)):
        result = call("score --videos films --name mine")
        assert result.exit_code == 1
        assert result.stdout.startswith(f"videos: {scored} scored, {kept} kept; 0 passed, 3 without a verdict")
        noise, other, door = result.stderr.splitlines()
        assert noise.startswith("failed: mine on maze_0000: no verdict: ")
        assert "films/maze_0000.mp4" in noise
        assert other.startswith("failed: mine on maze_0001: no verdict: the film's first half second does not show")
        assert door.startswith("failed: mine on my_door: no verdict: the question has no puzzle")


def test_many_films_without_a_verdict_take_few_lines() -> None:
    for index in range(13):
        shutil.copytree("data/questions/doors_task/my_door", f"data/questions/doors_task/door_{index:02d}")
        Path("films").mkdir(exist_ok=True)
        Path("films", f"door_{index:02d}.mp4").touch()
    result = call("score --videos films --name mine")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 11
    assert result.stderr.endswith("failed: 3 more\n")


def test_runs_without_a_film_are_told_and_no_failure_of_scoring() -> None:
    result = call("score --experiment second")
    assert result.exit_code == 0
    assert result.stdout == "second: 2 scored, 0 kept; 2 passed, 0 without a verdict; 1 run without a film\n"
    assert result.stderr.startswith("no film to score: oracle on my_door: ModelError: the baseline 'oracle'")
    assert len(result.stderr.splitlines()) == 1
    page = call("report --experiment second")
    assert page.exit_code == 0
    assert page.stderr == "1 run has no film: oracle 1; the pass rates leave them out\n"


def test_a_wrong_model_is_refused_with_the_nearest() -> None:
    result = call("score --experiment first --model oracle nosuch")
    assert (result.exit_code, result.stderr) == (
        2, "error: no runs in data/outputs/first of the model 'nosuch'; known: oracle\n",
    )  # fmt: skip
    result = call("score --experiment first --model orcle")
    assert result.exit_code == 2
    assert result.stderr.endswith("'orcle'; did you mean 'oracle'?\n")
    assert not Path("data/evaluations").exists()
    result = call("score --experiment thirst --model oracle")
    assert (result.exit_code, result.stderr) == (
        1,
        "error: there are no runs in data/outputs/thirst; make them first: "
        "vmevalkit run --model oracle --experiment thirst\n",
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            "--experiment first --name mine",
            "--name mine names the model of films from elsewhere and needs --videos DIR",
        ),
        ("--videos films --name mine --model oracle", "--model oracle chooses among the runs of an experiment"),
    ],
)
def test_options_that_would_be_ignored_are_refused(words: str, told: str) -> None:
    result = call(f"score {words}")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: {told}")
    assert len(result.stderr.splitlines()) == 1


def test_the_report_says_what_is_not_scored_and_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from vmevalkit.report import page

    heard: list[tuple[int, int]] = []
    build = page.build_report

    def listening(*given: object) -> Path:
        *rest, on_done, tell = given
        assert callable(on_done)

        def both(done: int, total: int) -> None:
            heard.append((done, total))
            on_done(done, total)

        return build(*rest, both, tell)  # type: ignore[arg-type]

    monkeypatch.setattr(page, "build_report", listening)
    assert call("score --experiment first").exit_code == 0
    film_of("maze_0000").parent.parent.rename("away")
    result = call("report --experiment first")
    assert result.stdout == "the report is at data/reports/first/index.html\n"
    assert result.stderr == "1 verdict is on a film no longer in data/outputs/first, and not counted\n"
    assert heard == [(1, 1)]
    assert call("generate --task maze --n 1 --seed 2 --force").exit_code == 0
    assert call("run --model oracle --experiment first --task maze --seconds 1 --force").exit_code == 0
    result = call("report --experiment first")
    assert result.exit_code == 0
    assert result.stderr == "1 film has no current verdict: oracle 1; call vmevalkit score --experiment first\n"
