"""Scoring on a disk that fills up: what was written stays, what was not is told, and the next call goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_interruptions import finish, left_behind, limited, start

from vmevalkit.runner.generate import generate
from vmevalkit.runner.run import run
from vmevalkit.store.scores import load_scores

FITTING = {(model, f"maze_000{i}") for model in ("oracle", "static") for i in range(2)}
"""The verdicts on ``through_wall`` have more to tell than these, and need more room."""


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("films")
    generate(["maze"], 2, out=root / "questions")
    run(["oracle", "static", "through_wall"], root / "questions", "first", root / "outputs", seconds=1.0)
    return root / "outputs"


def scores_there(where: Path) -> dict[tuple[str, str], int]:
    """The scores, and when each was written, in nanoseconds. Every file that can be seen is one of them, and whole."""
    evaluations = where / "data" / "evaluations"
    written = {score.path(evaluations): (score.model, score.question_id) for score in load_scores(evaluations, "first")}
    assert {path for path in evaluations.rglob("[!.]*") if path.is_file()} == set(written)
    return {name: path.stat().st_mtime_ns for path, name in written.items()}


@pytest.mark.parametrize("workers", [1, 2])
def test_score_without_room_goes_on_in_the_next_call(tmp_path: Path, films: Path, workers: int) -> None:
    line = f"score --experiment first --outputs {films} --workers {workers}"
    process = start(tmp_path, line, preexec_fn=limited(1_000))
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    [told] = err.splitlines()  # the next film would fare no better
    assert "cannot write data/evaluations/first/through_wall/maze_task/" in told
    assert "a file may not grow that large here" in told
    before = scores_there(tmp_path)
    assert before and set(before) <= FITTING
    assert left_behind(tmp_path) == []

    kept = len(before)
    assert f"first: {6 - kept} scored, {kept} kept; 2 passed, 0 without a verdict" in finish(tmp_path, line)
    after = scores_there(tmp_path)
    assert len(after) == 6
    assert before.items() < after.items()  # what was there was not written again
    assert left_behind(tmp_path) == []
