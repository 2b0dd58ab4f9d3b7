"""Grid maze: walked again by filling the maze round by round."""

from __future__ import annotations

import pytest

from vmevalkit.core.errors import UsageError
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzle_loading import load_puzzle
from vmevalkit.tasks.puzzles.grid_maze import TASK, GridMaze, GridMazeParams


def count_moves(puzzle: GridMaze) -> int:
    """Return the fewest steps, by filling cells that are beside filled ones."""
    filled, rounds = {puzzle.start}, 0
    while puzzle.goal not in filled:
        rounds += 1
        beside = {(r + dr, c + dc) for r, c in filled for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0))}
        inside = {(r, c) for r, c in beside if 0 <= r < puzzle.rows and 0 <= c < puzzle.columns}
        filled |= inside - set(puzzle.walls)
        assert rounds <= puzzle.rows * puzzle.columns, "not solvable"
    return rounds


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_fewest_moves_are_those_of_another_solver(difficulty: str) -> None:
    params = TASK.preset(difficulty)
    for puzzle in plan(TASK, 4, 3, params):
        moves = count_moves(puzzle)
        assert moves == TASK.measure_difficulty(puzzle)["moves"]
        assert params.least_moves <= moves <= params.most_moves


def test_there_is_one_way_alone() -> None:
    [puzzle] = plan(TASK, 1, 5, TASK.preset("hard"))
    free = {(r, c) for r in range(puzzle.rows) for c in range(puzzle.columns)} - set(puzzle.walls)
    joined = sum((r + dr, c + dc) in free for r, c in free for dr, dc in ((0, 1), (1, 0)))
    assert joined == len(free) - 1  # a tree


def test_a_puzzle_that_cannot_be_is_refused() -> None:
    data = {"rows": 5, "columns": 5, "walls": [[1, 1]], "start": [1, 1], "goal": [3, 3]}
    with pytest.raises(UsageError, match="something stands in it"):
        load_puzzle(TASK, data, "a test")
    with pytest.raises(UsageError, match="outside of a board of 5 x 5"):
        load_puzzle(TASK, data | {"walls": [[5, 0]]}, "a test")
    with pytest.raises(UsageError, match="rows and columns are odd"):
        GridMazeParams(rows=6)
