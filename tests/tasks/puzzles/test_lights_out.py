"""Lights Out: solved again by elimination modulo two, after which one solution is left."""

from __future__ import annotations

import numpy as np
import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.lights_out import TASK, UNIQUE


def make_matrix(rows: int, columns: int) -> np.ndarray:
    """Return which lamp (row) which press (column) switches."""
    places = np.array([divmod(place, columns) for place in range(rows * columns)])
    return (np.abs(places[:, None] - places[None]).sum(axis=2) <= 1).astype(np.uint8)


def solve(matrix: np.ndarray, on: np.ndarray) -> np.ndarray:
    """Return the one solution; raises StopIteration where there are several."""
    system = np.column_stack([matrix, on])
    for column in range(len(on)):
        pivot = next(row for row in range(column, len(on)) if system[row, column])
        system[[column, pivot]] = system[[pivot, column]]
        for row in range(len(on)):
            if row != column and system[row, column]:
                system[row] ^= system[column]
    return system[:, -1]


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_one_set_of_presses_is_right(difficulty: str) -> None:
    params = TASK.preset(difficulty)
    for puzzle in plan(TASK, 12, 4, params):
        on = np.array([int(mark) for mark in "".join(puzzle.lamps)], np.uint8)
        presses = solve(make_matrix(params.rows, params.columns), on)
        right = {f"r{place // params.columns}c{place % params.columns}" for place in np.flatnonzero(presses)}
        assert [right] == [set(answer) for answer in TASK.answers(puzzle)]
        assert params.least_presses <= len(right) <= params.most_presses


@pytest.mark.parametrize(("rows", "columns"), sorted(UNIQUE))
def test_a_board_of_this_size_has_one_answer(rows: int, columns: int) -> None:
    solve(make_matrix(rows, columns), np.zeros(rows * columns, np.uint8))
