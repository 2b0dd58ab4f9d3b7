"""Drawing a maze: black walls on white, a green dot, a red flag."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.media.residual import Box
from vmevalkit.tasks.maze_task.lattice import Cell, Point, iter_walls, wall_ends
from vmevalkit.tasks.maze_task.maze_reasoning import MazeState

SIZE = (832, 480)
MARGIN = 20
DOT_COLOUR = "#22c55e"
FLAG_COLOUR = "#ef4444"
DOT_RADIUS = 0.2
"""In cells."""
FLAG_OUTLINE = np.array([(-0.2, -0.37), (-0.13, -0.37), (0.3, -0.23), (-0.13, -0.09), (-0.13, 0.37), (-0.2, 0.37)])
"""A triangular cloth on a pole, in cells from the flag's position. The cloth is above the dot, so that both are visible
when the dot has arrived."""
FLAG_EXTENT = 0.37
"""No part of a flag is farther than this from its position, along x or y and in cells."""

_PaintMarker: TypeAlias = Callable[[Canvas, float, float, int], None]


@dataclass(frozen=True, slots=True)
class MazeGeometry:
    """Position of the lattice in the image, in whole pixels."""

    cell: int
    """Distance between lattice lines."""
    wall: int
    """Thickness of a wall; half of it on each side of its lattice line."""
    left: int
    """x of the leftmost lattice line."""
    top: int
    """y of the topmost lattice line."""

    def pixel(self, point: Point) -> tuple[float, float]:
        """Return the pixel of a point that is given in cells."""
        return (self.left + point[0] * self.cell, self.top + point[1] * self.cell)


def box_of_cell(grid_n: int, cell: Cell) -> Box:
    """Return the box of a cell, as shares of the image."""
    geometry, (row, column) = geometry_of(grid_n), cell
    left, top = geometry.pixel((column, row))
    right, bottom = geometry.pixel((column + 1, row + 1))
    return left / SIZE[0], top / SIZE[1], right / SIZE[0], bottom / SIZE[1]


def box_of_wall(grid_n: int, wall: int) -> Box:
    """Return the box of a wall, as shares of the image."""
    geometry = geometry_of(grid_n)
    (left, top), (right, bottom) = (geometry.pixel(corner) for corner in wall_ends(grid_n, wall))
    return left / SIZE[0], top / SIZE[1], right / SIZE[0], bottom / SIZE[1]


@lru_cache(maxsize=16)
def geometry_of(grid_n: int) -> MazeGeometry:
    """Return the largest square cells that leave a margin, centred. Lengths are even, so that halves are whole."""
    width, height = SIZE
    available = height - 2 * MARGIN
    cell = 2 * (available // (2 * grid_n))
    wall = max(6, 2 * round(cell / 28))
    while cell * grid_n + wall > available:
        cell -= 2
    return MazeGeometry(cell, wall, (width - cell * grid_n) // 2, (height - cell * grid_n) // 2)


class _WallImageCache(threading.local):
    """The last image of the walls alone, for each size of maze.

    Most frames of a video share it. Drawing into an existing image takes a tenth of the time of a new one, whose memory
    the system first has to provide.
    """

    def __init__(self) -> None:
        self._images: dict[int, tuple[int, Frame]] = {}

    def get(self, grid_n: int, walls: int) -> Frame:
        """Return an image of the walls. The caller must copy it before drawing on it."""
        drawn_walls, frame = self._images.get(grid_n) or (None, np.empty((SIZE[1], SIZE[0], 3), np.uint8))
        if drawn_walls != walls:
            _draw_walls(frame, grid_n, walls)
            self._images[grid_n] = (walls, frame)
        return frame


_WALL_IMAGES = _WallImageCache()


def _draw_walls(frame: Frame, grid_n: int, walls: int) -> None:
    frame.fill(255)
    for wall in iter_walls(walls):
        frame[_wall_box(grid_n, wall)] = 0


@lru_cache(maxsize=1024)
def _wall_box(grid_n: int, wall: int) -> tuple[slice, slice]:
    """Return rows and columns of a wall. It includes the corners that it shares with others: corners are square."""
    geometry = geometry_of(grid_n)
    half = geometry.wall // 2
    (x, y), (end_x, end_y) = wall_ends(grid_n, wall)
    rows = slice(geometry.top + y * geometry.cell - half, geometry.top + end_y * geometry.cell + half)
    return rows, slice(geometry.left + x * geometry.cell - half, geometry.left + end_x * geometry.cell + half)


def draw_state(grid_n: int, state: MazeState) -> Frame:
    """Return the image of a state. Dots are drawn over flags, and both over walls."""
    geometry = geometry_of(grid_n)
    frame = _WALL_IMAGES.get(grid_n, state.walls).copy()
    if len(state.dots) == 1 and state.dots == state.flags:  # the dot has arrived: one stamp draws both
        _draw_marker(frame, geometry, state.dots[0], FLAG_EXTENT, _paint_flag_and_dot)
        return frame
    for point in state.flags:
        _draw_marker(frame, geometry, point, FLAG_EXTENT, _paint_flag)
    for point in state.dots:
        _draw_marker(frame, geometry, point, DOT_RADIUS, _paint_dot)
    return frame


def _draw_marker(frame: Frame, geometry: MazeGeometry, point: Point, extent: float, paint: _PaintMarker) -> None:
    """Paint a marker around a point. Only the pixels around it go through the canvas."""
    x, y = geometry.pixel(point)
    half = int(extent * geometry.cell) + 2
    left, right = max(0, int(x) - half), min(SIZE[0], int(x) + half)
    top, bottom = max(0, int(y) - half), min(SIZE[1], int(y) + half)
    if right <= left or bottom <= top:
        return
    region = frame[top:bottom, left:right]
    if region.shape[:2] == (2 * half, 2 * half) and region.min() == 255:
        region[:] = _marker_on_white(paint, x - left, y - top, half, geometry.cell)
        return
    canvas = Canvas(right - left, bottom - top)
    canvas.paste(region, 0, 0)
    paint(canvas, x - left, y - top, geometry.cell)
    region[:] = canvas.frame()


@lru_cache(maxsize=64)
def _marker_on_white(paint: _PaintMarker, x: float, y: float, half: int, cell: int) -> Frame:
    """Return a marker on white. Markers are mostly at the centres of cells, so few different ones are cached."""
    canvas = Canvas(2 * half, 2 * half)
    paint(canvas, x, y, cell)
    return canvas.frame()


def _paint_dot(canvas: Canvas, x: float, y: float, cell: int) -> None:
    canvas.circle(x, y, DOT_RADIUS * cell, fill=DOT_COLOUR)


def _paint_flag(canvas: Canvas, x: float, y: float, cell: int) -> None:
    canvas.polygon(FLAG_OUTLINE * cell + [x, y], fill=FLAG_COLOUR)


def _paint_flag_and_dot(canvas: Canvas, x: float, y: float, cell: int) -> None:
    _paint_flag(canvas, x, y, cell)
    _paint_dot(canvas, x, y, cell)
