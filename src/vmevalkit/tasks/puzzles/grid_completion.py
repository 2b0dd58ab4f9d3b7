"""Grid completion: colour the blank half of a grid as the mirror image of the other half."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

from vmevalkit.tasks.kit import PALETTE, Canvas, FillTask, Part, Uncertified, UsageError

CELL, MARGIN, GAP = 44, 26, 40
LETTERS = dict(zip("RBGOPTNY", PALETTE.HUES, strict=True)) | {"K": PALETTE.INK, "_": PALETTE.PAPER}


@dataclass(frozen=True, slots=True)
class GridCompletionParams:
    """Params of the puzzles. A grid is twice as wide as ``half``."""

    rows: int = 4
    half: int = 3
    coloured: int = 4
    """Cells that are coloured in the given half."""
    colours: int = 1

    def __post_init__(self) -> None:
        if not (3 <= self.rows <= 8 and 2 <= self.half <= 5 and 1 <= self.colours <= 4):
            raise UsageError(f"no grid with {self}; rows are 3 to 8, half is 2 to 5, colours 1 to 4")
        if not self.colours <= self.coloured <= self.rows * self.half - 1:
            raise UsageError(f"no grid with {self}; coloured is at least colours, and one cell of the half stays blank")


@dataclass(frozen=True, slots=True)
class Grid:
    """A grid of letters, one for each cell, at first and solved."""

    start: tuple[str, ...]
    answer: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GridCompletion:
    """One or several grids. Cells with the letter ``blank`` are those that may be coloured."""

    grids: tuple[Grid, ...]
    blank: str = "_"


class GridCompletionTask(FillTask[GridCompletion, GridCompletionParams]):
    """There is one way to complete the grids: the puzzle names it."""

    name = "grid_completion"
    title = "Grid Completion"
    description = "Complete a coloured grid"
    group = "perception"
    puzzle_type = GridCompletion
    params_type = GridCompletionParams
    difficulties = {
        "easy": GridCompletionParams(),
        "medium": GridCompletionParams(5, 4, 7, 2),
        "hard": GridCompletionParams(7, 5, 12, 3),
    }

    def sample(self, rng: Random, params: GridCompletionParams) -> GridCompletion:
        colours = rng.sample("RBGOPT", params.colours)
        cells = [(row, column) for row in range(params.rows) for column in range(params.half)]
        rng.shuffle(cells)
        half = [["_"] * params.half for _ in range(params.rows)]
        for place, (row, column) in enumerate(cells[: params.coloured]):
            half[row][column] = colours[place % len(colours)]
        blank = "_" * params.half
        start = tuple("".join(row) + blank for row in half)
        answer = tuple("".join(row) + "".join(reversed(row)) for row in half)
        return GridCompletion((Grid(start, answer),))

    def check_puzzle(self, puzzle: GridCompletion) -> None:
        for grid in puzzle.grids:
            widths = {len(row) for row in (*grid.start, *grid.answer)}
            if len(widths) != 1 or len(grid.start) != len(grid.answer) or not 1 <= len(grid.start) * max(widths) <= 900:
                raise ValueError("the rows of a grid and of its answer must be equally long, with at most 900 cells")
        if len(puzzle.blank) != 1 or not puzzle.grids:
            raise ValueError("there must be a grid, and one letter for blank cells")

    def certify(self, puzzle: GridCompletion) -> None:
        super().certify(puzzle)
        for grid in puzzle.grids:
            for before, after in zip("".join(grid.start), "".join(grid.answer), strict=True):
                if before not in (puzzle.blank, after):
                    raise Uncertified(f"the given cell {before!r} becomes {after!r}: only blank cells may change")

    def prompt(self, puzzle: GridCompletion) -> str:
        return (
            "Complete the grid: the right half is the mirror image of the left half, in the same colours. Cells that "
            "are coloured stay as they are, and cells whose mirror image is white stay white. Stop when the grid is "
            "complete. The camera does not move."
        )

    def grid_shape(self, puzzle: GridCompletion) -> tuple[int, int] | None:
        return (len(puzzle.grids[0].start), len(puzzle.grids[0].start[0])) if len(puzzle.grids) == 1 else None

    def size(self, puzzle: GridCompletion) -> tuple[int, int]:
        wide = sum(CELL * len(grid.start[0]) + GAP for grid in puzzle.grids) - GAP
        return 2 * MARGIN + wide, 2 * MARGIN + CELL * max(len(grid.start) for grid in puzzle.grids)

    def _place_cells(self, puzzle: GridCompletion) -> Iterator[tuple[str, float, float, str, str]]:
        """Yield name, middle, first letter and letter of the answer of every cell."""
        left = MARGIN + CELL / 2
        for index, grid in enumerate(puzzle.grids):
            for row, (before, after) in enumerate(zip(grid.start, grid.answer, strict=True)):
                for column, letters in enumerate(zip(before, after, strict=True)):
                    x, y = left + CELL * column, MARGIN + CELL * (row + 0.5)
                    yield f"g{index}r{row}c{column}", x, y, *letters
            left += CELL * len(grid.start[0]) + GAP

    def ground(self, puzzle: GridCompletion, canvas: Canvas) -> None:
        for _, x, y, _, _ in self._place_cells(puzzle):
            canvas.rectangle(x - CELL / 2 - 1, y - CELL / 2 - 1, CELL + 2, CELL + 2, PALETTE.INK)
        for _, x, y, _, _ in self._place_cells(puzzle):
            fill = LETTERS.get(puzzle.blank, PALETTE.PAPER)
            canvas.rectangle(x - CELL / 2 + 1, y - CELL / 2 + 1, CELL - 2, CELL - 2, fill)

    def paint(self, canvas: Canvas, part: Part) -> None:
        fill = LETTERS.get(part.look) or PALETTE.HUES[ord(part.look) % len(PALETTE.HUES)]
        canvas.rectangle(part.x - CELL / 2 + 1, part.y - CELL / 2 + 1, CELL - 2, CELL - 2, fill)

    def cells(self, puzzle: GridCompletion) -> tuple[Part, ...]:
        places = self._place_cells(puzzle)
        return tuple(Part(name, x, y, "" if letter == puzzle.blank else letter) for name, x, y, letter, _ in places)

    def contents(self, puzzle: GridCompletion) -> tuple[str, ...]:
        letters = {letter for grid in puzzle.grids for row in (*grid.start, *grid.answer) for letter in row}
        return tuple(sorted(letters - {puzzle.blank}))

    def measure_difficulty(self, puzzle: GridCompletion) -> dict[str, float]:
        colours = {letter for grid in puzzle.grids for row in grid.answer for letter in row} - {puzzle.blank}
        return {**super().measure_difficulty(puzzle), "colours": len(colours)}

    def solve(self, puzzle: GridCompletion) -> Iterator[Mapping[str, str]]:
        places = self._place_cells(puzzle)
        yield {name: after for name, _, _, before, after in places if before == puzzle.blank != after}


TASK = GridCompletionTask()
