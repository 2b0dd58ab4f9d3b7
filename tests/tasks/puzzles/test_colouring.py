"""Graph colouring: coloured again by trying all colours."""

from __future__ import annotations

from itertools import product

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.colouring import COLOURS, TASK, Colouring


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


def test_nodes_with_one_colour_left_are_coloured_round_by_round() -> None:
    chain = Colouring(((0, 0),) * 4, ((0, 1), (2, 1), (1, 3), (2, 3)), ("red", "", "green", ""))
    assert TASK.measure_difficulty(chain)["rounds_of_deduction"] == 2
    assert TASK.measure_difficulty(chain)["nodes_to_try"] == 0
    alone = Colouring(((0, 0),) * 2, ((0, 1),), ("red", ""))
    assert TASK.measure_difficulty(alone)["nodes_to_try"] == 1
