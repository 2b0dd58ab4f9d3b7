"""Which videos an audit makes."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from dot_task import TASK
from vmevalkit.audit.design import Condition, TrialId, assign_conditions, conditions, plan_difficulties, plan_puzzles
from vmevalkit.baselines.degradations import DEGRADATIONS
from vmevalkit.core.errors import UnknownName, UsageError


def test_fits_are_tried_both_ways() -> None:
    known = conditions()
    assert len(known) == len(set(known))
    assert {c.degradation for c in known if not c.placed} == set(DEGRADATIONS)
    assert {c.degradation for c in known if c.placed} == {
        "letterbox_black", "letterbox_grey", "letterbox_white", "cover", "stretch",
    }  # fmt: skip


def test_every_trick_meets_every_degradation() -> None:
    known = conditions()
    for trick in ("oracle", "static"):
        trial_ids = list(assign_conditions("dot", trick, range(3 * len(known)), 0))
        assert Counter(trial_id.condition for trial_id in trial_ids) == dict.fromkeys(known, 3)
        assert Counter(trial_id.condition for trial_id in trial_ids[: len(known)]) == dict.fromkeys(known, 1)


def test_a_puzzle_meets_other_degradations_in_other_tricks() -> None:
    videos = {
        trick: list(assign_conditions("dot", trick, range(60), 0)) for trick in ("oracle", "slower", "eased", "static")
    }
    for index in range(60):
        assert len({trial_ids[index].condition for trial_ids in videos.values()}) > 1


def test_trial_ids_do_not_depend_on_the_number_of_videos() -> None:
    assert (
        list(assign_conditions("dot", "oracle", range(10), 5))
        == list(assign_conditions("dot", "oracle", range(100), 5))[:10]
    )
    assert plan_puzzles(TASK, 10, 5) == plan_puzzles(TASK, 70, 5)[:10]
    assert plan_puzzles(TASK, 10, 5) != plan_puzzles(TASK, 10, 6)


def test_puzzles_without_the_trick_are_passed_over_and_all_degradations_are_still_met() -> None:
    odd = range(1, 2 * len(conditions()), 2)
    trial_ids = list(assign_conditions("dot", "odd", odd, 0))
    assert [trial_id.index for trial_id in trial_ids] == list(odd)
    assert {trial_id.condition for trial_id in trial_ids} == set(conditions())


def test_difficulties_are_mixed() -> None:
    mixed = plan_difficulties(TASK, 200, 0)
    assert Counter(mixed) == {"easy": 120, "medium": 50, "hard": 30}
    assert set(mixed[:20]) == {"easy", "medium", "hard"}
    assert mixed[:20] != mixed[20:40]


def test_puzzles_are_of_their_difficulty_and_all_different() -> None:
    made = plan_puzzles(TASK, 60, 1)
    assert len(set(made)) == 60
    for difficulty, puzzle in made:
        margin = TASK.difficulties[difficulty].margin
        assert margin <= puzzle.level <= 112 - margin


def test_few_puzzles_come_again() -> None:
    class Few(type(TASK)):  # type: ignore[misc]
        def catalogue(self, params: object) -> list[object]:
            return [TASK.sample(Random(seed), TASK.preset()) for seed in range(3)]

    assert len({puzzle for _, puzzle in plan_puzzles(Few(), 40, 0)}) == 3


@pytest.mark.parametrize("condition", conditions(), ids=str)
def test_trial_ids_are_read_back(condition: Condition) -> None:
    trial_id = TrialId("maze", "through_wall", condition, 17)
    assert TrialId.parse(str(trial_id)) == trial_id


def test_trial_ids_look_as_documented() -> None:
    assert str(TrialId("maze", "static", Condition("zoom_75"), 17)) == "maze/static/zoom_75/17"
    assert str(TrialId("maze", "static", Condition("cover", True), 17)) == "maze/static/cover@placed/17"


@pytest.mark.parametrize("text", ["maze/static/zoom_75", "maze/static/zoom_75/x", "", "maze/static/zoom_75@placed/1"])
def test_what_is_not_a_trial_id_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not the id of a trial"):
        TrialId.parse(text)


def test_an_unknown_degradation_gets_the_nearest_name() -> None:
    with pytest.raises(UnknownName, match="did you mean 'zoom_75'"):
        TrialId.parse("maze/static/zoom_57/3")
