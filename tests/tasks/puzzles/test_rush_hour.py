"""Rush Hour: the fewest moves again, on lots written as text, where a car is a letter."""

from __future__ import annotations

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.rush_hour import SIDE, TASK, Lot


def write_lot(puzzle: Lot) -> str:
    board = ["."] * SIDE * SIDE
    for index, ((length, is_upright), (row, column)) in enumerate(zip(puzzle.cars, puzzle.start, strict=True)):
        for i in range(length):
            board[(row + i * is_upright) * SIDE + column + i * (1 - is_upright)] = "ABCDEFGH"[index]
    return "".join(board)


def list_next(board: str) -> set[str]:
    """Return the lots after a step of one car: it leaves one end of its letters and takes the cell past the other."""
    found = set()
    for letter in set(board) - {"."}:
        cells = [i for i, each in enumerate(board) if each == letter]
        step = cells[1] - cells[0]
        for leave, to in ((cells[0], cells[-1] + step), (cells[-1], cells[0] - step)):
            is_inside = 0 <= to < SIDE * SIDE and (step == SIDE or to // SIDE == cells[0] // SIDE)
            if is_inside and board[to] == ".":
                after = list(board)
                after[leave], after[to] = ".", letter
                found.add("".join(after))
    return found


def count_moves(puzzle: Lot) -> int:
    frontier = {write_lot(puzzle)}
    seen, rounds = set(frontier), 0
    while not any(board[2 * SIDE + SIDE - 1] == "A" for board in frontier):
        frontier = {after for board in frontier for after in list_next(board)} - seen
        seen |= frontier
        rounds += 1
        assert frontier, "not solvable"
    return rounds


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_fewest_moves_are_those_of_another_solver(difficulty: str) -> None:
    params = TASK.preset(difficulty)
    for puzzle in plan(TASK, 6, 4, params):
        measured = TASK.measure_difficulty(puzzle)
        assert params.least_moves <= count_moves(puzzle) == measured["moves"] <= params.most_moves
        assert params.least_others <= measured["other_cars_to_move"] <= params.most_others
