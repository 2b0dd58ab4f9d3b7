"""The camera of a frame, from where the pipes are that should be in their places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vmevalkit.tasks.rotation_puzzle_task.scene import SIZE, Camera, Point

_AGREE_PX = 2.5
"""Marks that are farther than this from where the camera puts them do not belong to it."""
_ZOOM_STEP, _SHIFT_STEP_PX = 0.08, 32.0
"""A camera does not change by more than this from one frame to the next."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A pipe that may tell where the camera is."""

    home: Point
    """Where it belongs."""
    shown: Point
    """Where it appears."""


def follow(marks: Sequence[Mark], before: Camera) -> Camera:
    """The camera that explains all marks, or all but one of four or more. Where none does, it is the one before."""
    if len(marks) < 2:
        return before
    camera, off = _fitted(marks)
    if off > _AGREE_PX and len(marks) > 3:
        rest = [[*marks[:i], *marks[i + 1 :]] for i in range(len(marks))]
        camera, off = min((_fitted(some) for some in rest), key=lambda fitted: fitted[1])
    steady = abs(camera.zoom / before.zoom - 1) < _ZOOM_STEP
    near = max(abs(camera.x - before.x), abs(camera.y - before.y)) < _SHIFT_STEP_PX
    return camera if off <= _AGREE_PX and steady and near else before


def _fitted(marks: Sequence[Mark]) -> tuple[Camera, float]:
    """By least squares, and how far the farthest mark is off."""
    middle = np.array(SIZE) / 2
    homes, shown = (np.array([getattr(mark, name) for mark in marks]) - middle for name in ("home", "shown"))
    home, there = homes.mean(axis=0), shown.mean(axis=0)
    spread = ((homes - home) ** 2).sum()
    zoom = float(((homes - home) * (shown - there)).sum() / spread)
    shift = there - zoom * home
    off = float(np.abs(shown - (zoom * homes + shift)).max())
    return Camera(zoom, float(shift[0]), float(shift[1])), off
