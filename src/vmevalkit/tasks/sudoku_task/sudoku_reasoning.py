"""Making sudokus: knobs, the puzzle and its states, sampling, listing, the proof of one solution, the solution film."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import Literal, overload

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.tasks.sudoku_task.grids import (
    BOXES,
    SMALL,
    Grid,
    all_grids,
    conflicts,
    dig,
    layout_of,
    open_digits,
    random_grid,
    solve,
    unique_blanks,
)

MOST_BLANKS = {3: 7, 4: 12, 9: 54}
"""More blanks than this leave two solutions, or, in 9 x 9, nearly always."""
LISTED = 40_000
"""As many puzzles, or fewer, are listed; of more, puzzles are drawn by chance."""
_TRIES = 200
_FADE = (0.2, 0.95)
"""Each blank has an equal share of the solution film; within it its digit comes up between these times."""

VISIBLE, FULL = 0.15, 0.5
"""Ink that is weaker is nothing; ink between the two is a digit on its way in or out, and no answer yet."""
BLANK_CELL, FAINT, UNCLEAR = 0, -1, -2
"""What a cell amounts to that holds no digit: nothing; a digit on its way; several digits, or a mark that is none."""

Face = Literal["print", "plain", "serif", "hand"]
"""How a digit is drawn: as in the question, in other typefaces, or by hand."""


@dataclass(frozen=True, slots=True)
class SudokuKnobs:
    """What can be turned about sudokus."""

    order: int = 3
    """Cells along each side: 3 (a Latin square), 4 (boxes of 2 x 2) or 9 (boxes of 3 x 3)."""
    blanks: int = 1
    """How many cells are empty: up to 7, 12 or 54."""

    def __post_init__(self) -> None:
        if self.order not in BOXES:
            raise UsageError(f"sudoku: order={self.order!r} is impossible; wanted one of {', '.join(map(str, BOXES))}")
        most = MOST_BLANKS[self.order]
        if not 1 <= self.blanks <= most:
            raise UsageError(
                f"sudoku: blanks={self.blanks!r} is impossible with order={self.order}; wanted 1 to {most}"
            )


@dataclass(frozen=True, slots=True)
class Sudoku:
    """One puzzle."""

    order: int
    """Cells along each side."""
    givens: Grid
    """Row by row; 0 is a blank."""
    solution: Grid
    """The only way to fill the blanks."""

    @property
    def blanks(self) -> tuple[int, ...]:
        """The numbers of the empty cells."""
        return tuple(cell for cell, digit in enumerate(self.givens) if not digit)


@dataclass(frozen=True, slots=True)
class Ink:
    """What one cell shows."""

    digits: tuple[int, ...] = ()
    """From left to right; none in a blank, several where more than one stands there. 0 is a mark that is no digit."""
    opacity: float = 1.0
    """0 is nothing, 1 as strong as the digits of the question."""
    face: Face = "print"
    """How it is drawn. It is not read back: a digit is a digit in any typeface."""
    written: float = 1.0
    """How much of it is written so far, for a digit by hand."""

    @property
    def value(self) -> int:
        """The digit that stands there, or BLANK_CELL, FAINT or UNCLEAR."""
        if not self.digits or self.opacity < VISIBLE:
            return BLANK_CELL
        if self.opacity < FULL:
            return FAINT
        return self.digits[0] if len(self.digits) == 1 and self.digits[0] else UNCLEAR


BLANK = Ink()


@dataclass(frozen=True, slots=True)
class SudokuState:
    """The whole scene at one time."""

    cells: tuple[Ink, ...]
    """Row by row."""

    @property
    def values(self) -> tuple[int, ...]:
        """What each cell amounts to."""
        return tuple(ink.value for ink in self.cells)


def sample(rng: Random, knobs: SudokuKnobs) -> Sudoku:
    """A random grid, dug out cell by cell as long as it has one solution."""
    for _ in range(_TRIES):
        solution = random_grid(rng, knobs.order)
        givens = dig(rng, knobs.order, solution, knobs.blanks)
        if givens is not None:
            return Sudoku(knobs.order, givens, solution)
    raise Uncertified(f"no sudoku with {knobs.blanks} blanks in {_TRIES} tries; choose fewer blanks")


@lru_cache(maxsize=32)
def counted(knobs: SudokuKnobs) -> int | None:
    """How many puzzles there are; None for orders too large to count."""
    if knobs.order > SMALL:
        return None
    return sum(len(sets) for sets in unique_blanks(knobs.order, knobs.blanks))


class Listing(Sequence[Sudoku]):
    """Every puzzle of a small order, each made when it is asked for."""

    def __init__(self, knobs: SudokuKnobs) -> None:
        self._order = knobs.order
        self._sets = unique_blanks(knobs.order, knobs.blanks)
        self._starts = [0, *accumulate(len(sets) for sets in self._sets)]

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, index: int) -> Sudoku: ...
    @overload
    def __getitem__(self, index: slice) -> list[Sudoku]: ...
    def __getitem__(self, index: int | slice) -> Sudoku | list[Sudoku]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        number = bisect_right(self._starts, place) - 1
        blanks = int(self._sets[number][place - self._starts[number]])
        solution = all_grids(self._order)[number]
        givens = tuple(0 if blanks >> cell & 1 else digit for cell, digit in enumerate(solution))
        return Sudoku(self._order, givens, solution)


@lru_cache(maxsize=8)
def listing(knobs: SudokuKnobs) -> Listing | None:
    """Every puzzle with these knobs, or None where they are too many to list."""
    count = counted(knobs)
    return Listing(knobs) if count is not None and count <= LISTED else None


def key(puzzle: Sudoku) -> Hashable:
    """Puzzles that differ in a digit or a blank are different questions, turned and relabelled ones too."""
    return puzzle.givens


def certify(puzzle: Sudoku) -> None:
    """Raises Uncertified unless the puzzle has blanks and exactly one solution, which is the one it names."""
    if puzzle.order not in BOXES:
        raise Uncertified(f"order={puzzle.order}; wanted one of {', '.join(map(str, BOXES))}")
    cells = puzzle.order**2
    if len(puzzle.givens) != cells or not all(0 <= digit <= puzzle.order for digit in puzzle.givens):
        raise Uncertified(f"the givens are not {cells} cells with digits from 0 to {puzzle.order}")
    if not puzzle.blanks:
        raise Uncertified("the sudoku has no blank: it is solved at the start")
    if conflicts(puzzle.order, puzzle.givens):
        raise Uncertified("the givens break the rules: a digit stands twice in a row, a column or a box")
    found = solve(puzzle.order, puzzle.givens)
    if len(found) != 1:
        raise Uncertified(f"the sudoku has {'several solutions' if found else 'no solution'}; wanted one")
    if found[0] != puzzle.solution:
        raise Uncertified("the solution that the sudoku names is not its solution")


def printed(digits: Sequence[int]) -> SudokuState:
    """The scene with these digits, in the question's typeface."""
    return SudokuState(tuple(Ink((digit,)) if digit else BLANK for digit in digits))


