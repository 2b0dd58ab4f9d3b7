"""Gears: turned by angles instead of teeth, one tooth of the first gear at a time."""

from __future__ import annotations

from math import hypot

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.gears import PITCH, TASK, Gears, _lay_out


def find_least_turn(puzzle: Gears) -> int:
    """Return by how many teeth the gears must turn, either way."""
    for count in range(2000):
        for sign in (1, -1):
            shares = [(-1) ** i * sign * count / teeth for i, teeth in enumerate(puzzle.teeth)]
            ends = [(at / teeth + s) % 1 for at, teeth, s in zip(puzzle.start, puzzle.teeth, shares, strict=True)]
            marked = [(end, mark / teeth) for end, mark, teeth in zip(ends, puzzle.marks, puzzle.teeth, strict=True)
                      if mark >= 0]  # fmt: skip
            if all(abs((end - mark + 0.5) % 1 - 0.5) < 1e-6 for end, mark in marked):
                return count
    raise AssertionError("never")


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_fewest_teeth_are_those_of_turning_further_and_further(difficulty: str) -> None:
    for puzzle in plan(TASK, 12, 4, TASK.preset(difficulty)):
        assert find_least_turn(puzzle) == TASK.measure_difficulty(puzzle)["moves"]


def test_neighbours_touch_with_a_tooth_in_a_gap_all_the_way() -> None:
    for puzzle in plan(TASK, 6, 5, TASK.preset("hard")):
        _, middles, _ = _lay_out(puzzle)
        for t in (0.0, 0.3, 0.61, 1.0):
            angles = [part.angle for part in TASK.solution(puzzle, t).parts]
            for i, bend in enumerate(puzzle.bends):
                (x, y), (u, v) = middles[i], middles[i + 1]
                assert abs(hypot(x - u, y - v) - PITCH * (puzzle.teeth[i] + puzzle.teeth[i + 1])) < 1.5
                one = (bend + 90 - angles[i]) * puzzle.teeth[i] / 360
                other = (bend + 270 - angles[i + 1]) * puzzle.teeth[i + 1] / 360
                assert abs((one + other) % 1 - 0.5) < 1e-6


def test_pointers_that_do_not_fit_each_other_are_impossible() -> None:
    puzzle = Gears((8, 12), (0,), (0, 0), (-1, 5))
    assert TASK.is_possible(puzzle, (1, 11)) and not TASK.is_possible(puzzle, (1, 1))
    assert len(TASK.path(puzzle)) - 1 == 5
