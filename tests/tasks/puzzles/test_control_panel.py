"""Control panel: every arrangement tried, with rules read from the question's record."""

from __future__ import annotations

from itertools import product

import pytest

from vmevalkit.core.errors import Uncertified
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.control_panel import TASK, ControlPanel


def solve(puzzle: ControlPanel) -> list[tuple[int, ...]]:
    found = []
    for numbers in product(range(8), repeat=len(puzzle.start)):
        value = {-1: 0, **dict(enumerate(numbers))}
        if all(value[dial] + sign * value[other] == number for dial, sign, other, number in puzzle.rules):
            found.append(numbers)
    return found


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_one_arrangement_fulfils_the_rules_and_is_reached_by_the_shortest_turns(difficulty: str) -> None:
    for puzzle in plan(TASK, 8, 4, TASK.preset(difficulty)):
        [answer] = solve(puzzle)
        path = TASK.path(puzzle)
        assert path[-1] == answer and TASK.is_goal(puzzle, answer)
        turns = [(goal - start) % 8 for start, goal in zip(puzzle.start, answer, strict=True)]
        assert len(path) - 1 == sum(min(turn, 8 - turn) for turn in turns)


def test_the_rules_of_a_hard_card_give_no_number_away() -> None:
    for puzzle in plan(TASK, 8, 4, TASK.preset("hard")):
        assert all(other >= 0 for _, _, other, _ in puzzle.rules)
        assert any(sign > 0 for _, sign, _, _ in puzzle.rules)


def test_a_card_with_several_answers_is_refused() -> None:
    with pytest.raises(Uncertified, match="several answers"):
        TASK.certify(ControlPanel((0, 0), (0, 0), ((0, 1, 1, 7),)))
