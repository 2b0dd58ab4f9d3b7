"""Mirrored clock: the time in the mirror is computed again from the angles of the drawn hands."""

from __future__ import annotations

import numpy as np
import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.mirrored_clock import CLOCK_X, MIRROR_X, TASK, MirroredClock, Y


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_right_clock_ends_at_the_time_in_the_mirror(difficulty: str) -> None:
    for puzzle in plan(TASK, 12, 4, TASK.preset(difficulty)):
        hour, minute = TASK.solution(puzzle, 1.0).parts
        end = (puzzle.shown + puzzle.later) % 720
        assert (hour.angle, minute.angle) == (end / 2, end % 60 * 6)
        apart = (end - puzzle.start) % 720
        assert len(TASK.path(puzzle)) - 1 == min(apart, 720 - apart) / 5 >= 4


def test_the_mirror_shows_the_other_clock_with_left_and_right_exchanged() -> None:
    for digits in (True, False):
        puzzle = MirroredClock(shown=110, later=0, start=200, digits=digits)
        final = TASK.final_frame(puzzle)
        mirrored = final[Y - 120 : Y + 120, MIRROR_X - 120 : MIRROR_X + 120]
        direct = final[Y - 120 : Y + 120, CLOCK_X - 120 : CLOCK_X + 120][:, ::-1]
        different = np.abs(mirrored.astype(int) - direct).max(axis=2) > 120
        assert different.mean() < 0.01
        first = TASK.first_frame(puzzle)[Y - 120 : Y + 120, CLOCK_X - 120 : CLOCK_X + 120][:, ::-1]
        assert (np.abs(mirrored.astype(int) - first).max(axis=2) > 120).mean() > 0.02


def test_the_prompt_says_how_much_later() -> None:
    assert "until it shows the same time as the clock" in TASK.prompt(MirroredClock(0, 0, 60, True))
    assert "shows 1 hour and 15 minutes later than the time of the clock" in TASK.prompt(MirroredClock(0, 75, 5, True))
    with pytest.raises(ValueError, match="in steps of 5"):
        TASK.check_puzzle(MirroredClock(3, 0, 60, True))
