"""Where a maze is measured: the pixels of walls and cells at reading size, computed once for each size of maze."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Mask
from vmevalkit.tasks.maze_task.lattice import Point, wall_count, wall_ends
from vmevalkit.tasks.maze_task.maze_reasoning import MazeState
from vmevalkit.tasks.maze_task.render import DOT_RADIUS, SIZE, draw_state, geometry_of

READING_SCALE = 0.5
READING_SIZE = (round(SIZE[0] * READING_SCALE), round(SIZE[1] * READING_SCALE))
Plane: TypeAlias = NDArray[np.uint8]

WHITE = 215
"""A corridor darker than this is covered by something."""
FOREIGN_COLOUR = 14
"""Colour up to this level that neither dot nor flag explains is noise."""
_BLOCK = 8
"""Side of the blocks in which foreign things are looked for, in pixels."""
_INK = 150
"""Darker than this is ink."""
_INKED = 6
"""A block with a mean above this (of 255) has ink in it."""
_NEAR_PX = 60
"""How far a pen reaches beyond the hand, at reading size."""
_CAPTION_MARGIN = 0.12
"""How far the background of a caption reaches beyond its text, in cells."""
_HIDDEN = 0.3
"""A dot of which this share is covered may not be found."""
_GREENISH = 10
"""Anything greener than this has the colour of the dot, however faint."""
_STRIDE = 3
"""Hiding places are tested at every third pixel."""
_PARTS = 3
"""Number of stretches of a wall that are measured separately."""
_END_SHARE = 0.1
"""This share of a wall's visible length is ignored at each end, where other walls may join it."""
_SIDE_RANGE = (0.2, 0.3)
"""Distances from a wall between which the corridors beside it are measured, in cells."""
_HALF_CELL = 0.3
"""Half the width of the square that is measured in a cell, in cells."""


