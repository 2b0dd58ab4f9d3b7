"""Magic square: nine numbers in sequence, with equal sums in all rows, columns and diagonals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from vmevalkit.tasks.kit import PALETTE, Answer, Canvas, FillTask, Part, Uncertified, UsageError, draw_grid

CELL, MARGIN, NUMBER = 120, 28, 72
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
_UPRIGHT = (2, 7, 6, 9, 5, 1, 4, 3, 8)
_TURN = (6, 3, 0, 7, 4, 1, 8, 5, 2)
_FLIP = (2, 1, 0, 5, 4, 3, 8, 7, 6)
Numbers = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MagicSquareParams:
    """Params of the puzzles."""

    missing: int = 3
    largest_start: int = 1
    """The numbers start at 1 to this one."""
    tells_sum: bool = True
    has_ready_line: bool = True
    """Whether a line has only one empty square at first; without, no single sum gives a number."""

    def __post_init__(self) -> None:
        if not (1 <= self.missing <= 7 and 1 <= self.largest_start <= 40):
            raise UsageError(f"no magic square with {self}; 1 to 7 numbers are missing, and the first is 1 to 40")
        if not self.has_ready_line and self.missing < 5:
            raise UsageError(f"with {self.missing} missing numbers a line has one empty square; use 5 to 7")


@dataclass(frozen=True, slots=True)
class MagicSquare:
    """A magic square of three rows with some of its numbers."""

    least: int
    """The smallest of its nine numbers; the others follow it."""
    numbers: tuple[int, ...]
    """Row by row; 0 where the square is empty."""
    tells_sum: bool


class MagicSquareTask(FillTask[MagicSquare, MagicSquareParams]):
    """There is one way to complete the square."""

    name = "magic_square"
    title = "Magic Square"
    description = "Complete the square to equal sums"
    group = "deduction"
    puzzle_type = MagicSquare
    params_type = MagicSquareParams
    difficulties = {
        "easy": MagicSquareParams(),
        "medium": MagicSquareParams(5, 5),
        "hard": MagicSquareParams(6, 9, tells_sum=False, has_ready_line=False),
    }

    def sample(self, rng: Random, params: MagicSquareParams) -> MagicSquare:
        least = rng.randint(1, params.largest_start)
        numbers = list(rng.choice(_list_squares(least)))
        for place in rng.sample(range(9), params.missing):
            numbers[place] = 0
        puzzle = MagicSquare(least, tuple(numbers), params.tells_sum)
        if bool(_count_ready(puzzle.numbers)) != params.has_ready_line:
            raise Uncertified("another number of lines has one empty square")
        return puzzle

    def check_puzzle(self, puzzle: MagicSquare) -> None:
        known = [number for number in puzzle.numbers if number]
        if len(puzzle.numbers) != 9 or len(set(known)) != len(known) or puzzle.least < 1:
            raise ValueError(f"no square of nine numbers: {puzzle}")
        if any(not puzzle.least <= number <= puzzle.least + 8 for number in known):
            raise ValueError(f"numbers that are not in the sequence: {puzzle}")

    def prompt(self, puzzle: MagicSquare) -> str:
        total = f" {3 * puzzle.least + 12}" if puzzle.tells_sum else ""
        return (
            f"Complete the magic square: write a number into each empty square. Each number from {puzzle.least} to "
            f"{puzzle.least + 8} appears exactly once, and the three numbers of each row, each column and both "
            f"diagonals have the same sum{total}. The numbers that are there stay as they are, and the new ones are "
            "written like them. Stop when all nine squares have a number. The camera does not move."
        )

    def size(self, puzzle: MagicSquare) -> tuple[int, int]:
        return (2 * MARGIN + 3 * CELL,) * 2

    def ground(self, puzzle: MagicSquare, canvas: Canvas) -> None:
        draw_grid(canvas, MARGIN, MARGIN, 3, 3, CELL)

    def paint(self, canvas: Canvas, part: Part) -> None:
        canvas.text(part.look, part.x, part.y, NUMBER, PALETTE.INK, bold=True)

    def cells(self, puzzle: MagicSquare) -> tuple[Part, ...]:
        return tuple(
            Part(f"r{place // 3}c{place % 3}", MARGIN + CELL * (place % 3 + 0.5), MARGIN + CELL * (place // 3 + 0.5),
                 str(number) if number else "")
            for place, number in enumerate(puzzle.numbers)
        )  # fmt: skip

    def contents(self, puzzle: MagicSquare) -> tuple[str, ...]:
        return tuple(str(puzzle.least + step) for step in range(9))

    def measure_difficulty(self, puzzle: MagicSquare) -> dict[str, float]:
        return {
            **super().measure_difficulty(puzzle),
            "lines_with_one_empty_square": _count_ready(puzzle.numbers),
            "squares_that_single_sums_leave_empty": _complete_lines(puzzle).count(0),
        }

    def solve(self, puzzle: MagicSquare) -> Iterator[Answer]:
        for square in _list_squares(puzzle.least):
            if all(known in (0, number) for known, number in zip(puzzle.numbers, square, strict=True)):
                yield {
                    f"r{place // 3}c{place % 3}": str(number)
                    for place, number in enumerate(square) if not puzzle.numbers[place]
                }  # fmt: skip


def _list_squares(least: int) -> list[Numbers]:
    """Return the eight magic squares: one, turned and mirrored."""
    square, found = tuple(number + least - 1 for number in _UPRIGHT), []
    for _ in range(4):
        square = tuple(square[place] for place in _TURN)
        found += [square, tuple(square[place] for place in _FLIP)]
    return found


def _count_ready(numbers: Numbers) -> int:
    return sum([numbers[i] for i in line].count(0) == 1 for line in LINES)


def _complete_lines(puzzle: MagicSquare) -> Numbers:
    """Return the square with what sums of single lines give, one after another."""
    numbers, total = list(puzzle.numbers), 3 * puzzle.least + 12
    while ready := [line for line in LINES if [numbers[i] for i in line].count(0) == 1]:
        known = [numbers[i] for i in ready[0]]
        numbers[ready[0][known.index(0)]] = total - sum(known)
    return tuple(numbers)


TASK = MagicSquareTask()
