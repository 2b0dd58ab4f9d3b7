"""The search: shortest paths on a grid, breadth-first and by a lower bound."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from vmevalkit.tasks.kit.search import find_path

Cell = tuple[int, int]
SIDE = 12


@pytest.mark.parametrize("seed", range(8))
def test_a_lower_bound_finds_as_short_a_path_and_looks_at_less(seed: int) -> None:
    rng = Random(seed)
    walls = {(rng.randrange(SIDE), rng.randrange(SIDE)) for _ in range(40)} - {(0, 0), (SIDE - 1, SIDE - 1)}
    looked: list[Cell] = []

    def list_moves(at: Cell) -> Iterator[Cell]:
        looked.append(at)
        for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            after = at[0] + dy, at[1] + dx
            if min(after) >= 0 and max(after) < SIDE and after not in walls:
                yield after

    def is_goal(at: Cell) -> bool:
        return at == (SIDE - 1, SIDE - 1)

    broad = find_path((0, 0), list_moves, is_goal)
    whole = len(looked)
    looked.clear()
    close = find_path((0, 0), list_moves, is_goal, lambda at: 2 * (SIDE - 1) - sum(at))
    assert (broad is None) == (close is None)
    if broad is not None and close is not None:
        assert len(broad) == len(close) and len(looked) < whole
        assert find_path((0, 0), list_moves, is_goal, most=5) is None
