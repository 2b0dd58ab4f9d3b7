"""The cheapest connected layout, by dynamic programming along a frontier.

Squares are placed column by column. The only state of those placed so far is which open ends still point at squares to
come, and which of these ends are connected to each other already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

from vmevalkit.tasks.rotation_puzzle_task.pipes import BOTTOM, LEFT, RIGHT, TOP

Option: TypeAlias = tuple[int, float]
"""The sides that a square may open to, and the cost of that."""
_Frontier: TypeAlias = tuple[int, ...]
"""For each row the group of the open end that points right, or 0; last, of the one that points down."""
_Partial: TypeAlias = "tuple[float, tuple[int, _Partial] | None]"
"""The cost so far, and the last piece with the partial layout before it."""


def find_cheapest_layout(
    rows: int, cols: int, options: Sequence[Sequence[Option]], *, matched: bool = False
) -> tuple[float, tuple[int, ...]] | None:
    """Return the cost and the pieces of the cheapest connected layout; None where no layout is connected.

    ``options`` has one entry for each square, row by row, as have the pieces. With ``matched``, every end of the layout
    meets another end or the edge of the grid.
    """
    best: dict[_Frontier, _Partial] = {(0,) * (rows + 1): (0.0, None)}
    order = [(row, col) for col in range(cols) for row in range(rows)]
    for row, col in order:
        extended: dict[_Frontier, _Partial] = {}
        edges = (RIGHT if col + 1 < cols else 0) | (BOTTOM if row + 1 < rows else 0)
        matched_sides = (LEFT if col else 0) | (TOP if row else 0) if matched else 0
        is_last = (row, col) == order[-1]
        for frontier, partial in best.items():
            for sides, cost in options[row * cols + col]:
                after = _extend_frontier(frontier, row, rows, sides, edges, matched_sides, is_last)
                if after is None:
                    continue
                total = partial[0] + cost
                known = extended.get(after)
                if known is None or total < known[0]:
                    extended[after] = (total, (sides, partial))
        best = extended
    if not best:
        return None
    cheapest = min(best.values(), key=lambda entry: entry[0])
    return cheapest[0], _list_pieces(cheapest, order, cols)


@lru_cache(maxsize=65536)
def _extend_frontier(
    frontier: _Frontier, row: int, rows: int, sides: int, edges: int, matched_sides: int, is_last: bool
) -> _Frontier | None:
    """Return the frontier after a piece is placed; None where some squares can no longer be connected, or an end of
    ``matched_sides`` meets none."""
    groups = list(frontier)
    from_left, from_above = groups[row], groups[rows]
    arriving = (LEFT if from_left else 0) | (TOP if from_above else 0)
    if (arriving ^ sides) & matched_sides:
        return None
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
    if not is_last and own not in alive:
        return None
    for group in frontier:
        if group and group not in merged and group not in alive:
            return None
    return _renumber_groups(groups)


def _renumber_groups(groups: Iterable[int]) -> _Frontier:
    """Number the groups in order of appearance, so that equivalent frontiers are equal."""
    numbers = {0: 0}
    return tuple(numbers.setdefault(group, len(numbers)) for group in groups)


def _list_pieces(partial: _Partial, order: Sequence[tuple[int, int]], cols: int) -> tuple[int, ...]:
    pieces = [0] * len(order)
    for row, col in reversed(order):
        assert partial[1] is not None
        sides, partial = partial[1]
        pieces[row * cols + col] = sides
    return tuple(pieces)
