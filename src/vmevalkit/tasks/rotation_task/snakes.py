"""Voxel snakes: how they grow, and when two of them are the same sculpture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations, product
from random import Random

import numpy as np
from numpy.typing import NDArray

Voxel = tuple[int, int, int]
Voxels = tuple[Voxel, ...]

_STEPS: tuple[Voxel, ...] = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))


def _signed_permutations() -> list[NDArray[np.int64]]:
    """The 48 symmetries of the cube: the 24 rotations first, the identity foremost, then the 24 with a mirror."""
    matrices = []
    for order in permutations(range(3)):
        for signs in product((1, -1), repeat=3):
            matrix = np.zeros((3, 3), np.int64)
            matrix[range(3), order] = signs
            matrices.append(matrix)
    return sorted(matrices, key=lambda m: (round(np.linalg.det(m)) < 0, not np.array_equal(m, np.eye(3))))


_QUARTER = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
_ABOUT_Z = [np.linalg.matrix_power(_QUARTER, k) for k in range(4)]
_MIRROR_X = np.diag([-1, 1, 1])

_PLACES = np.array([64 * 64, 64, 1])
"""Weights that turn a voxel into a number, and a difference of voxels into another, each its own."""
_SYMMETRIES = np.array([_PLACES @ matrix for matrix in _signed_permutations()], np.float64).T
_LOOKALIKES = np.array([_PLACES @ m for m in [*_ABOUT_Z[1:], *(t @ _MIRROR_X for t in _ABOUT_Z)]], np.float64).T
"""What a camera on its orbit could take for the sculpture itself: quarter turns, and the mirror image in any turn."""


_ENOUGH = 7  # of fewer voxels a single one is a large part, and few sculptures would be left


@dataclass(frozen=True, slots=True)
class Shape:
    """A sculpture seen as a shape, whichever way it lies."""

    key: bytes
    """Equal for two sculptures that a rotation turns into each other."""
    symmetric: bool
    """Whether a rotation other than none maps it onto itself."""
    achiral: bool
    """Whether a rotation maps it onto its mirror image."""
    lookalike: bool
    """Whether it has 7 voxels or more and a turn on the orbit, or a mirror, differs from it in one voxel only."""


@lru_cache(maxsize=256)
def shape_of(voxels: Voxels, colours: tuple[str, ...] = ()) -> Shape:
    """The shape of a sculpture; with a colour for each voxel, colours count too."""
    points = np.array(voxels, np.float64)
    codes = (points @ _SYMMETRIES).T
    if colours:
        rank = {colour: i for i, colour in enumerate(sorted(set(colours)))}
        codes = codes * 32 + [rank[colour] for colour in colours]
    codes.sort(axis=1)
    codes -= np.floor(codes[:, :1] / 32) * 32 if colours else codes[:, :1]
    text = codes.astype(">u4").tobytes()
    row = 4 * len(voxels)
    forms = [text[start : start + row] for start in range(0, 48 * row, row)]
    turned = set(forms[:24])
    return Shape(
        key=min(turned) + "".join(sorted(set(colours))).encode(),
        symmetric=len(turned) < 24,
        achiral=forms[24] in turned,
        lookalike=not colours and len(voxels) >= _ENOUGH and _has_lookalike(points),
    )


def _has_lookalike(points: NDArray[np.float64]) -> bool:
    """Whether one shift brings all voxels but one of a lookalike onto the sculpture."""
    shifts = (points @ _PLACES)[:, None, None] - (points @ _LOOKALIKES)[None]
    codes = np.sort(shifts.reshape(-1, shifts.shape[2]), axis=0)
    apart = len(points) - 2
    return bool((codes[apart:] == codes[:-apart]).any())


def mirrored(voxels: Voxels) -> Voxels:
    """The mirror image in the plane across x, in the same box."""
    high = max(x for x, _, _ in voxels) + min(x for x, _, _ in voxels)
    return tuple((high - x, y, z) for x, y, z in voxels)


def neighbours(voxel: Voxel) -> list[Voxel]:
    x, y, z = voxel
    return [(x + dx, y + dy, z + dz) for dx, dy, dz in _STEPS]


def connected(voxels: Voxels) -> bool:
    """Whether every voxel is reached from the first through faces."""
    if not voxels:
        return False
    left = set(voxels)
    edge = [left.pop()]
    while edge:
        near = [v for v in neighbours(edge.pop()) if v in left]
        left.difference_update(near)
        edge.extend(near)
    return not left


def spans_all_axes(voxels: Voxels) -> bool:
    return all(len(set(along)) > 1 for along in zip(*voxels, strict=True))


def to_origin(voxels: Voxels) -> Voxels:
    """The same sculpture with its least coordinates at 0."""
    x0, y0, z0 = (min(along) for along in zip(*voxels, strict=True))
    return tuple((x - x0, y - y0, z - z0) for x, y, z in voxels)


def grow_snake(
    rng: Random,
    N: int = 8,
    Lmin: int = 1,
    Lmax: int = 3,
    p_branch: float = 0.2,
    max_deg: int = 3,
    tries: int = 1000,
) -> Voxels | None:
    """A snake of N voxels that spans all three axes; None when ``tries`` attempts gave none.

    Straight segments of Lmin to Lmax voxels follow each other at right angles, along unused axes first; with
    ``p_branch`` a segment gets a branch at its start. No voxel has more than ``max_deg`` neighbours.
    """
    for _ in range(tries):
        voxels = _attempt(rng, N, Lmin, Lmax, p_branch, max_deg)
        if voxels is not None and spans_all_axes(voxels):
            return to_origin(voxels)
    return None


_SIDE = 64  # more than twice the 20 voxels that a snake has at most, so none ever grows over an edge
_MIDDLE = (_SIDE + 1) * _SIDE * _SIDE // 2 + _SIDE // 2
_STRIDES = (_SIDE * _SIDE, _SIDE, 1)
_MOVES = tuple(sign * stride for stride in _STRIDES for sign in (1, -1))
"""The six steps as differences of cell numbers: growing counts in numbers, which takes two thirds of the time."""
_AXIS = {move: place // 2 for place, move in enumerate(_MOVES)}
_SIDEWAYS = {move: [step for step in _MOVES if _AXIS[step] != _AXIS[move]] for move in _MOVES}


def _attempt(rng: Random, n: int, lmin: int, lmax: int, p_branch: float, max_deg: int) -> Voxels | None:
    taken: dict[int, None] = {_MIDDLE: None}
    tip, direction = _MIDDLE, rng.choice(_MOVES)
    unused = {0, 1, 2} - {_AXIS[direction]}
    while True:
        room = n - len(taken)
        segment = _extend(taken, tip, direction, min(rng.randint(lmin, lmax), room), max_deg)
        if len(segment) < min(lmin, room):
            return None
        start, tip = segment[0], segment[-1]
        if len(taken) < n and rng.random() < p_branch:
            sideways = rng.choice(_SIDEWAYS[direction])
            _extend(taken, start, sideways, min(rng.randint(lmin, lmax), n - len(taken)), max_deg)
        if len(taken) == n:
            return tuple((cell // _STRIDES[0], cell // _SIDE % _SIDE, cell % _SIDE) for cell in taken)
        fresh = [step for step in _SIDEWAYS[direction] if _AXIS[step] in unused]
        direction = rng.choice(fresh or _SIDEWAYS[direction])
        unused.discard(_AXIS[direction])


def _extend(taken: dict[int, None], start: int, step: int, length: int, max_deg: int) -> list[int]:
    """Take up to ``length`` cells from ``start`` onwards; stop before one that is taken or would crowd another."""
    added: list[int] = []
    for cell in range(start + step, start + step * (length + 1), step):
        if cell in taken:
            break
        near = [cell + move for move in _MOVES if cell + move in taken]
        if len(near) > max_deg or any(sum([other + move in taken for move in _MOVES]) >= max_deg for other in near):
            break
        taken[cell] = None
        added.append(cell)
    return added
