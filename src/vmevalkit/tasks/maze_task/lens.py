"""Where a reader looks: the places of walls and cells at reading size, worked out once for each size of maze."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.picture import Mask
from vmevalkit.tasks.maze_task.lattice import Point, wall_count, wall_ends
from vmevalkit.tasks.maze_task.maze_reasoning import MazeState
from vmevalkit.tasks.maze_task.render import DOT_RADIUS, SIZE, draw, layout_of

READING_SCALE = 0.5
READING_SIZE = (round(SIZE[0] * READING_SCALE), round(SIZE[1] * READING_SCALE))
Plane: TypeAlias = NDArray[np.uint8]

WHITE = 215
"""A corridor darker than this is covered by something."""
ODD = 14
"""Colour that neither dot nor flag explains is noise up to here."""
_BLOCK = 8
_INK = 150
"""Darker than this is ink."""
_INKED = 6
"""A block with more than this of 255 on average has ink in it."""
_NEAR_PX = 60
"""How far a hand reaches with a pen, at reading size."""
_PAPER = 0.12
"""How far around the ink of a caption its paper reaches, in cells."""
_HIDDEN = 0.3
"""A dot of which this share is covered may be taken for none."""
_GREENISH = 10
"""What is greener than this is the colour of the dot, however faint."""
_SPARSE = 3
"""Hiding places are looked for at every third pixel."""
_PARTS = 3
"""Stretches of a wall that are measured apart."""
_ENDS = 0.1
"""This share of a wall's visible length is left out at each end, where other walls may meet it."""
_SIDES = (0.2, 0.3)
"""How far to both sides of a wall its corridors are looked at, in cells."""
_MIDDLE = 0.3
"""Half the width of what is looked at in a cell, in cells."""


class Boxes:
    """Rectangles of whole pixels, whose means are taken at once."""

    def __init__(self, boxes: NDArray[np.float64]) -> None:
        """``boxes`` is ... x 4: left, top, right and bottom in pixels; each is widened to whole pixels."""
        width, height = READING_SIZE
        left, top = (np.clip(np.floor(boxes[..., i] + 1e-6), 0, side - 1) for i, side in ((0, width), (1, height)))
        right, bottom = (np.ceil(boxes[..., i] - 1e-6) for i in (2, 3))
        right, bottom = np.clip(right, left + 1, width), np.clip(bottom, top + 1, height)
        stride = width + 1
        corners = (bottom, right), (top, right), (bottom, left), (top, left)
        self._corners = [(y * stride + x).astype(np.intp) for y, x in corners]
        self._share = 1 / ((right - left) * (bottom - top))

    def __len__(self) -> int:
        return len(self._share)

    def means(self, integral: NDArray[np.int32]) -> NDArray[np.float64]:
        """From a plane's integral, as ``cv2.integral`` gives it."""
        flat = integral.ravel()
        a, b, c, d = (flat[corner] for corner in self._corners)
        return np.asarray((a - b - c + d) * self._share)


