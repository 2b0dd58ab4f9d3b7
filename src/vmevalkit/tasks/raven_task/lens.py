"""Where a reader looks: the cells, their grounds and their lines at reading size."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.picture import Frame, Mask
from vmevalkit.tasks.raven_task.render import SIDE, TILE

READING_SCALE = 0.64
"""So that a film of 720 lines can be halved before its colours are converted, which is much faster."""
READING_SIDE = round(SIDE * READING_SCALE)
CELL = round(TILE * READING_SCALE)
MIDDLE = 100
"""The middle of a tile, in which a question's shapes stand, in pixels of the drawn picture ..."""
INSIDE = round(MIDDLE * READING_SCALE)
"""... and at reading size."""
GAP = 8
"""Pixels at the edge of a cell that are left to its lines, for blur."""
_RING = 12
"""How far inside a cell its ground is looked at."""
_GROUND_SAMPLES, _LINE_SAMPLES = 8, 20
"""Along each side of a cell."""
LEAST_SEEN = 0.96
"""Share of the middle of a cell that a film must show."""
_EVEN = 4
"""Grounds that differ by no more than this are taken for one."""

Levels: TypeAlias = NDArray[np.float32]
Plane: TypeAlias = NDArray[np.uint8]


class Surroundings(NamedTuple):
    """What surrounds the shapes of each cell."""

    grounds: NDArray[np.int16]
    """The colour of its ground: cells x 3."""
    contrasts: NDArray[np.int16]
    """By how much its lines are darker than its ground: cells x 4 sides x samples."""


def _places(inset: int, count: int) -> NDArray[np.intp]:
    """Pixels along the four sides of each cell, this far inside: their numbers, cells x 4 x count."""
    along = np.linspace(_RING, CELL - 1 - _RING, count).round().astype(np.intp)
    near, far = np.full(count, inset), np.full(count, CELL - 1 - inset)
    y, x = np.stack([near, far, along, along]), np.stack([along, along, near, far])
    rows, columns = np.divmod(np.arange(9), 3)
    numbers = (rows[:, None, None] * CELL + y) * READING_SIDE + columns[:, None, None] * CELL + x
    return np.asarray(numbers, np.intp)


_GROUND_PLACES = _places(_RING, _GROUND_SAMPLES)
_LINE_PLACES = _places(1, _LINE_SAMPLES)
_AROUND = np.ones((5, 5), np.uint8)


def surroundings(picture: Frame) -> Surroundings:
    ring = picture.reshape(-1, 3).take(_GROUND_PLACES, axis=0).reshape(9, -1, 3)
    middle = ring.shape[1] // 2
    grounds = np.partition(ring, middle, axis=1)[:, middle].astype(np.int16)
    # The darkest within two pixels: a film may show the lines off by a pixel or two.
    darkest = np.asarray(cv2.erode(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), _AROUND))
    on_lines = darkest.take(_LINE_PLACES).astype(np.int16)
    return Surroundings(grounds, grounds.max(axis=1)[:, None, None] - on_lines)


def _window(place: int) -> tuple[slice, slice]:
    row, column = divmod(place, 3)
    return (
        slice(row * CELL + GAP, (row + 1) * CELL - GAP),
        slice(column * CELL + GAP, (column + 1) * CELL - GAP),
    )


WINDOWS = tuple(_window(place) for place in range(9))
"""The pixels of each cell without its lines."""


def middle_of(picture: Frame, place: int) -> Frame:
    """The middle of a cell."""
    row, column = divmod(place, 3)
    edge = (CELL - INSIDE) // 2
    top, left = row * CELL + edge, column * CELL + edge
    return picture[top : top + INSIDE, left : left + INSIDE]


def ink_of(picture: Frame, grounds: NDArray[np.int16]) -> Plane:
    """By how much a pixel differs from the ground of its cell, in the channel where it differs most; 0 on lines."""
    ink = np.zeros((READING_SIDE, READING_SIDE), np.uint8)
    usual = np.sort(grounds, axis=0)[4]
    apart = np.abs(grounds - usual).max(axis=1) > _EVEN
    whole = _against(picture, usual)
    for place, inside in enumerate(WINDOWS):
        ink[inside] = _against(picture[inside], grounds[place]) if apart[place] else whole[inside]
    return np.asarray(cv2.GaussianBlur(ink, (3, 3), 0), np.uint8)


def _against(part: Frame, ground: NDArray[np.int16]) -> Plane:
    red, green, blue = ground.tolist()
    r, g, b = cv2.split(cv2.absdiff(part, (red, green, blue, 0)))
    return np.asarray(cv2.max(cv2.max(r, g), b), np.uint8)


def peaks_of(ink: Plane) -> Levels:
    """The strongest ink in each cell."""
    return np.array([cv2.norm(ink[inside], cv2.NORM_INF) for inside in WINDOWS], np.float32)


def unseen_cells(seen: Mask | None) -> Mask:
    """Which cells the film does not show: where more than a sliver of the middle is cut off."""
    if seen is None:
        return np.zeros(9, np.bool_)
    edge = (CELL - INSIDE) // 2
    shares = seen.reshape(3, CELL, 3, CELL)[:, edge : CELL - edge, :, edge : CELL - edge].mean(axis=(1, 3))
    return np.asarray(shares.ravel() < LEAST_SEEN)