@lru_cache(maxsize=256)
def filling_order(puzzle: Sudoku) -> tuple[int, ...]:
    """The blanks as a person fills them: always a cell with the fewest digits left, the topmost of these."""
    layout, grid, order = layout_of(puzzle.order), list(puzzle.givens), []
    blanks = list(puzzle.blanks)
    while blanks:
        cell = min(blanks, key=lambda blank: open_digits(layout, grid, blank).bit_count())
        grid[cell] = puzzle.solution[cell]
        blanks.remove(cell)
        order.append(cell)
    return tuple(order)


def solution(puzzle: Sudoku, t: float) -> SudokuState:
    """The digits come up one after another."""
    if t <= 0:
        return printed(puzzle.givens)
    if t >= 1:
        return printed(puzzle.solution)
    return filled(puzzle, puzzle.solution, t, filling_order(puzzle))


def filled(puzzle: Sudoku, answer: Sequence[int], t: float, order: Sequence[int], face: Face = "print") -> SudokuState:
    """The blanks filled with an answer, one after another in this order, up to time t."""
    cells = list(printed(puzzle.givens).cells)
    for place, cell in enumerate(order):
        opacity = share_of(t, place, len(order))
        if opacity > 0:
            by_hand = face == "hand"
            cells[cell] = Ink((answer[cell],), 1.0 if by_hand else opacity, face, opacity if by_hand else 1.0)
    return SudokuState(tuple(cells))


def share_of(t: float, place: int, count: int) -> float:
    """How far the digit at this place of the order has come at time t, from 0 to 1."""
    begin, end = _FADE
    return min(max((t * count - place - begin) / (end - begin), 0.0), 1.0)
