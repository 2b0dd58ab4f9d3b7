"""Line maze: walked again along the only way of a tree."""

from __future__ import annotations

import pytest

from vmevalkit.core.errors import UsageError
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzle_loading import load_puzzle
from vmevalkit.tasks.puzzles.line_maze import TASK, LineMaze


def list_open(puzzle: LineMaze) -> set[frozenset[tuple[int, int]]]:
    cells = [(r, c) for r in range(puzzle.rows) for c in range(puzzle.columns)]
    pairs = {frozenset((a, b)) for a in cells for b in cells if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1}
    return pairs - {frozenset(pair) for pair in puzzle.closed}


def count_moves(puzzle: LineMaze) -> int:
    """Return the steps from start to goal, by taking dead ends away until only the way is left."""
    edges = list_open(puzzle)
    while True:
        ends = [cell for edge in edges for cell in edge]
        dead = {cell for cell in ends if ends.count(cell) == 1} - {puzzle.start, puzzle.goal}
        if not dead:
            return len(edges)
        edges = {edge for edge in edges if not edge & dead}


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_moves_are_those_of_another_solver(difficulty: str) -> None:
    params = TASK.preset(difficulty)
    for puzzle in plan(TASK, 4, 3, params):
        assert len(list_open(puzzle)) == puzzle.rows * puzzle.columns - 1  # a tree
        assert params.least_moves <= count_moves(puzzle) <= params.most_moves
        assert count_moves(puzzle) == TASK.measure_difficulty(puzzle)["moves"]


def test_a_wall_is_between_neighbours() -> None:
    data = {"rows": 4, "columns": 4, "closed": [[[0, 0], [1, 1]]], "start": [0, 0], "goal": [3, 3]}
    with pytest.raises(UsageError, match="not neighbours"):
        load_puzzle(TASK, data, "a test")
