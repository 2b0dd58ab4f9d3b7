"""Queens: add queens until there is one in each row and none attacks another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from random import Random

from vmevalkit.tasks.kit import PALETTE, Canvas, FillTask, Part, Uncertified, UsageError

CELL, MARGIN = 56, 24


@dataclass(frozen=True, slots=True)
class QueensParams:
    """Params of the puzzles."""

    side: int = 5
    missing: int = 2
    """Queens to add."""

    def __post_init__(self) -> None:
        if not (4 <= self.side <= 8 and 1 <= self.missing < self.side):
            raise UsageError(f"no queens puzzle with {self}; side is 4 to 8, missing at least 1 and below side")


@dataclass(frozen=True, slots=True)
class Queens:
    """A board with some of its queens."""

    side: int
    given: tuple[tuple[int, int], ...]
    """(row, column) of each queen that is there at first."""


class QueensTask(FillTask[Queens, QueensParams]):
    """There is one way to complete the board."""

    name = "n_queens"
    title = "Queens"
    description = "Add queens so that none attacks another"
    group = "deduction"
    puzzle_type = Queens
    params_type = QueensParams
    difficulties = {"easy": QueensParams(6, 2), "medium": QueensParams(7, 4), "hard": QueensParams(8, 6)}

    def sample(self, rng: Random, params: QueensParams) -> Queens:
        whole = rng.choice(_list_boards(params.side))
        return Queens(params.side, tuple(sorted(rng.sample(whole, params.side - params.missing))))

    def capacity(self, params: QueensParams) -> int:
        return _count_puzzles(params.side, params.side - params.missing)

    def check_puzzle(self, puzzle: Queens) -> None:
        if not 4 <= puzzle.side <= 8 or any(not 0 <= i < puzzle.side for cell in puzzle.given for i in cell):
            raise ValueError(f"no board: {puzzle}")

    def prompt(self, puzzle: Queens) -> str:
        missing = puzzle.side - len(puzzle.given)
        more = "one more queen" if missing == 1 else f"{missing} more queens"
        many = f"{len(puzzle.given)} queens that are there stay where they are"
        kept = "queen that is there stays where it is" if missing == puzzle.side - 1 else many
        return (
            f"Place {more} on empty squares of the board, so that no two queens are in the same row, column or "
            f"diagonal. The {kept}. The new queens look like those that are there. Stop when the board has "
            f"{puzzle.side} queens. The camera does not move."
        )

    def size(self, puzzle: Queens) -> tuple[int, int]:
        return (2 * MARGIN + CELL * puzzle.side,) * 2

    def ground(self, puzzle: Queens, canvas: Canvas) -> None:
        span = CELL * puzzle.side
        canvas.rectangle(MARGIN - 4, MARGIN - 4, span + 8, span + 8, PALETTE.INK)
        for row in range(puzzle.side):
            for column in range(puzzle.side):
                fill = PALETTE.BOARD if (row + column) % 2 else PALETTE.PAPER
                canvas.rectangle(MARGIN + CELL * column, MARGIN + CELL * row, CELL, CELL, fill)
        for line in range(1, puzzle.side):
            canvas.rectangle(MARGIN + CELL * line - 1, MARGIN, 2, span, PALETTE.SHADE)
            canvas.rectangle(MARGIN, MARGIN + CELL * line - 1, span, 2, PALETTE.SHADE)

    def paint(self, canvas: Canvas, part: Part) -> None:
        crown = [(-20, -14), (-10, 0), (0, -20), (10, 0), (20, -14), (15, 12), (-15, 12)]
        canvas.polygon([(part.x + dx, part.y + dy) for dx, dy in crown], PALETTE.PURPLE, PALETTE.INK, PALETTE.LINE)
        canvas.line([(part.x - 15, part.y + 18), (part.x + 15, part.y + 18)], PALETTE.INK, 5)

    def cells(self, puzzle: Queens) -> tuple[Part, ...]:
        return tuple(
            Part(f"r{row}c{column}", MARGIN + CELL * (column + 0.5), MARGIN + CELL * (row + 0.5),
                 "queen" if (row, column) in puzzle.given else "")
            for row in range(puzzle.side) for column in range(puzzle.side)
        )  # fmt: skip

    def contents(self, puzzle: Queens) -> tuple[str, ...]:
        return ("queen",)

    def certify(self, puzzle: Queens) -> None:
        super().certify(puzzle)
        if any(_attacks(one, two) for one in puzzle.given for two in puzzle.given if one < two):
            raise Uncertified("queens attack each other at first")

    def measure_difficulty(self, puzzle: Queens) -> dict[str, float]:
        """Say how many rounds it takes to fill rows and columns with one free square, and how many queens are left."""
        board, rounds, span = set(puzzle.given), 0, range(puzzle.side)
        while True:
            free = [(r, c) for r, c in product(span, span) if not any(_attacks((r, c), queen) for queen in board)]
            lines = [[cell for cell in free if cell[axis] == line] for axis in (0, 1) for line in span]
            found = {line[0] for line in lines if len(line) == 1}
            if not found:
                measured = {"rounds_of_deduction": rounds, "queens_to_try": puzzle.side - len(board)}
                return {**super().measure_difficulty(puzzle), **measured}
            board, rounds = board | found, rounds + 1

    def solve(self, puzzle: Queens) -> Iterator[Mapping[str, str]]:
        for board in _complete(puzzle.side, puzzle.given):
            yield {f"r{row}c{column}": "queen" for row, column in board if (row, column) not in puzzle.given}


@lru_cache
def _list_boards(side: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    return tuple(_complete(side, ()))


@lru_cache
def _count_puzzles(side: int, given: int) -> int:
    """Return how many choices of so many queens are on one board alone."""
    boards = Counter(chosen for board in _list_boards(side) for chosen in combinations(board, given))
    return sum(count == 1 for count in boards.values())


def _attacks(one: tuple[int, int], two: tuple[int, int]) -> bool:
    down, across = abs(one[0] - two[0]), abs(one[1] - two[1])
    return down == 0 or across == 0 or down == across


def _complete(
    side: int, given: tuple[tuple[int, int], ...], row: int = 0, board: tuple[tuple[int, int], ...] = ()
) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield every board with a queen in each row that has the given ones."""
    if row == side:
        yield board
        return
    fixed = [cell for cell in given if cell[0] == row]
    for cell in fixed or [(row, column) for column in range(side)]:
        if not any(_attacks(cell, other) for other in board):
            yield from _complete(side, given, row + 1, (*board, cell))


TASK = QueensTask()
