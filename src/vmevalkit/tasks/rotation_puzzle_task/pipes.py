"""Pipe pieces on a grid: the sides that they open to, rotating them, and whether all of them are connected.

The sides of a piece are the bits of one integer: 1 top, 2 right, 4 bottom, 8 left. A quarter turn clockwise moves each
bit to the next. Pieces of a grid are listed row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

TOP, RIGHT, BOTTOM, LEFT = 1, 2, 4, 8
SIDES = {"top": TOP, "right": RIGHT, "bottom": BOTTOM, "left": LEFT}
KINDS = {"L": TOP | RIGHT, "I": TOP | BOTTOM, "T": TOP | RIGHT | LEFT}
"""Open sides of each kind of piece at 0 quarter turns."""
QUARTERS = {"L": 4, "I": 2, "T": 4}
"""Number of distinct orientations of each kind; a straight pipe looks the same after half a turn."""


def rotate_sides(sides: int, quarters: int) -> int:
    """Return the sides after some quarter turns clockwise."""
    quarters %= 4
    return (sides << quarters | sides >> 4 - quarters) & 15


@lru_cache(maxsize=32)
def classify_sides(sides: int) -> tuple[str, int] | None:
    """Return the kind of a piece and its quarter turns; None for sides that no kind has."""
    for kind, base in KINDS.items():
        for quarters in range(QUARTERS[kind]):
            if rotate_sides(base, quarters) == sides:
                return kind, quarters
    return None


def get_sides(kind: str, quarters: int) -> int:
    """Return the open sides of a kind after some quarter turns clockwise."""
    return rotate_sides(KINDS[kind], quarters)


def name_sides(sides: int) -> tuple[str, ...]:
    """Return the names of the sides, clockwise from the top."""
    return tuple(name for name, bit in SIDES.items() if sides & bit)


@lru_cache(maxsize=65536)
def find_group_sizes(rows: int, cols: int, pieces: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sizes of the groups of squares that are connected through matching ends, the largest first."""
    parents = list(range(rows * cols))

    def find_root(place: int) -> int:
        while parents[place] != place:
            place = parents[place]
        return place

    for place, sides in enumerate(pieces):
        if sides & RIGHT and (place + 1) % cols and pieces[place + 1] & LEFT:
            parents[find_root(place)] = find_root(place + 1)
        if sides & BOTTOM and place + cols < len(pieces) and pieces[place + cols] & TOP:
            parents[find_root(place)] = find_root(place + cols)
    roots = [find_root(place) for place in range(len(pieces))]
    return tuple(sorted((roots.count(root) for root in set(roots)), reverse=True))


def is_connected(rows: int, cols: int, pieces: Sequence[int]) -> bool:
    """Return whether all squares are in one group."""
    return find_group_sizes(rows, cols, tuple(pieces))[0] == rows * cols


def is_matched(rows: int, cols: int, pieces: Sequence[int]) -> bool:
    """Return whether every end meets another end or the edge of the grid, so that nobody sees a gap."""
    for place, sides in enumerate(pieces):
        if (place + 1) % cols and bool(sides & RIGHT) != bool(pieces[place + 1] & LEFT):
            return False
        if place + cols < rows * cols and bool(sides & BOTTOM) != bool(pieces[place + cols] & TOP):
            return False
    return True
