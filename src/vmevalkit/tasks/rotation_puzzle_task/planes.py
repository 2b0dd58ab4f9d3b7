"""Measurements of a frame: where it is blue, where something covers it, and the patches cut from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import rgba
from vmevalkit.media.image import Frame, Mask
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.tasks.rotation_puzzle_task.scene import BACKGROUND, BLUE, SIZE, Point
from vmevalkit.tasks.rotation_puzzle_task.templates import BLUR_SIGMA_PX, Patch

READING_SCALE = 0.5
WORK_SCALE = 0.25
"""Images are read at a quarter of their size: a pipe is nine pixels wide there."""
WORK_SIZE = (round(SIZE[0] * WORK_SCALE), round(SIZE[1] * WORK_SCALE))
_LAST_PIXEL = np.array(WORK_SIZE) - 1
Plane: TypeAlias = NDArray[np.uint8]
Levels: TypeAlias = NDArray[np.float32]
INK_LEVEL = 200
"""The level of an opaque pipe in a plane."""

GROUND, INK = (255 * np.array(rgba(colour)[:3], np.float32) for colour in (BACKGROUND, BLUE))
_INK_BLUENESS = float((INK - GROUND)[2] - (INK - GROUND)[0])
_GROUND_BLUENESS = float(GROUND[2] - GROUND[0])
_INK_DARKNESS = float((GROUND - INK).max())
_MIN_GROUND_LEVEL = 90
"""A frame whose ground is darker is unreadable."""
_FLAT_LEVELS, _MIN_FLAT_SHARE = 24, 0.45
"""In a readable frame at least this share of the pixels is within so many levels of the ground."""
_FOREIGN_SHARE = 0.3
"""Darkness that blue does not explain, as a share of a pipe's, from which a pixel belongs to something else."""
_MAX_NOISE_PIXELS = 6
"""This many foreign pixels count as noise."""
_MIN_COLOUR_POINTS = 4
_OCCLUSION_MARGIN_PX = 9
"""Pixels around something foreign are not used: a caption's white box looks like the ground."""


@dataclass(frozen=True, slots=True)
class FramePlanes:
    """One frame at working size. In the planes an opaque pipe has the level INK_LEVEL."""

    image: Frame
    blue: Plane
    """Amount of blue: high in pipes, 0 on the ground and in objects of other colours."""
    dark: Plane
    """Amount of darkness relative to the ground, in any colour."""
    occlusion: Plane | None
    """Not 0 near something foreign, or where the video shows nothing; None means nowhere."""
    ground: Levels
    """The level of the ground in each channel."""

    def sample_colour(self, points: NDArray[np.float64], include_occluded: bool) -> Levels | None:
        """Return the median colour at some points of the drawn image, corrected for the light.

        Points near something foreign count only with ``include_occluded``. None where too few points remain.
        """
        columns, rows = np.minimum(np.maximum((points * WORK_SCALE).astype(np.intp), 0), _LAST_PIXEL).T
        if self.occlusion is not None and not include_occluded:
            is_clear = self.occlusion[rows, columns] == 0
            columns, rows = columns[is_clear], rows[is_clear]
        if len(rows) < _MIN_COLOUR_POINTS:
            return None
        median = np.sort(self.image[rows, columns], axis=0)[len(rows) // 2]  # np.median has much overhead
        return np.asarray(median * (GROUND / self.ground), np.float32)


def compute_planes(frame: RegisteredFrame) -> FramePlanes | None:
    """Return the planes of a frame; None where it has no light ground."""
    small = np.asarray(cv2.resize(frame.image, WORK_SIZE, interpolation=cv2.INTER_AREA), np.uint8)
    samples = small[1::4, 1::4].reshape(-1, 3)
    ground = np.median(samples, axis=0)
    is_flat = np.abs(samples - ground).max(axis=1) <= _FLAT_LEVELS
    if ground.min() < _MIN_GROUND_LEVEL or is_flat.mean() < _MIN_FLAT_SHARE:
        return None
    light = GROUND / ground
    blue_matrix = INK_LEVEL / _INK_BLUENESS * np.array([[-light[0], 0, light[2], -_GROUND_BLUENESS]])
    dark_matrix = INK_LEVEL / _INK_DARKNESS * np.concatenate([np.diag(-light), GROUND[:, None]], axis=1)
    blue = cv2.transform(small, blue_matrix)
    dark_channels = cv2.split(cv2.transform(small, dark_matrix))
    dark = cv2.max(cv2.max(dark_channels[0], dark_channels[1]), dark_channels[2])
    occlusion = _find_occlusion(dark, blue, frame.visible)
    blurred = np.asarray(cv2.GaussianBlur(blue, (5, 5), BLUR_SIGMA_PX))
    return FramePlanes(small, blurred, np.asarray(dark), occlusion, ground.astype(np.float32))


def _find_occlusion(dark: Plane, blue: Plane, seen: Mask | None) -> Plane | None:
    rest = cv2.blur(cv2.subtract(dark, blue), (2, 2))
    _, foreign = cv2.threshold(rest, _FOREIGN_SHARE * INK_LEVEL, 1, cv2.THRESH_BINARY)
    occlusion: Plane | None = None
    if cv2.countNonZero(foreign) > _MAX_NOISE_PIXELS:
        diameter = 2 * _OCCLUSION_MARGIN_PX + 1
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (diameter, diameter))
        occlusion = np.asarray(cv2.dilate(foreign, kernel), np.uint8)
    if seen is not None and not seen.all():
        unseen = np.asarray(cv2.resize((~seen).astype(np.uint8), WORK_SIZE, interpolation=cv2.INTER_NEAREST))
        occlusion = unseen if occlusion is None else occlusion | unseen
    return occlusion


def cut_patch(plane: Plane, place: Point, zoom: float, side: int, beyond: int = 0) -> Patch:
    """Return the plane around a point of the drawn image with the zoom undone, flattened; 1 in an opaque pipe.

    Beyond its edges the plane has the level ``beyond``."""
    shift_x, shift_y = (part * WORK_SCALE - 0.5 - zoom * (side - 1) / 2 for part in place)
    matrix = np.array([[zoom, 0, shift_x], [0, zoom, shift_y]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    cut = cv2.warpAffine(plane, matrix, (side, side), flags=flags, borderMode=cv2.BORDER_CONSTANT, borderValue=beyond)
    return np.asarray(cut.ravel() * np.float32(1 / INK_LEVEL), np.float32)
