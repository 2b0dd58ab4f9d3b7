"""The cheapest connected arrangement, by dynamic programming along a frontier.

Squares are laid column by column. All that counts of those laid so far is which open ends still point at squares to
come, and which of these hang together already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

from vmevalkit.tasks.rotation_puzzle_task.pipes import BOTTOM, LEFT, RIGHT, TOP

Option: TypeAlias = tuple[int, float]
"""The sides that a square may open to, and what that costs."""
_Frontier: TypeAlias = tuple[int, ...]
"""For each row the group of the open end that points right, or 0; last, of the one that points down."""
_Laid: TypeAlias = "tuple[float, tuple[int, _Laid] | None]"
"""The cost so far, and the last piece with what was laid before it."""


def cheapest(rows: int, cols: int, options: Sequence[Sequence[Option]]) -> tuple[float, tuple[int, ...]] | None:
    """The cost and the pieces of the cheapest connected arrangement; None where there is none.

    ``options`` are those of each square, row by row, as are the pieces.
    """
    best: dict[_Frontier, _Laid] = {(0,) * (rows + 1): (0.0, None)}
    order = [(row, col) for col in range(cols) for row in range(rows)]
    for row, col in order:
        further: dict[_Frontier, _Laid] = {}
        edges = (RIGHT if col + 1 < cols else 0) | (BOTTOM if row + 1 < rows else 0)
        last = (row, col) == order[-1]
        for frontier, laid in best.items():
            for sides, cost in options[row * cols + col]:
                after = _after(frontier, row, rows, sides, edges, last)
                if after is None:
                    continue
                total = laid[0] + cost
                known = further.get(after)
                if known is None or total < known[0]:
                    further[after] = (total, (sides, laid))
        best = further
    if not best:
        return None
    laid = min(best.values(), key=lambda entry: entry[0])
    return laid[0], _pieces(laid, order, cols)


@lru_cache(maxsize=65536)
def _after(frontier: _Frontier, row: int, rows: int, sides: int, edges: int, last: bool) -> _Frontier | None:
    """The frontier once a piece is laid; None where squares are cut off for good."""
    groups = list(frontier)
    from_left, from_above = groups[row], groups[rows]
    own = max(groups) + 1
    merged = {own}
    if from_left and sides & LEFT:
        merged.add(from_left)
    if from_above and sides & TOP:
        merged.add(from_above)
    groups[row] = own if sides & edges & RIGHT else 0
    groups[rows] = own if sides & edges & BOTTOM else 0
    groups = [own if group in merged else group for group in groups]
    alive = set(groups)
    if not last and own not in alive:
        return None
    for group in frontier:
        if group and group not in merged and group not in alive:
            return None
    return _renamed(groups)


def _renamed(groups: Iterable[int]) -> _Frontier:
    """Groups are numbered as they come, so that equal frontiers are equal."""
    numbers = {0: 0}
    return tuple(numbers.setdefault(group, len(numbers)) for group in groups)


def _pieces(laid: _Laid, order: Sequence[tuple[int, int]], cols: int) -> tuple[int, ...]:
    pieces = [0] * len(order)
    for row, col in reversed(order):
        assert laid[1] is not None
        sides, laid = laid[1]
        pieces[row * cols + col] = sides
    return tuple(pieces)