class PixelBoxes:
    """Rectangles of whole pixels whose means are computed together."""

    def __init__(self, boxes: NDArray[np.float64]) -> None:
        """``boxes`` is ... x 4: left, top, right and bottom in pixels; each is widened to whole pixels."""
        width, height = READING_SIZE
        left, top = (np.clip(np.floor(boxes[..., i] + 1e-6), 0, side - 1) for i, side in ((0, width), (1, height)))
        right, bottom = (np.ceil(boxes[..., i] - 1e-6) for i in (2, 3))
        right, bottom = np.clip(right, left + 1, width), np.clip(bottom, top + 1, height)
        stride = width + 1
        corners = (bottom, right), (top, right), (bottom, left), (top, left)
        self._corners = [(y * stride + x).astype(np.intp) for y, x in corners]
        self._pixel_share = 1 / ((right - left) * (bottom - top))

    def __len__(self) -> int:
        return len(self._pixel_share)

    def means(self, integral: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the mean of each box, from a plane's integral as ``cv2.integral`` computes it."""
        flat = integral.ravel()
        a, b, c, d = (flat[corner] for corner in self._corners)
        return np.asarray((a - b - c + d) * self._pixel_share)


class MazeSampler:
    """Measures the walls and cells of mazes of one size."""

    def __init__(self, grid_n: int) -> None:
        geometry = geometry_of(grid_n)
        self.cell_px = geometry.cell * READING_SCALE
        self._origin = np.array([geometry.left, geometry.top]) * READING_SCALE
        self.wall_count = wall_count(grid_n)
        half = geometry.wall / 2 / geometry.cell
        ends = np.array([wall_ends(grid_n, wall) for wall in range(self.wall_count)], np.float64)
        self.wall_parts = PixelBoxes(np.stack([self._wall_boxes(ends, half, part) for part in range(_PARTS)], axis=1))
        """For each wall, the stretches between its ends."""
        self.whole_walls = PixelBoxes(self._wall_boxes(ends, half, None)[:, None])
        """For each wall, all stretches together."""
        self.wall_sides = PixelBoxes(np.stack([self._side_boxes(ends, half, sign) for sign in (-1, 1)], axis=1))
        """For each wall, the corridors to its left and right, or above and below."""
        self.is_inner_wall = ((ends.mean(axis=1) % grid_n) != 0).all(axis=1)
        """Which walls are between two cells: all but the outer ones."""
        rows, columns = np.divmod(np.arange(grid_n * grid_n), grid_n)
        centres = np.stack([columns, rows], axis=1) + 0.5
        squares = np.concatenate([centres - _HALF_CELL, centres + _HALF_CELL], axis=1)
        self.cells = PixelBoxes(self._to_pixels(squares)[:, None])
        """For each cell, the square at its centre, row by row."""
        self._wall_blocks = (self._to_pixels(np.tile(ends.mean(axis=1), 2))[:, :2] // _BLOCK).astype(np.intp)
        all_walls = cv2.resize(draw_state(grid_n, MazeState((), (1 << self.wall_count) - 1, ())), READING_SIZE)
        without_edges = cv2.erode(all_walls[..., 0], np.ones((3, 3), np.uint8))
        self._never_wall = np.asarray(cv2.compare(without_edges, 255, cv2.CMP_EQ))
        """Where no wall can be, nor the edge of one."""

    def point(self, x: float, y: float) -> Point:
        """Return the point in cells of a pixel at reading size, where (0, 0) is the image's top left corner."""
        return (float(x - self._origin[0]) / self.cell_px, float(y - self._origin[1]) / self.cell_px)

    def pixel(self, point: Point) -> Point:
        """Return the pixel at reading size of a point in cells: the inverse of ``point``."""
        return (float(self._origin[0]) + point[0] * self.cell_px, float(self._origin[1]) + point[1] * self.cell_px)

    def find_unseen_walls(self, seen: Mask | None) -> Mask:
        """Return which walls are outside the part of the image that the video shows."""
        return _find_unseen(self.whole_walls, seen)

    def find_unseen_cells(self, seen: Mask | None) -> Mask:
        """Return which cells are outside the part of the image that the video shows."""
        return _find_unseen(self.cells, seen)

    def find_foreign_blocks(self, foreign: Plane, brightness: Plane, markers: Iterable[Point]) -> Plane:
        """Return the blocks with something that is not part of a maze: skin, or ink where no wall can be.

        ``markers`` are the positions of dots and flags, whose edges are ignored.
        """
        ink = cv2.bitwise_and(cv2.compare(brightness, _INK, cv2.CMP_LT), self._never_wall)
        size = (READING_SIZE[0] // _BLOCK, READING_SIZE[1] // _BLOCK)
        skin, inked = (cv2.resize(plane, size, interpolation=cv2.INTER_AREA) for plane in (foreign, ink))
        blocks: Plane = np.asarray((skin > FOREIGN_COLOUR) | (inked > _INKED)).astype(np.uint8)
        for point in markers:
            x, y = self.pixel(point)
            cv2.circle(blocks, (int(x / _BLOCK), int(y / _BLOCK)), int(0.5 * self.cell_px / _BLOCK) + 1, 0, -1)
        return blocks

    def find_walls_near(self, blocks: Plane) -> Mask:
        """Return which walls are near one of these blocks."""
        side = 2 * (_NEAR_PX // _BLOCK) + 1
        wide = cv2.dilate(blocks, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)))
        return np.asarray(wide[self._wall_blocks[:, 1], self._wall_blocks[:, 0]] > 0)

    def find_hiding_places(
        self, foreign: Plane, brightness: Plane, green: Plane, seen: Mask | None, markers: Iterable[Point]
    ) -> list[Point]:
        """Return points in cells where a dot would be covered so much that it is not found.

        Covers are skin, anything that is not white where no wall can be, and the edge of the video. Anything green is
        not a cover but a dot that fades. The background of a caption is white, but its text is close.
        """
        dark = cv2.bitwise_and(cv2.compare(brightness, WHITE, cv2.CMP_LT), self._never_wall)
        cover = cv2.bitwise_or(dark, cv2.compare(foreign, FOREIGN_COLOUR, cv2.CMP_GT))
        cover[cv2.dilate(green, np.ones((5, 5), np.uint8)) > _GREENISH] = 0
        if seen is not None:
            cover[~seen] = 255
        for point in markers:
            x, y = self.pixel(point)
            cv2.circle(cover, (round(x), round(y)), round(0.5 * self.cell_px), 0, -1)
        margin = self._odd_pixels(2 * _CAPTION_MARGIN)
        wide = cv2.dilate(cover, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (margin, margin)))
        side = self._odd_pixels(2 * DOT_RADIUS)
        share = cv2.blur(wide, (side, side), borderType=cv2.BORDER_REPLICATE)
        rows, columns = np.nonzero(share[::_STRIDE, ::_STRIDE] >= 255 * _HIDDEN)
        return [self.point(x, y) for x, y in zip(columns * _STRIDE + 0.5, rows * _STRIDE + 0.5, strict=True)]

    def _odd_pixels(self, cells: float) -> int:
        return 2 * round(cells * self.cell_px / 2) + 1

    def _wall_boxes(self, ends: NDArray[np.float64], half: float, part: int | None) -> NDArray[np.float64]:
        """Return one stretch of each wall, or all of them together, as thick as the wall."""
        first, last = (0, _PARTS) if part is None else (part, part + 1)
        visible = 1 - 2 * half
        begin, end = (half + visible * (_END_SHARE + (1 - 2 * _END_SHARE) * place / _PARTS) for place in (first, last))
        return self._boxes_along(ends, begin, end, -half, half)

    def _side_boxes(self, ends: NDArray[np.float64], half: float, sign: int) -> NDArray[np.float64]:
        low, high = sorted(sign * distance for distance in _SIDE_RANGE)
        return self._boxes_along(ends, half + 2 * _END_SHARE, 1 - half - 2 * _END_SHARE, low, high)

    def _boxes_along(
        self, ends: NDArray[np.float64], begin: float, end: float, low: float, high: float
    ) -> NDArray[np.float64]:
        """Return boxes from ``begin`` to ``end`` along each wall and from ``low`` to ``high`` across it, in pixels."""
        start = ends[:, 0]
        along = ends[:, 1] - start
        across = along[:, ::-1]
        corners = start + begin * along + low * across, start + end * along + high * across
        return self._to_pixels(np.concatenate(corners, axis=1))

    def _to_pixels(self, boxes: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(boxes * self.cell_px + np.tile(self._origin, 2))


def _find_unseen(boxes: PixelBoxes, seen: Mask | None) -> Mask:
    if seen is None:
        return np.zeros(len(boxes), np.bool_)
    return np.asarray(boxes.means(cv2.integral(seen.astype(np.uint8)))[:, 0] < 0.9)


@lru_cache(maxsize=16)
def sampler_of(grid_n: int) -> MazeSampler:
    return MazeSampler(grid_n)
