"""Lights Out: dots mark the lamps that must be pressed to switch all off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from random import Random
from typing import Any

from vmevalkit.tasks.kit import PALETTE, Answer, Canvas, FillTask, Part, Uncertified, UsageError, draw_grid

CELL, MARGIN, LAMP, DOT = 76, 28, 29, 12
UNIQUE = {(3, 3), (3, 4), (3, 6), (4, 5), (4, 6), (5, 6), (6, 6)}
"""Rows and columns of boards on which every picture has at most one answer."""


@dataclass(frozen=True, slots=True)
class LightsOutParams:
    """Params of the puzzles."""

    rows: int = 4
    columns: int = 5
    least_presses: int = 2
    most_presses: int = 3
    most_overlaps: int = 1
    """Pairs of presses that switch the same lamp, at most."""
    least_overlaps: int = 0

    def __post_init__(self) -> None:
        if (self.rows, self.columns) not in UNIQUE:
            raise UsageError(f"no board of {self.rows} x {self.columns}; choose one of {sorted(UNIQUE)}")
        pairs = self.most_presses * (self.most_presses - 1) // 2
        if not (1 <= self.least_presses <= self.most_presses <= self.rows * self.columns):
            raise UsageError(f"presses from {self.least_presses} to {self.most_presses}; choose 1 to all lamps")
        if not 0 <= self.least_overlaps <= min(self.most_overlaps, pairs):
            raise UsageError(
                f"overlaps from {self.least_overlaps} to {self.most_overlaps}; at most {pairs} are possible"
            )


@dataclass(frozen=True, slots=True)
class LightsOut:
    """A board of lamps."""

    lamps: tuple[str, ...]
    """Row by row: 1 for each lamp that is on, 0 for one that is off."""


class LightsOutTask(FillTask[LightsOut, LightsOutParams]):
    """The lamps stay as they are; what can be on a lamp is the dot that says that it is pressed."""

    name = "lights_out"
    title = "Lights Out"
    description = "Mark the lamps to press so that all lamps go out"
    group = "deduction"
    puzzle_type = LightsOut
    params_type = LightsOutParams
    difficulties = {
        "easy": LightsOutParams(),
        "medium": LightsOutParams(4, 5, 4, 5, 99, 3),
        "hard": LightsOutParams(5, 6, 7, 8, 99, 6),
    }

    def sample(self, rng: Random, params: LightsOutParams) -> LightsOut:
        places = range(params.rows * params.columns)
        presses = rng.sample(places, rng.randint(params.least_presses, params.most_presses))
        overlaps = _count_overlaps(presses, params.rows, params.columns)
        if not params.least_overlaps <= overlaps <= params.most_overlaps:
            raise Uncertified(f"{overlaps} pairs of presses switch the same lamp")
        on = 0
        for place in presses:
            on ^= _find_switched(place, params.rows, params.columns)
        marks = "".join(str(on >> place & 1) for place in places)
        return LightsOut(tuple(marks[i : i + params.columns] for i in range(0, len(marks), params.columns)))

    def check_puzzle(self, puzzle: LightsOut) -> None:
        if (len(puzzle.lamps), len(puzzle.lamps[0])) not in UNIQUE:
            raise ValueError(f"no board: {puzzle.lamps}")
        if any(len(row) != len(puzzle.lamps[0]) or set(row) - {"0", "1"} for row in puzzle.lamps):
            raise ValueError(f"no board: {puzzle.lamps}")

    def prompt(self, puzzle: LightsOut) -> str:
        return (
            "The yellow lamps of this board are on, the grey ones are off. Pressing a lamp switches it and the lamps "
            "right beside it, above it and below it: those that are on go off, and those that are off go on. Put a red "
            "dot on each lamp that has to be pressed, once, so that all lamps are off in the end. Only the dots "
            "appear: no lamp changes its colour. Stop when all these lamps have a dot, and no other. "
            "The camera does not move."
        )

    def size(self, puzzle: LightsOut) -> tuple[int, int]:
        return 2 * MARGIN + CELL * len(puzzle.lamps[0]), 2 * MARGIN + CELL * len(puzzle.lamps)

    def ground(self, puzzle: LightsOut, canvas: Canvas) -> None:
        draw_grid(canvas, MARGIN, MARGIN, len(puzzle.lamps[0]), len(puzzle.lamps), CELL)
        for row, marks in enumerate(puzzle.lamps):
            for column, mark in enumerate(marks):
                canvas.paste(_draw_lamp(mark == "1"), MARGIN + CELL * column + 4, MARGIN + CELL * row + 4)

    def paint(self, canvas: Canvas, part: Part) -> None:
        canvas.circle(part.x, part.y, DOT, fill=PALETTE.RED, stroke=PALETTE.INK, width=PALETTE.LINE)

    def cells(self, puzzle: LightsOut) -> tuple[Part, ...]:
        return tuple(
            Part(f"r{row}c{column}", MARGIN + CELL * (column + 0.5), MARGIN + CELL * (row + 0.5), "")
            for row, marks in enumerate(puzzle.lamps) for column in range(len(marks))
        )  # fmt: skip

    def contents(self, puzzle: LightsOut) -> tuple[str, ...]:
        return ("dot",)

    def measure_difficulty(self, puzzle: LightsOut) -> dict[str, float]:
        rows, columns = len(puzzle.lamps), len(puzzle.lamps[0])
        [presses] = _list_presses(puzzle)
        return {
            **super().measure_difficulty(puzzle),
            "lamps_in_all": rows * columns,
            "lamps_on": "".join(puzzle.lamps).count("1"),
            "overlaps": _count_overlaps(presses, rows, columns),
        }

    def solve(self, puzzle: LightsOut) -> Iterator[Answer]:
        columns = len(puzzle.lamps[0])
        for presses in _list_presses(puzzle):
            yield {f"r{place // columns}c{place % columns}": "dot" for place in presses}


@lru_cache
def _draw_lamp(is_on: bool) -> Any:
    """Return the picture of a lamp, which fills its cell up to the lines."""
    lamp = Canvas(CELL - 8, CELL - 8)
    middle, colour = CELL / 2 - 4, PALETTE.YELLOW if is_on else PALETTE.SHADE
    lamp.circle(middle, middle, LAMP, fill=colour, stroke=PALETTE.INK, width=PALETTE.LINE)
    return lamp.frame()


def _find_switched(place: int, rows: int, columns: int) -> int:
    """Return the lamps that a press switches, as bits."""
    row, column = divmod(place, columns)
    near = [(row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return sum(1 << (r * columns + c) for r, c in near if 0 <= r < rows and 0 <= c < columns)


def _count_overlaps(presses: list[int], rows: int, columns: int) -> int:
    switched = [_find_switched(place, rows, columns) for place in presses]
    return sum(bool(one & other) for one, other in combinations(switched, 2))


def _list_presses(puzzle: LightsOut) -> list[list[int]]:
    """Return all sets of presses: those of the first row, any of them, tell those of the row below, and so on."""
    rows, columns = len(puzzle.lamps), len(puzzle.lamps[0])
    start = int("".join(puzzle.lamps)[::-1], 2)
    switched = [_find_switched(place, rows, columns) for place in range(rows * columns)]
    found = []
    for first in range(1 << columns):
        on, presses = start, [place for place in range(columns) if first >> place & 1]
        for place in presses:
            on ^= switched[place]
        for place in range(columns, rows * columns):
            if on >> (place - columns) & 1:  # only this press can still switch off the lamp above it
                on ^= switched[place]
                presses.append(place)
        if not on:
            found.append(presses)
    return found


TASK = LightsOutTask()
