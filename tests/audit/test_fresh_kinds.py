"""Kinds of videos: they are complete, can be rendered and scored, and their rates are right."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from vmevalkit.audit.audit import Trial, find_trial, plan_kind_trials, run_trials
from vmevalkit.audit.design import PLAIN, TrialId
from vmevalkit.audit.fresh_kinds import (
    format_kinds_markdown,
    measure_errors,
    select_kinds,
    summarise_kinds,
    to_kinds_record,
)
from vmevalkit.audit.kinds import KINDS, ROUNDS, find_kinds
from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.core.records import Score
from vmevalkit.eval.scorers import SCORERS
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.task import Expected, Offer

FIRST_TRY = Path(__file__).parents[2] / "docs" / "certificates" / "fresh_kinds_round_1.json"


def make_trial(kind: str, expected: Expected, passed: bool, index: int = 0) -> Trial:
    score = Score("rules", "1", value=5 if passed else 1, solved=passed, passed=passed, explanation="as it is")
    return Trial(TrialId("maze", kind, PLAIN, index), "easy", expected, score)


def test_names_of_kinds_are_unique_and_their_tasks_exist() -> None:
    assert len(KINDS) == sum(map(len, ROUNDS.values()))
    assert all(set(kind.needs) <= {*Offer, *TASKS} for kind in KINDS.values())
    assert all(any(kind.serves(task) for task in TASKS.values()) for kind in KINDS.values())
    maze, chess = ({kind.name for kind in find_kinds(TASKS[name])} for name in ("maze", "chess"))
    assert "maze_flag_removed" in maze - chess and "pushed_slide" in chess - maze and "letterbox" in maze & chess
    with pytest.raises(UnknownName, match="did you mean 'round_1'"):
        select_kinds("round1")


def test_a_round_has_enough_kinds_of_cheats_and_of_honest_videos() -> None:
    for kinds in filter(None, ROUNDS.values()):
        counts = Counter(kind.expected for kind in kinds)
        assert min(counts["pass"], counts["fail"]) >= 30


def test_a_changed_label_has_a_reason() -> None:
    first = json.loads(FIRST_TRY.read_text())
    changed = [kind for kind in ROUNDS["round_1"] if kind.relabelled]
    cheats, honest = (sum(k.expected == e for k in ROUNDS["round_1"]) for e in ("fail", "pass"))
    assert first["cheat_kinds"] + first["honest_kinds"] == cheats + honest
    assert first["cheat_kinds"] - cheats == len(changed)


def test_rates_are_by_video_and_bounds_count_kinds() -> None:
    trials = [make_trial("bad", "fail", True, i) for i in range(5)]
    trials += [make_trial(f"caught_{n}", "fail", False, i) for n in range(9) for i in range(5)]
    trials += [make_trial("fine", "pass", True, i) for i in range(4)] + [make_trial("lost", "pass", False)]
    report = measure_errors(trials, "rules", "round_1", 3)
    assert (report.total.wrong_passes, report.total.cheats) == (5, 50)
    assert (report.total.wrong_fails, report.total.honest) == (1, 5)
    rate = report.total.wrong_pass_rate
    assert rate.value == 0.1 and rate.low is not None and rate.high is not None
    assert rate.high > 0.3  # ten kinds, not fifty videos: by videos alone it would be 0.21
    assert report.wrong_kinds == {"bad": "5 of 5", "lost": "1 of 1"}
    assert not report.ok and "5 of 50 cheats passed" in summarise_kinds(report)
    assert "| `bad` | 5 of 5 |" in format_kinds_markdown(report)
    assert to_kinds_record(report)["rates"][0]["wrong_fails"] == 1


def test_kinds_are_rendered_and_scored_like_tricks() -> None:
    kinds = [KINDS["stops_at_a_quarter"], KINDS["letterbox"]]
    specs = plan_kind_trials(TASKS["object_subtraction"], kinds, 1, 2000)
    trials = run_trials(specs, SCORERS["rules"])
    assert [(trial.trial_id.trick, trial.is_right) for trial in trials] == [
        ("stops_at_a_quarter", True),
        ("letterbox", True),
    ]
    assert find_trial(specs[0].trial_id, 2000) == specs[0]
    with pytest.raises(UsageError, match="proves nothing"):
        plan_kind_trials(TASKS["maze"], kinds, 0, 0)
