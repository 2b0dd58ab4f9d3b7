"""Where the reader samples an image: the cells, their backgrounds and their lines at reading size."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame, Mask
from vmevalkit.tasks.raven_task.render import SIDE, TILE

READING_SCALE = 0.64
"""With this scale a 720-line video can be halved before its colours are converted, which is much faster."""
READING_SIDE = round(SIDE * READING_SCALE)
CELL = round(TILE * READING_SCALE)
MIDDLE = 100
"""Side of the middle of a tile, which holds a question's shapes, in pixels of the drawn image ..."""
INSIDE = round(MIDDLE * READING_SCALE)
"""... and at reading size."""
GAP = 8
"""Pixels at the edge of a cell that belong to its lines and their blur."""
_RING = 12
"""Distance from the edge of a cell at which its background is sampled."""
_BACKGROUND_SAMPLES, _LINE_SAMPLES = 8, 20
"""Samples along each side of a cell."""
MIN_VISIBLE_SHARE = 0.96
"""Share of the middle of a cell that a video must show."""
_SAME_LEVELS = 4
"""Backgrounds that differ by no more than this are treated as one."""

Levels: TypeAlias = NDArray[np.float32]
Plane: TypeAlias = NDArray[np.uint8]


class Surroundings(NamedTuple):
    """What surrounds the shapes of each cell."""

    backgrounds: NDArray[np.int16]
    """The background colour: cells x 3."""
    contrasts: NDArray[np.int16]
    """By how much the lines are darker than the background: cells x 4 sides x samples."""


def _list_side_pixels(inset: int, count: int) -> NDArray[np.intp]:
    """Return flat pixel indices along the four sides of each cell, this far inside: cells x 4 x count."""
    along = np.linspace(_RING, CELL - 1 - _RING, count).round().astype(np.intp)
    near, far = np.full(count, inset), np.full(count, CELL - 1 - inset)
    y, x = np.stack([near, far, along, along]), np.stack([along, along, near, far])
    rows, columns = np.divmod(np.arange(9), 3)
    indices = (rows[:, None, None] * CELL + y) * READING_SIDE + columns[:, None, None] * CELL + x
    return np.asarray(indices, np.intp)


_BACKGROUND_PIXELS = _list_side_pixels(_RING, _BACKGROUND_SAMPLES)
_LINE_PIXELS = _list_side_pixels(1, _LINE_SAMPLES)
_NEIGHBOURHOOD = np.ones((5, 5), np.uint8)


def measure_surroundings(image: Frame) -> Surroundings:
    """Return the background of each cell and the contrast of its lines."""
    ring = image.reshape(-1, 3).take(_BACKGROUND_PIXELS, axis=0).reshape(9, -1, 3)
    middle = ring.shape[1] // 2
    backgrounds = np.partition(ring, middle, axis=1)[:, middle].astype(np.int16)
    # The darkest within two pixels: a video may show the lines off by a pixel or two.
    darkest = np.asarray(cv2.erode(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), _NEIGHBOURHOOD))
    on_lines = darkest.take(_LINE_PIXELS).astype(np.int16)
    return Surroundings(backgrounds, backgrounds.max(axis=1)[:, None, None] - on_lines)


def _cell_window(index: int) -> tuple[slice, slice]:
    row, column = divmod(index, 3)
    return (
        slice(row * CELL + GAP, (row + 1) * CELL - GAP),
        slice(column * CELL + GAP, (column + 1) * CELL - GAP),
    )


WINDOWS = tuple(_cell_window(index) for index in range(9))
"""The pixels of each cell without its lines."""


def crop_middle(image: Frame, index: int) -> Frame:
    """Return the middle of a cell."""
    row, column = divmod(index, 3)
    edge = (CELL - INSIDE) // 2
    top, left = row * CELL + edge, column * CELL + edge
    return image[top : top + INSIDE, left : left + INSIDE]


def measure_ink(image: Frame, backgrounds: NDArray[np.int16]) -> Plane:
    """Return by how much a pixel differs from the background of its cell, in the channel where it differs most. Lines
    have no ink."""
    ink = np.zeros((READING_SIDE, READING_SIDE), np.uint8)
    common = np.sort(backgrounds, axis=0)[4]
    is_tinted = np.abs(backgrounds - common).max(axis=1) > _SAME_LEVELS
    difference = _difference_from(image, common)
    for index, window in enumerate(WINDOWS):
        tinted = is_tinted[index]
        ink[window] = _difference_from(image[window], backgrounds[index]) if tinted else difference[window]
    return np.asarray(cv2.GaussianBlur(ink, (3, 3), 0), np.uint8)


def _difference_from(part: Frame, background: NDArray[np.int16]) -> Plane:
    red, green, blue = background.tolist()
    r, g, b = cv2.split(cv2.absdiff(part, (red, green, blue, 0)))
    return np.asarray(cv2.max(cv2.max(r, g), b), np.uint8)


def find_peaks(ink: Plane) -> Levels:
    """Return the strongest ink in each cell."""
    return np.array([cv2.norm(ink[window], cv2.NORM_INF) for window in WINDOWS], np.float32)


def find_unseen_cells(seen: Mask | None) -> Mask:
    """Return which cells the video does not show: more than a sliver of the middle is cut off."""
    if seen is None:
        return np.zeros(9, np.bool_)
    edge = (CELL - INSIDE) // 2
    shares = seen.reshape(3, CELL, 3, CELL)[:, edge : CELL - edge, :, edge : CELL - edge].mean(axis=(1, 3))
    return np.asarray(shares.ravel() < MIN_VISIBLE_SHARE)
