"""A bank of small views from all around: where to look when a film shows something unexpected."""

from __future__ import annotations

from math import exp

import cv2
import numpy as np

from vmevalkit.tasks.rotation_task.backdrop import Floats
from vmevalkit.tasks.rotation_task.pose import COARSE, SIDE, Look, Pose, PoseFitter

_SMALL = 25
_AZIMUTHS_DEG = np.arange(0, 360, 5)
_ASIDE_DEG = (-14.0, 14.0)  # elevations beside the puzzle's own, at every other azimuth
_NEAR_DEG = 20.0  # two views that are nearer than this count as one


class ViewBank:
    """Views of the puzzle's sculpture; built when first used, which takes some fifty milliseconds."""

    def __init__(self, fitter: PoseFitter) -> None:
        self._fitter = fitter
        self._views: tuple[Floats, Floats] | None = None

    def nearest(self, look: Look, place: Pose, count: int, flipped: bool = False) -> list[tuple[Pose, float]]:
        """The views that explain the frame best, with the share that they leave unexplained.

        ``place`` says where the sculpture stands in the picture and how large. ``flipped`` looks at the frame in a
        mirror.
        """
        angles, views = self._views = self._views or self._build()
        small = _centred(look, place)
        if flipped:
            small = small[:, ::-1]
        pixels = small.reshape(-1, 3)
        spread = float(((pixels - np.median(pixels, axis=0)) ** 2).sum())
        explained = ((views @ pixels) ** 2).sum(axis=(1, 2))
        left = (float((pixels**2).sum()) - explained) / max(spread, 1.0)
        best: list[tuple[Pose, float]] = []
        for i in np.argsort(left):
            azim_deg, elev_deg = angles[i]
            apart = [abs((azim_deg - pose[0] + 180) % 360 - 180) for pose, _ in best]
            if all(gap >= _NEAR_DEG for gap in apart):
                best.append((np.array([azim_deg, elev_deg, *place[2:]]), float(left[i])))
            if len(best) == count:
                break
        return best

    def _build(self) -> tuple[Floats, Floats]:
        puzzle = self._fitter.puzzle
        angles = [(float(a), puzzle.elev_deg) for a in _AZIMUTHS_DEG]
        angles += [(float(a), puzzle.elev_deg + aside) for aside in _ASIDE_DEG for a in _AZIMUTHS_DEG[::2]]
        views = []
        for azim_deg, elev_deg in angles:
            parts = self._fitter.parts(puzzle.voxels, np.array([azim_deg, elev_deg, 0.0, 0.0, 0.0]), COARSE)
            small = cv2.resize(parts.transpose(1, 2, 0), (_SMALL, _SMALL), interpolation=cv2.INTER_AREA)
            views.append(np.linalg.qr(small.reshape(_SMALL * _SMALL, -1))[0].T)
        return np.array(angles), np.array(views, np.float32)


def _centred(look: Look, place: Pose) -> Floats:
    """The frame as if the sculpture stood in the middle at its own size."""
    zoom = exp(place[2])
    offset = (0.5 + place[3:]) * SIDE - zoom * SIDE / 2
    matrix = np.array([[zoom, 0, offset[0]], [0, zoom, offset[1]]])
    picture = cv2.warpAffine(
        look.pixels.transpose(1, 2, 0), matrix, (SIDE, SIDE),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    return np.asarray(cv2.resize(picture, (_SMALL, _SMALL), interpolation=cv2.INTER_AREA))
