"""Sliding puzzle: the fewest moves again, by flooding boards as strings from the goal."""

from __future__ import annotations

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.sliding_puzzle import TASK, Sliding


def write_board(puzzle: Sliding, cells: tuple[tuple[int, int], ...]) -> str:
    board = [" "] * (puzzle.rows * puzzle.columns)
    for number, (row, column) in enumerate(cells):
        board[row * puzzle.columns + column] = str(number + 1)
    return "".join(board)


def count_moves(puzzle: Sliding) -> int:
    """Return the distance of two boards, by swapping the blank of strings in rounds."""
    wanted, frontier = write_board(puzzle, puzzle.start), {write_board(puzzle, puzzle.goal)}
    seen, rounds = set(frontier), 0
    while wanted not in frontier:
        found = set()
        for board in frontier:
            gap = board.index(" ")
            steps = [-puzzle.columns, puzzle.columns]
            steps += [-1] * (gap % puzzle.columns > 0) + [1] * (gap % puzzle.columns < puzzle.columns - 1)
            for place in (gap + step for step in steps):
                if 0 <= place < len(board):
                    letters = list(board)
                    letters[gap], letters[place] = letters[place], " "
                    found.add("".join(letters))
        frontier = found - seen
        seen |= found
        rounds += 1
    return rounds


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_fewest_moves_are_those_of_another_solver(difficulty: str) -> None:
    params = TASK.preset(difficulty)
    for puzzle in plan(TASK, 8, 4, params):
        moves = count_moves(puzzle)
        assert moves == TASK.measure_difficulty(puzzle)["moves"]
        assert params.least_moves <= moves <= params.most_moves


def test_hard_boards_need_moves_away_from_the_goal() -> None:
    assert all(TASK.measure_difficulty(p)["detours"] >= 2 for p in plan(TASK, 20, 5, TASK.preset("hard")))
    assert all(TASK.measure_difficulty(p)["detours"] == 0 for p in plan(TASK, 20, 5, TASK.preset("medium")))
