"""Search for a shortest path over arrangements: breadth-first, or A* where a puzzle gives a lower bound."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from heapq import heappop, heappush
from typing import TypeVar

A = TypeVar("A", bound=Hashable)

MAX_ARRANGEMENTS = 20_000
"""Arrangements that a search looks at before it gives up."""


def find_path(
    start: A,
    list_moves: Callable[[A], Iterable[A]],
    is_goal: Callable[[A], bool],
    estimate: Callable[[A], int] | None = None,
    most: int = MAX_ARRANGEMENTS,
) -> tuple[A, ...] | None:
    """Return a shortest path from the start to a goal, both included; None where none was found.

    ``estimate`` returns a number of moves that the way to a goal has at least. Without it, the search is
    breadth-first.
    """
    came_from: dict[A, A | None] = {start: None}
    cost = {start: 0}
    queue = [(0, 0, 0, start)]  # the number breaks ties, so that arrangements are not compared
    number = 0
    while queue:
        _, _, _, at = heappop(queue)
        if is_goal(at):
            path = [at]
            while (before := came_from[path[-1]]) is not None:
                path.append(before)
            return tuple(reversed(path))
        if len(came_from) > most:
            return None
        moves = cost[at] + 1
        for after in list_moves(at):
            if after not in cost or moves < cost[after]:
                came_from[after], cost[after] = at, moves
                least, number = estimate(after) if estimate else 0, number + 1
                heappush(queue, (moves + least, least, number, after))
    return None
