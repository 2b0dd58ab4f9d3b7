"""Queens: completed again by trying all permutations."""

from __future__ import annotations

from itertools import permutations

import pytest

from vmevalkit.core.errors import Exhausted
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.n_queens import TASK, Queens, QueensParams


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


def test_the_whole_catalogue_is_planned_and_no_more() -> None:
    params = TASK.preset("easy")
    assert TASK.capacity(params) == 60 == len({puzzle.given for puzzle in plan(TASK, 60, 1, params)})
    with pytest.raises(Exhausted, match="only 60 exist"):
        plan(TASK, 61, 1, params)
    assert TASK.capacity(QueensParams(8, 7)) == 0, "no single queen is on one board alone"


def test_the_prompt_of_a_single_queen_is_in_the_singular() -> None:
    assert "The queen that is there stays where it is." in TASK.prompt(Queens(5, ((0, 0),)))


def test_deduction_alone_fills_rows_and_columns_with_one_free_square() -> None:
    found = TASK.measure_difficulty(Queens(4, ((0, 1), (1, 3), (2, 0))))
    assert (found["rounds_of_deduction"], found["queens_to_try"]) == (1, 0)
    means = {
        name: sum(TASK.measure_difficulty(puzzle)["queens_to_try"] for puzzle in plan(TASK, 20, 1, params)) / 20
        for name, params in TASK.difficulties.items()
    }
    assert means["easy"] <= means["medium"] < means["hard"]
