from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from vmevalkit.core.errors import StoreError
from vmevalkit.core.records import Finding, Score
from vmevalkit.store.scores import Scored, load_score, load_scores, save_score, score_file

SCORE = Score(
    "RuleEvaluator", "3", value=2, solved=True, outcome=1.0, process=0.5,
    findings=(Finding("wall_crossed", True, "The dot goes through a wall.", 1.25),), metrics={"cells": 4.0},
    failure_mode="illegal_process", solved_at_s=3.5,
)  # fmt: skip
SCORED = Scored(
    "first", "org/m", "maze", "maze_0001", "RuleEvaluator", SCORE, run_id="r", video_digest="v", puzzle_digest="p",
    timestamp="2026-01-01T00:00:00+00:00",
)  # fmt: skip


def test_a_score_lies_where_the_formats_say_and_comes_back(tmp_path: Path) -> None:
    path = save_score(tmp_path, SCORED)
    assert path == tmp_path / "first" / "org=2Fm" / "maze_task" / "maze_0001" / "RuleEvaluator.json"
    assert load_score(path) == SCORED
    record = json.loads(path.read_text())
    assert set(record) == {"metadata", "result"}
    assert record["metadata"].items() >= {
        "evaluator": "RuleEvaluator", "model_name": "org/m", "task_type": "maze_task", "task_id": "maze_0001",
        "timestamp": "2026-01-01T00:00:00+00:00", "scorer_version": "3",
    }.items()  # fmt: skip
    assert record["result"]["findings"][0]["name"] == "wall_crossed"


def test_samples_and_annotators_lie_apart(tmp_path: Path) -> None:
    human = replace(SCORED, evaluator="HumanEvaluator", annotator="Ann/e", score=replace(SCORE, scorer="human"))
    scores = [SCORED, replace(SCORED, sample=2), human, replace(human, annotator="Bo"), replace(human, sample=2)]
    paths = [save_score(tmp_path, scored) for scored in scores]
    job = tmp_path / "first" / "org=2Fm" / "maze_task" / "maze_0001"
    assert [str(path.relative_to(job)) for path in paths] == [
        "RuleEvaluator.json",
        "sample_2/RuleEvaluator.json",
        "HumanEvaluator/Ann=2Fe.json",
        "HumanEvaluator/Bo.json",
        "sample_2/HumanEvaluator/Ann=2Fe.json",
    ]
    loaded = load_scores(tmp_path, "first")
    assert len(loaded) == 5
    assert all(scored in scores for scored in loaded)


def test_finished_means_made_from_the_same(tmp_path: Path) -> None:
    there = load_score(save_score(tmp_path, SCORED))
    assert there is not None
    assert there.made_from(video_digest="v", puzzle_digest="p", version="3")
    assert not there.made_from(video_digest="w", puzzle_digest="p", version="3")
    assert not there.made_from(video_digest="v", puzzle_digest="q", version="3")
    assert not there.made_from(video_digest="v", puzzle_digest="p", version="4")
    unknown = replace(SCORED, video_digest=None)
    assert not unknown.made_from(video_digest=None, puzzle_digest="p", version="3")
    assert load_score(score_file(tmp_path, "first", "org/m", "maze", "maze_0002", "RuleEvaluator")) is None


def test_unscored_stays_unscored(tmp_path: Path) -> None:
    scored = replace(SCORED, score=Score.unscored("RuleEvaluator", "3", "not a video"))
    back = load_score(save_score(tmp_path, scored))
    assert back is not None
    assert not back.score.scored
    assert back.score.explanation == "not a video"


def test_what_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="make them first: vmevalkit score --experiment first"):
        load_scores(tmp_path, "first")
    path = save_score(tmp_path, SCORED)
    path.write_text('{"metadata": {}, "result": {}}')
    with pytest.raises(StoreError, match=r"RuleEvaluator.json is no score file .* score again"):
        load_scores(tmp_path, "first")
