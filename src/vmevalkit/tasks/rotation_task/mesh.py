"""The faces of a sculpture: which ones exist, in which order they are painted, and which parts of them are visible."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vmevalkit.tasks.rotation_task.snakes import Voxels

_CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_FACES = {  # the direction of a face: its corners, in order around the face
    (-1, 0, 0): (0, 1, 3, 2),
    (1, 0, 0): (4, 5, 7, 6),
    (0, -1, 0): (0, 1, 5, 4),
    (0, 1, 0): (2, 3, 7, 6),
    (0, 0, -1): (0, 2, 6, 4),
    (0, 0, 1): (1, 3, 7, 5),
}
DIRECTIONS = np.array(list(_FACES))
"""The outward directions of a voxel's six faces."""
_NORMALS = DIRECTIONS.astype(np.float64)
_FACE_CORNERS = np.array(list(_FACES.values()))
_SPOTS = np.array([(0.5 + u, 0.5 + v) for u in (-0.3, 0.3) for v in (-0.3, 0.3)])
"""Four spots on a face, as fractions of two of its edges."""


@dataclass(frozen=True, slots=True, eq=False)
class VoxelMesh:
    """The outer faces of a sculpture."""

    cells: NDArray[np.float64]
    """The centre of each voxel."""
    corners: NDArray[np.float64]
    """Eight corners for each voxel."""
    faces: NDArray[np.intp]
    """The four corners of each face, in order around it."""
    owner: NDArray[np.intp]
    """The voxel of each face."""
    direction: NDArray[np.intp]
    """The outward direction of each face, as a row of DIRECTIONS."""
    normals: NDArray[np.float64]
    """The outward direction of each face, as a vector."""
    offsets: NDArray[np.float64]
    """The distance of each face's plane from the origin, along its normal."""


@lru_cache(maxsize=512)
def build_mesh(voxels: Voxels) -> VoxelMesh:
    """Return the faces of a sculpture, without those between two voxels that touch: no camera sees them."""
    occupied = set(voxels)
    is_outer = [(x + dx, y + dy, z + dz) not in occupied for x, y, z in voxels for dx, dy, dz in _FACES]
    owners, directions = np.divmod(np.flatnonzero(is_outer), len(_FACES))
    cells = np.array(voxels, np.float64)
    normals = _NORMALS[directions]
    return VoxelMesh(
        cells=cells,
        corners=(cells[:, None] + _CORNERS).reshape(-1, 3),
        faces=8 * owners[:, None] + _FACE_CORNERS[directions],
        owner=owners,
        direction=directions,
        normals=normals,
        offsets=(normals * cells[owners]).sum(axis=1) + 0.5,
    )


def order_faces(mesh: VoxelMesh, eye: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the faces in the order to paint them for a camera at ``eye``: the farthest first.

    Voxels are sorted by their distance from the camera's own cell, counted in steps along the axes: no cell between a
    voxel and the camera is farther away. The faces of one voxel that point away from the camera come before the others.
    """
    steps = np.abs(mesh.cells - np.round(eye)).sum(axis=1)
    is_front = mesh.normals @ eye > mesh.offsets
    return np.argsort(is_front - 2 * steps[mesh.owner], kind="stable")


def count_visible_spots(mesh: VoxelMesh, eye: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each voxel how many spots on its faces a camera at ``eye`` sees. Each face has four spots."""
    faces = np.flatnonzero(mesh.normals @ eye > mesh.offsets)
    corners = mesh.corners[mesh.faces[faces]]
    edges = corners[:, 1::2] - corners[:, :1]
    spots = (corners[:, :1] + _SPOTS @ edges).reshape(-1, 3).T
    rays = eye[:, None] - spots + 1e-9  # never quite along an axis
    middle = (mesh.cells.T[:, :, None] - spots[:, None]) / rays[:, None]
    half = np.abs(0.5 / rays)[:, None]
    near, far = middle - half, middle + half
    # Three rows one by one: numpy takes three times as long to reduce so short an axis.
    enter = np.maximum(np.maximum(near[0], near[1]), np.maximum(near[2], 1e-6))
    leave = np.minimum(np.minimum(far[0], far[1]), far[2])
    is_visible = ~(leave > enter).any(axis=0)
    return np.bincount(mesh.owner[faces].repeat(len(_SPOTS)), is_visible, len(mesh.cells)).astype(np.float64)
