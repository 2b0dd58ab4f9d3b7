"""Grids of digits: their rows, columns and boxes, solving them, and listing the small ones.

A grid is its cells row by row; 0 stands for a blank. Sets of digits and sets of cells are the bits of one integer:
bit d for the digit d, bit i for the cell i.
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
SMALL = 4
"""Up to this order every grid can be listed."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What belongs together in a grid of one order."""

    order: int
    digits: int
    """All digits, as a set."""
    units: tuple[tuple[int, ...], ...]
    """Rows, then columns, then boxes: each holds every digit once."""
    units_of: tuple[tuple[int, ...], ...]
    """For each cell, the numbers of its units."""
    peers: tuple[tuple[int, ...], ...]
    """For each cell, the cells that must not hold the same digit."""


@lru_cache(maxsize=8)
def layout_of(order: int) -> Layout:
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
    return Layout(order, (2 << order) - 2, tuple(units), units_of, peers)


def conflicts(order: int, grid: Sequence[int]) -> int:
    """How many digits stand in a unit more than once, over all units. Blanks do not count."""
    repeated = 0
    for unit in layout_of(order).units:
        filled = [grid[cell] for cell in unit if grid[cell]]
        repeated += len(filled) - len(set(filled))
    return repeated


def open_digits(layout: Layout, grid: Sequence[int], cell: int) -> int:
    """The digits that no peer of the cell holds, as a set."""
    taken = 0
    for peer in layout.peers[cell]:
        taken |= 1 << grid[peer]
    return layout.digits & ~taken


class Solver:
    """Finds the solutions of a grid: the cell with the fewest digits left first."""

    def __init__(self, order: int, grid: Sequence[int], rng: Random | None = None) -> None:
        """Digits are tried in a random order where ``rng`` is given, else from the smallest."""
        self._layout = layout_of(order)
        self._grid = list(grid)
        self._rng = rng
        self._left = [self._layout.digits] * len(self._layout.units)
        self._blanks = [cell for cell, digit in enumerate(grid) if digit == 0]
        self._possible = True
        for cell, digit in enumerate(grid):
            if digit:
                self._possible &= self._place(cell, 1 << digit)

    def solutions(self) -> Iterator[Grid]:
        """One after the other; none where the grid itself breaks the rules."""
        if self._possible:
            yield from self._search()

    def _search(self) -> Iterator[Grid]:
        if not self._blanks:
            yield tuple(self._grid)
            return
        place, options = self._narrowest()
        if not options:
            return
        blanks = self._blanks
        cell = blanks[place]
        blanks[place] = blanks[-1]
        blanks.pop()
        for digit in self._ordered(options):
            self._place(cell, 1 << digit)
            self._grid[cell] = digit
            yield from self._search()
            self._lift(cell, 1 << digit)
        self._grid[cell] = 0
        blanks.append(cell)
        blanks[place], blanks[-1] = blanks[-1], blanks[place]

    def _narrowest(self) -> tuple[int, int]:
        """The place in the list of blanks with the fewest digits left, and those digits."""
        left, units_of = self._left, self._layout.units_of
        best, fewest, options = 0, 99, 0
        for place, cell in enumerate(self._blanks):
            here = self._layout.digits
            for unit in units_of[cell]:
                here &= left[unit]
            count = here.bit_count()
            if count < fewest:
                best, fewest, options = place, count, here
                if count <= 1:
                    break
        return best, options

    def _ordered(self, options: int) -> list[int]:
        digits = [digit for digit in range(1, self._layout.order + 1) if options >> digit & 1]
        if self._rng:
            self._rng.shuffle(digits)
        return digits

    def _place(self, cell: int, bit: int) -> bool:
        """Take the digit from the cell's units; whether all of them still had it."""
        free = True
        for unit in self._layout.units_of[cell]:
            free &= bool(self._left[unit] & bit)
            self._left[unit] &= ~bit
        return free

    def _lift(self, cell: int, bit: int) -> None:
        for unit in self._layout.units_of[cell]:
            self._left[unit] |= bit


def solve(order: int, grid: Sequence[int], most: int = 2) -> list[Grid]:
    """The first ``most`` solutions."""
    found: list[Grid] = []
    for solution in Solver(order, grid).solutions():
        found.append(solution)
        if len(found) == most:
            break
    return found


def random_grid(rng: Random, order: int) -> Grid:
    """A full grid."""
    if order <= SMALL:
        return rng.choice(all_grids(order))
    first = list(range(1, order + 1))
    rng.shuffle(first)
    return next(Solver(order, first + [0] * (order * order - order), rng).solutions())


@lru_cache(maxsize=4)
def all_grids(order: int) -> tuple[Grid, ...]:
    """Every full grid of a small order: 12 Latin squares of order 3, 288 grids of order 4."""
    return tuple(Solver(order, [0] * order * order).solutions())


def dig(rng: Random, order: int, solution: Grid, blanks: int) -> Grid | None:
    """The solution with so many blanks, still its only solution; None where this order of digging gets stuck."""
    layout, grid = layout_of(order), list(solution)
    cells = list(range(len(grid)))
    rng.shuffle(cells)
    dug = 0
    for cell in cells:
        if dug == blanks:
            break
        digit, grid[cell] = grid[cell], 0
        if _stays_unique(layout, grid, cell, digit):
            dug += 1
        else:
            grid[cell] = digit
    return tuple(grid) if dug == blanks else None


def _stays_unique(layout: Layout, grid: list[int], cell: int, digit: int) -> bool:
    """Whether the blank cell can hold nothing but the digit, in a grid that had one solution with it."""
    others = open_digits(layout, grid, cell) & ~(1 << digit)
    if not others:
        return True
    for number in layout.units_of[cell]:
        if not any(
            open_digits(layout, grid, mate) >> digit & 1
            for mate in layout.units[number]
            if mate != cell and not grid[mate]
        ):
            return True  # no other cell of the unit can hold the digit
    for other in range(1, layout.order + 1):
        if others >> other & 1:
            grid[cell] = other
            solvable = any(True for _ in Solver(layout.order, grid).solutions())
            grid[cell] = 0
            if solvable:
                return False
    return True


def unique_blanks(order: int, blanks: int) -> tuple[NDArray[np.int64], ...]:
    """For each full grid of a small order, the sets of so many blanks that leave it the only solution.

    A set of blanks leaves another solution when it holds all cells in which some other grid differs.
    """
    grids = np.array(all_grids(order))
    cells = order * order
    bits = np.left_shift(1, np.arange(cells))
    sets = np.arange(1 << cells)
    sets = sets[np.bitwise_count(sets) == blanks]
    found = []
    for grid in grids:
        unique = np.ones(len(sets), np.bool_)
        for difference in np.unique(((grids != grid) * bits).sum(axis=1))[1:]:
            if difference.bit_count() <= blanks:
                unique &= (sets & difference) != difference
        found.append(sets[unique])
    return tuple(found)
