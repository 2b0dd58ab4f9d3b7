"""Knight's path: the fewest jumps again, by powers of the matrix of jumps."""

from __future__ import annotations

import numpy as np
import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.knights_path import TASK, KnightBoard


def count_moves(puzzle: KnightBoard) -> int:
    """Return after how many jumps the knight can first be on the target."""
    side = puzzle.side
    rows, columns = np.divmod(np.arange(side * side), side)
    safe = np.ones(side * side, bool)
    for row, column in puzzle.holes:
        safe[row * side + column] = False
    for row, column in puzzle.rooks:
        safe &= (rows != row) & (columns != column)
    square = (rows[:, None] - rows) ** 2 + (columns[:, None] - columns) ** 2
    jumps = (square == 5) & safe
    reached = np.arange(side * side) == puzzle.knight[0] * side + puzzle.knight[1]
    for count in range(side * side):
        if reached[puzzle.target[0] * side + puzzle.target[1]]:
            return count
        reached = reached | (reached @ jumps)
    raise AssertionError("not solvable")


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_fewest_moves_are_those_of_another_solver(difficulty: str) -> None:
    params = TASK.preset(difficulty)
    for puzzle in plan(TASK, 20, 4, params):
        assert params.least_moves <= count_moves(puzzle) == TASK.measure_difficulty(puzzle)["moves"]


def test_the_prompt_names_what_the_picture_shows() -> None:
    for difficulty in ("easy", "medium", "hard"):
        [puzzle] = plan(TASK, 1, 4, TASK.preset(difficulty))
        prompt = TASK.prompt(puzzle)
        assert ("rook" in prompt) == bool(puzzle.rooks) and ("hole" in prompt) == bool(puzzle.holes)
