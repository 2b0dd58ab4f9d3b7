"""Analysis of one frame for the reader: what is covered, how much ink there is, and the colour of a pipe."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.tasks.rotation_puzzle_task.planes import (
    GROUND,
    INK,
    INK_LEVEL,
    WORK_SCALE,
    FramePlanes,
    Plane,
    cut_patch,
)
from vmevalkit.tasks.rotation_puzzle_task.scene import BLUE, OTHER, SIZE, Pipe, PipeCamera, Point
from vmevalkit.tasks.rotation_puzzle_task.templates import BLUR_SIGMA_PX, Patch, PipeTemplates
from vmevalkit.tasks.rotation_puzzle_task.unmatched_pipes import FittedPipe

_OPAQUE = 0.85
"""A pipe with at least this opacity counts as fully opaque: blur takes some of its strength."""
_HALF_OPAQUE = 0.6
_FAINT_SHARE = 0.2
"""Blue below this share of a pipe's is noise."""
_MAX_COLOUR_DISTANCE = 75.0
"""Distance in levels over all three channels from which a colour is not the puzzle's blue."""
_RING, _RING_DARKNESS, _RING_SHARE = (0.54, 0.62), 0.25, 0.03
"""Ring around a square, in squares from its centre. Where more than this share of it is foreign and this dark, the
object that covers the square extends beyond it."""


class FrameAnalysis:
    """One frame while it is read, with the camera that its patches are cut with."""

    def __init__(self, planes: FramePlanes, camera: PipeCamera, templates: Mapping[str, PipeTemplates]) -> None:
        self.planes, self.camera = planes, camera
        self._templates = templates["L"]
        self._dark: Plane | None = None

    @property
    def dark(self) -> Plane:
        """The darkness of the frame, blurred as the templates are."""
        if self._dark is None:
            self._dark = np.asarray(cv2.GaussianBlur(self.planes.dark, (5, 5), BLUR_SIGMA_PX))
        return self._dark

    def measure_occlusion(self, place: Point) -> float:
        """Return the share of the square at a place that something covers, or that the video does not show."""
        if self.planes.occlusion is None and self._is_inside(place):
            return 0.0
        templates = self._templates
        is_covered = self.cut_occlusion(place) > 0
        return float(is_covered @ templates.disc / templates.disc.sum())

    def cut_occlusion(self, place: Point) -> Patch:
        """Return what is covered around a place, or outside of the video's picture where its square reaches there."""
        occlusion = self.planes.occlusion
        if occlusion is None:
            occlusion = np.zeros(self.planes.blue.shape, np.uint8)
        beyond = 0 if self._is_inside(place) else INK_LEVEL
        return cut_patch(occlusion, place, self.camera.zoom, self._templates.side, beyond)

    def _is_inside(self, place: Point) -> bool:
        reach = self.camera.zoom * self._templates.square / WORK_SCALE / 2
        return all(reach <= part <= side - reach for part, side in zip(place, SIZE, strict=True))

    def has_foreign_ring(self, place: Point) -> bool:
        """Return whether the object that covers a square extends beyond it; then it is not a pipe."""
        templates = self._templates
        side = 2 * round(_RING[1] * templates.square)
        steps = np.arange(side) + 0.5 - side / 2
        radius = np.hypot(steps[:, None], steps[None, :]).ravel() / templates.square
        ring = (radius > _RING[0]) & (radius < _RING[1])
        dark, blue = (cut_patch(plane, place, self.camera.zoom, side)[ring] for plane in (self.dark, self.planes.blue))
        return float((dark - blue > _RING_DARKNESS).mean()) > _RING_SHARE

    def measure_ink(self) -> float:
        """Return the area of everything blue, in pixels."""
        _, blue = cv2.threshold(self.planes.blue, _FAINT_SHARE * INK_LEVEL, 0, cv2.THRESH_TOZERO)
        return float(cv2.sumElems(blue)[0]) / INK_LEVEL

    def make_pipe(self, home: int, fitted: FittedPipe, square: int, camera: PipeCamera, is_dark: bool = False) -> Pipe:
        """Return a fitted pipe as a pipe of the scene. ``is_dark`` says that it was found by its darkness."""
        x, y = camera.unproject(fitted.place)
        if fitted.shape == OTHER:
            return Pipe(home, OTHER, 0.0, x, y)
        opacity = 1.0 if is_dark else clamp_opacity(fitted.fit.opacity)
        if opacity > _HALF_OPAQUE and self.measure_occlusion(fitted.place):
            opacity = 1.0  # the missing ink is covered
        points = _locate_spine(fitted.shape, fitted.fit.angle_deg) * square * camera.zoom + fitted.place
        colour = _name_colour(self.planes.sample_colour(points, include_occluded=is_dark), opacity)
        return Pipe(home, fitted.shape, fitted.fit.angle_deg, x, y, colour, opacity)


def clamp_opacity(share: float) -> float:
    """Return 1 for an opacity that is within the reading error of 1."""
    return 1.0 if share > _OPAQUE else share


def _locate_spine(shape: str, angle_deg: float) -> NDArray[np.float64]:
    """Return points along the middle of a pipe, in squares from its centre."""
    turn = np.radians(angle_deg)
    matrix = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return np.asarray(_SPINES[shape] @ matrix)


_ARM = np.linspace(0.0, 0.38, 5)
_UP, _RIGHT = np.stack([0 * _ARM, -_ARM], axis=1), np.stack([_ARM, 0 * _ARM], axis=1)
_SPINES = {
    "L": np.concatenate([_UP, _RIGHT]),
    "I": np.concatenate([_UP, -_UP]),
    "T": np.concatenate([_UP, _RIGHT, -_RIGHT]),
}


def _name_colour(levels: NDArray[np.float32] | None, opacity: float) -> str:
    """Return the puzzle's blue, or the hex code of a clearly different colour."""
    if levels is None:
        return BLUE
    opaque = GROUND + (levels - GROUND) / min(max(opacity, 0.5), 1.0)
    if float(np.linalg.norm(opaque - INK)) < _MAX_COLOUR_DISTANCE:
        return BLUE
    return "#" + "".join(f"{round(float(level)):02x}" for level in np.clip(opaque, 0, 255))
