"""The leaderboard: experiments on the same questions are merged, others are refused."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from benchmarks.made_experiment import MadeExperiment, write_experiment
from vmevalkit.core.errors import UsageError
from vmevalkit.report.leaderboard import build_leaderboard


def test_experiments_on_the_same_questions_become_one_ranking(tmp_path: Path) -> None:
    write_experiment(tmp_path, MadeExperiment(questions=6, models=("alpha", "static"), name="a"))
    write_experiment(tmp_path, MadeExperiment(questions=6, models=("beta", "alpha", "static"), name="b"))
    page = build_leaderboard(
        ["a", "b"], tmp_path / "site", tmp_path / "outputs", tmp_path / "evaluations", title="Board"
    )
    text = page.read_text("utf-8")
    assert "2 experiments on the same questions: a and b" in text
    assert "gallery.html" not in text
    with (tmp_path / "site" / "tables" / "RuleEvaluator" / "ranking.csv").open(encoding="utf-8") as file:
        rows = {row["model"]: row for row in csv.DictReader(file)}
    assert set(rows) == {"alpha (a)", "alpha (b)", "beta", "static"}
    assert {row["questions"] for row in rows.values()} == {"6"}


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (MadeExperiment(questions=6, name="b", seed=1), "chess is 2 questions with the fingerprint"),
        (MadeExperiment(questions=7, name="b"), "maze is 2 questions with the fingerprint .* and 3 questions"),
        (MadeExperiment(questions=6, name="b", domains=("maze",)), "chess is 2 questions .* in a and missing in b"),
    ],
)
def test_other_questions_are_refused(tmp_path: Path, other: MadeExperiment, message: str) -> None:
    write_experiment(tmp_path, MadeExperiment(questions=6, name="a"))
    write_experiment(tmp_path, other)
    with pytest.raises(UsageError, match=message):
        build_leaderboard(["a", "b"], tmp_path / "site", tmp_path / "outputs", tmp_path / "evaluations")
    assert not (tmp_path / "site").exists()
