"""Grids of digits: their rows, columns and boxes, solving them, and listing the small ones.

A grid is a tuple of its cells row by row; 0 is a blank. Sets of digits and sets of cells are integers with one bit for
each element: bit d for the digit d, bit i for the cell i.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

import numpy as np
from numpy.typing import NDArray

Grid = tuple[int, ...]

BOXES = {3: None, 4: (2, 2), 9: (3, 3)}
"""Height and width of a box by order; a Latin square of order 3 has none."""
MAX_LISTED_ORDER = 4
"""Up to this order every grid can be listed."""


@dataclass(frozen=True, slots=True)
class GridUnits:
    """Rows, columns and boxes of grids of one order."""

    order: int
    """Cells along each side."""
    digits: int
    """All digits, as a set."""
    units: tuple[tuple[int, ...], ...]
    """The cells of each row, column and box: each holds every digit once."""
    units_of: tuple[tuple[int, ...], ...]
    """For each cell, the numbers of its units."""
    peers: tuple[tuple[int, ...], ...]
    """For each cell, the cells that must not hold the same digit."""


@lru_cache(maxsize=8)
def units_for(order: int) -> GridUnits:
    """Return the units of grids of this order."""
    line = range(order)
    units = [tuple(row * order + column for column in line) for row in line]
    units += [tuple(row * order + column for row in line) for column in line]
    box = BOXES[order]
    if box:
        height, width = box
        corners = [(top, left) for top in range(0, order, height) for left in range(0, order, width)]
        units += [
            tuple((top + row) * order + left + column for row in range(height) for column in range(width))
            for top, left in corners
        ]
    cells = range(order * order)
    units_of = tuple(tuple(number for number, unit in enumerate(units) if cell in unit) for cell in cells)
    peers = tuple(tuple(sorted({c for n in units_of[cell] for c in units[n]} - {cell})) for cell in cells)
    return GridUnits(order, (2 << order) - 2, tuple(units), units_of, peers)


def count_conflicts(order: int, grid: Sequence[int]) -> int:
    """Return how many digits are repeated in a unit, summed over all units. Blanks do not count."""
    repeated = 0
    for unit in units_for(order).units:
        digits = [grid[cell] for cell in unit if grid[cell]]
        repeated += len(digits) - len(set(digits))
    return repeated


def find_candidates(units: GridUnits, grid: Sequence[int], cell: int) -> int:
    """Return the digits that no peer of the cell holds, as a set."""
    used = 0
    for peer in units.peers[cell]:
        used |= 1 << grid[peer]
    return units.digits & ~used


class Solver:
    """Finds the solutions of a grid by search, the cell with the fewest candidates first."""

    def __init__(self, order: int, grid: Sequence[int], rng: Random | None = None) -> None:
        """Digits are tried in a random order if ``rng`` is given, otherwise from the smallest."""
        self._units = units_for(order)
        self._grid = list(grid)
        self._rng = rng
        self._unused = [self._units.digits] * len(self._units.units)
        """For each unit, the digits that it does not hold yet, as a set."""
        self._blanks = [cell for cell, digit in enumerate(grid) if digit == 0]
        self._is_legal = True
        for cell, digit in enumerate(grid):
            if digit:
                self._is_legal &= self._place(cell, 1 << digit)

    def iter_solutions(self) -> Iterator[Grid]:
        """Yield the solutions; none if the grid itself breaks the rules."""
        if self._is_legal:
            yield from self._search()

    def _search(self) -> Iterator[Grid]:
        if not self._blanks:
            yield tuple(self._grid)
            return
        place, candidates = self._find_most_constrained()
        if not candidates:
            return
        blanks = self._blanks
        cell = blanks[place]
        blanks[place] = blanks[-1]
        blanks.pop()
        for digit in self._order_digits(candidates):
            self._place(cell, 1 << digit)
            self._grid[cell] = digit
            yield from self._search()
            self._remove(cell, 1 << digit)
        self._grid[cell] = 0
        blanks.append(cell)
        blanks[place], blanks[-1] = blanks[-1], blanks[place]

    def _find_most_constrained(self) -> tuple[int, int]:
        """Return the index in the list of blanks with the fewest candidates, and these candidates."""
        unused, units_of = self._unused, self._units.units_of
        best, fewest, best_candidates = 0, 99, 0
        for place, cell in enumerate(self._blanks):
            candidates = self._units.digits
            for unit in units_of[cell]:
                candidates &= unused[unit]
            count = candidates.bit_count()
            if count < fewest:
                best, fewest, best_candidates = place, count, candidates
                if count <= 1:
                    break
        return best, best_candidates

    def _order_digits(self, candidates: int) -> list[int]:
        digits = [digit for digit in range(1, self._units.order + 1) if candidates >> digit & 1]
        if self._rng:
            self._rng.shuffle(digits)
        return digits

    def _place(self, cell: int, bit: int) -> bool:
        """Mark the digit as used in the cell's units. Return whether it was unused in all of them."""
        was_unused = True
        for unit in self._units.units_of[cell]:
            was_unused &= bool(self._unused[unit] & bit)
            self._unused[unit] &= ~bit
        return was_unused

    def _remove(self, cell: int, bit: int) -> None:
        for unit in self._units.units_of[cell]:
            self._unused[unit] |= bit


