"""Binary puzzle: two colours fill the board evenly, and never three of one colour are in a row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from random import Random

from vmevalkit.tasks.kit import PALETTE, Answer, Canvas, FillTask, Part, Uncertified, UsageError, draw_grid

CELL, MARGIN = 64, 28
COLOURS = {"b": "blue", "o": "orange"}
Grid = tuple[str, ...]
"""Rows of the letters of the colours; a dot is an empty square."""


@dataclass(frozen=True, slots=True)
class BinaryParams:
    """Params of the puzzles."""

    side: int = 4
    blanks: int = 6
    needs_whole_lines: bool = False
    """Whether it takes more than looking at three neighbours and counting."""

    def __post_init__(self) -> None:
        if self.side not in (4, 6) or not 1 <= self.blanks < self.side**2:
            raise UsageError(f"no binary puzzle with {self}; side is 4 or 6, and some squares are filled at first")


@dataclass(frozen=True, slots=True)
class Binary:
    """A board with some of its discs."""

    rows: tuple[str, ...]
    """Each a letter for each square: b for blue, o for orange, a dot where it is empty."""


class BinaryTask(FillTask[Binary, BinaryParams]):
    """There is one way to fill the board."""

    name = "binary_puzzle"
    title = "Binary Puzzle"
    description = "Fill the board evenly with two colours, never three in a row"
    group = "deduction"
    puzzle_type = Binary
    params_type = BinaryParams
    difficulties = {"easy": BinaryParams(), "medium": BinaryParams(6, 16), "hard": BinaryParams(6, 21, True)}

    def sample(self, rng: Random, params: BinaryParams) -> Binary:
        board = [list(row) for row in rng.choice(_list_boards(params.side))]
        for place in rng.sample(range(params.side**2), params.blanks):
            board[place // params.side][place % params.side] = "."
        rows = tuple("".join(row) for row in board)
        plain = _deduce(rows, False)[0]
        if ("." in "".join(plain)) != params.needs_whole_lines or "." in "".join(_deduce(rows, True)[0]):
            raise Uncertified("it takes other reasoning")
        return Binary(rows)

    def check_puzzle(self, puzzle: Binary) -> None:
        side = len(puzzle.rows)
        if side not in (4, 6) or any(len(row) != side or set(row) - set("bo.") for row in puzzle.rows):
            raise ValueError(f"no board: {puzzle.rows}")

    def prompt(self, puzzle: Binary) -> str:
        half = len(puzzle.rows) // 2
        return (
            f"Put a blue or an orange disc on every empty square, so that each row and each column has {half} blue and "
            f"{half} orange discs, and there are never three discs of the same colour side by side in a row or column. "
            "The discs that are there stay as they are, and the new ones look like them. Stop when the board is full. "
            "The camera does not move."
        )

    def size(self, puzzle: Binary) -> tuple[int, int]:
        return (2 * MARGIN + CELL * len(puzzle.rows),) * 2

    def ground(self, puzzle: Binary, canvas: Canvas) -> None:
        draw_grid(canvas, MARGIN, MARGIN, len(puzzle.rows), len(puzzle.rows), CELL)

    def paint(self, canvas: Canvas, part: Part) -> None:
        colour = PALETTE.BLUE if part.look == "blue" else PALETTE.ORANGE
        canvas.circle(part.x, part.y, CELL * 0.36, fill=colour, stroke=PALETTE.INK, width=PALETTE.LINE)

    def cells(self, puzzle: Binary) -> tuple[Part, ...]:
        return tuple(
            Part(f"r{row}c{column}", MARGIN + CELL * (column + 0.5), MARGIN + CELL * (row + 0.5),
                 COLOURS.get(letter, ""))
            for row, letters in enumerate(puzzle.rows) for column, letter in enumerate(letters)
        )  # fmt: skip

    def contents(self, puzzle: Binary) -> tuple[str, ...]:
        return tuple(COLOURS.values())

    def measure_difficulty(self, puzzle: Binary) -> dict[str, float]:
        plain, rounds = _deduce(puzzle.rows, False)
        if "." in "".join(plain):
            rounds = _deduce(puzzle.rows, True)[1]
        return {
            **super().measure_difficulty(puzzle),
            "rounds_of_deduction": rounds,
            "cells_that_need_whole_lines": "".join(plain).count("."),
        }

    def solve(self, puzzle: Binary) -> Iterator[Answer]:
        for board in _complete(puzzle.rows):
            yield {
                f"r{row}c{column}": COLOURS[board[row][column]]
                for row, letters in enumerate(puzzle.rows) for column, letter in enumerate(letters) if letter == "."
            }  # fmt: skip


@lru_cache
def _list_lines(side: int) -> tuple[str, ...]:
    """Return every full line that the rules allow."""
    lines = ("".join(letters) for letters in product("bo", repeat=side))
    return tuple(x for x in lines if x.count("b") * 2 == side and "bbb" not in x and "ooo" not in x)


@lru_cache
def _list_boards(side: int) -> tuple[Grid, ...]:
    return tuple(_complete(("." * side,) * side))


@lru_cache(maxsize=4096)
def _extend_line(line: str, whole: bool) -> str | None:
    """Return a line with the letters that follow from the others; None where it breaks the rules.

    They follow from all lines that are possible, or, if not ``whole``, from three neighbours or from a colour that is
    complete."""
    side = len(line)
    possible = [x for x in _list_lines(side) if all(a in (".", b) for a, b in zip(line, x, strict=True))]
    if not possible:
        return None
    if whole:
        columns = map(set, zip(*possible, strict=True))
        return "".join(letters.pop() if len(letters) == 1 else "." for letters in columns)
    new = list(line)
    for place in range(side):
        for mine, other in (("b", "o"), ("o", "b")):
            around = [line[max(place - 2, 0) : place], line[place + 1 : place + 3], line[max(place - 1, 0) : place + 2]]
            is_third = other * 2 in around[:2] or around[2] == f"{other}.{other}"
            if line[place] == "." and (is_third or line.count(other) * 2 == side):
                new[place] = mine
    return "".join(new)


def _deduce(rows: Grid, whole: bool) -> tuple[Grid, int]:
    """Return the board with what follows, and in how many rounds; an empty one where it breaks the rules."""
    rounds = 0
    while True:
        lines = [_extend_line(row, whole) for row in rows]
        columns = [_extend_line("".join(column), whole) for column in zip(*rows, strict=True)]
        if None in lines or None in columns:
            return (), rounds
        across = ["".join(letters) for letters in zip(*map(str, columns), strict=True)]
        new = tuple(
            "".join(a if b == "." else b for a, b in zip(one, str(other), strict=True))
            for one, other in zip(across, lines, strict=True)
        )
        if new == rows:
            return rows, rounds
        rows, rounds = new, rounds + 1


def _complete(rows: Grid) -> Iterator[Grid]:
    """Yield every full board that has the letters of this one."""
    rows, _ = _deduce(rows, True)
    row = next((place for place, line in enumerate(rows) if "." in line), None)
    if row is None:
        if rows:
            yield rows
        return
    for letter in "bo":
        yield from _complete((*rows[:row], rows[row].replace(".", letter, 1), *rows[row + 1 :]))


TASK = BinaryTask()