class Lens:
    """The places of one size of maze."""

    def __init__(self, grid_n: int) -> None:
        layout = layout_of(grid_n)
        self.cell_px = layout.cell * READING_SCALE
        self._origin = np.array([layout.left, layout.top]) * READING_SCALE
        self.walls = wall_count(grid_n)
        half = layout.wall / 2 / layout.cell
        ends = np.array([wall_ends(grid_n, wall) for wall in range(self.walls)], np.float64)
        self.places = Boxes(np.stack([self._stretch(ends, half, part) for part in range(_PARTS)], axis=1))
        """For each wall, the stretches between its ends."""
        self.spans = Boxes(self._stretch(ends, half, None)[:, None])
        """For each wall, the whole of them."""
        self.sides = Boxes(np.stack([self._beside(ends, half, sign) for sign in (-1, 1)], axis=1))
        """For each wall, the corridors to its left and right, or above and below."""
        self.between = ((ends.mean(axis=1) % grid_n) != 0).all(axis=1)
        """Which walls lie between two cells: all but the outer ones."""
        rows, columns = np.divmod(np.arange(grid_n * grid_n), grid_n)
        middles = np.stack([columns, rows], axis=1) + 0.5
        self.cells = Boxes(self._pixels(np.concatenate([middles - _MIDDLE, middles + _MIDDLE], axis=1))[:, None])
        """For each cell, its middle, row by row."""
        blocks = self._pixels(np.tile(ends.mean(axis=1), 2))[:, :2] // _BLOCK
        self._blocks = blocks.astype(np.intp)
        lattice = cv2.resize(draw(grid_n, MazeState((), (1 << self.walls) - 1, ())), READING_SIZE)
        bare = cv2.erode(lattice[..., 0], np.ones((3, 3), np.uint8))
        self._open = np.asarray(cv2.compare(bare, 255, cv2.CMP_EQ))
        """Where no wall can be, nor its edge."""

    def point(self, x: float, y: float) -> Point:
        """A place at reading size, where (0, 0) is the top left corner of the picture, in cells."""
        return (float(x - self._origin[0]) / self.cell_px, float(y - self._origin[1]) / self.cell_px)

    def pixel(self, point: Point) -> Point:
        """A place in cells at reading size: the inverse of ``point``."""
        return (float(self._origin[0]) + point[0] * self.cell_px, float(self._origin[1]) + point[1] * self.cell_px)

    def unseen(self, seen: Mask | None) -> Mask:
        """Which walls the film does not show."""
        return _unseen(self.spans, seen)

    def unseen_cells(self, seen: Mask | None) -> Mask:
        return _unseen(self.cells, seen)

    def foreign(self, odd: Plane, lit: Plane, besides: Iterable[Point]) -> Plane:
        """Where something is that is not part of a maze, block by block: skin, or ink where no wall can be.

        ``besides`` are the places of dots and flags, whose edges are left out.
        """
        ink = cv2.bitwise_and(cv2.compare(lit, _INK, cv2.CMP_LT), self._open)
        size = (READING_SIZE[0] // _BLOCK, READING_SIZE[1] // _BLOCK)
        skin, inked = (cv2.resize(plane, size, interpolation=cv2.INTER_AREA) for plane in (odd, ink))
        found: Plane = np.asarray((skin > ODD) | (inked > _INKED)).astype(np.uint8)
        for point in besides:
            x, y = self.pixel(point)
            cv2.circle(found, (int(x / _BLOCK), int(y / _BLOCK)), int(0.5 * self.cell_px / _BLOCK) + 1, 0, -1)
        return found

    def walls_near(self, blocks: Plane) -> Mask:
        """Which walls are near one of these blocks."""
        reach = 2 * (_NEAR_PX // _BLOCK) + 1
        wide = cv2.dilate(blocks, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach)))
        return np.asarray(wide[self._blocks[:, 1], self._blocks[:, 0]] > 0)

    def hiding_places(
        self, odd: Plane, lit: Plane, green: Plane, seen: Mask | None, besides: Iterable[Point]
    ) -> list[Point]:
        """Where a dot would be covered by so much that it is not seen for one, in cells.

        What covers it is skin, anything that is not white where no wall can be, or the edge of the film; but nothing
        green, which is a dot that fades. The paper of a caption is white, but its text is close.
        """
        dark = cv2.bitwise_and(cv2.compare(lit, WHITE, cv2.CMP_LT), self._open)
        cover = cv2.bitwise_or(dark, cv2.compare(odd, ODD, cv2.CMP_GT))
        cover[cv2.dilate(green, np.ones((5, 5), np.uint8)) > _GREENISH] = 0
        if seen is not None:
            cover[~seen] = 255
        for point in besides:
            x, y = self.pixel(point)
            cv2.circle(cover, (round(x), round(y)), round(0.5 * self.cell_px), 0, -1)
        wide = cv2.dilate(cover, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (self._odd_px(2 * _PAPER),) * 2))
        side = self._odd_px(2 * DOT_RADIUS)
        share = cv2.blur(wide, (side, side), borderType=cv2.BORDER_REPLICATE)
        rows, columns = np.nonzero(share[::_SPARSE, ::_SPARSE] >= 255 * _HIDDEN)
        return [self.point(x, y) for x, y in zip(columns * _SPARSE + 0.5, rows * _SPARSE + 0.5, strict=True)]

    def _odd_px(self, cells: float) -> int:
        return 2 * round(cells * self.cell_px / 2) + 1

    def _stretch(self, ends: NDArray[np.float64], half: float, part: int | None) -> NDArray[np.float64]:
        """A part of each wall between its ends, as thick as the wall."""
        first, last = (0, _PARTS) if part is None else (part, part + 1)
        bare = 1 - 2 * half
        begin, end = (half + bare * (_ENDS + (1 - 2 * _ENDS) * place / _PARTS) for place in (first, last))
        return self._box(ends, begin, end, -half, half)

    def _beside(self, ends: NDArray[np.float64], half: float, sign: int) -> NDArray[np.float64]:
        near, far = sorted(sign * side for side in _SIDES)
        return self._box(ends, half + 2 * _ENDS, 1 - half - 2 * _ENDS, near, far)

    def _box(self, ends: NDArray[np.float64], begin: float, end: float, low: float, high: float) -> NDArray[np.float64]:
        """From ``begin`` to ``end`` along each wall and from ``low`` to ``high`` across it, in pixels."""
        start = ends[:, 0]
        along = ends[:, 1] - start
        across = along[:, ::-1]
        corners = start + begin * along + low * across, start + end * along + high * across
        return self._pixels(np.concatenate(corners, axis=1))

    def _pixels(self, boxes: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(boxes * self.cell_px + np.tile(self._origin, 2))


def _unseen(boxes: Boxes, seen: Mask | None) -> Mask:
    if seen is None:
        return np.zeros(len(boxes), np.bool_)
    return np.asarray(boxes.means(cv2.integral(seen.astype(np.uint8)))[:, 0] < 0.9)


@lru_cache(maxsize=16)
def lens_of(grid_n: int) -> Lens:
    return Lens(grid_n)
