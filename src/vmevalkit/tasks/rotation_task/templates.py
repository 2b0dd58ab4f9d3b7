"""Small views from all directions: starts for the search when a video shows something unexpected."""

from __future__ import annotations

from math import exp

import cv2
import numpy as np

from vmevalkit.tasks.rotation_task.backdrop import Floats
from vmevalkit.tasks.rotation_task.parts import COARSE, SIDE, Pose
from vmevalkit.tasks.rotation_task.pose import ObservedFrame, PoseFitter

_SMALL_SIDE = 25
_AZIMUTHS_DEG = np.arange(0, 360, 5)
_TILTS_DEG = (-14.0, 14.0)  # elevations beside the puzzle's own, at every other azimuth
_MIN_GAP_DEG = 20.0  # two views that are nearer count as one


class ViewTemplates:
    """Views of the puzzle's sculpture. They are rendered at the first use, which takes some fifty milliseconds."""

    def __init__(self, fitter: PoseFitter) -> None:
        self._fitter = fitter
        self._views: tuple[Floats, Floats] | None = None

    def find_nearest(
        self, frame: ObservedFrame, place: Pose, count: int, is_mirrored: bool = False
    ) -> list[tuple[Pose, float]]:
        """Return the views that explain the frame best, with the share that each leaves unexplained.

        ``place`` gives the position and the size of the sculpture in the image. With ``is_mirrored`` the frame is
        mirrored first.
        """
        angles, views = self._views = self._views or self._render()
        small = _centre_sculpture(frame, place)
        if is_mirrored:
            small = small[:, ::-1]
        pixels = small.reshape(-1, 3)
        spread = float(((pixels - np.median(pixels, axis=0)) ** 2).sum())
        explained = ((views @ pixels) ** 2).sum(axis=(1, 2))
        unexplained = (float((pixels**2).sum()) - explained) / max(spread, 1.0)
        best: list[tuple[Pose, float]] = []
        for i in np.argsort(unexplained):
            azim_deg, elev_deg = angles[i]
            gaps = [abs((azim_deg - pose[0] + 180) % 360 - 180) for pose, _ in best]
            if all(gap >= _MIN_GAP_DEG for gap in gaps):
                best.append((np.array([azim_deg, elev_deg, *place[2:]]), float(unexplained[i])))
            if len(best) == count:
                break
        return best

    def _render(self) -> tuple[Floats, Floats]:
        """Return azimuth and elevation of each view, and an orthonormal basis of its parts."""
        puzzle = self._fitter.puzzle
        angles = [(float(a), puzzle.elev_deg) for a in _AZIMUTHS_DEG]
        angles += [(float(a), puzzle.elev_deg + tilt) for tilt in _TILTS_DEG for a in _AZIMUTHS_DEG[::2]]
        views = []
        for azim_deg, elev_deg in angles:
            pose = np.array([azim_deg, elev_deg, 0.0, 0.0, 0.0])
            parts = self._fitter.renderer.render_parts(puzzle.voxels, pose, COARSE)
            small = cv2.resize(parts.transpose(1, 2, 0), (_SMALL_SIDE, _SMALL_SIDE), interpolation=cv2.INTER_AREA)
            views.append(np.linalg.qr(small.reshape(_SMALL_SIDE * _SMALL_SIDE, -1))[0].T)
        return np.array(angles), np.array(views, np.float32)


def _centre_sculpture(frame: ObservedFrame, place: Pose) -> Floats:
    """Return the frame with the sculpture in its drawn place and size."""
    zoom = exp(place[2])
    offset = (0.5 + place[3:]) * SIDE - zoom * SIDE / 2
    matrix = np.array([[zoom, 0, offset[0]], [0, zoom, offset[1]]])
    image = cv2.warpAffine(
        frame.pixels.transpose(1, 2, 0), matrix, (SIDE, SIDE),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    return np.asarray(cv2.resize(image, (_SMALL_SIDE, _SMALL_SIDE), interpolation=cv2.INTER_AREA))
