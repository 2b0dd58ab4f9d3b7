"""Where a board is measured: the pixels of cells and lines at reading size, computed once for each order."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from math import ceil, floor
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame, Mask
from vmevalkit.tasks.kit.digit_network import Plane
from vmevalkit.tasks.sudoku_task.render import MARGIN, SIDE, cell_px, line_positions

READING_SCALE = 0.75
READING_SIDE = round(SIDE * READING_SCALE)

LINE_BLUR = 4.0
"""Pixels beside a line that count as part of it, because of blur."""
_LINE_BORDER = 3
"""Distance from a line, in pixels, at which something that crosses it is looked for."""
BACKGROUND_SAMPLES, LINE_SAMPLES = 6, 16
"""Pixels along each side of a cell."""
_CORNER = 0.06
"""Share of a side that is ignored at its ends."""
_MIN_SHOWN = 0.97
"""Share of a cell's inside that must be in the video."""
_NEIGHBOURHOOD = np.ones((5, 5), np.uint8)
_BACKGROUND_INSET = 0.15
"""How far inside a cell its background is measured, as a share of the cell."""


class BoardSample(NamedTuple):
    """Measurements of a frame."""

    ink: Plane
    """By how much the weakest channel is below white: all colours but white are ink."""
    backgrounds: NDArray[np.int16]
    """The background colour of each cell: cells x 3."""
    line_contrasts: NDArray[np.int16]
    """By how much each cell's lines are darker than its background: cells x 4 sides x samples."""


class BoardSampler:
    """Measures the cells and lines of boards of one order."""

    def __init__(self, order: int) -> None:
        self.order = order
        positions = line_positions(order)
        edges = [(start * READING_SCALE, (start + thickness) * READING_SCALE) for start, thickness in positions]
        self._windows = [
            slice(ceil(end + LINE_BLUR), floor(begin - LINE_BLUR)) for (_, end), (begin, _) in pairwise(edges)
        ]
        self._cuts = np.array([(window.start, window.stop) for window in self._windows], np.intp).ravel()
        self._line_borders = [[floor(begin) - _LINE_BORDER, ceil(end) + _LINE_BORDER - 1] for begin, end in edges]
        self._cell_numbers = np.full(READING_SIDE, order, np.intp)
        for number, window in enumerate(self._windows):
            self._cell_numbers[window] = number
        self._background_pixels = self._pixels_along_sides(_BACKGROUND_INSET, BACKGROUND_SAMPLES)
        self._line_pixels = self._pixels_along_sides(0.0, LINE_SAMPLES)
        thickness = np.array([thickness for _, thickness in positions])
        is_thick = thickness > thickness.min()
        rows, columns = np.divmod(np.arange(order * order), order)
        sides = [is_thick[rows], is_thick[rows + 1], is_thick[columns], is_thick[columns + 1]]
        self.is_box_line: Mask = np.stack(sides, axis=1)
        """Which of each cell's lines, above, below, left and right, surround boxes."""

    def _pixels_along_sides(self, inset: float, count: int) -> NDArray[np.intp]:
        """Return the indices of pixels along the four sides of each cell, this far inside: cells x 4 x count."""
        begin, end = inset + _CORNER, 1 - inset - _CORNER
        along = begin + (end - begin) * (np.arange(count) + 0.5) / count
        near, far = np.full(count, inset), np.full(count, 1 - inset)
        y = np.stack([near, far, along, along])
        x = np.stack([along, along, near, far])
        rows, columns = np.divmod(np.arange(self.order**2), self.order)
        side, margin = cell_px(self.order) * READING_SCALE, MARGIN * READING_SCALE

        def to_pixels(numbers: NDArray[np.intp], shares: NDArray[np.float64]) -> NDArray[np.intp]:
            return np.floor(margin + (numbers[:, None, None] + shares) * side).astype(np.intp)

        return to_pixels(rows, y) * READING_SIDE + to_pixels(columns, x)

    def measure(self, image: Frame) -> BoardSample:
        """Return the measurements of a frame at reading size."""
        ring = image.reshape(-1, 3).take(self._background_pixels, axis=0).reshape(self.order**2, -1, 3)
        middle = ring.shape[1] // 2
        backgrounds = np.partition(ring, middle, axis=1)[:, middle].astype(np.int16)
        r, g, b = cv2.split(image)
        # The darkest within two pixels: a video may show the board off by a pixel or two.
        darkest = np.asarray(cv2.erode(cv2.max(cv2.max(r, g), b), _NEIGHBOURHOOD))
        line_contrasts = backgrounds.max(axis=1)[:, None, None] - darkest.take(self._line_pixels).astype(np.int16)
        ink = cv2.bitwise_not(cv2.min(cv2.min(r, g), b))
        return BoardSample(np.asarray(ink, np.uint8), backgrounds, line_contrasts)

    def spread_over_cells(self, values: NDArray[np.uint8]) -> Plane:
        """Return a plane with one value inside each cell, and 255 on lines and around the board."""
        padded = np.full((self.order + 1, self.order + 1), 255, np.uint8)
        padded[:-1, :-1] = values.reshape(self.order, self.order)
        return padded.take(self._cell_numbers, axis=1).take(self._cell_numbers, axis=0)

    def find_peaks(self, ink: Plane) -> NDArray[np.uint8]:
        """Return the strongest ink inside each cell."""
        across = np.empty((self.order, READING_SIDE), np.uint8)
        for row, window in enumerate(self._windows):
            np.maximum.reduce(ink[window], axis=0, out=across[row])
        return np.asarray(np.maximum.reduceat(across, self._cuts, axis=1)[:, ::2].ravel())

    def find_shown_cells(self, seen: Mask | None) -> Mask:
        """Return which cells the video shows."""
        if seen is None:
            return np.ones(self.order**2, np.bool_)
        across = np.add.reduceat(seen, self._cuts, axis=0, dtype=np.int32)[::2]
        pixels = np.add.reduceat(across, self._cuts, axis=1)[:, ::2]
        lengths = np.diff(self._cuts)[::2]
        return np.asarray((pixels >= _MIN_SHOWN * np.outer(lengths, lengths)).ravel())

    def window(self, cell: int) -> tuple[slice, slice]:
        """Return rows and columns of a cell's inside."""
        row, column = divmod(cell, self.order)
        return self._windows[row], self._windows[column]

    def line_borders(self, cell: int) -> tuple[list[int], list[int], list[int], list[int]]:
        """Return the pixels before and after the lines above, below, left and right of a cell."""
        row, column = divmod(cell, self.order)
        borders = self._line_borders
        return borders[row], borders[row + 1], borders[column], borders[column + 1]


@lru_cache(maxsize=8)
def sampler_for(order: int) -> BoardSampler:
    return BoardSampler(order)


def measure_ink(background: NDArray[np.int16], part: Frame) -> Plane:
    """Return by how much a channel differs from the background at most."""
    r, g, b = cv2.split(cv2.absdiff(part, (int(background[0]), int(background[1]), int(background[2]), 0)))
    return np.asarray(cv2.max(cv2.max(r, g), b), np.uint8)
