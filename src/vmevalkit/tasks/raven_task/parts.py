"""The parts of the ink, each brought to one size so that shapes can be compared."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.picture import Frame
from vmevalkit.tasks.raven_task.lens import CELL, GAP, Levels, Plane, counts_of

CUT = 0.35
"""Share of a cell's strongest ink at which a part ends."""
SPECK = 40
"""Pixels of a part that is too small to be a shape; a shape has 235 and more."""
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
    over = ink.reshape(3, CELL, 3, CELL) > levels.reshape(3, 1, 3, 1)
    mask = over.reshape(ink.shape).view(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8, ltype=cv2.CV_16U)
    numbers = np.flatnonzero(stats[:, cv2.CC_STAT_AREA] >= SPECK)[1:]
    left, top, width, height = stats[numbers, :4].T.astype(np.float32)
    sizes = np.maximum(width, height)
    x, y = left + (width - 1) / 2, top + (height - 1) / 2
    shapes, colours = _sampled(picture, _Marked(ink, labels, numbers), x, y, sizes)
    low, high = GAP + 1, CELL - GAP - 1
    entering = (left % CELL < low) | (top % CELL < low)
    entering |= ((left + width - 1) % CELL >= high) | ((top + height - 1) % CELL >= high)
    cells = (y // CELL * 3 + x // CELL).astype(np.intp)
    beyond = (cv2.dilate(mask, _NEAR) == 0) & (ink > weakest)
    return Parts(cells, shapes, colours, sizes, entering, counts_of(beyond))


class _Marked(NamedTuple):
    """Ink, and which part each pixel belongs to."""

    ink: Plane
    labels: NDArray[np.uint16]
    numbers: NDArray[np.intp]


def _sampled(picture: Frame, marked: _Marked, x: Levels, y: Levels, sizes: Levels) -> tuple[Levels, Levels]:
    """Ink and colour of all parts at one size."""
    count = len(x)
    if not count:
        return np.empty((0, SAMPLES**2), np.float32), np.empty((0, 3), np.float32)
    reach = (_REACH * sizes)[:, None]
    columns = np.repeat((x[:, None] + reach * _STEPS)[:, None, :], SAMPLES, axis=1).reshape(-1, SAMPLES)
    rows = np.repeat((y[:, None] + reach * _STEPS)[:, :, None], SAMPLES, axis=2).reshape(-1, SAMPLES)
    strength = cv2.remap(marked.ink, columns, rows, cv2.INTER_LINEAR).reshape(count, -1).astype(np.float32)
    owner = cv2.remap(marked.labels, columns, rows, cv2.INTER_NEAREST).reshape(count, -1)
    strength[(owner != 0) & (owner != marked.numbers[:, None])] = 0
    levels = cv2.remap(picture, columns, rows, cv2.INTER_NEAREST).reshape(count, -1, 3).astype(np.float32)
    solid = (strength >= _SOLID * strength.max(axis=1, keepdims=True)).astype(np.float32)
    colours = np.einsum("np,npc->nc", solid, levels) / solid.sum(axis=1, keepdims=True)
    return unit(strength), np.asarray(colours, np.float32)


def unit(rows: Levels) -> Levels:
    """Each row less its mean, with length 1."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    return np.asarray(centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-6), np.float32)
