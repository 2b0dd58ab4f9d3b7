"""An experiment folder with the keys of version 0.1 is still read."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from vmevalkit.datasets.generate import generate
from vmevalkit.eval.experiment import score_experiment
from vmevalkit.runs.run import run
from vmevalkit.store.journal import read_entries
from vmevalkit.store.layout import journals_of
from vmevalkit.store.old_keys import rename_old_keys
from vmevalkit.store.questions import load_questions
from vmevalkit.store.runs import find_runs
from vmevalkit.store.scores import load_scores

OLD = Path(__file__).parent.parent / "data" / "experiment_0_1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(OLD, tmp_path / "old"))


def test_questions_have_the_current_keys(folder: Path) -> None:
    questions = load_questions(folder / "data/questions")
    assert [question.id for question in questions] == ["chess_0000", "maze_0000", "sudoku_0000"]
    for question in questions:
        assert question.metadata["params"] and "knobs" not in question.metadata


def test_generate_keeps_questions_with_old_keys(folder: Path) -> None:
    made = generate(["maze", "sudoku"], 1, seed=5, out=folder / "data/questions")
    assert [(each.drawn, each.kept) for each in made.tasks] == [(0, 1), (0, 1)]


def test_scores_have_the_current_keys(folder: Path) -> None:
    scores = load_scores(folder / "data/evaluations", "old")
    assert len(scores) == 6
    [chess] = [scored for scored in scores if scored.domain == "chess" and scored.model == "oracle"]
    assert chess.score.passed and chess.score.metrics["readable_squares_share"] > 0.9
    assert "told_share" not in chess.score.metrics
    [mine] = load_scores(folder / "data/evaluations", "videos")
    assert mine.video == folder / "videos/maze_0000.mp4" and mine.video.is_file()


def test_runs_and_scores_are_found_complete(folder: Path) -> None:
    assert len(find_runs(folder / "data/outputs", "old", ["oracle", "static"])) == 6
    made = run(["oracle", "static"], folder / "data/questions", "old", folder / "data/outputs")
    assert (made.made, made.kept) == (0, 6)
    scored = score_experiment("old", folder / "data/outputs", folder / "data/evaluations")
    assert len(scored.results) == 6 and not scored.failed


def test_the_journal_is_read(folder: Path) -> None:
    entries = read_entries(journals_of(folder / "data/outputs/old/luma-ray-2"))
    settled, lost = entries["maze", "maze_0000", 0], entries["sudoku", "sudoku_0000", 0]
    assert settled.status == "failed" and settled.usd == pytest.approx(0.4)
    assert lost.intent is not None
    assert (lost.intent.input_digest, lost.intent.request_digest) == ("4e0369670e46e027", "bb22")


def test_a_current_key_wins() -> None:
    assert rename_old_keys({"a": 1, "old": 2, "new": 3}, {"old": "new"}) == {"a": 1, "new": 3}
    assert rename_old_keys({"old": 2, "z": 0}, {"old": "new"}) == {"new": 2, "z": 0}
