from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from vmevalkit.core.errors import StoreError, UsageError
from vmevalkit.core.records import Finding, Score
from vmevalkit.core.scorer import ScoreFiles
from vmevalkit.store.scores import Scored, load_score, load_scores, save_score, score_file

SCORE = Score(
    "RuleEvaluator", "3", value=2, solved=True, outcome=1.0, process=0.5, legal_progress=0.5,
    findings=(Finding("wall_crossed", True, "The dot goes through a wall.", 1.25),), metrics={"cells": 4.0},
    failure_mode="illegal_process", solved_at_s=3.5,
)  # fmt: skip
SCORED = Scored(
    "first", "org/m", "maze", "maze_0001", "RuleEvaluator", SCORE, run_id="r", video_digest="v", puzzle_digest="p",
    timestamp="2026-01-01T00:00:00+00:00",
)  # fmt: skip


def test_a_score_is_written_to_the_specified_path_and_read_back(tmp_path: Path) -> None:
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


def test_samples_and_annotators_have_separate_files(tmp_path: Path) -> None:
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
    scores_read = load_scores(tmp_path, "first")
    assert len(scores_read) == 5
    assert all(scored in scores for scored in scores_read)


def test_a_score_is_up_to_date_for_the_same_inputs(tmp_path: Path) -> None:
    loaded = load_score(save_score(tmp_path, SCORED))
    assert loaded is not None
    assert loaded.is_up_to_date(video_digest="v", puzzle_digest="p", version="3")
    assert not loaded.is_up_to_date(video_digest="w", puzzle_digest="p", version="3")
    assert not loaded.is_up_to_date(video_digest="v", puzzle_digest="q", version="3")
    assert not loaded.is_up_to_date(video_digest="v", puzzle_digest="p", version="4")
    older = replace(SCORED, score=replace(SCORE, legal_progress=None))
    assert not older.is_up_to_date(video_digest="v", puzzle_digest="p", version="3"), "it has no reward"
    unknown = replace(SCORED, video_digest=None)
    assert not unknown.is_up_to_date(video_digest=None, puzzle_digest="p", version="3")
    assert load_score(score_file(tmp_path, "first", "org/m", "maze", "maze_0002", "RuleEvaluator")) is None


def test_unscored_stays_unscored(tmp_path: Path) -> None:
    scored = replace(SCORED, score=Score.unscored("RuleEvaluator", "3", "not a video"))
    back = load_score(save_score(tmp_path, scored))
    assert back is not None
    assert not back.score.scored
    assert back.score.explanation == "not a video"


def test_what_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="score first: vmevalkit score --experiment first"):
        load_scores(tmp_path, "first")
    path = save_score(tmp_path, SCORED)
    path.write_text('{"metadata": {}, "result": {}}')
    with pytest.raises(StoreError, match=r"RuleEvaluator.json is not a score file .* score again"):
        load_scores(tmp_path, "first")


def test_files_beside_a_score_are_named_by_it_and_are_not_scores(tmp_path: Path) -> None:
    path = save_score(tmp_path, SCORED, ScoreFiles(b'{"format": 1}', b"jpeg"))
    trace, strip = path.with_name("RuleEvaluator.trace.json"), path.with_name("RuleEvaluator.evidence.jpg")
    result = json.loads(path.read_text())["result"]
    assert (result["trace"], result["evidence"]) == (trace.name, strip.name)
    [loaded] = load_scores(tmp_path, "first")
    assert loaded == replace(SCORED, trace=trace, evidence=strip)

    save_score(tmp_path, loaded)
    assert trace.is_file() and strip.is_file() and load_score(path) == loaded, "a score saved again keeps them"
    save_score(tmp_path, SCORED, ScoreFiles(b"{}"))
    assert trace.read_bytes() == b"{}" and not strip.exists(), "what is no longer true is removed"
    save_score(tmp_path, SCORED, ScoreFiles())
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_score_without_a_verdict_on_the_way_is_read_back(tmp_path: Path) -> None:
    judged = replace(SCORED, evaluator="Judge", score=Score("Judge", "1", value=4, explanation="Nearly."))
    back = load_score(save_score(tmp_path, judged))
    assert back == judged
    assert back.score.success and back.score.passed is None and back.score.failure_mode is None


def test_a_name_that_looks_like_a_trace_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="look like a trace"):
        save_score(tmp_path, replace(SCORED, evaluator="Judge.trace"))
