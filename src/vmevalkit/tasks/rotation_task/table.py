"""The table: the prompt names one, so that a film may show one under the sculpture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.tasks.rotation_task.camera import camera_of, solid_of
from vmevalkit.tasks.rotation_task.pose import SIDE, Fit, Look, view_at
from vmevalkit.tasks.rotation_task.render import table_rim
from vmevalkit.tasks.rotation_task.scene import RotationPuzzle

_OTHER = 8.0  # levels between the table and what is beyond it
_PLAIN = 0.002
_STEP = 2  # every second pixel will do


def table_under(puzzle: RotationPuzzle, look: Look, fit: Fit, background: NDArray[np.float64]) -> bool:
    """Whether the picture has another colour where a table would lie than beyond its edge."""
    if fit.backdrop is None and fit.stray < _PLAIN:
        edge = np.median(look.pixels[:, ::2, :2], axis=(1, 2))
        if np.abs(edge - background).max() < _OTHER / 2:
            return False  # one background throughout, which is quickly seen
    view = view_at(fit.voxels, fit.pose)
    place = np.zeros((SIDE, SIDE), np.uint8)
    cv2.fillPoly(place, [np.round(table_rim(puzzle, view) * SIDE).astype(np.int32)], (1,))
    points = camera_of(puzzle).project(solid_of(puzzle.voxels).corners, view.azim_deg, view.elev_deg)
    hull = cv2.convexHull(np.round((points * view.zoom + view.shift + 0.5) * SIDE).astype(np.int32))
    cv2.fillConvexPoly(place, hull, (2,))
    cv2.polylines(place, [hull], True, (2,), 3)
    if look.seen is not None:
        place[look.seen < 0.5] = 2
    where, pixels = place[::_STEP, ::_STEP], look.pixels[:, ::_STEP, ::_STEP]
    on, beyond = pixels[:, where == 1], pixels[:, where == 0]
    if on.shape[1] < 20 or beyond.shape[1] < 20:
        return False
    return bool(np.abs(np.median(on, axis=1) - np.median(beyond, axis=1)).max() > _OTHER)
