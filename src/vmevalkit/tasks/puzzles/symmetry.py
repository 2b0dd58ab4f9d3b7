"""Symmetry: colour squares until the picture is its own mirror image."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from vmevalkit.tasks.kit import PALETTE, Answer, Canvas, FillTask, Part, Uncertified, UsageError, draw_grid

CELL, MARGIN, TILE = 52, 36, 21
COLOURS = {"red": PALETTE.RED, "blue": PALETTE.BLUE, "green": PALETTE.GREEN, "orange": PALETTE.ORANGE}
Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SymmetryParams:
    """Params of the puzzles."""

    rows: int = 5
    columns: int = 6
    colours: int = 1
    patterns: int = 5
    """Sets of squares that mirror each other."""
    both_sides: bool = False
    """Whether squares are missing on both sides of a line."""
    axes: int = 1
    """1: a vertical line. 2: a horizontal one, too."""

    def __post_init__(self) -> None:
        sets = self.rows // self.axes * (self.columns // 2)
        if (
            self.axes not in (1, 2) or self.columns % 2 or self.rows % self.axes
            or not (2 <= self.rows <= 8 and 2 <= self.columns <= 8)
            or not (1 <= self.colours <= len(COLOURS) and self.colours <= self.patterns <= sets)
        ):  # fmt: skip
            raise UsageError(f"no symmetry puzzle with {self}; lines are between rows or columns, which are 2 to 8")


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A grid, some of whose squares are coloured."""

    axes: int
    given: tuple[tuple[str, ...], ...]
    """The colour of each square, row by row; empty where it has none."""


class SymmetryTask(FillTask[Symmetry, SymmetryParams]):
    """Squares are missing on one side, on both sides of a line, or in the quarters between two lines."""

    name = "symmetry"
    title = "Symmetry"
    description = "Complete the mirror image"
    group = "perception"
    puzzle_type = Symmetry
    params_type = SymmetryParams
    difficulties = {
        "easy": SymmetryParams(),
        "medium": SymmetryParams(6, 8, 2, 9, both_sides=True),
        "hard": SymmetryParams(8, 8, 3, 6, both_sides=True, axes=2),
    }

    def sample(self, rng: Random, params: SymmetryParams) -> Symmetry:
        used = rng.sample(list(COLOURS), params.colours)
        top, left = params.rows // params.axes, params.columns // 2
        squares = [(row, column) for row in range(top) for column in range(left)]
        grid = [[""] * params.columns for _ in range(params.rows)]
        for place, cell in enumerate(rng.sample(squares, params.patterns)):
            mirrored = _mirror(params.rows, params.columns, params.axes, cell)
            shown = rng.sample(mirrored, 2 if place % 4 == 3 else 1) if params.both_sides else [cell]
            for row, column in shown:
                grid[row][column] = used[place % len(used)]
        return Symmetry(params.axes, tuple(map(tuple, grid)))

    def check_puzzle(self, puzzle: Symmetry) -> None:
        if len({len(row) for row in puzzle.given}) != 1 or any(
            c not in ("", *COLOURS) for r in puzzle.given for c in r
        ):
            raise ValueError(f"no grid of coloured squares: {puzzle}")

    def prompt(self, puzzle: Symmetry) -> str:
        *first, last = (colour for colour in COLOURS if any(colour in row for row in puzzle.given))
        colours = f"{', '.join(first)} or {last}" if first else last
        lines = "the dashed line" if puzzle.axes == 1 else "each of the two dashed lines"
        return (
            f"Complete the picture so that it is symmetric about {lines}: each coloured square needs a square of the "
            f"same colour as its mirror image on the other side. Colour empty squares {colours} for that, "
            "and colour no more squares than needed. "
            "Coloured squares stay as they are. Stop when the picture is symmetric. The camera does not move."
        )

    def size(self, puzzle: Symmetry) -> tuple[int, int]:
        return 2 * MARGIN + CELL * len(puzzle.given[0]), 2 * MARGIN + CELL * len(puzzle.given)

    def ground(self, puzzle: Symmetry, canvas: Canvas) -> None:
        width, height = self.size(puzzle)
        draw_grid(canvas, MARGIN, MARGIN, len(puzzle.given[0]), len(puzzle.given), CELL)
        for start in range(10, height - 16, 16):
            canvas.rectangle(width // 2 - 2, start, 4, 10, PALETTE.PURPLE)
        for start in range(10, width - 16 if puzzle.axes == 2 else 0, 16):
            canvas.rectangle(start, height // 2 - 2, 10, 4, PALETTE.PURPLE)

    def paint(self, canvas: Canvas, part: Part) -> None:
        for half, colour in ((TILE, PALETTE.INK), (TILE - 3, COLOURS[part.look])):
            canvas.rectangle(part.x - half, part.y - half, 2 * half, 2 * half, colour)

    def cells(self, puzzle: Symmetry) -> tuple[Part, ...]:
        return tuple(
            Part(f"r{row}c{column}", MARGIN + CELL * (column + 0.5), MARGIN + CELL * (row + 0.5), look)
            for row, looks in enumerate(puzzle.given) for column, look in enumerate(looks)
        )  # fmt: skip

    def contents(self, puzzle: Symmetry) -> tuple[str, ...]:
        return tuple(COLOURS)

    def certify(self, puzzle: Symmetry) -> None:
        super().certify(puzzle)
        for cell, colour in _list_coloured(puzzle):
            if {puzzle.given[row][column] for row, column in _mirror_in(puzzle, cell)} - {"", colour}:
                raise Uncertified(f"the mirror images of {cell} have several colours")

    def measure_difficulty(self, puzzle: Symmetry) -> dict[str, float]:
        colours = {colour for _, colour in _list_coloured(puzzle)}
        return {**super().measure_difficulty(puzzle), "axes": puzzle.axes, "colours": len(colours)}

    def solve(self, puzzle: Symmetry) -> Iterator[Answer]:
        yield {
            f"r{row}c{column}": colour
            for cell, colour in _list_coloured(puzzle) for row, column in _mirror_in(puzzle, cell)
            if not puzzle.given[row][column]
        }  # fmt: skip


def _list_coloured(puzzle: Symmetry) -> Iterator[tuple[Cell, str]]:
    for row, looks in enumerate(puzzle.given):
        for column, look in enumerate(looks):
            if look:
                yield (row, column), look


def _mirror_in(puzzle: Symmetry, cell: Cell) -> list[Cell]:
    return _mirror(len(puzzle.given), len(puzzle.given[0]), puzzle.axes, cell)


def _mirror(rows: int, columns: int, axes: int, cell: Cell) -> list[Cell]:
    """Return a square and its mirror images."""
    row, column = cell
    down = (row,) if axes == 1 else (row, rows - 1 - row)
    return [(r, c) for r in down for c in (column, columns - 1 - column)]


TASK = SymmetryTask()
