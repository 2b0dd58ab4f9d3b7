"""The camera: a fixed distance from the sculpture's centre, with a fixed lens for the whole film."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray

from vmevalkit.tasks.rotation_task.scene import RotationPuzzle
from vmevalkit.tasks.rotation_task.snakes import Voxels

_DISTANCE = 4.5  # from the centre, in radii of the sculpture's ball: a mild perspective
_FILL = 0.72  # what the widest view on the orbit takes of the picture's side

_CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_FACES = {  # the direction of a face: its corners, going round
    (-1, 0, 0): (0, 1, 3, 2),
    (1, 0, 0): (4, 5, 7, 6),
    (0, -1, 0): (0, 1, 5, 4),
    (0, 1, 0): (2, 3, 7, 6),
    (0, 0, -1): (0, 2, 6, 4),
    (0, 0, 1): (1, 3, 7, 5),
}
DIRECTIONS = np.array(list(_FACES))
_NORMALS = DIRECTIONS.astype(np.float64)
_ROUND = np.array(list(_FACES.values()))
_ALL_ROUND = np.radians(np.arange(0, 360, 15))
_AHEAD = np.array([np.cos(_ALL_ROUND), np.sin(_ALL_ROUND)])
_ACROSS = np.array([-np.sin(_ALL_ROUND), np.cos(_ALL_ROUND)])
"""The horizontal directions towards a camera on its orbit, and to its right, for azimuths all round."""


def _axes(azim_deg: float, elev_deg: float) -> NDArray[np.float64]:
    """Unit vectors as rows: to the right in the picture, down in it, and towards the camera."""
    a, e = radians(azim_deg), radians(elev_deg)
    ca, sa, ce, se = cos(a), sin(a), cos(e), sin(e)
    return np.array([(-sa, ca, 0.0), (se * ca, se * sa, -ce), (ce * ca, ce * sa, se)])


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """Where the camera stands and how large it shows things; it belongs to the puzzle, not to a view."""

    centre: NDArray[np.float64]
    radius: float
    """Of the ball around the sculpture."""
    distance: float
    lens: float
    """Widths of the picture for a length of 1 at the centre."""

    def project(self, points: NDArray[np.float64], azim_deg: float, elev_deg: float) -> NDArray[np.float64]:
        """Where points appear, in widths of the picture from its centre."""
        seen = (points - self.centre) @ _axes(azim_deg, elev_deg).T
        return np.asarray(seen[..., :2] * (self.lens * self.distance / (self.distance - seen[..., 2:])))


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """The outer faces of a sculpture."""

    cells: NDArray[np.float64]
    """Centre of each voxel."""
    corners: NDArray[np.float64]
    """Eight for each voxel."""
    faces: NDArray[np.intp]
    """Four corners for each face, going round."""
    owner: NDArray[np.intp]
    """The voxel of each face."""
    direction: NDArray[np.intp]
    """Where each face looks, as a row of DIRECTIONS."""
    normals: NDArray[np.float64]
    reach: NDArray[np.float64]
    """How far along its normal each face lies."""


@lru_cache(maxsize=512)
def solid_of(voxels: Voxels) -> Solid:
    """Faces between two touching voxels are left out: nobody sees them."""
    taken = set(voxels)
    outer = [(x + dx, y + dy, z + dz) not in taken for x, y, z in voxels for dx, dy, dz in _FACES]
    owners, directions = np.divmod(np.flatnonzero(outer), len(_FACES))
    cells = np.array(voxels, np.float64)
    normals = _NORMALS[directions]
    return Solid(
        cells=cells,
        corners=(cells[:, None] + _CORNERS).reshape(-1, 3),
        faces=8 * owners[:, None] + _ROUND[directions],
        owner=owners,
        direction=directions,
        normals=normals,
        reach=(normals * cells[owners]).sum(axis=1) + 0.5,
    )


@lru_cache(maxsize=64)
def _ball(voxels: Voxels) -> tuple[NDArray[np.float64], float]:
    """Centre and radius of the ball around the sculpture's box."""
    cells = np.array(voxels, np.float64)
    low, high = cells.min(axis=0), cells.max(axis=0)
    centre = (low + high) / 2
    return centre, float(np.sqrt(((np.abs(cells - centre) + 0.5) ** 2).sum(axis=1).max()))


@lru_cache(maxsize=64)
def _camera(voxels: Voxels, elev_deg: float) -> Camera:
    centre, radius = _ball(voxels)
    rest = solid_of(voxels).corners - centre
    distance = _DISTANCE * radius
    e = radians(elev_deg)
    ahead, across = rest[:, :2] @ _AHEAD, rest[:, :2] @ _ACROSS
    down = ahead * sin(e) - rest[:, 2:] * cos(e)
    nearer = 1 - (ahead * cos(e) + rest[:, 2:] * sin(e)) / distance
    widest = max(float(np.abs(offset / nearer).max()) for offset in (across, down))
    return Camera(centre, radius, distance, _FILL / 2 / widest)


def camera_of(puzzle: RotationPuzzle) -> Camera:
    """So large that the whole orbit stays in the picture, with room around."""
    return _camera(puzzle.voxels, puzzle.elev_deg)


def eye_of(puzzle: RotationPuzzle, azim_deg: float, elev_deg: float) -> NDArray[np.float64]:
    """Where the camera stands, in voxels."""
    centre, radius = _ball(puzzle.voxels)
    return np.asarray(centre + _DISTANCE * radius * _axes(azim_deg, elev_deg)[2])


def far_to_near(solid: Solid, eye: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The faces in the order to paint them, and which of all faces look at the camera.

    Voxels go by descending distance from the camera's own cell, counted in steps along the axes: no cell on the
    way to the camera is ever further away. Within a voxel the faces that look away come first.
    """
    steps = np.abs(solid.cells - np.round(eye)).sum(axis=1)
    front = solid.normals @ eye > solid.reach
    return np.argsort(front - 2 * steps[solid.owner], kind="stable"), front


_SPOTS = np.array([(0.5 + u, 0.5 + v) for u in (-0.3, 0.3) for v in (-0.3, 0.3)])
"""Four spots on a face, in shares of two of its edges."""


def visible_spots(solid: Solid, eye: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each voxel, how many of the four spots on each of its faces the camera sees."""
    faces = np.flatnonzero(solid.normals @ eye > solid.reach)
    corners = solid.corners[solid.faces[faces]]
    edges = corners[:, 1::2] - corners[:, :1]
    spots = (corners[:, :1] + _SPOTS @ edges).reshape(-1, 3).T
    rays = eye[:, None] - spots + 1e-9  # never quite along an axis
    middle = (solid.cells.T[:, :, None] - spots[:, None]) / rays[:, None]
    half = np.abs(0.5 / rays)[:, None]
    near, far = middle - half, middle + half
    # Three rows one by one: numpy takes three times as long to reduce so short an axis.
    enter = np.maximum(np.maximum(near[0], near[1]), np.maximum(near[2], 1e-6))
    leave = np.minimum(np.minimum(far[0], far[1]), far[2])
    shown = ~(leave > enter).any(axis=0)
    return np.bincount(solid.owner[faces].repeat(len(_SPOTS)), shown, len(solid.cells)).astype(np.float64)
