"""Cellular automaton: rules for three neighbours give the next rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from vmevalkit.tasks.kit import PALETTE, Answer, Canvas, FillTask, Part, Uncertified, UsageError, draw_grid

CELL, MARGIN, SMALL = 44, 28, 20
TOP = MARGIN + 148
"""Top edge of the grid, below two rows of rules."""
PATTERNS = ("111", "110", "101", "100", "011", "010", "001", "000")


@dataclass(frozen=True, slots=True)
class CellularAutomatonParams:
    """Params of the puzzles."""

    columns: int = 7
    steps: int = 1
    """Rows to fill, each from the one above."""

    def __post_init__(self) -> None:
        if not (5 <= self.columns <= 13 and 1 <= self.steps <= 6):
            raise UsageError(f"no automaton with {self}; columns are 5 to 13, steps 1 to 6")


@dataclass(frozen=True, slots=True)
class CellularAutomaton:
    """A rule for three neighbours, and a first row."""

    rule: str
    """For each of 111, 110, 101, 100, 011, 010, 001 and 000, whether the square below the middle is black: 1 or 0."""
    first: str
    """The first row; 1 is black."""
    steps: int


class CellularAutomatonTask(FillTask[CellularAutomaton, CellularAutomatonParams]):
    """Squares beyond the edges count as white."""

    name = "cellular_automaton"
    title = "Cellular Automaton"
    description = "Continue the pattern by its rules"
    group = "deduction"
    puzzle_type = CellularAutomaton
    params_type = CellularAutomatonParams
    difficulties = {
        "easy": CellularAutomatonParams(),
        "medium": CellularAutomatonParams(9, 2),
        "hard": CellularAutomatonParams(11, 4),
    }

    def sample(self, rng: Random, params: CellularAutomatonParams) -> CellularAutomaton:
        rule = "".join(rng.choice("01") for _ in PATTERNS)
        first = "".join(rng.choice("01") for _ in range(params.columns))
        puzzle = CellularAutomaton(rule, first, params.steps)
        rows = _run(puzzle)
        if any(not 0.25 <= row.count("1") / params.columns <= 0.75 for row in rows):
            raise Uncertified("a row is nearly empty or full")
        if len(set(rows)) < len(rows) or any(b in (f"0{a[:-1]}", f"{a[1:]}0") for a, b in pairwise(rows)):
            raise Uncertified("a row only repeats another one")
        if any(len(_list_patterns(row)) < 5 for row in rows[:-1]):
            raise Uncertified("few rules are needed")
        return puzzle

    def check_puzzle(self, puzzle: CellularAutomaton) -> None:
        if len(puzzle.rule) != len(PATTERNS) or set(puzzle.rule + puzzle.first) - {"0", "1"}:
            raise ValueError(f"no rule or no row: {puzzle}")
        if not (5 <= len(puzzle.first) <= 13 and 1 <= puzzle.steps <= 6):
            raise ValueError(f"a grid of an impossible size: {puzzle}")

    def prompt(self, puzzle: CellularAutomaton) -> str:
        rows = (
            "the empty row" if puzzle.steps == 1 else f"the {puzzle.steps} empty rows, one after another from the top"
        )
        return (
            f"Fill {rows}, by the eight rules at the top. Each rule shows three squares side by side, and below them "
            "the colour of the square under the middle one: black or white. So the colour of each square follows from "
            "the three squares above it: the one right above and its left and right neighbours. What is beyond the "
            "edges of the grid counts as white. Fill exactly the squares that the rules make black. The first row and "
            "the rules stay as they are. Stop when the last row is done. The camera does not move."
        )

    def size(self, puzzle: CellularAutomaton) -> tuple[int, int]:
        width = 2 * MARGIN + CELL * max(len(puzzle.first), 9)
        return width, TOP + CELL * (puzzle.steps + 1) + MARGIN

    def ground(self, puzzle: CellularAutomaton, canvas: Canvas) -> None:
        middle = self.size(puzzle)[0] // 2
        for place, (pattern, below) in enumerate(zip(PATTERNS, puzzle.rule, strict=True)):
            left, top = middle - 190 + 100 * (place % 4) + 10, MARGIN + 72 * (place // 4)
            draw_grid(canvas, left, top, 3, 1, SMALL)
            draw_grid(canvas, left + SMALL, top + SMALL + 4, 1, 1, SMALL)
            for index, mark in enumerate(pattern):
                if mark == "1":
                    canvas.rectangle(left + SMALL * index + 2, top + 2, SMALL - 4, SMALL - 4, PALETTE.INK)
            if below == "1":
                canvas.rectangle(left + SMALL + 2, top + SMALL + 6, SMALL - 4, SMALL - 4, PALETTE.INK)
        draw_grid(canvas, self._find_left(puzzle), TOP, len(puzzle.first), puzzle.steps + 1, CELL)

    def _find_left(self, puzzle: CellularAutomaton) -> int:
        return (self.size(puzzle)[0] - CELL * len(puzzle.first)) // 2

    def paint(self, canvas: Canvas, part: Part) -> None:
        canvas.rectangle(part.x - 18, part.y - 18, 36, 36, PALETTE.INK)

    def cells(self, puzzle: CellularAutomaton) -> tuple[Part, ...]:
        left = self._find_left(puzzle)
        return tuple(
            Part(f"r{row}c{column}", left + CELL * (column + 0.5), TOP + CELL * (row + 0.5),
                 "black" if row == 0 and mark == "1" else "")
            for row in range(puzzle.steps + 1) for column, mark in enumerate(puzzle.first)
        )  # fmt: skip

    def contents(self, puzzle: CellularAutomaton) -> tuple[str, ...]:
        return ("black",)

    def measure_difficulty(self, puzzle: CellularAutomaton) -> dict[str, float]:
        used = {pattern for row in _run(puzzle)[:-1] for pattern in _list_patterns(row)}
        return {
            **super().measure_difficulty(puzzle),
            "steps": puzzle.steps,
            "deductions": puzzle.steps * len(puzzle.first),
            "rules_needed": len(used),
        }

    def solve(self, puzzle: CellularAutomaton) -> Iterator[Answer]:
        yield {
            f"r{row}c{column}": "black"
            for row, marks in enumerate(_run(puzzle)) for column, mark in enumerate(marks) if row and mark == "1"
        }  # fmt: skip


def _list_patterns(row: str) -> set[str]:
    edged = f"0{row}0"
    return {edged[i : i + 3] for i in range(len(row))}


def _run(puzzle: CellularAutomaton) -> list[str]:
    """Return all rows."""
    rules, rows = dict(zip(PATTERNS, puzzle.rule, strict=True)), [puzzle.first]
    for _ in range(puzzle.steps):
        edged = f"0{rows[-1]}0"
        rows.append("".join(rules[edged[i : i + 3]] for i in range(len(puzzle.first))))
    return rows


TASK = CellularAutomatonTask()
