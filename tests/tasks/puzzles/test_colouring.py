"""Graph colouring: coloured again by trying all colours."""

from __future__ import annotations

from itertools import product

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.colouring import COLOURS, TASK


@pytest.mark.parametrize("difficulty", ["easy", "medium"])
def test_one_colouring_of_all_is_right(difficulty: str) -> None:
    for puzzle in plan(TASK, 12, 4, TASK.preset(difficulty)):
        blanks = [i for i, colour in enumerate(puzzle.given) if not colour]
        right = []
        for chosen in product(COLOURS, repeat=len(blanks)):
            colours = dict(enumerate(puzzle.given)) | dict(zip(blanks, chosen, strict=True))
            if all(colours[i] != colours[j] for i, j in puzzle.edges):
                right.append({f"n{i}": colours[i] for i in blanks})
        assert right == [dict(answer) for answer in TASK.answers(puzzle)]
        assert str(len(blanks)) in TASK.prompt(puzzle)
