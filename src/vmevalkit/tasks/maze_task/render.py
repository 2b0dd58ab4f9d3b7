"""Drawing a maze: black walls on white, a green dot, a red flag."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.picture import Frame
from vmevalkit.tasks.maze_task.lattice import Point, numbers, wall_ends
from vmevalkit.tasks.maze_task.maze_reasoning import MazeState

SIZE = (832, 480)
MARGIN = 20
DOT_COLOUR = "#22c55e"
FLAG_COLOUR = "#ef4444"
DOT_RADIUS = 0.2
"""In cells."""
FLAG = np.array([(-0.2, -0.37), (-0.13, -0.37), (0.3, -0.23), (-0.13, -0.09), (-0.13, 0.37), (-0.2, 0.37)])
"""A triangular cloth on a pole, in cells from the flag's point. The cloth flies above the dot, so that both are seen
when the dot has arrived."""
FLAG_REACH = 0.37
"""No part of a flag is farther than this from its point, along x or y and in cells."""

_Paint: TypeAlias = Callable[[Canvas, float, float, int], None]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the lattice lies in the picture, in whole pixels."""

    cell: int
    """Distance between lattice lines."""
    wall: int
    """Thickness of a wall; half of it on each side of its lattice line."""
    left: int
    """x of the leftmost lattice line."""
    top: int
    """y of the topmost lattice line."""

    def pixel(self, point: Point) -> tuple[float, float]:
        return (self.left + point[0] * self.cell, self.top + point[1] * self.cell)


@lru_cache(maxsize=16)
def layout_of(grid_n: int) -> Layout:
    """The largest square cells that leave a margin, centred. Lengths are even, so that halves are whole."""
    width, height = SIZE
    room = height - 2 * MARGIN
    cell = 2 * (room // (2 * grid_n))
    wall = max(6, 2 * round(cell / 28))
    while cell * grid_n + wall > room:
        cell -= 2
    return Layout(cell, wall, (width - cell * grid_n) // 2, (height - cell * grid_n) // 2)


class _Sheets(threading.local):
    """The walls that were drawn last, for each size of maze. Most frames of a film share them, and a picture that is
    drawn over costs a tenth of a fresh one, whose memory must first be had from the system."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[int, Frame]] = {}

    def walls_alone(self, grid_n: int, walls: int) -> Frame:
        """A picture of the walls, to be copied."""
        kept, frame = self._kept.get(grid_n) or (None, np.empty((SIZE[1], SIZE[0], 3), np.uint8))
        if kept != walls:
            _draw_walls(frame, grid_n, walls)
            self._kept[grid_n] = (walls, frame)
        return frame


_SHEETS = _Sheets()


def _draw_walls(frame: Frame, grid_n: int, walls: int) -> None:
    frame.fill(255)
    for wall in numbers(walls):
        frame[_wall_box(grid_n, wall)] = 0


@lru_cache(maxsize=1024)
def _wall_box(grid_n: int, wall: int) -> tuple[slice, slice]:
    """Rows and columns of a wall. It ends in the corners that it shares with others, so that corners are square."""
    layout = layout_of(grid_n)
    half = layout.wall // 2
    (x, y), (end_x, end_y) = wall_ends(grid_n, wall)
    rows = slice(layout.top + y * layout.cell - half, layout.top + end_y * layout.cell + half)
    return rows, slice(layout.left + x * layout.cell - half, layout.left + end_x * layout.cell + half)


def draw(grid_n: int, state: MazeState) -> Frame:
    """The picture of a state. Dots lie over flags, and both over walls."""
    layout = layout_of(grid_n)
    frame = _SHEETS.walls_alone(grid_n, state.walls).copy()
    if len(state.dots) == 1 and state.dots == state.flags:  # arrived: one stamp for both
        _mark(frame, layout, state.dots[0], FLAG_REACH, _flag_and_dot)
        return frame
    for point in state.flags:
        _mark(frame, layout, point, FLAG_REACH, _flag)
    for point in state.dots:
        _mark(frame, layout, point, DOT_RADIUS, _dot)
    return frame


def _mark(frame: Frame, layout: Layout, point: Point, reach: float, paint: _Paint) -> None:
    """Paint something around a point. Only the pixels there go through the canvas."""
    x, y = layout.pixel(point)
    half = int(reach * layout.cell) + 2
    left, right = max(0, int(x) - half), min(SIZE[0], int(x) + half)
    top, bottom = max(0, int(y) - half), min(SIZE[1], int(y) + half)
    if right <= left or bottom <= top:
        return
    place = frame[top:bottom, left:right]
    if place.shape[:2] == (2 * half, 2 * half) and place.min() == 255:
        place[:] = _stamp(paint, x - left, y - top, half, layout.cell)
        return
    canvas = Canvas(right - left, bottom - top)
    canvas.paste(place, 0, 0)
    paint(canvas, x - left, y - top, layout.cell)
    place[:] = canvas.frame()


@lru_cache(maxsize=64)
def _stamp(paint: _Paint, x: float, y: float, half: int, cell: int) -> Frame:
    """A mark on white. Marks mostly stand in the middle of a cell, so that there are few of them."""
    canvas = Canvas(2 * half, 2 * half)
    paint(canvas, x, y, cell)
    return canvas.frame()


def _dot(canvas: Canvas, x: float, y: float, cell: int) -> None:
    canvas.circle(x, y, DOT_RADIUS * cell, fill=DOT_COLOUR)


def _flag(canvas: Canvas, x: float, y: float, cell: int) -> None:
    canvas.polygon(FLAG * cell + [x, y], fill=FLAG_COLOUR)


def _flag_and_dot(canvas: Canvas, x: float, y: float, cell: int) -> None:
    _flag(canvas, x, y, cell)
    _dot(canvas, x, y, cell)
