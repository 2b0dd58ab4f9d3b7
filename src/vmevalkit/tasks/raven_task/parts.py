"""The parts of the ink, each brought to one size so that shapes can be compared."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.picture import Frame
from vmevalkit.tasks.raven_task.lens import CELL, GAP, WINDOWS, Levels, Plane

CUT = 0.35
"""Share of a cell's strongest ink at which a part ends."""
SPECK = 64
"""Pixels of a box that is too small to hold a shape; the smallest shape of a question has a box of 430."""
SAMPLES = 18
"""Along each side of a part at its one size."""
_REACH = 0.56
"""Half the side of the square that is looked at, relative to the longer side of the part."""
_SOLID = 0.85
"""Share of a part's strongest ink above which a pixel tells its colour."""

_NEAR = np.ones((7, 7), np.uint8)
_STEPS = ((np.arange(SAMPLES) + 0.5) / SAMPLES * 2 - 1).astype(np.float32)


class Parts(NamedTuple):
    """The parts of a picture, n of them."""

    cells: NDArray[np.intp]
    """The cell of each."""
    shapes: Levels
    """n x SAMPLES^2: the ink at one size, less its mean, of length 1."""
    colours: Levels
    """n x 3: the usual levels where the ink is strong."""
    sizes: Levels
    """The longer side of each, in pixels."""
    entering: NDArray[np.bool_]
    """Whether it reaches the edge of its cell, as something does that comes from outside."""
    left_over: NDArray[np.intp]
    """For each of the nine cells, how many pixels of weaker ink lie away from all parts."""


def parts_of(picture: Frame, ink: Plane, levels: Levels, weakest: float) -> Parts:
    """Where the ink of each cell is above the cell's level. What is left over is above the weakest."""
    mask = np.zeros_like(ink)
    for inside, level in zip(WINDOWS, levels.tolist(), strict=True):
        mask[inside] = cv2.compare(ink[inside], level, cv2.CMP_GT)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    boxes = np.array([cv2.boundingRect(contour) for contour in contours], np.float32).reshape(-1, 4)
    left, top, width, height = boxes[boxes[:, 2] * boxes[:, 3] >= SPECK].T
    sizes = np.maximum(width, height)
    x, y = left + (width - 1) / 2, top + (height - 1) / 2
    shapes, colours = _sampled(picture, ink, x, y, sizes)
    low, high = GAP + 1, CELL - GAP - 1
    entering = (left % CELL < low) | (top % CELL < low)
    entering |= ((left + width - 1) % CELL >= high) | ((top + height - 1) % CELL >= high)
    cells = (y // CELL * 3 + x // CELL).astype(np.intp)
    return Parts(cells, shapes, colours, sizes, entering, _left_over(mask, ink, weakest))


def _left_over(mask: Plane, ink: Plane, weakest: float) -> NDArray[np.intp]:
    beyond = cv2.subtract(cv2.compare(ink, weakest, cv2.CMP_GT), cv2.dilate(mask, _NEAR))
    return np.array([cv2.countNonZero(beyond[inside]) for inside in WINDOWS], np.intp)


def _sampled(picture: Frame, ink: Plane, x: Levels, y: Levels, sizes: Levels) -> tuple[Levels, Levels]:
    """Ink and colour of all parts at one size."""
    count = len(x)
    if not count:
        return np.empty((0, SAMPLES**2), np.float32), np.empty((0, 3), np.float32)
    across = sizes[:, None] * (_REACH * _STEPS)
    columns = np.repeat(x[:, None] + across, SAMPLES, axis=0)
    rows = np.repeat((y[:, None] + across).ravel(), SAMPLES).reshape(-1, SAMPLES)
    strength = cv2.remap(ink, columns, rows, cv2.INTER_LINEAR).reshape(count, -1)
    levels = cv2.remap(picture, columns, rows, cv2.INTER_NEAREST).reshape(count, -1, 3)
    solid = strength >= _SOLID * strength.max(axis=1, keepdims=True)
    # A product of matrices for each part, which is faster than masks.
    sums = (solid[:, None, :].astype(np.float32) @ levels.astype(np.float32))[:, 0]
    return unit(strength.astype(np.float32)), sums / solid.sum(axis=1, keepdims=True, dtype=np.float32)


def unit(rows: Levels) -> Levels:
    """Each row less its mean, with length 1."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    lengths = np.sqrt(np.einsum("np,np->n", centred, centred))
    return np.asarray(centred / np.maximum(lengths, 1e-6)[:, None], np.float32)
