"""Where a reader looks: the places of cells and lines at reading size, worked out once for each order."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from math import ceil, floor
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.picture import Frame, Mask
from vmevalkit.tasks.sudoku_task.digits import Plane
from vmevalkit.tasks.sudoku_task.render import MARGIN, SIDE, cell_px, lines

READING_SCALE = 0.75
READING_SIDE = round(SIDE * READING_SCALE)

GAP = 3.0
"""Pixels beside a line that are left to it, for blur."""
_BEYOND = 2
"""Pixels that are looked at on the other side of a line."""
GROUND_SAMPLES, LINE_SAMPLES = 6, 8
"""Along each side of a cell."""
_RING = 0.15
"""How far inside a cell its ground is looked at, as a share of the cell."""


class Surroundings(NamedTuple):
    """What surrounds the digits of each cell."""

    grounds: NDArray[np.int16]
    """The colour of its ground: cells x 3."""
    contrasts: NDArray[np.int16]
    """By how much its lines are darker than its ground: cells x 4 sides x samples."""


class Lens:
    """The places of one order."""

    def __init__(self, order: int) -> None:
        self.order = order
        edges = [(start * READING_SCALE, (start + thick) * READING_SCALE) for start, thick in lines(order)]
        windows = [(ceil(end + GAP), floor(begin - GAP)) for (_, end), (begin, _) in pairwise(edges)]
        self.windows = windows
        """First pixel of each cell's inside, and the first beyond it, along a row or a column."""
        self.beyond = [
            (slice(floor(begin - GAP) - _BEYOND, floor(begin - GAP)), slice(ceil(end + GAP), ceil(end + GAP) + _BEYOND))
            for begin, end in edges
        ]
        """The pixels just before and just after each line, across it."""
        self._cuts = np.array(windows, np.intp).ravel()
        self.inside: Plane = np.zeros((READING_SIDE, READING_SIDE), np.uint8)
        """255 inside cells, 0 on lines and around the board."""
        self._number = np.full(READING_SIDE, -1, np.intp)
        for number, (begin, end) in enumerate(windows):
            self._number[begin:end] = number
        self.inside[np.ix_(self._number >= 0, self._number >= 0)] = 255
        self._ring = self._places(_RING, GROUND_SAMPLES)
        self._line = self._places(0.0, LINE_SAMPLES)
        thick = np.array([wide for _, wide in lines(order)]) > min(wide for _, wide in lines(order))
        rows, columns = np.divmod(np.arange(order * order), order)
        self.thick: Mask = np.stack([thick[rows], thick[rows + 1], thick[columns], thick[columns + 1]], axis=1)
        """Which of each cell's lines, above, below, left and right, surround boxes."""

    def _places(self, inset: float, count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Pixels along the four sides of each cell, this far inside: rows and columns, cells x 4 x count."""
        along = inset + 0.06 + (1 - 2 * inset - 0.12) * (np.arange(count) + 0.5) / count
        near, far = np.full(count, inset), np.full(count, 1 - inset)
        y = np.stack([near, far, along, along])
        x = np.stack([along, along, near, far])
        rows, columns = np.divmod(np.arange(self.order**2), self.order)
        side, margin = cell_px(self.order) * READING_SCALE, MARGIN * READING_SCALE

        def pixels(numbers: NDArray[np.intp], shares: NDArray[np.float64]) -> NDArray[np.intp]:
            return np.floor(margin + (numbers[:, None, None] + shares) * side).astype(np.intp)

        return pixels(rows, y), pixels(columns, x)

    def surroundings(self, picture: Frame) -> Surroundings:
        ring = picture[self._ring].reshape(self.order**2, -1, 3)
        middle = ring.shape[1] // 2
        grounds = np.partition(ring, middle, axis=1)[:, middle].astype(np.int16)
        r, g, b = cv2.split(picture)
        # The darkest within two pixels: a film may show the board off by a pixel or two.
        darkest = cv2.erode(cv2.max(cv2.max(r, g), b), np.ones((5, 5), np.uint8))
        on_lines = darkest[self._line].astype(np.int16)
        return Surroundings(grounds, grounds.max(axis=1)[:, None, None] - on_lines)

    def peaks(self, ink: Plane) -> NDArray[np.uint8]:
        """The strongest ink inside each cell."""
        across = np.maximum.reduceat(ink, self._cuts, axis=0)[::2]
        return np.asarray(np.maximum.reduceat(across, self._cuts, axis=1)[:, ::2].ravel())

    def window(self, cell: int) -> tuple[slice, slice]:
        row, column = divmod(cell, self.order)
        return slice(*self.windows[row]), slice(*self.windows[column])

    def across(self, cell: int) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
        """The pixels beyond the lines of a cell: above and below, left and right."""
        row, column = divmod(cell, self.order)
        before, after = 0, 1
        return (
            (self.beyond[row][before], self.beyond[row + 1][after]),
            (self.beyond[column][before], self.beyond[column + 1][after]),
        )

    def cells_at(self, x: NDArray[np.intp], y: NDArray[np.intp]) -> NDArray[np.intp]:
        """The cells that hold these pixels, which must lie inside cells."""
        return self._number[y] * self.order + self._number[x]

    def unseen(self, seen: Mask | None) -> Mask:
        """Which cells the film does not show."""
        if seen is None:
            return np.zeros(self.order**2, np.bool_)
        shares = [float(seen[self.window(cell)].mean()) for cell in range(self.order**2)]
        return np.array(shares) < 0.97


@lru_cache(maxsize=8)
def lens_of(order: int) -> Lens:
    return Lens(order)


def ink_on_white(picture: Frame) -> Plane:
    """By how much the weakest channel falls short of white: all colours but white are ink."""
    r, g, b = cv2.split(picture)
    return np.asarray(cv2.bitwise_not(cv2.min(cv2.min(r, g), b)), np.uint8)


def ink_on(ground: NDArray[np.int16], part: Frame) -> Plane:
    """By how much a channel differs from the ground at most."""
    r, g, b = cv2.split(cv2.absdiff(part, (int(ground[0]), int(ground[1]), int(ground[2]), 0)))
    return np.asarray(cv2.max(cv2.max(r, g), b), np.uint8)
