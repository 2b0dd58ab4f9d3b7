"""The camera of a puzzle: it circles the sculpture at a fixed distance, with a fixed lens for the whole video."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray

from vmevalkit.tasks.rotation_task.mesh import build_mesh
from vmevalkit.tasks.rotation_task.scene import SculptureLook, VoxelPuzzle
from vmevalkit.tasks.rotation_task.snakes import Voxels

FIRST_VIEW_SIDES = (0.61, 0.66)
"""The longer side of the sculpture in the first view, in widths of the image: at least so much in every sampled puzzle,
and the size to aim for."""
_ORBIT_SIDE = 0.92  # the most that all views of the orbit together take, so that none is cut off
_ORBIT = np.radians(np.arange(0, 360, 15))


@dataclass(frozen=True, slots=True, eq=False)
class OrbitCamera:
    """Distance, lens and framing of the camera. They belong to the puzzle; a view adds the direction."""

    centre: NDArray[np.float64]
    """The point that the camera circles and looks at."""
    radius: float
    """The radius of the ball around the sculpture."""
    distance: float
    """The distance from the centre."""
    lens: float
    """Widths of the image for a length of 1 at the centre."""
    lift: float
    """How far the image is moved up, in its widths, so that the orbit's views reach as far up as down."""
    first_view_side: float
    """The longer side of the sculpture in the first view, in widths of the image."""
    stretch: float = 1.0
    """Height of a voxel, relative to its width."""

    def project(self, points: NDArray[np.float64], azim_deg: float, elev_deg: float) -> NDArray[np.float64]:
        """Return where points appear, in widths of the image from its centre, to the right and down."""
        rotated = _stretch_height(points - self.centre, self.stretch) @ _camera_axes(azim_deg, elev_deg).T
        scale = self.lens * self.distance / (self.distance - rotated[..., 2:])
        return np.asarray(rotated[..., :2] * scale - [0.0, self.lift])


def camera_of(puzzle: VoxelPuzzle) -> OrbitCamera:
    """Return the puzzle's camera.

    The sculpture has the size to aim for in the first view, or less where a view of the orbit would be cut off.
    """
    return _frame_orbit(puzzle.voxels, puzzle.elev_deg, puzzle.azim_deg, puzzle.look)


def locate_eye(puzzle: VoxelPuzzle, azim_deg: float, elev_deg: float) -> NDArray[np.float64]:
    """Return the position of the camera, in voxels."""
    centre, radius = _bounding_ball(puzzle.voxels)
    away = puzzle.look.distance * radius * _camera_axes(azim_deg, elev_deg)[2]
    return np.asarray(centre + _stretch_height(away, 1 / puzzle.look.stretch))


@lru_cache(maxsize=64)
def _frame_orbit(voxels: Voxels, elev_deg: float, azim_deg: float, look: SculptureLook) -> OrbitCamera:
    centre, radius = _bounding_ball(voxels)
    distance = look.distance * radius
    azimuths = np.append(_ORBIT, radians(azim_deg))
    corners = _stretch_height(build_mesh(voxels).corners - centre, look.stretch)
    across, down = _project_unit(corners, azimuths, radians(elev_deg), distance)
    low, high = float(down.min()), float(down.max())
    orbit_side = max(2 * float(np.abs(across).max()), high - low)
    first_side = max(float(np.ptp(across[:, -1])), float(np.ptp(down[:, -1])))
    lens = min(FIRST_VIEW_SIDES[1] / first_side, _ORBIT_SIDE / orbit_side)
    return OrbitCamera(centre, radius, distance, lens, lens * (low + high) / 2, lens * first_side, look.stretch)


@lru_cache(maxsize=64)
def _bounding_ball(voxels: Voxels) -> tuple[NDArray[np.float64], float]:
    """Return the centre of the sculpture's box, and the radius of the ball around it."""
    cells = np.array(voxels, np.float64)
    centre = (cells.min(axis=0) + cells.max(axis=0)) / 2
    return centre, float(np.sqrt(((np.abs(cells - centre) + 0.5) ** 2).sum(axis=1).max()))


def _stretch_height(points: NDArray[np.float64], stretch: float) -> NDArray[np.float64]:
    """Return points, relative to the centre, with their heights multiplied."""
    return points if stretch == 1 else points * np.array([1.0, 1.0, stretch])


def _camera_axes(azim_deg: float, elev_deg: float) -> NDArray[np.float64]:
    """Return unit vectors as rows: to the right in the image, down in it, and towards the camera."""
    a, e = radians(azim_deg), radians(elev_deg)
    ca, sa, ce, se = cos(a), sin(a), cos(e), sin(e)
    return np.array([(-sa, ca, 0.0), (se * ca, se * sa, -ce), (ce * ca, ce * sa, se)])


def _project_unit(
    points: NDArray[np.float64], azimuths: NDArray[np.float64], elevation: float, distance: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the places of points to the right and down, as points x azimuths, for a lens of 1. Angles are radians."""
    ca, sa, ce, se = np.cos(azimuths), np.sin(azimuths), cos(elevation), sin(elevation)
    x, y, z = points.T[:, :, None]
    across, ahead = y * ca - x * sa, x * ca + y * sa
    depth = 1 - (ahead * ce + z * se) / distance
    return across / depth, (ahead * se - z * ce) / depth
