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

DIRS: tuple[Voxel, ...] = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
"""The directions in which a snake can grow."""


def _list_cube_symmetries() -> list[NDArray[np.int64]]:
    """Return the 48 symmetries of the cube: the identity, the other 23 rotations, then the 24 with a mirror."""
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

_WEIGHTS = np.array([64 * 64, 64, 1])
"""Weights that map each voxel, and each difference of voxels, to a number of its own."""
_SYMMETRIES = np.array([_WEIGHTS @ matrix for matrix in _list_cube_symmetries()], np.float64).T
_LOOKALIKES = np.array([_WEIGHTS @ m for m in [*_ABOUT_Z[1:], *(t @ _MIRROR_X for t in _ABOUT_Z)]], np.float64).T
"""What can look like the sculpture itself from the orbit: its quarter rotations, and its mirror image in each."""

_MIN_LOOKALIKE_VOXELS = 7  # a single voxel is a large part of a smaller sculpture, and few sculptures would remain


@dataclass(frozen=True, slots=True)
class Shape:
    """Properties of a sculpture that do not depend on its orientation."""

    key: bytes
    """Equal for two sculptures that a rotation maps onto each other."""
    is_symmetric: bool
    """Whether a rotation other than the identity maps it onto itself."""
    is_achiral: bool
    """Whether a rotation maps it onto its mirror image."""
    has_lookalike: bool
    """Whether it has 7 voxels or more, and one of its quarter rotations or mirror images differs in one voxel only."""


@lru_cache(maxsize=256)
def describe_shape(voxels: Voxels, colours: tuple[str, ...] = ()) -> Shape:
    """Return the shape of a sculpture. With a colour for each voxel, the colours count too."""
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
    rotations = set(forms[:24])
    return Shape(
        key=min(rotations) + "".join(sorted(set(colours))).encode(),
        is_symmetric=len(rotations) < 24,
        is_achiral=forms[24] in rotations,
        has_lookalike=not colours and len(voxels) >= _MIN_LOOKALIKE_VOXELS and _has_lookalike(points),
    )


def _has_lookalike(points: NDArray[np.float64]) -> bool:
    """Return whether a shift moves all voxels but one of a lookalike onto the sculpture."""
    shifts = (points @ _WEIGHTS)[:, None, None] - (points @ _LOOKALIKES)[None]
    codes = np.sort(shifts.reshape(-1, shifts.shape[2]), axis=0)
    apart = len(points) - 2
    return bool((codes[apart:] == codes[:-apart]).any())


def mirror_voxels(voxels: Voxels) -> Voxels:
    """Return the mirror image in the plane across x, in the same box."""
    high = max(x for x, _, _ in voxels) + min(x for x, _, _ in voxels)
    return tuple((high - x, y, z) for x, y, z in voxels)


def list_neighbours(voxel: Voxel) -> list[Voxel]:
    """Return the six cells that share a face with the voxel."""
    x, y, z = voxel
    return [(x + dx, y + dy, z + dz) for dx, dy, dz in DIRS]


def is_connected(voxels: Voxels) -> bool:
    """Return whether every voxel can be reached from the first through faces."""
    if not voxels:
        return False
    remaining = set(voxels)
    edge = [remaining.pop()]
    while edge:
        near = [voxel for voxel in list_neighbours(edge.pop()) if voxel in remaining]
        remaining.difference_update(near)
        edge.extend(near)
    return not remaining


def spans_all_axes(voxels: Voxels) -> bool:
    """Return whether the sculpture has more than one layer along each axis."""
    return all(len(set(along)) > 1 for along in zip(*voxels, strict=True))


def move_to_origin(voxels: Voxels) -> Voxels:
    """Return the same sculpture with its lowest coordinates at 0."""
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
    """Return a snake of N voxels that spans all three axes, or None when ``tries`` attempts gave none.

    Straight segments of Lmin to Lmax voxels follow each other at right angles, along unused axes first. With
    probability ``p_branch`` a segment gets a branch at its start. No voxel has more than ``max_deg`` neighbours.
    """
    for _ in range(tries):
        voxels = _try_snake(rng, N, Lmin, Lmax, p_branch, max_deg)
        if voxels is not None and spans_all_axes(voxels):
            return move_to_origin(voxels)
    return None


_SIDE = 64  # more than twice the 20 voxels that a snake has at most, so no snake reaches an edge
_MIDDLE = (_SIDE + 1) * _SIDE * _SIDE // 2 + _SIDE // 2
_STRIDES = (_SIDE * _SIDE, _SIDE, 1)
_MOVES = tuple(sign * stride for stride in _STRIDES for sign in (1, -1))
"""The six directions as differences of cell numbers: growing with numbers takes two thirds of the time."""
_AXIS = {move: place // 2 for place, move in enumerate(_MOVES)}
_SIDEWAYS = {move: [step for step in _MOVES if _AXIS[step] != _AXIS[move]] for move in _MOVES}


def _try_snake(rng: Random, n: int, lmin: int, lmax: int, p_branch: float, max_deg: int) -> Voxels | None:
    """Return a snake of ``n`` voxels, or None when it runs into itself."""
    cells: dict[int, None] = {_MIDDLE: None}
    tip, direction = _MIDDLE, rng.choice(_MOVES)
    unused_axes = {0, 1, 2} - {_AXIS[direction]}
    while True:
        room = n - len(cells)
        segment = _extend(cells, tip, direction, min(rng.randint(lmin, lmax), room), max_deg)
        if len(segment) < min(lmin, room):
            return None
        start, tip = segment[0], segment[-1]
        if len(cells) < n and rng.random() < p_branch:
            sideways = rng.choice(_SIDEWAYS[direction])
            _extend(cells, start, sideways, min(rng.randint(lmin, lmax), n - len(cells)), max_deg)
        if len(cells) == n:
            return tuple((cell // _STRIDES[0], cell // _SIDE % _SIDE, cell % _SIDE) for cell in cells)
        preferred = [step for step in _SIDEWAYS[direction] if _AXIS[step] in unused_axes]
        direction = rng.choice(preferred or _SIDEWAYS[direction])
        unused_axes.discard(_AXIS[direction])


def _extend(cells: dict[int, None], start: int, step: int, length: int, max_deg: int) -> list[int]:
    """Add up to ``length`` cells from ``start`` on, and return them.

    It stops before a cell that is occupied, or that would give a voxel too many neighbours.
    """
    added: list[int] = []
    for cell in range(start + step, start + step * (length + 1), step):
        if cell in cells:
            break
        near = [cell + move for move in _MOVES if cell + move in cells]
        if len(near) > max_deg or any(sum([other + move in cells for move in _MOVES]) >= max_deg for other in near):
            break
        cells[cell] = None
        added.append(cell)
    return added
