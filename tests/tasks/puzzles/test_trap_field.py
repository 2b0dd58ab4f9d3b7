"""Trap field: measured again by relaxing distances until nothing changes."""

from __future__ import annotations

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.trap_field import TASK, TrapField


def count_moves(puzzle: TrapField) -> int:
    """Return the fewest steps around the traps."""
    free = {(r, c) for r in range(puzzle.rows) for c in range(puzzle.columns)} - set(puzzle.traps)
    far = {cell: (0 if cell == puzzle.start else 999) for cell in free}
    for _ in free:
        for r, c in free:
            near = [far[n] for n in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)) if n in free]
            far[r, c] = min([far[r, c], *(value + 1 for value in near)])
    return far[puzzle.goal]


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_fewest_moves_are_those_of_another_solver(difficulty: str) -> None:
    params = TASK.preset(difficulty)
    for puzzle in plan(TASK, 4, 3, params):
        moves = count_moves(puzzle)
        straight = abs(puzzle.start[0] - puzzle.goal[0]) + abs(puzzle.start[1] - puzzle.goal[1])
        assert moves == TASK.measure_difficulty(puzzle)["moves"] >= straight + params.detour
        assert len(puzzle.traps) == params.traps


def test_no_move_enters_a_trap() -> None:
    [puzzle] = plan(TASK, 1, 4, TASK.preset("hard"))
    for row in range(puzzle.rows):
        for column in range(puzzle.columns):
            assert not {at[0] for at in TASK.moves(puzzle, ((row, column),))} & set(puzzle.traps)
