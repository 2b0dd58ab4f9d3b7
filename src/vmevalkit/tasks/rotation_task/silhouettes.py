"""Silhouettes of a sculpture from all directions: a model draws voxels a little longer or shorter as the camera moves,
and a picture of somebody else does not say how they look from behind."""

from __future__ import annotations

from math import log
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame, Mask
from vmevalkit.tasks.rotation_task.parts import FINE, PartRenderer, Pose
from vmevalkit.tasks.rotation_task.scene import VoxelPuzzle, angle_between

ALIKE = 0.85
"""Least share of two silhouettes together that is in both, where they show the same sculpture from the same side."""
AS_GOOD = 0.03
"""Of directions whose overlaps differ by less, the one nearest to the last direction counts."""
OTHER_LEVELS = 24
"""Levels by which a sculpture differs from its background."""
_AZIMUTHS_DEG = np.arange(0, 360, 10)
_TILTS_DEG = (0.0, -8.0, 8.0)
_SIDE, _FILLED = 64, 0.9
_SQUARE = np.ones((3, 3), np.uint8)


class _Silhouette(NamedTuple):
    azim_deg: float
    elev_deg: float
    shape: NDArray[np.bool_]
    size: float
    """Longer side, as a share of the picture."""
    place: tuple[float, float]
    """Middle, as shares of the picture from its middle."""


class SilhouetteFinder:
    """Finds the direction from which a frame shows one of several drawings of the same sculpture."""

    def __init__(self, puzzles: tuple[VoxelPuzzle, ...]) -> None:
        self._puzzles = puzzles
        self._views: list[_Silhouette] = []

    def find(self, image: Frame, last_azim_deg: float) -> Pose | None:
        """Return the pose of the sculpture; None where the frame shows no such silhouette."""
        seen = find_sculpture_mask(image)
        if not seen.any():
            return None
        shape, size, place = _measure(seen)
        self._views = self._views or [view for puzzle in self._puzzles for view in _render(puzzle)]
        overlaps = [_compare(shape, view.shape) for view in self._views]
        best = max(overlaps)
        if best < ALIKE:
            return None
        near = [view for view, overlap in zip(self._views, overlaps, strict=True) if overlap > best - AS_GOOD]
        view = min(near, key=lambda each: (abs(angle_between(last_azim_deg, each.azim_deg)), abs(each.elev_deg)))
        zoom = size / view.size
        shift = [there - zoom * here for there, here in zip(place, view.place, strict=True)]
        return np.array([view.azim_deg, view.elev_deg, log(zoom), *shift])


def find_sculpture_mask(image: Frame) -> Mask:
    """Return the largest connected thing that differs from the colour at the picture's edges."""
    edges = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]])
    other = np.abs(image.astype(np.int16) - np.median(edges, axis=0)).max(axis=2) > OTHER_LEVELS
    thick = cv2.morphologyEx(other.astype(np.uint8), cv2.MORPH_OPEN, _SQUARE)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(thick)
    if count < 2:
        return np.zeros(image.shape[:2], np.bool_)
    return np.asarray(labels == 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA])), np.bool_)


def _render(puzzle: VoxelPuzzle) -> list[_Silhouette]:
    renderer, views = PartRenderer(puzzle), []
    for azim_deg in _AZIMUTHS_DEG:
        for tilt in _TILTS_DEG:
            pose = np.array([puzzle.azim_deg + azim_deg, puzzle.elev_deg + tilt, 0.0, 0.0, 0.0])
            parts = renderer.render_parts(puzzle.voxels, pose, FINE)
            cover = np.asarray(renderer.measure_cover(parts) > 0.5, np.bool_)
            views.append(_Silhouette(pose[0] % 360, pose[1], *_measure(cover)))
    return views


def _measure(mask: Mask) -> tuple[NDArray[np.bool_], float, tuple[float, float]]:
    """Return a silhouette at a fixed size, and its own size and place."""
    height, width = mask.shape
    left, top, wide, high = cv2.boundingRect(mask.astype(np.uint8))
    x, y, scale = left + wide / 2, top + high / 2, _SIDE * _FILLED / max(wide, high)
    matrix = np.array([[scale, 0, _SIDE / 2 - x * scale], [0, scale, _SIDE / 2 - y * scale]])
    shape = cv2.warpAffine(mask.astype(np.float32), matrix, (_SIDE, _SIDE)) > 0.5
    return np.asarray(shape), max(wide / width, high / height), (x / width - 0.5, y / height - 0.5)


def _compare(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    return int(np.count_nonzero(one & other)) / max(int(np.count_nonzero(one | other)), 1)
