"""Nonogram: solved again by placing whole rows, checked by splitting text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.nonogram import TASK, Nonogram


def count_runs(line: str) -> list[int]:
    return [len(run) for run in line.split(".") if run]


@cache
def list_lines(side: int) -> dict[tuple[int, ...], list[str]]:
    lines: dict[tuple[int, ...], list[str]] = {}
    for line in map("".join, product("#.", repeat=side)):
        lines.setdefault(tuple(count_runs(line)), []).append(line)
    return lines


def fill(puzzle: Nonogram, rows: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield every grid, row after row; a column's runs that are complete must be those of its numbers."""
    for line, clue in zip(zip(*rows, strict=True), puzzle.columns, strict=False):
        runs = count_runs("".join(line))
        if runs[:-1] != list(clue[: len(runs)])[:-1] or len(runs) > len(clue) or sum(runs) > sum(clue):
            return
    if len(rows) == len(puzzle.rows):
        columns = ("".join(line) for line in zip(*rows, strict=True))
        if [count_runs(line) for line in columns] == [list(clue) for clue in puzzle.columns]:
            yield rows
        return
    for line in list_lines(len(puzzle.rows))[puzzle.rows[len(rows)]]:
        yield from fill(puzzle, (*rows, line))


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_one_grid_has_these_runs(difficulty: str) -> None:
    params = TASK.preset(difficulty)
    for puzzle in plan(TASK, 3, 4, params):
        [grid] = fill(puzzle)
        expected = {f"r{r}c{c}" for r, row in enumerate(grid) for c, mark in enumerate(row) if mark == "#"}
        assert [expected] == [set(answer) for answer in TASK.answers(puzzle)]
        assert params.least_rounds <= TASK.measure_difficulty(puzzle)["rounds_of_deduction"] <= params.most_rounds
