"""Clock: the hands show the times that arithmetic gives."""

from __future__ import annotations

from itertools import pairwise

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.clock import TASK, Clock


def test_the_hands_show_the_new_time_at_the_end() -> None:
    for puzzle in plan(TASK, 20, 4, TASK.preset("hard")):
        hour, minute = TASK.solution(puzzle, 1.0).parts
        end = (puzzle.start + puzzle.later) % 720
        assert (hour.angle, minute.angle) == (end / 2, end % 60 * 6)
        assert len(TASK.path(puzzle)) - 1 == puzzle.later / 5


def test_both_hands_turn_forward_all_the_way() -> None:
    puzzle = Clock(700, 60)
    angles = [TASK.solution(puzzle, i / 60).parts[1].angle for i in range(61)]
    turned = [(after - before) % 360 for before, after in pairwise(angles)]
    assert max(turned) < 30 and abs(sum(turned) - 360) < 1


def test_the_prompt_says_the_time_in_words() -> None:
    assert "by 1 hour and 15 minutes" in TASK.prompt(Clock(0, 75))
    assert "by 2 hours." in TASK.prompt(Clock(0, 120))
    assert "by 45 minutes" in TASK.prompt(Clock(0, 45))
