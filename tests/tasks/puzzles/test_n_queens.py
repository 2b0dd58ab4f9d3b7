"""Queens: completed again by trying all permutations."""

from __future__ import annotations

from itertools import permutations

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.n_queens import TASK


@pytest.mark.parametrize("difficulty", ["easy", "medium"])
def test_one_permutation_completes_the_board(difficulty: str) -> None:
    for puzzle in plan(TASK, 12, 4, TASK.preset(difficulty)):
        n = puzzle.side
        boards = [
            columns
            for columns in permutations(range(n))
            if len({c + r for r, c in enumerate(columns)}) == len({c - r for r, c in enumerate(columns)}) == n
            and all(columns[row] == column for row, column in puzzle.given)
        ]
        [columns] = boards
        expected = {f"r{r}c{c}" for r, c in enumerate(columns) if (r, c) not in puzzle.given}
        assert set(TASK.answers(puzzle)[0]) == expected
        assert f"{len(expected)} more queens" in TASK.prompt(puzzle)
