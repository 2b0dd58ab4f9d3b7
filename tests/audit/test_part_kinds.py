"""Kinds of videos of the kit's parts: they serve every puzzle of the kit, and say what they need."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest

from vmevalkit.audit.audit import plan_kind_trials
from vmevalkit.audit.design import plan_puzzles
from vmevalkit.audit.fresh_kinds import MIN_VIDEOS, plan_round
from vmevalkit.audit.kinds import KINDS, PARTS, find_kinds, find_offers
from vmevalkit.audit.kinds.part_honest import PART_HONEST
from vmevalkit.baselines.tricks import TRICKS
from vmevalkit.core.errors import UsageError
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.task import Offer

KIT = [name for name, task in TASKS.items() if Offer.PARTS in find_offers(task)]
"""Puzzles of the kit."""


@pytest.mark.parametrize("name", KIT)
def test_every_kit_puzzle_has_forty_cheats_and_forty_honest_videos(name: str) -> None:
    counts = Counter(spec.expected for spec in plan_round(TASKS[name], "all", 1, 0))
    assert min(counts["fail"], counts["pass"]) >= MIN_VIDEOS


def test_too_few_videos_are_refused() -> None:
    with pytest.raises(UsageError, match="no kind of parts is written for it"):
        plan_round(TASKS["maze"], "parts", 1, 0)


def test_needs_decide_which_kinds_a_task_has() -> None:
    fills, slides, turns = ({kind.name for kind in find_kinds(TASKS[n])} for n in ("n_queens", "sokoban", "mirrors"))
    assert "fills_pop" in fills - slides and "lifted_while_moving" in slides - turns - fills
    assert "trail_thin" in (slides & turns) - fills and "shadowed_parts" in fills & slides & turns
    assert "slow_pan" not in fills | slides | turns  # their prompts say that the camera does not move
    assert "two_moves_at_once" not in turns  # mirrors may turn together


def test_no_kind_has_the_name_of_a_trick() -> None:
    own = {trick for n in KIT for trick in TASKS[n].cheats(plan_puzzles(TASKS[n], 1, 0)[0][1], Random(0))}
    assert KINDS.keys().isdisjoint(own | set(TRICKS))


@pytest.mark.parametrize("name", ["n_queens", "hanoi"])
def test_videos_begin_with_the_question_and_decorations_stay(name: str) -> None:
    task = TASKS[name]
    for spec in plan_kind_trials(task, PARTS, 1, 3):
        kind = KINDS[spec.trial_id.trick]
        frames = list(kind.render(task, spec.puzzle, Random(1), 2))
        off = np.abs(frames[0].astype(int) - task.first_frame(spec.puzzle)).mean()
        assert off < 4, kind.name
        if kind in PART_HONEST and kind.name.endswith(("_parts", "_ground", "_outlines", "_yellow", "_thin")):
            assert np.abs(frames[-1].astype(int) - task.final_frame(spec.puzzle)).max() > 20, kind.name


def test_a_sample_is_drawn_by_the_seed_evenly_from_cheats_and_honest_videos() -> None:
    whole, drawn, again, other = (
        [spec.trial_id for spec in plan_round(TASKS["sokoban"], "all", 1, seed, sample)]
        for seed, sample in ((5, None), (5, 15), (5, 15), (6, 15))
    )
    assert drawn == again and len(drawn) == 30 and set(drawn) < set(whole)
    assert [trial for trial in whole if trial in drawn] == drawn
    assert {trial.trick for trial in drawn} != {trial.trick for trial in other}
    counts = Counter(KINDS[trial.trick].expected for trial in drawn)
    assert counts == {"fail": 15, "pass": 15}
    assert drawn != [spec.trial_id for spec in plan_round(TASKS["rush_hour"], "all", 1, 5, 15)]
