"""What a patch of colour looks like: which of the six colours, and which of the four shapes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import rgba
from vmevalkit.tasks.object_subtraction_task.scene import AREAS, CENTROIDS, COLOURS, OTHER, SHAPES, Piece, covered

Floats = NDArray[np.float32]

NAMES = tuple(COLOURS)
_LACKS = np.array([[255 * (1 - part) for part in rgba(colour)[:3]] for colour in COLOURS.values()])
"""What each colour takes from white."""
_LENGTHS = np.linalg.norm(_LACKS, axis=1)
_DIRECTIONS = _LACKS / _LENGTHS[:, None]
_ALIKE = float(np.cos(np.radians(11.0)))
"""Colours whose directions differ by less have the same name: the six are at least 21 degrees apart."""
_DARKEST = 1.3
"""Ink so many times stronger than a colour's own is another colour."""

_GRID = 24
"""A patch is compared at this size, with twice the side of a square of the same area."""
_BLURS = (0.5, 1.1, 1.8)
"""Of the grid's pixels."""
_FITS = 0.93
"""Correlation below which a patch is none of the four shapes."""
_TIE = 0.006


@dataclass(frozen=True, slots=True)
class Ink:
    """The colour of a patch."""

    name: str
    """One of COLOURS, or #rrggbb."""
    opacity: float
    """How strong it is, 1 for the colour's own."""


def ink_of(lack: NDArray[np.float64], expected: str | None = None) -> Ink:
    """The colour that takes this much from white. Faint ink is the expected one, if it may be."""
    length = float(np.linalg.norm(lack))
    if length < 1.0:
        return Ink(expected or "#ffffff", 0.0)
    likeness = _DIRECTIONS @ (lack / length)
    best = int(likeness.argmax())
    if expected in COLOURS:
        own = NAMES.index(expected)
        faint = length < 0.45 * _LENGTHS[own]
        if likeness[own] >= (0.94 if faint else _ALIKE) and likeness[best] - likeness[own] < 0.03:
            best = own
            return Ink(NAMES[best], float(lack @ _DIRECTIONS[best]) / float(_LENGTHS[best]))
    opacity = float(lack @ _DIRECTIONS[best]) / float(_LENGTHS[best])
    if likeness[best] < _ALIKE or opacity > _DARKEST:
        red, green, blue = (int(min(max(255 - part, 0), 255)) for part in lack)
        return Ink(f"#{red:02x}{green:02x}{blue:02x}", 1.0)
    return Ink(NAMES[best], opacity)


def shape_of(alpha: Floats, x: float, y: float, area: float, expected: str | None = None) -> str:
    """The shape of a patch in a plane that says how much of each pixel is covered, given its centre of mass and its
    area. Among two that fit alike it is the expected one."""
    step = 2 * area**0.5 / _GRID
    corner_x, corner_y = x - 0.5 - step * (_GRID - 1) / 2, y - 0.5 - step * (_GRID - 1) / 2
    into = np.array([[step, 0, corner_x], [0, step, corner_y]])
    seen = cv2.warpAffine(alpha, into, (_GRID, _GRID), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    flat = seen.ravel()
    fits = _templates() @ flat  # their mean is 0, so that of the patch does not matter
    spread = float(flat @ flat) - float(flat.sum()) ** 2 / flat.size
    if spread < 1e-6:
        return OTHER
    fits = (fits / spread**0.5).reshape(len(SHAPES), -1).max(axis=1)
    best = int(fits.argmax())
    if expected in SHAPES and fits[best] - fits[SHAPES.index(expected)] < _TIE:
        best = SHAPES.index(expected)
    return SHAPES[best] if fits[best] >= _FITS else OTHER


@lru_cache(maxsize=1)
def _templates() -> Floats:
    """Each shape at each blur, as rows of mean 0 and length 1."""
    rows = []
    fine = 8
    side = _GRID * fine
    for shape in SHAPES:
        size = side / 2 / AREAS[shape] ** 0.5
        whole = covered([Piece(0, "red", shape, side / 2, side / 2 - CENTROIDS[shape] * size, size)], side)
        for blur in _BLURS:
            soft = cv2.GaussianBlur(whole.astype(np.float32), (0, 0), blur * fine)
            row = cv2.resize(soft, (_GRID, _GRID), interpolation=cv2.INTER_AREA).ravel()
            row = row - row.mean()
            rows.append(row / np.linalg.norm(row))
    return np.asarray(rows, np.float32)
