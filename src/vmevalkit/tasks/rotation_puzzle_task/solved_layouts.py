"""Random connected layouts, from which larger puzzles are scrambled."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random

from vmevalkit.core.errors import Uncertified
from vmevalkit.tasks.rotation_puzzle_task.pipes import BOTTOM, LEFT, QUARTERS, RIGHT, TOP, get_sides

_NEIGHBOURS = {TOP: (-1, 0, BOTTOM), RIGHT: (0, 1, LEFT), BOTTOM: (1, 0, TOP), LEFT: (0, -1, RIGHT)}
"""For each side: the step in rows and columns to the neighbour, and the side of the neighbour that it meets."""
_ATTEMPTS = 200


def sample_connected_layout(rng: Random, rows: int, cols: int, kinds: Sequence[str]) -> tuple[int, ...]:
    """Return the pieces of a random connected layout of these kinds."""
    for _ in range(_ATTEMPTS):
        if "T" in kinds:
            ends = _sample_tree(rng, rows, cols)
        elif "I" in kinds:
            ends = _sample_winding_path(rng, rows, cols)
        else:
            ends = _sample_zigzag(rng, rows, cols)
        if ends is not None:
            return tuple(_choose_piece(rng, required, kinds) for required in ends)
    raise Uncertified(f"no connected layout of {rows} x {cols} squares in {_ATTEMPTS} attempts; choose more kinds")


def _choose_piece(rng: Random, required: int, kinds: Sequence[str]) -> int:
    """Return a piece with the required ends, and maybe loose ones; first the kind is chosen, then the orientation."""
    fitting = {
        kind: [sides for quarters in range(QUARTERS[kind]) if not required & ~(sides := get_sides(kind, quarters))]
        for kind in kinds
    }
    kind = rng.choice([kind for kind in kinds if fitting[kind]])
    return rng.choice(fitting[kind])


def _sample_tree(rng: Random, rows: int, cols: int) -> list[int] | None:
    """Return a spanning tree of random edges with at most three ends to a square; None where no edge is left to add."""
    ends = [0] * (rows * cols)
    group = list(range(rows * cols))
    edges = [(place, RIGHT) for place in range(rows * cols) if (place + 1) % cols]
    edges += [(place, BOTTOM) for place in range((rows - 1) * cols)]
    rng.shuffle(edges)
    for place, side in edges:
        other = place + (1 if side == RIGHT else cols)
        if group[place] == group[other] or max(ends[place].bit_count(), ends[other].bit_count()) == 3:
            continue
        ends[place] |= side
        ends[other] |= _NEIGHBOURS[side][2]
        merged, remaining = group[other], group[place]
        group = [remaining if name == merged else name for name in group]
    return ends if len(set(group)) == 1 else None


def _sample_winding_path(rng: Random, rows: int, cols: int) -> list[int]:
    """Return a path through all squares: a serpentine, randomised by backbite moves."""
    path = [(row, col if row % 2 == 0 else cols - 1 - col) for row in range(rows) for col in range(cols)]
    for _ in range(6 * len(path)):
        if rng.random() < 0.5:
            path.reverse()
        row, col = path[-1]
        near = [(row + down, col + right) for down, right, _ in _NEIGHBOURS.values()]
        bitten = rng.choice([cell for cell in near if 0 <= cell[0] < rows and 0 <= cell[1] < cols])
        at = path.index(bitten)
        path[at + 1 :] = reversed(path[at + 1 :])
    return _find_ends(path, rows, cols)


def _sample_zigzag(rng: Random, rows: int, cols: int) -> list[int] | None:
    """Return a path through all squares that bends in every one; None where there is no such path."""
    starts = [(row, col, side) for row in range(rows) for col in range(cols) for side in _NEIGHBOURS]
    rng.shuffle(starts)
    for row, col, side in starts:
        path = [(row, col)]
        if _extend_zigzag(rng, path, side, rows, cols):
            return _find_ends(path, rows, cols)
    return None


def _extend_zigzag(rng: Random, path: list[tuple[int, int]], side: int, rows: int, cols: int) -> bool:
    """Extend the path from this side through all other squares in place; return whether that is possible."""
    if len(path) == rows * cols:
        return True
    down, right, _ = _NEIGHBOURS[side]
    step = (path[-1][0] + down, path[-1][1] + right)
    if not (0 <= step[0] < rows and 0 <= step[1] < cols) or step in path:
        return False
    path.append(step)
    bends = [TOP, BOTTOM] if side in (LEFT, RIGHT) else [LEFT, RIGHT]
    rng.shuffle(bends)
    if any(_extend_zigzag(rng, path, bend, rows, cols) for bend in bends):
        return True
    path.pop()
    return False


def _find_ends(path: Sequence[tuple[int, int]], rows: int, cols: int) -> list[int]:
    """Return the sides that each square must open to for a path."""
    ends = [0] * (rows * cols)
    for one, other in pairwise(path):
        for side, (down, right, opposite) in _NEIGHBOURS.items():
            if (one[0] + down, one[1] + right) == other:
                ends[one[0] * cols + one[1]] |= side
                ends[other[0] * cols + other[1]] |= opposite
    return ends
