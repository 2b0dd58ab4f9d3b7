"""Pipe network: joined pieces found again by merging sets, and all turns of small boards tried."""

from __future__ import annotations

from itertools import product

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.pipe_network import TASK, PipeNetwork

STEPS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
NAMES = list(STEPS)
OPEN = {"end": (0,), "straight": (0, 2), "corner": (0, 1), "tee": (0, 1, 2), "cross": (0, 1, 2, 3)}
TURNS = {"straight": 2, "cross": 1}


def is_joined(puzzle: PipeNetwork, turned: tuple[int, ...]) -> bool:
    side = puzzle.side
    ends = {(i, NAMES[(arm + turned[i]) % 4]) for i, shape in enumerate(puzzle.shapes) for arm in OPEN[shape]}
    group = list(range(side**2))
    for i, name in ends:
        row, column = i // side + STEPS[name][0], i % side + STEPS[name][1]
        if not (0 <= row < side and 0 <= column < side):
            return False
        other = row * side + column
        if (other, NAMES[(NAMES.index(name) + 2) % 4]) not in ends:
            return False
        group = [group[i] if each == group[other] else each for each in group]
    return len({*group}) == 1


def test_the_fewest_turns_are_those_of_trying_everything() -> None:
    for puzzle in plan(TASK, 3, 4, TASK.preset("easy")):
        periods = [TURNS.get(shape, 4) for shape in puzzle.shapes]
        costs = []
        for turned in product(*map(range, periods)):
            away = [(a - b) % n for a, b, n in zip(turned, puzzle.start, periods, strict=True)]
            cost = sum(min(quarters, n - quarters) for quarters, n in zip(away, periods, strict=True))
            costs += [cost] if cost <= 7 and is_joined(puzzle, turned) else []
        assert min(costs) == TASK.measure_difficulty(puzzle)["moves"]


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_solution_joins_all_pieces_without_a_loop(difficulty: str) -> None:
    for puzzle in plan(TASK, 12, 4, TASK.preset(difficulty)):
        path = TASK.path(puzzle)
        assert is_joined(puzzle, path[-1]) and not is_joined(puzzle, path[0])
        assert sum(len(OPEN[shape]) for shape in puzzle.shapes) == 2 * (puzzle.side**2 - 1)
