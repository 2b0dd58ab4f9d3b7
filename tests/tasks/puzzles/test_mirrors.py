"""Mirrors: beams traced again with complex numbers, and all arrangements tried."""

from __future__ import annotations

from itertools import product

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.mirrors import TASK, Mirrors


def shine(puzzle: Mirrors, turned: tuple[int, ...]) -> tuple[int, int]:
    """Return where the beam leaves the grid: real is the column, imaginary the row."""
    mirrors = {complex(c, r): flag for (r, c), flag in zip(puzzle.cells, turned, strict=True)}
    at, heading = complex(0, puzzle.laser), complex(1, 0)
    while 0 <= at.real < puzzle.side and 0 <= at.imag < puzzle.side:
        if at in mirrors:
            heading = heading.conjugate() * (1j if mirrors[at] else -1j)
        at += heading
    return round(at.imag), round(at.real)


@pytest.mark.parametrize("difficulty", ["easy", "medium"])
def test_the_fewest_turns_are_those_of_trying_everything(difficulty: str) -> None:
    for puzzle in plan(TASK, 12, 4, TASK.preset(difficulty)):
        assert shine(puzzle, puzzle.start) != puzzle.target
        turns = [
            sum(one != other for one, other in zip(puzzle.start, turned, strict=True))
            for turned in product((0, 1), repeat=len(puzzle.cells))
            if shine(puzzle, turned) == puzzle.target
        ]
        assert min(turns) == TASK.measure_difficulty(puzzle)["moves"]
