"""The connected components of the ink, each scaled to one size so that shapes can be compared."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame
from vmevalkit.tasks.raven_task.sampling import CELL, GAP, WINDOWS, Levels, Plane

INK_THRESHOLD = 0.35
"""Share of a cell's strongest ink at which a component ends."""
MIN_BOX_PIXELS = 64
"""Boxes with fewer pixels cannot hold a shape; the smallest shape of a question has a box of 430."""
SAMPLES = 18
"""Samples along each side of a scaled component."""
_HALF_SIDE = 0.56
"""Half the side of the sampled square, relative to the longer side of the component."""
_SOLID = 0.85
"""Pixels with at least this share of a component's strongest ink determine its colour."""

_NEIGHBOURHOOD = np.ones((7, 7), np.uint8)
_SAMPLE_POSITIONS = ((np.arange(SAMPLES) + 0.5) / SAMPLES * 2 - 1).astype(np.float32)


class Components(NamedTuple):
    """The components of an image, n of them."""

    cells: NDArray[np.intp]
    """The cell of each."""
    shapes: Levels
    """n x SAMPLES^2: the ink at one size, less its mean, of length 1."""
    colours: Levels
    """n x 3: the mean levels where the ink is strong."""
    sizes: Levels
    """The longer side of each, in pixels."""
    is_entering: NDArray[np.bool_]
    """Whether it reaches the edge of its cell, as something does that enters from outside."""
    left_over: NDArray[np.intp]
    """For each of the nine cells, the number of pixels of weaker ink away from all components."""


def find_components(image: Frame, ink: Plane, levels: Levels, min_ink: float, size_offset: float = 0.0) -> Components:
    """Return the components where the ink of each cell is above the cell's level. ``min_ink`` is the weakest ink that
    counts as left over. Components are scaled as if they were ``size_offset`` pixels larger."""
    mask = np.zeros_like(ink)
    for window, level in zip(WINDOWS, levels.tolist(), strict=True):
        mask[window] = cv2.compare(ink[window], level, cv2.CMP_GT)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    boxes = np.array([cv2.boundingRect(contour) for contour in contours], np.float32).reshape(-1, 4)
    left, top, width, height = boxes[boxes[:, 2] * boxes[:, 3] >= MIN_BOX_PIXELS].T
    sizes = np.maximum(width, height)
    x, y = left + (width - 1) / 2, top + (height - 1) / 2
    shapes, colours = _sample_components(image, ink, x, y, sizes + size_offset)
    low, high = GAP + 1, CELL - GAP - 1
    is_entering = (left % CELL < low) | (top % CELL < low)
    is_entering |= ((left + width - 1) % CELL >= high) | ((top + height - 1) % CELL >= high)
    cells = (y // CELL * 3 + x // CELL).astype(np.intp)
    return Components(cells, shapes, colours, sizes, is_entering, _count_left_over(mask, ink, min_ink))


def _count_left_over(mask: Plane, ink: Plane, min_ink: float) -> NDArray[np.intp]:
    left_over = cv2.subtract(cv2.compare(ink, min_ink, cv2.CMP_GT), cv2.dilate(mask, _NEIGHBOURHOOD))
    return np.array([cv2.countNonZero(left_over[window]) for window in WINDOWS], np.intp)


def _sample_components(image: Frame, ink: Plane, x: Levels, y: Levels, sizes: Levels) -> tuple[Levels, Levels]:
    """Return ink and colour of all components at one size."""
    count = len(x)
    if not count:
        return np.empty((0, SAMPLES**2), np.float32), np.empty((0, 3), np.float32)
    offsets = sizes[:, None] * (_HALF_SIDE * _SAMPLE_POSITIONS)
    columns = np.repeat(x[:, None] + offsets, SAMPLES, axis=0)
    rows = np.repeat((y[:, None] + offsets).ravel(), SAMPLES).reshape(-1, SAMPLES)
    strength = cv2.remap(ink, columns, rows, cv2.INTER_LINEAR).reshape(count, -1)
    levels = cv2.remap(image, columns, rows, cv2.INTER_NEAREST).reshape(count, -1, 3)
    solid = strength >= _SOLID * strength.max(axis=1, keepdims=True)
    # One matrix product for each component is faster than masks.
    sums = (solid[:, None, :].astype(np.float32) @ levels.astype(np.float32))[:, 0]
    return normalise_rows(strength.astype(np.float32)), sums / solid.sum(axis=1, keepdims=True, dtype=np.float32)


def normalise_rows(rows: Levels) -> Levels:
    """Return each row less its mean, with length 1."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    lengths = np.sqrt(np.einsum("np,np->n", centred, centred))
    return np.asarray(centred / np.maximum(lengths, 1e-6)[:, None], np.float32)
