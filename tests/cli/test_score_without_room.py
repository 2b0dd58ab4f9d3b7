"""Scoring on a disk that fills up: written scores are kept, the rest is reported, and the next call resumes."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_interruptions import finish, limit_file_size, list_leftovers, start

from vmevalkit.datasets.generate import generate
from vmevalkit.runs.run import run
from vmevalkit.store.scores import load_scores

FITTING = {(model, f"maze_000{i}") for model in ("oracle", "static") for i in range(2)}
"""Scores whose files fit into the limit; the evidence strips of ``through_wall`` do not."""


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("videos")
    generate(["maze"], 2, out=root / "questions")
    run(["oracle", "static", "through_wall"], root / "questions", "first", root / "outputs", seconds=1.0)
    return root / "outputs"


def find_scores(where: Path) -> dict[tuple[str, str], int]:
    """Return when each score was written, in nanoseconds. Every visible JSON file must be a complete score."""
    evaluations = where / "data" / "evaluations"
    written = {score.path(evaluations): (score.model, score.question_id) for score in load_scores(evaluations, "first")}
    records = {path for path in evaluations.rglob("[!.]*.json") if not path.name.endswith(".trace.json")}
    assert records == set(written)
    return {name: path.stat().st_mtime_ns for path, name in written.items()}


@pytest.mark.parametrize("workers", [1, 2])
def test_score_on_a_full_disk_resumes_in_the_next_call(tmp_path: Path, videos: Path, workers: int) -> None:
    line = f"score --experiment first --outputs {videos} --workers {workers}"
    process = start(tmp_path, line, preexec_fn=limit_file_size(10_000))
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    [line_of_error] = err.splitlines()  # every further score would fail the same way
    assert "cannot write data/evaluations/first/through_wall/maze_task/" in line_of_error
    assert "the file exceeds the size limit" in line_of_error
    before = find_scores(tmp_path)
    assert before and set(before) <= FITTING
    assert list_leftovers(tmp_path) == []

    kept = len(before)
    assert f"first: {6 - kept} scored, {kept} kept; 2 passed, 0 without a verdict" in finish(tmp_path, line)
    after = find_scores(tmp_path)
    assert len(after) == 6
    assert before.items() < after.items()  # existing scores were not written again
    assert list_leftovers(tmp_path) == []
