"""Magic square: completed again by trying all orders of the missing numbers."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.magic_square import TASK


def is_magic(numbers: list[int]) -> bool:
    square = np.reshape(numbers, (3, 3))
    sums = [*square.sum(axis=0), *square.sum(axis=1), np.trace(square), np.trace(np.fliplr(square))]
    return len(set(sums)) == 1


@pytest.mark.parametrize(("difficulty", "puzzles"), [("easy", 12), ("medium", 4), ("hard", 2)])
def test_one_order_of_the_missing_numbers_is_magic(difficulty: str, puzzles: int) -> None:
    params = TASK.preset(difficulty)
    for puzzle in plan(TASK, puzzles, 4, params):
        blanks = [place for place, number in enumerate(puzzle.numbers) if not number]
        missing = sorted(set(range(puzzle.least, puzzle.least + 9)) - set(puzzle.numbers))
        right = []
        for order in permutations(missing):
            chosen = dict(zip(blanks, order, strict=True))
            if is_magic([chosen.get(place, number) for place, number in enumerate(puzzle.numbers)]):
                right.append({f"r{place // 3}c{place % 3}": str(number) for place, number in chosen.items()})
        assert right == [dict(answer) for answer in TASK.answers(puzzle)]
        measured = TASK.measure_difficulty(puzzle)
        assert (measured["lines_with_one_empty_square"] > 0) == params.has_ready_line
        assert (f"sum {3 * puzzle.least + 12}." in TASK.prompt(puzzle)) == params.tells_sum
