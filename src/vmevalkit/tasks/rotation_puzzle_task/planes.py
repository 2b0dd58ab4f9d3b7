"""What is measured of a frame: where it is blue, where something else lies, and how it is cut into patches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import rgba
from vmevalkit.media.picture import Frame, Mask
from vmevalkit.media.sighting import Sighting
from vmevalkit.tasks.rotation_puzzle_task.bank import SOFT, Patch
from vmevalkit.tasks.rotation_puzzle_task.scene import BACKGROUND, BLUE, SIZE, Point

READING_SCALE = 0.5
WORK_SCALE = 0.25
"""Pictures are read at a quarter of their size: a pipe is nine pixels wide there."""
WORK_SIZE = (round(SIZE[0] * WORK_SCALE), round(SIZE[1] * WORK_SCALE))
_LAST_PIXEL = np.array(WORK_SIZE) - 1
Plane: TypeAlias = NDArray[np.uint8]
Levels: TypeAlias = NDArray[np.float32]
FULL = 200
"""The level of a whole pipe in a plane."""

GROUND, INK = (255 * np.array(rgba(colour)[:3], np.float32) for colour in (BACKGROUND, BLUE))
_BLUENESS = float((INK - GROUND)[2] - (INK - GROUND)[0])
_BARE = float(GROUND[2] - GROUND[0])
_DEPTH = float((GROUND - INK).max())
DARKEST = 90
"""A ground that is darker than this belongs to no picture that can be read."""
_FLAT_LEVELS, _FLAT_SHARE = 24, 0.45
"""Of a picture that can be read, this share at least is ground, give or take some levels."""
_FOREIGN = 0.3
"""What is darker than its blue explains is something else, from here on."""
_SPECK = 6
"""Pixels of something else that are taken for noise."""
_FEWEST_POINTS = 4
_AROUND = 9
"""Pixels around something else that are not believed: a caption's paper cannot be told from the ground."""


@dataclass(frozen=True, slots=True)
class Planes:
    """One frame at working size. In the planes a whole pipe has the level FULL."""

    picture: Frame
    blue: Plane
    """Where it is blue: pipes, and nothing on the ground or in whatever has another colour."""
    dark: Plane
    """Where it is darker than the ground, in any colour."""
    veil: Plane | None
    """Not 0 where something else is near, or where the film shows nothing; None means nowhere."""
    ground: Levels
    """The level of the ground in each channel."""

    def colour(self, points: NDArray[np.float64], behind: bool) -> Levels | None:
        """The usual colour at some points of the drawn picture, in its own light; None where too few can be seen.

        ``behind`` takes also those near something else.
        """
        columns, rows = np.minimum(np.maximum((points * WORK_SCALE).astype(np.intp), 0), _LAST_PIXEL).T
        if self.veil is not None and not behind:
            clear = self.veil[rows, columns] == 0
            columns, rows = columns[clear], rows[clear]
        if len(rows) < _FEWEST_POINTS:
            return None
        usual = np.sort(self.picture[rows, columns], axis=0)[len(rows) // 2]  # the median, without its overhead
        return np.asarray(usual * (GROUND / self.ground), np.float32)


def planes_of(sighting: Sighting) -> Planes | None:
    """None where no light ground is seen."""
    small = np.asarray(cv2.resize(sighting.picture, WORK_SIZE, interpolation=cv2.INTER_AREA), np.uint8)
    some = small[1::4, 1::4].reshape(-1, 3)
    ground = np.median(some, axis=0)
    near = np.abs(some - ground).max(axis=1) <= _FLAT_LEVELS
    if ground.min() < DARKEST or near.mean() < _FLAT_SHARE:
        return None
    light = GROUND / ground
    by_blue = FULL / _BLUENESS * np.array([[-light[0], 0, light[2], -_BARE]])
    by_dark = FULL / _DEPTH * np.concatenate([np.diag(-light), GROUND[:, None]], axis=1)
    blue = cv2.transform(small, by_blue)
    red, green, bluest = cv2.split(cv2.transform(small, by_dark))
    dark = cv2.max(cv2.max(red, green), bluest)
    veil = _veil(dark, blue, sighting.seen)
    soft = np.asarray(cv2.GaussianBlur(blue, (5, 5), SOFT))
    return Planes(small, soft, np.asarray(dark), veil, ground.astype(np.float32))


def _veil(dark: Plane, blue: Plane, seen: Mask | None) -> Plane | None:
    rest = cv2.blur(cv2.subtract(dark, blue), (2, 2))
    _, foreign = cv2.threshold(rest, _FOREIGN * FULL, 1, cv2.THRESH_BINARY)
    veiled: Plane | None = None
    if cv2.countNonZero(foreign) > _SPECK:
        around = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * _AROUND + 1, 2 * _AROUND + 1))
        veiled = np.asarray(cv2.dilate(foreign, around), np.uint8)
    if seen is not None and not seen.all():
        unseen = np.asarray(cv2.resize((~seen).astype(np.uint8), WORK_SIZE, interpolation=cv2.INTER_NEAREST))
        veiled = unseen if veiled is None else veiled | unseen
    return veiled


def patch_of(plane: Plane, place: Point, zoom: float, side: int) -> Patch:
    """The plane around a place of the drawn picture, as if nothing were zoomed: flat, and 1 in a whole pipe."""
    shift_x, shift_y = (part * WORK_SCALE - 0.5 - zoom * (side - 1) / 2 for part in place)
    matrix = np.array([[zoom, 0, shift_x], [0, zoom, shift_y]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    cut = cv2.warpAffine(plane, matrix, (side, side), flags=flags, borderMode=cv2.BORDER_CONSTANT)
    return np.asarray(cut.ravel() * np.float32(1 / FULL), np.float32)
