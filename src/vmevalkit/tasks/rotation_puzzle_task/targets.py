"""Random connected arrangements: what a larger puzzle is scrambled from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random

from vmevalkit.core.errors import Uncertified
from vmevalkit.tasks.rotation_puzzle_task.pipes import BOTTOM, LEFT, QUARTERS, RIGHT, TOP, sides_of

_BEYOND = {TOP: (-1, 0, BOTTOM), RIGHT: (0, 1, LEFT), BOTTOM: (1, 0, TOP), LEFT: (0, -1, RIGHT)}
"""Where a side leads, and the side of the neighbour that it meets."""
_TRIES = 200


def target(rng: Random, rows: int, cols: int, kinds: Sequence[str]) -> tuple[int, ...]:
    """The pieces of a connected arrangement, of these kinds."""
    for _ in range(_TRIES):
        if "T" in kinds:
            ends = _tree(rng, rows, cols)
        elif "I" in kinds:
            ends = _winding(rng, rows, cols)
        else:
            ends = _zigzag(rng, rows, cols)
        if ends is not None:
            return tuple(_piece(rng, needed, kinds) for needed in ends)
    raise Uncertified(f"no connected arrangement of {rows} x {cols} squares in {_TRIES} tries; choose more kinds")


def _piece(rng: Random, needed: int, kinds: Sequence[str]) -> int:
    """A piece with the ends that are needed, and maybe loose ones; first the kind is chosen, then how it lies."""
    fitting = {
        kind: [sides for quarters in range(QUARTERS[kind]) if not needed & ~(sides := sides_of(kind, quarters))]
        for kind in kinds
    }
    kind = rng.choice([kind for kind in kinds if fitting[kind]])
    return rng.choice(fitting[kind])


def _tree(rng: Random, rows: int, cols: int) -> list[int] | None:
    """A spanning tree with at most three ends to a square, grown from random edges; None if the ends ran out."""
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
        ends[other] |= _BEYOND[side][2]
        gone, kept = group[other], group[place]
        group = [kept if name == gone else name for name in group]
    return ends if len(set(group)) == 1 else None


def _winding(rng: Random, rows: int, cols: int) -> list[int]:
    """A path through all squares: a serpentine, changed by backbiting until nothing is left of it."""
    path = [(row, col if row % 2 == 0 else cols - 1 - col) for row in range(rows) for col in range(cols)]
    for _ in range(6 * len(path)):
        if rng.random() < 0.5:
            path.reverse()
        row, col = path[-1]
        near = [(row + down, col + right) for down, right, _ in _BEYOND.values()]
        bitten = rng.choice([cell for cell in near if 0 <= cell[0] < rows and 0 <= cell[1] < cols])
        at = path.index(bitten)
        path[at + 1 :] = reversed(path[at + 1 :])
    return _ends(path, rows, cols)


def _zigzag(rng: Random, rows: int, cols: int) -> list[int] | None:
    """A path through all squares that bends in every one."""
    starts = [(row, col, side) for row in range(rows) for col in range(cols) for side in _BEYOND]
    rng.shuffle(starts)
    for row, col, side in starts:
        path = [(row, col)]
        if _goes_on(rng, path, side, rows, cols):
            return _ends(path, rows, cols)
    return None


def _goes_on(rng: Random, path: list[tuple[int, int]], side: int, rows: int, cols: int) -> bool:
    """Whether the path, left by this side, can be led through all other squares; then it is."""
    if len(path) == rows * cols:
        return True
    down, right, _ = _BEYOND[side]
    step = (path[-1][0] + down, path[-1][1] + right)
    if not (0 <= step[0] < rows and 0 <= step[1] < cols) or step in path:
        return False
    path.append(step)
    bends = [TOP, BOTTOM] if side in (LEFT, RIGHT) else [LEFT, RIGHT]
    rng.shuffle(bends)
    if any(_goes_on(rng, path, bend, rows, cols) for bend in bends):
        return True
    path.pop()
    return False


def _ends(path: Sequence[tuple[int, int]], rows: int, cols: int) -> list[int]:
    ends = [0] * (rows * cols)
    for one, other in pairwise(path):
        for side, (down, right, back) in _BEYOND.items():
            if (one[0] + down, one[1] + right) == other:
                ends[one[0] * cols + one[1]] |= side
                ends[other[0] * cols + other[1]] |= back
    return ends
