"""Sudoku puzzles: their parameters, states, sampling, listing, certification and reference solution."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import Annotated, Literal, overload

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.core.ranges import Range
from vmevalkit.tasks.sudoku_task.grids import (
    BOXES,
    MAX_LISTED_ORDER,
    Grid,
    count_conflicts,
    find_candidates,
    list_grids,
    list_unique_blanks,
    remove_digits,
    sample_grid,
    solve,
    units_for,
)

MAX_BLANKS = {3: 7, 4: 12, 9: 54}
"""More blanks than this leave two solutions or, in 9 x 9, nearly always do."""
MAX_LISTED = 40_000
"""Up to this many puzzles are listed; if there are more, puzzles are sampled."""
_MAX_TRIES = 200
_FADE_IN = (0.2, 0.95)
"""Each blank has an equal share of the solution video. Within it, its digit fades in between these times."""

VISIBLE_OPACITY, FULL_OPACITY = 0.15, 0.5
"""Weaker ink than the first is nothing; ink between the two is a digit that fades in or out, not yet an answer."""
BLANK_CELL, FAINT, UNCLEAR = 0, -1, -2
"""Values of a cell without a digit: nothing; a digit that fades; several digits, or a mark that is not a digit."""

Face = Literal["print", "plain", "serif", "hand"]
"""How a digit is drawn: as in the question, in other typefaces, or handwritten."""


@dataclass(frozen=True, slots=True)
class SudokuParams:
    """Parameters of sudoku puzzles."""

    order: int = 3
    """Cells along each side: 3 (a Latin square), 4 (boxes of 2 x 2) or 9 (boxes of 3 x 3)."""
    blanks: int = 1
    """Number of empty cells: up to 7, 12 or 54."""

    def __post_init__(self) -> None:
        if self.order not in BOXES:
            raise UsageError(
                f"sudoku: order={self.order!r} is not possible; choose one of {', '.join(map(str, BOXES))}"
            )
        limit = MAX_BLANKS[self.order]
        if not 1 <= self.blanks <= limit:
            raise UsageError(
                f"sudoku: blanks={self.blanks!r} is not possible with order={self.order}; choose 1 to {limit}"
            )


@dataclass(frozen=True, slots=True)
class Sudoku:
    """One puzzle."""

    order: Annotated[int, Range(min(BOXES), max(BOXES))]
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
class CellInk:
    """What one cell shows."""

    digits: tuple[int, ...] = ()
    """From left to right; empty in a blank, several if it holds more than one. 0 is a mark that is not a digit."""
    opacity: float = 1.0
    """0 is nothing, 1 is as strong as the digits of the question."""
    face: Face = "print"
    """How it is drawn. It is not read back: a digit counts in any typeface."""
    written_share: float = 1.0
    """The part of a handwritten digit that is written so far."""

    @property
    def value(self) -> int:
        """The digit that the cell holds, or BLANK_CELL, FAINT or UNCLEAR."""
        if not self.digits or self.opacity < VISIBLE_OPACITY:
            return BLANK_CELL
        if self.opacity < FULL_OPACITY:
            return FAINT
        return self.digits[0] if len(self.digits) == 1 and self.digits[0] else UNCLEAR


BLANK = CellInk()


@dataclass(frozen=True, slots=True)
class SudokuState:
    """The whole scene at one time."""

    cells: tuple[CellInk, ...]
    """Row by row."""
    unseen: frozenset[int] = field(default=frozenset(), compare=False)
    """Cells that something hid. They are taken to be as they were last seen."""

    @property
    def values(self) -> tuple[int, ...]:
        """The value of each cell."""
        return tuple(ink.value for ink in self.cells)


def sample_sudoku(rng: Random, params: SudokuParams) -> Sudoku:
    """Return a random grid from which digits were removed while it kept one solution."""
    for _ in range(_MAX_TRIES):
        solution = sample_grid(rng, params.order)
        givens = remove_digits(rng, params.order, solution, params.blanks)
        if givens is not None:
            return Sudoku(params.order, givens, solution)
    raise Uncertified(f"no sudoku with {params.blanks} blanks found in {_MAX_TRIES} tries; choose fewer blanks")


@lru_cache(maxsize=32)
def count_sudokus(params: SudokuParams) -> int | None:
    """Return how many puzzles there are; None for orders too large to count."""
    if params.order > MAX_LISTED_ORDER:
        return None
    return sum(len(sets) for sets in list_unique_blanks(params.order, params.blanks))


class SudokuListing(Sequence[Sudoku]):
    """Every puzzle of a small order, built on access."""

    def __init__(self, params: SudokuParams) -> None:
        self._order = params.order
        self._blank_sets = list_unique_blanks(params.order, params.blanks)
        self._starts = [0, *accumulate(len(sets) for sets in self._blank_sets)]

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
        blanks = int(self._blank_sets[number][place - self._starts[number]])
        solution = list_grids(self._order)[number]
        givens = tuple(0 if blanks >> cell & 1 else digit for cell, digit in enumerate(solution))
        return Sudoku(self._order, givens, solution)


@lru_cache(maxsize=8)
def list_sudokus(params: SudokuParams) -> SudokuListing | None:
    """Return every puzzle with these params, or None if there are too many to list."""
    count = count_sudokus(params)
    return SudokuListing(params) if count is not None and count <= MAX_LISTED else None


def certify_sudoku(puzzle: Sudoku) -> None:
    """Raise Uncertified unless the puzzle has blanks and its named solution is the only one."""
    if puzzle.order not in BOXES:
        raise Uncertified(f"order={puzzle.order}; it must be one of {', '.join(map(str, BOXES))}")
    cells = puzzle.order**2
    if len(puzzle.givens) != cells or not all(0 <= digit <= puzzle.order for digit in puzzle.givens):
        raise Uncertified(f"the givens are not {cells} cells with digits from 0 to {puzzle.order}")
    if not puzzle.blanks:
        raise Uncertified("the sudoku has no blank: it is solved at the start")
    if count_conflicts(puzzle.order, puzzle.givens):
        raise Uncertified("the givens break the rules: a row, column or box holds a digit twice")
    solutions = solve(puzzle.order, puzzle.givens)
    if len(solutions) != 1:
        raise Uncertified(f"the sudoku has {'several solutions' if solutions else 'no solution'}; it must have one")
    if solutions[0] != puzzle.solution:
        raise Uncertified("the solution that the sudoku names is not its solution")


def make_printed_state(digits: Sequence[int]) -> SudokuState:
    """Return the scene with these digits, in the question's typeface."""
    return SudokuState(tuple(CellInk((digit,)) if digit else BLANK for digit in digits))


