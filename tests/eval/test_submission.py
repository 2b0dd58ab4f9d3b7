"""Submissions: written from an experiment, and checked: what was changed or is missing is named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from vmevalkit.cli.main import make_app
from vmevalkit.core.errors import StoreError, UsageError
from vmevalkit.datasets.generate import generate
from vmevalkit.eval.submission import SUBMISSION, verify_submission, write_submission
from vmevalkit.exchange.row import iterate_run_rows


def call(*words: object) -> Any:
    return CliRunner().invoke(make_app(), [str(word) for word in words])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions, an experiment on them, and the submission of its oracle."""
    root = tmp_path_factory.mktemp("submission")
    generate(["colouring"], n=2, seed=3, out=root / "questions", workers=1)
    places = ("--outputs", root / "outputs")
    done = call("-q", "run", "--model", "oracle", "static", "--experiment", "first", "--questions", root / "questions",
                *places, "--seconds", 1, "--workers", 1)  # fmt: skip
    assert done.exit_code == 0, done.output
    done = call("-q", "score", "--experiment", "first", "--model", "oracle", *places,
                "--evaluations", root / "evaluations", "--workers", 1)  # fmt: skip
    assert done.exit_code == 0, done.output
    assert write_submission("first", "oracle", root / "sent", root / "outputs", root / "evaluations") == 2
    return root


@pytest.fixture
def sent(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made / "sent", tmp_path / "sent")
    return tmp_path / "sent"


def edit(folder: Path, **changes: Any) -> None:
    """Change fields of the first video of a submission."""
    record = json.loads((folder / SUBMISSION).read_text())
    record["videos"][0] |= changes
    (folder / SUBMISSION).write_text(json.dumps(record))


def test_an_honest_submission_has_no_problem(made: Path, sent: Path) -> None:
    found = verify_submission(sent, made / "questions", sample=9, seed=1)
    assert (found.model, found.videos, found.rescored, found.problems) == ("oracle", 2, 2, ())
    done = call("leaderboard", "--verify", sent, "--questions", made / "questions", "--sample", 1)
    assert (done.exit_code, done.stdout) == (0, "oracle: 2 videos, 1 scored again, 0 problems\n")


@pytest.fixture(scope="module")
def elsewhere(made: Path) -> Path:
    """Videos in a folder of their own, scored where they are."""
    folder = made / "videos"
    folder.mkdir()
    for video in (made / "sent/videos/colouring_task").iterdir():
        shutil.copy(video, folder / video.name)
    done = call("-q", "score", "--videos", folder, "--name", "mine", "--experiment", "second", "--questions",
                made / "questions", "--evaluations", made / "evaluations", "--workers", 1)  # fmt: skip
    assert done.exit_code == 0, done.output
    return folder


def test_videos_of_a_folder_can_be_submitted(made: Path, elsewhere: Path, tmp_path: Path) -> None:
    assert write_submission("second", "mine", tmp_path / "out", made / "outputs", made / "evaluations") == 2
    found = verify_submission(tmp_path / "out", made / "questions", sample=2, seed=1)
    assert (found.model, found.videos, found.rescored, found.problems) == ("mine", 2, 2, ())


def test_videos_of_a_folder_are_exported(made: Path, elsewhere: Path) -> None:
    rows = list(iterate_run_rows("second", made / "outputs", made / "evaluations"))
    assert [(row.model, row.id) for row in rows] == [("mine", "colouring_0000"), ("mine", "colouring_0001")]
    assert all(row.video is not None and json.loads(row.scores or "")["RuleEvaluator"]["passed"] for row in rows)


def test_a_video_that_was_replaced_is_neither_submitted_nor_exported(
    made: Path, elsewhere: Path, tmp_path: Path
) -> None:
    video = next(elsewhere.iterdir())
    kept = video.read_bytes()
    try:
        video.write_bytes(b"another")
        with pytest.raises(StoreError, match="not the one that was scored"):
            write_submission("second", "mine", tmp_path / "out", made / "outputs", made / "evaluations")
        with pytest.raises(StoreError, match="not the one that was scored"):
            list(iterate_run_rows("second", made / "outputs", made / "evaluations"))
    finally:
        video.write_bytes(kept)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"video_digest": "0" * 64}, "the video is not the one that was scored"),
        ({"question_digest": "0" * 16}, "made for another question"),
        ({"question": "colouring_0009"}, "there is no such question here"),
        ({"file": "../questions/index.json"}, "the video cannot be read"),
        ({"file": "/etc/hostname"}, "the video cannot be read"),
    ],
)
def test_what_was_changed_is_named(made: Path, sent: Path, changes: dict[str, Any], problem: str) -> None:
    edit(sent, **changes)
    problems = verify_submission(sent, made / "questions", sample=0, seed=1).problems
    assert any(problem in each for each in problems), problems


def test_a_score_that_is_not_deserved_is_found(made: Path, sent: Path) -> None:
    record = json.loads((sent / SUBMISSION).read_text())
    score = record["videos"][0]["score"]
    edit(sent, score={**score, "value": 3})
    done = call("leaderboard", "--verify", sent, "--questions", made / "questions")
    assert done.exit_code == 1
    assert "value is 3 in the submission and 5 here" in done.stderr
    edit(sent, score={**score, "version": "rules-0"})
    [problem] = verify_submission(sent, made / "questions", sample=9, seed=1).problems
    assert "scored by version rules-0 of the scorer" in problem


def test_a_missing_video_is_named(made: Path, sent: Path) -> None:
    record = json.loads((sent / SUBMISSION).read_text())
    record["videos"].pop()
    (sent / SUBMISSION).write_text(json.dumps(record))
    [problem] = verify_submission(sent, made / "questions", sample=0, seed=1).problems
    assert problem == "colouring/colouring_0001: the submission has no video"


@pytest.mark.parametrize("content", ["{}", "[1]", '{"format": 2, "model": "m", "videos": []}'])
def test_another_file_is_not_a_submission(made: Path, sent: Path, content: str) -> None:
    (sent / SUBMISSION).write_text(content)
    with pytest.raises(StoreError):
        verify_submission(sent, made / "questions", sample=0, seed=1)


def test_a_submission_is_complete(made: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no score; score first"):
        write_submission("first", "static", tmp_path / "out", made / "outputs", made / "evaluations")
    with pytest.raises(UsageError, match="no videos of nobody"):
        write_submission("first", "nobody", tmp_path / "out", made / "outputs", made / "evaluations")
    assert not (tmp_path / "out").exists()