def solve(order: int, grid: Sequence[int], limit: int = 2) -> list[Grid]:
    """Return the first ``limit`` solutions."""
    solutions: list[Grid] = []
    for solution in Solver(order, grid).iter_solutions():
        solutions.append(solution)
        if len(solutions) == limit:
            break
    return solutions


def sample_grid(rng: Random, order: int) -> Grid:
    """Return a random full grid."""
    if order <= MAX_LISTED_ORDER:
        return rng.choice(list_grids(order))
    first_row = list(range(1, order + 1))
    rng.shuffle(first_row)
    return next(Solver(order, first_row + [0] * (order * order - order), rng).iter_solutions())


@lru_cache(maxsize=4)
def list_grids(order: int) -> tuple[Grid, ...]:
    """Return every full grid of a small order: 12 Latin squares of order 3, 288 grids of order 4."""
    return tuple(Solver(order, [0] * order * order).iter_solutions())


def remove_digits(rng: Random, order: int, solution: Grid, blanks: int) -> Grid | None:
    """Return the solution with this many blanks, still its only solution.

    Return None if no further digit can be removed in the random order that was tried.
    """
    units, grid = units_for(order), list(solution)
    cells = list(range(len(grid)))
    rng.shuffle(cells)
    removed = 0
    for cell in cells:
        if removed == blanks:
            break
        digit, grid[cell] = grid[cell], 0
        if _is_only_digit(units, grid, cell, digit):
            removed += 1
        else:
            grid[cell] = digit
    return tuple(grid) if removed == blanks else None


def _is_only_digit(units: GridUnits, grid: list[int], cell: int, digit: int) -> bool:
    """Return whether the blank cell can only hold the digit, in a grid that has one solution with it."""
    others = find_candidates(units, grid, cell) & ~(1 << digit)
    if not others:
        return True
    for number in units.units_of[cell]:
        if not any(
            find_candidates(units, grid, blank) >> digit & 1
            for blank in units.units[number]
            if blank != cell and not grid[blank]
        ):
            return True  # no other cell of the unit can hold the digit
    for other in range(1, units.order + 1):
        if others >> other & 1:
            grid[cell] = other
            is_solvable = any(True for _ in Solver(units.order, grid).iter_solutions())
            grid[cell] = 0
            if is_solvable:
                return False
    return True


def list_unique_blanks(order: int, blanks: int) -> tuple[NDArray[np.int64], ...]:
    """Return for each full grid of a small order the sets of blanks that leave it as the only solution.

    A set of blanks allows another solution if it contains all cells in which some other grid differs.
    """
    grids = np.array(list_grids(order))
    cells = order * order
    bits = np.left_shift(1, np.arange(cells))
    sets = np.arange(1 << cells)
    sets = sets[np.bitwise_count(sets) == blanks]
    unique_sets = []
    for grid in grids:
        is_unique = np.ones(len(sets), np.bool_)
        for difference in np.unique(((grids != grid) * bits).sum(axis=1))[1:]:
            if difference.bit_count() <= blanks:
                is_unique &= (sets & difference) != difference
        unique_sets.append(sets[is_unique])
    return tuple(unique_sets)