@lru_cache(maxsize=256)
def filling_order(puzzle: Sudoku) -> tuple[int, ...]:
    """Return the blanks in the order a person fills them: a cell with the fewest candidates, the topmost of these."""
    units, grid, order = units_for(puzzle.order), list(puzzle.givens), []
    blanks = list(puzzle.blanks)
    while blanks:
        cell = min(blanks, key=lambda blank: find_candidates(units, grid, blank).bit_count())
        grid[cell] = puzzle.solution[cell]
        blanks.remove(cell)
        order.append(cell)
    return tuple(order)


def solution_at(puzzle: Sudoku, t: float) -> SudokuState:
    """Return the reference solution at time t: the digits fade in one after another."""
    if t <= 0:
        return make_printed_state(puzzle.givens)
    if t >= 1:
        return make_printed_state(puzzle.solution)
    return fill_blanks(puzzle, puzzle.solution, t, filling_order(puzzle))


def fill_blanks(
    puzzle: Sudoku, answer: Sequence[int], t: float, order: Sequence[int], face: Face = "print"
) -> SudokuState:
    """Return the state at time t of filling the blanks with an answer, one after another in this order."""
    cells = list(make_printed_state(puzzle.givens).cells)
    for place, cell in enumerate(order):
        share = _fade_share(t, place, len(order))
        if share > 0:
            is_handwritten = face == "hand"
            opacity, written_share = (1.0, share) if is_handwritten else (share, 1.0)
            cells[cell] = CellInk((answer[cell],), opacity, face, written_share)
    return SudokuState(tuple(cells))


def _fade_share(t: float, place: int, count: int) -> float:
    """Return how far the digit at this place of the order has faded in at time t, from 0 to 1."""
    begin, end = _FADE_IN
    return min(max((t * count - place - begin) / (end - begin), 0.0), 1.0)
