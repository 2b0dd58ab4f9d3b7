"""Pipe pieces on a grid: which sides they open to, turning them, and when all of them are connected.

The sides of a piece are the bits of one integer: 1 top, 2 right, 4 bottom, 8 left. A quarter turn clockwise moves each
to the next. Pieces of a grid are listed row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

TOP, RIGHT, BOTTOM, LEFT = 1, 2, 4, 8
SIDES = {"top": TOP, "right": RIGHT, "bottom": BOTTOM, "left": LEFT}
KINDS = {"L": TOP | RIGHT, "I": TOP | BOTTOM, "T": TOP | RIGHT | LEFT}
"""Each kind of piece as it lies at 0 quarters."""
QUARTERS = {"L": 4, "I": 2, "T": 4}
"""How many ways a kind can lie; a straight pipe looks the same after half a turn."""


def turned(sides: int, quarters: int) -> int:
    """After so many quarter turns clockwise."""
    quarters %= 4
    return (sides << quarters | sides >> 4 - quarters) & 15


@lru_cache(maxsize=32)
def lying(sides: int) -> tuple[str, int] | None:
    """The kind of a piece and its quarters; None for sides that no kind has."""
    for kind, base in KINDS.items():
        for quarters in range(QUARTERS[kind]):
            if turned(base, quarters) == sides:
                return kind, quarters
    return None


def sides_of(kind: str, quarters: int) -> int:
    return turned(KINDS[kind], quarters)


def names(sides: int) -> tuple[str, ...]:
    """The sides in words, clockwise from the top."""
    return tuple(name for name, bit in SIDES.items() if sides & bit)


@lru_cache(maxsize=65536)
def components(rows: int, cols: int, pieces: tuple[int, ...]) -> tuple[int, ...]:
    """Sizes of the groups of squares that hang together through matched ends, the largest first."""
    root = list(range(rows * cols))

    def top_of(place: int) -> int:
        while root[place] != place:
            place = root[place]
        return place

    for place, sides in enumerate(pieces):
        if sides & RIGHT and (place + 1) % cols and pieces[place + 1] & LEFT:
            root[top_of(place)] = top_of(place + 1)
        if sides & BOTTOM and place + cols < len(pieces) and pieces[place + cols] & TOP:
            root[top_of(place)] = top_of(place + cols)
    tops = [top_of(place) for place in range(len(pieces))]
    return tuple(sorted((tops.count(top) for top in set(tops)), reverse=True))


def connected(rows: int, cols: int, pieces: Sequence[int]) -> bool:
    """Whether all squares are in one group."""
    return components(rows, cols, tuple(pieces))[0] == rows * cols
