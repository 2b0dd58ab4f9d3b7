"""Nonogram: the numbers beside rows and columns say which squares are filled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, product
from random import Random

from vmevalkit.tasks.kit import PALETTE, Answer, Canvas, FillTask, Part, Uncertified, UsageError, draw_grid

CELL, MARGIN, NUMBER = 52, 20, 26
Clue = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NonogramParams:
    """Params of the puzzles."""

    side: int = 4
    least_rounds: int = 1
    """Rounds of looking at all rows and columns that it takes at least."""
    most_rounds: int = 3

    def __post_init__(self) -> None:
        if not (3 <= self.side <= 8 and 1 <= self.least_rounds <= self.most_rounds):
            raise UsageError(f"no nonogram with {self}; side is 3 to 8, and rounds at least 1")


@dataclass(frozen=True, slots=True)
class Nonogram:
    """The numbers of a square grid."""

    rows: tuple[tuple[int, ...], ...]
    """For each row the lengths of its runs of filled squares; empty where none is filled."""
    columns: tuple[tuple[int, ...], ...]


class NonogramTask(FillTask[Nonogram, NonogramParams]):
    """Every square follows from the numbers and from squares that are known, line by line."""

    name = "nonogram"
    title = "Nonogram"
    description = "Fill the squares that the numbers ask for"
    group = "deduction"
    puzzle_type = Nonogram
    params_type = NonogramParams
    difficulties = {"easy": NonogramParams(), "medium": NonogramParams(5, 3, 4), "hard": NonogramParams(7, 5, 20)}

    def sample(self, rng: Random, params: NonogramParams) -> Nonogram:
        grid = [[rng.random() < 0.58 for _ in range(params.side)] for _ in range(params.side)]
        puzzle = Nonogram(tuple(map(_count_runs, grid)), tuple(map(_count_runs, zip(*grid, strict=True))))
        if not params.least_rounds <= _deduce(puzzle)[1] <= params.most_rounds:
            raise Uncertified("it takes fewer or more rounds")
        return puzzle

    def check_puzzle(self, puzzle: Nonogram) -> None:
        side = len(puzzle.rows)
        if not 3 <= side <= 8 or side != len(puzzle.columns):
            raise ValueError(f"no square grid: {puzzle}")
        if any(
            clue and (min(clue) < 1 or sum(clue) + len(clue) - 1 > side) for clue in (*puzzle.rows, *puzzle.columns)
        ):
            raise ValueError(f"runs that do not fit: {puzzle}")

    def prompt(self, puzzle: Nonogram) -> str:
        return (
            "Solve the nonogram: fill squares of the grid with blue. The numbers to the left of a row, and above a "
            "column, are the lengths of its runs of filled squares, in this order; between two runs is at least one "
            "empty square, and 0 means that no square is filled. The numbers stay as they are. Stop when every row "
            "and every column has its runs, with all other squares empty. The camera does not move."
        )

    def size(self, puzzle: Nonogram) -> tuple[int, int]:
        left, top = _place_grid(puzzle)
        return left + CELL * len(puzzle.rows) + MARGIN, top + CELL * len(puzzle.rows) + MARGIN

    def ground(self, puzzle: Nonogram, canvas: Canvas) -> None:
        left, top = _place_grid(puzzle)
        draw_grid(canvas, left, top, len(puzzle.rows), len(puzzle.rows), CELL)
        for line in range(len(puzzle.rows)):
            middle = CELL * (line + 0.5)
            for place, number in enumerate(reversed(puzzle.rows[line] or (0,))):
                canvas.text(str(number), left - 20 - NUMBER * place, top + middle, NUMBER, PALETTE.INK, bold=True)
            for place, number in enumerate(reversed(puzzle.columns[line] or (0,))):
                canvas.text(str(number), left + middle, top - 22 - 30 * place, NUMBER, PALETTE.INK, bold=True)

    def paint(self, canvas: Canvas, part: Part) -> None:
        canvas.rectangle(part.x - 22, part.y - 22, 44, 44, PALETTE.BLUE)

    def cells(self, puzzle: Nonogram) -> tuple[Part, ...]:
        left, top = _place_grid(puzzle)
        side = range(len(puzzle.rows))
        return tuple(
            Part(f"r{row}c{column}", left + CELL * (column + 0.5), top + CELL * (row + 0.5), "")
            for row in side for column in side
        )  # fmt: skip

    def contents(self, puzzle: Nonogram) -> tuple[str, ...]:
        return ("filled",)

    def measure_difficulty(self, puzzle: Nonogram) -> dict[str, float]:
        return {**super().measure_difficulty(puzzle), "rounds_of_deduction": _deduce(puzzle)[1]}

    def solve(self, puzzle: Nonogram) -> Iterator[Answer]:
        grid, _ = _deduce(puzzle)
        if any("?" in row for row in grid):
            raise Uncertified("lines alone do not tell every square")
        if grid:
            yield {f"r{r}c{c}": "filled" for r, row in enumerate(grid) for c, mark in enumerate(row) if mark == "#"}


def _place_grid(puzzle: Nonogram) -> tuple[int, int]:
    """Return the left and top edge of the grid, beside room for the numbers."""
    most_left, most_above = max(map(len, puzzle.rows)), max(map(len, puzzle.columns))
    return MARGIN + 12 + NUMBER * max(most_left, 1), MARGIN + 10 + 30 * max(most_above, 1)


def _count_runs(line: Sequence[bool]) -> Clue:
    return tuple(len(list(run)) for is_filled, run in groupby(line) if is_filled)


@lru_cache
def _list_lines(side: int) -> dict[Clue, tuple[str, ...]]:
    """Return every line of a side by its runs."""
    lines: dict[Clue, list[str]] = {}
    for marks in product("#.", repeat=side):
        lines.setdefault(_count_runs([mark == "#" for mark in marks]), []).append("".join(marks))
    return {clue: tuple(found) for clue, found in lines.items()}


@lru_cache(maxsize=20_000)
def _extend_line(line: str, clue: Clue) -> str | None:
    """Return a line with what its runs and known squares tell; None where no line is possible."""
    possible = [x for x in _list_lines(len(line))[clue] if all(a in ("?", b) for a, b in zip(line, x, strict=True))]
    if not possible:
        return None
    columns = map(set, zip(*possible, strict=True))
    return "".join(marks.pop() if len(marks) == 1 else "?" for marks in columns)


def _deduce(puzzle: Nonogram) -> tuple[tuple[str, ...], int]:
    """Return what looking at rows and columns in turn tells, and after how many rounds; no rows if it is impossible."""
    side, rounds = len(puzzle.rows), 0
    grid: list[str | None] = ["?" * side] * side
    for rounds in range(2 * side * side):
        before = grid
        for clues in (puzzle.rows, puzzle.columns):
            grid = [_extend_line(str(line), clue) for line, clue in zip(grid, clues, strict=True)]
            if None in grid:
                return (), rounds
            grid = ["".join(column) for column in zip(*map(str, grid), strict=True)]
        if grid == before:
            break
    return tuple(map(str, grid)), rounds


TASK = NonogramTask()
