"""Cellular automaton: run again with the rule as a number, as Wolfram counts rules."""

from __future__ import annotations

import numpy as np
import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.cellular_automaton import PATTERNS, TASK, CellularAutomaton


def run(puzzle: CellularAutomaton) -> set[str]:
    number, black = int(puzzle.rule, 2), set()
    row = np.array([int(mark) for mark in puzzle.first])
    for step in range(1, puzzle.steps + 1):
        row = number >> np.convolve(row, [1, 2, 4])[1:-1] & 1
        black |= {f"r{step}c{column}" for column in np.flatnonzero(row)}
    return black


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_rows_are_those_of_the_rule(difficulty: str) -> None:
    for puzzle in plan(TASK, 20, 4, TASK.preset(difficulty)):
        assert [run(puzzle)] == [set(answer) for answer in TASK.answers(puzzle)]


def test_rule_90_makes_a_triangle() -> None:
    assert list(PATTERNS) == [f"{number:03b}" for number in range(7, -1, -1)]
    puzzle = CellularAutomaton(f"{90:08b}", "0000100000", 2)
    assert set(TASK.answers(puzzle)[0]) == {"r1c3", "r1c5", "r2c2", "r2c6"}
    assert "the 2 empty rows" in TASK.prompt(puzzle)
