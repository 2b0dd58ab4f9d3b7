"""Key and door: the fewest moves again, as the best order in which to walk to things."""

from __future__ import annotations

from itertools import permutations

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.key_and_door import TASK, Cell, Rooms


def walk(puzzle: Rooms, start: Cell, closed: set[Cell]) -> dict[Cell, int]:
    """Return how far every room is, by relaxing all passages until nothing changes."""
    far, changed = {start: 0}, True
    while changed:
        changed = False
        for pair in puzzle.passages:
            for one, two in (pair, pair[::-1]):
                if one in far and two not in closed and far[one] + 1 < far.get(two, 999):
                    far[two], changed = far[one] + 1, True
    return far


def count_moves(puzzle: Rooms) -> int:
    """Return the least total way over all orders of all sets of keys. Keys on the way are in another order."""
    best = 999
    for count in range(len(puzzle.keys) + 1):
        for order in permutations(puzzle.keys, count):
            at, total, held = puzzle.player, 0, set()
            for colour, cell in (*order, ("", puzzle.goal)):
                closed = {door for name, door in puzzle.doors if name not in held}
                total += walk(puzzle, at, closed).get(cell, 999)
                at, held = cell, held | {colour}
            best = min(best, total)
    return best


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_fewest_moves_are_those_of_the_best_order(difficulty: str) -> None:
    params = TASK.preset(difficulty)
    for puzzle in plan(TASK, 12, 4, params):
        assert params.least_moves <= count_moves(puzzle) == TASK.measure_difficulty(puzzle)["moves"]


def test_a_hard_puzzle_locks_a_key_away() -> None:
    for puzzle in plan(TASK, 6, 4, TASK.preset("hard")):
        near = walk(puzzle, puzzle.player, {cell for _, cell in puzzle.doors})
        assert sum(cell not in near for _, cell in puzzle.keys) == 1 and puzzle.goal not in near
        assert all(f"the {colour} key" in TASK.prompt(puzzle) for colour, _ in puzzle.keys)
