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

GAP = 4.0
"""Pixels beside a line that are left to it, for blur."""
_BRINK = 3
"""Pixels beside a line at which something that crosses it is seen."""
GROUND_SAMPLES, LINE_SAMPLES = 6, 16
"""Along each side of a cell."""
_CORNER = 0.06
"""What is left out at the ends of a side, as a share of the cell."""
_SHOWN = 0.97
"""The share of its inside that a cell must have in the film."""
_AROUND = np.ones((5, 5), np.uint8)
_RING = 0.15
"""How far inside a cell its ground is looked at, as a share of the cell."""


class Look(NamedTuple):
    """What is measured of a frame at once."""

    ink: Plane
    """By how much the weakest channel falls short of white: all colours but white are ink."""
    grounds: NDArray[np.int16]
    """The colour of each cell's ground: cells x 3."""
    contrasts: NDArray[np.int16]
    """By how much each cell's lines are darker than its ground: cells x 4 sides x samples."""


class Lens:
    """The places of one order."""

    def __init__(self, order: int) -> None:
        self.order = order
        edges = [(start * READING_SCALE, (start + thick) * READING_SCALE) for start, thick in lines(order)]
        self._windows = [slice(ceil(end + GAP), floor(begin - GAP)) for (_, end), (begin, _) in pairwise(edges)]
        self._cuts = np.array([(window.start, window.stop) for window in self._windows], np.intp).ravel()
        self._brinks = [[floor(begin) - _BRINK, ceil(end) + _BRINK - 1] for begin, end in edges]
        self._number = np.full(READING_SIDE, order, np.intp)
        for number, window in enumerate(self._windows):
            self._number[window] = number
        self._ring = self._places(_RING, GROUND_SAMPLES)
        self._line = self._places(0.0, LINE_SAMPLES)
        thick = np.array([wide for _, wide in lines(order)]) > min(wide for _, wide in lines(order))
        rows, columns = np.divmod(np.arange(order * order), order)
        self.thick: Mask = np.stack([thick[rows], thick[rows + 1], thick[columns], thick[columns + 1]], axis=1)
        """Which of each cell's lines, above, below, left and right, surround boxes."""

    def _places(self, inset: float, count: int) -> NDArray[np.intp]:
        """Pixels along the four sides of each cell, this far inside: their numbers, cells x 4 x count."""
        begin, end = inset + _CORNER, 1 - inset - _CORNER
        along = begin + (end - begin) * (np.arange(count) + 0.5) / count
        near, far = np.full(count, inset), np.full(count, 1 - inset)
        y = np.stack([near, far, along, along])
        x = np.stack([along, along, near, far])
        rows, columns = np.divmod(np.arange(self.order**2), self.order)
        side, margin = cell_px(self.order) * READING_SCALE, MARGIN * READING_SCALE

        def pixels(numbers: NDArray[np.intp], shares: NDArray[np.float64]) -> NDArray[np.intp]:
            return np.floor(margin + (numbers[:, None, None] + shares) * side).astype(np.intp)

        return pixels(rows, y) * READING_SIDE + pixels(columns, x)

    def look(self, picture: Frame) -> Look:
        ring = picture.reshape(-1, 3).take(self._ring, axis=0).reshape(self.order**2, -1, 3)
        middle = ring.shape[1] // 2
        grounds = np.partition(ring, middle, axis=1)[:, middle].astype(np.int16)
        r, g, b = cv2.split(picture)
        # The darkest within two pixels: a film may show the board off by a pixel or two.
        darkest = np.asarray(cv2.erode(cv2.max(cv2.max(r, g), b), _AROUND))
        contrasts = grounds.max(axis=1)[:, None, None] - darkest.take(self._line).astype(np.int16)
        ink = cv2.bitwise_not(cv2.min(cv2.min(r, g), b))
        return Look(np.asarray(ink, np.uint8), grounds, contrasts)

    def shades(self, values: NDArray[np.uint8]) -> Plane:
        """A plane with one value inside each cell, and 255 on lines and around the board."""
        padded = np.full((self.order + 1, self.order + 1), 255, np.uint8)
        padded[:-1, :-1] = values.reshape(self.order, self.order)
        return padded.take(self._number, axis=1).take(self._number, axis=0)

    def peaks(self, ink: Plane) -> NDArray[np.uint8]:
        """The strongest ink inside each cell."""
        across = np.empty((self.order, READING_SIDE), np.uint8)
        for row, window in enumerate(self._windows):
            np.maximum.reduce(ink[window], axis=0, out=across[row])
        return np.asarray(np.maximum.reduceat(across, self._cuts, axis=1)[:, ::2].ravel())

    def shown(self, seen: Mask | None) -> Mask:
        """Which cells the film shows."""
        if seen is None:
            return np.ones(self.order**2, np.bool_)
        across = np.add.reduceat(seen, self._cuts, axis=0, dtype=np.int32)[::2]
        pixels = np.add.reduceat(across, self._cuts, axis=1)[:, ::2]
        lengths = np.diff(self._cuts)[::2]
        return np.asarray((pixels >= _SHOWN * np.outer(lengths, lengths)).ravel())

    def window(self, cell: int) -> tuple[slice, slice]:
        """Rows and columns of a cell's inside."""
        row, column = divmod(cell, self.order)
        return self._windows[row], self._windows[column]

    def brinks(self, cell: int) -> tuple[list[int], list[int], list[int], list[int]]:
        """The pixels before and after the lines above, below, left and right of a cell."""
        row, column = divmod(cell, self.order)
        return self._brinks[row], self._brinks[row + 1], self._brinks[column], self._brinks[column + 1]


@lru_cache(maxsize=8)
def lens_of(order: int) -> Lens:
    return Lens(order)


def ink_on(ground: NDArray[np.int16], part: Frame) -> Plane:
    """By how much a channel differs from the ground at most."""
    r, g, b = cv2.split(cv2.absdiff(part, (int(ground[0]), int(ground[1]), int(ground[2]), 0)))
    return np.asarray(cv2.max(cv2.max(r, g), b), np.uint8)
