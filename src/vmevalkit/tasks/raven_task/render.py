"""Drawing a matrix: tiles of 150 pixels between dark lines, on white."""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.media.residual import Box
from vmevalkit.tasks.raven_task.scene import Arrangement, Cell, RavenState
from vmevalkit.tasks.raven_task.vocabulary import COLOURS

TILE = 150
SIDE = 3 * TILE
LINE = 4
"""Thickness of the lines around tiles, in pixels."""
LINE_LEVEL = 40
RADIUS = 21.0
"""Approximate radius of the circle around a shape, in pixels."""
ROOM = 120
"""Side of the middle of a tile, in which everything is drawn."""
MARK_EM, MARK_LEVEL = 86.0, 90
"""Size and grey level of the question mark."""

Coverage: TypeAlias = NDArray[np.uint8]
"""255 where a pixel is completely covered."""
Points: TypeAlias = NDArray[np.float64]
_WHITE = (1.0, 1.0, 1.0)
_BLACK = (0.0, 0.0, 0.0)


def box_of_cell(index: int) -> Box:
    """Return the box of a cell, as shares of the image."""
    row, column = divmod(index, 3)
    return column / 3, row / 3, (column + 1) / 3, (row + 1) / 3


CENTRES: dict[Arrangement, dict[int, tuple[tuple[float, float], ...]]] = {
    "usual": {
        1: ((0, 0),),
        2: ((-27, 0), (27, 0)),
        3: ((0, -26), (-27, 23), (27, 23)),
        4: ((-27, -27), (27, -27), (-27, 27), (27, 27)),
    },
    "other": {
        1: ((6, -8),),
        2: ((0, -27), (0, 27)),
        3: ((-34, 0), (0, 0), (34, 0)),
        4: ((0, -33), (33, 0), (0, 33), (-33, 0)),
    },
}
"""Centres of the shapes, from the middle of the tile. A crop may cut off a tenth of a video, so all keep away from the
edges."""
_SCALES: dict[Arrangement, dict[int, float]] = {"usual": {}, "other": {3: 0.62, 4: 0.75}}


def _make_outlines() -> dict[str, Points]:
    """Return polygons around (0, 0), upright, in units of RADIUS."""
    spikes = [((1.1, 0.46)[i % 2], -pi / 2 + i * pi / 5) for i in range(10)]
    half_turn = [-pi + i * pi / 24 for i in range(25)]
    arm = 0.34
    points = {
        "triangle": [(0, -0.95), (0.92, 0.8), (-0.92, 0.8)],
        "arrow": [(0, -1.05), (0.88, -0.08), (0.34, -0.08), (0.34, 1), (-0.34, 1), (-0.34, -0.08), (-0.88, -0.08)],
        "half_disc": [(1.05 * cos(a), 1.05 * sin(a) + 0.5) for a in half_turn],
        "tee": [
            (-0.9, -0.9), (0.9, -0.9), (0.9, -0.3), (0.3, -0.3), (0.3, 0.9), (-0.3, 0.9), (-0.3, -0.3), (-0.9, -0.3),
        ],
        "corner": [(-0.85, -0.85), (-0.23, -0.85), (-0.23, 0.23), (0.85, 0.23), (0.85, 0.85), (-0.85, 0.85)],
        "square": [(-0.82, -0.82), (0.82, -0.82), (0.82, 0.82), (-0.82, 0.82)],
        "plus": [
            (-arm, -1), (arm, -1), (arm, -arm), (1, -arm), (1, arm), (arm, arm),
            (arm, 1), (-arm, 1), (-arm, arm), (-1, arm), (-1, -arm), (-arm, -arm),
        ],
        "star": [(r * cos(a), r * sin(a) + 0.1) for r, a in spikes],
    }  # fmt: skip
    return {name: np.array(corners, np.float64) for name, corners in points.items()}


_OUTLINES = _make_outlines()
_DISC, _HOLE = 0.95, 0.48


def draw(state: RavenState) -> Frame:
    """Return the image of a state."""
    frame = _draw_grid().copy()
    edge = (TILE - ROOM) // 2
    for index, cell in enumerate(state.cells):
        row, column = divmod(index, 3)
        top, left = row * TILE + edge, column * TILE + edge
        frame[top : top + ROOM, left : left + ROOM] = _draw_middle(cell)
    return frame


@lru_cache(maxsize=1)
def _draw_grid() -> Frame:
    """Return the lines without any tile."""
    frame = np.full((SIDE, SIDE, 3), 255, np.uint8)
    for number in range(4):
        begin = min(max(number * TILE - LINE // 2, 0), SIDE - LINE)
        frame[begin : begin + LINE] = LINE_LEVEL
        frame[:, begin : begin + LINE] = LINE_LEVEL
    frame.flags.writeable = False
    return frame


@lru_cache(maxsize=256)
def _draw_middle(cell: Cell) -> Frame:
    """Return the content of a cell. A tile over a question mark hides the mark by as much as the tile is opaque."""
    grey = (MARK_LEVEL,) * 3
    if cell.scribble:
        return _apply_ink(render_scribble(), (LINE_LEVEL,) * 3, 1.0)
    if cell.tile is None or cell.opacity <= 0:
        return _apply_ink(render_question_mark(), grey, cell.question)
    tile = cell.tile
    shapes = render_coverage(tile.shape, tile.number, tile.angle_deg, cell.arrangement, cell.scale)
    image = _apply_ink(shapes, COLOURS[tile.colour], cell.opacity)
    if cell.question <= 0:
        return image
    rest = np.minimum(cell.question, 1 - shapes * (cell.opacity / 255))
    below = _apply_ink(np.asarray(render_question_mark() * rest + 0.5, np.uint8), grey, 1.0)
    return np.asarray(cv2.subtract(image, cv2.bitwise_not(below)), np.uint8)


def _apply_ink(coverage: Coverage, colour: tuple[int, ...], opacity: float) -> Frame:
    """Return a colour on white. A lookup table is enough: coverage has 256 levels."""
    levels = np.arange(256)[:, None] * (min(max(opacity, 0.0), 1.0) / 255)
    table = np.asarray(255.5 + levels * (np.array(colour) - 255), np.uint8)[:, None, :]
    return np.asarray(cv2.LUT(cv2.merge([coverage] * 3), table), np.uint8)


@lru_cache(maxsize=512)
def render_coverage(
    shape: str, number: int, angle_deg: int, arrangement: Arrangement = "usual", scale: float = 1.0
) -> Coverage:
    """Return the shapes of a tile, in the middle of the tile."""
    canvas = Canvas(ROOM, ROOM, _BLACK)
    size = RADIUS * scale * _SCALES[arrangement].get(number, 1.0)
    for x, y in CENTRES[arrangement][number]:
        _draw_shape(canvas, shape, ROOM / 2 + x, ROOM / 2 + y, size, angle_deg)
    return _extract_plane(canvas)


def _draw_shape(canvas: Canvas, shape: str, x: float, y: float, size: float, angle_deg: int) -> None:
    if shape in ("circle", "ring"):
        canvas.circle(x, y, _DISC * size, fill=_WHITE)
        if shape == "ring":
            canvas.circle(x, y, _HOLE * size, fill=_BLACK)
        return
    angle = angle_deg * pi / 180
    matrix = np.array([[cos(angle), sin(angle)], [-sin(angle), cos(angle)]])
    canvas.polygon(_OUTLINES[shape] @ matrix * size + [x, y], fill=_WHITE)


@lru_cache(maxsize=1)
def render_question_mark() -> Coverage:
    """Return the question mark in the middle of a tile."""
    canvas = Canvas(ROOM, ROOM, _BLACK)
    canvas.text("?", ROOM / 2, ROOM / 2, MARK_EM, fill=_WHITE, bold=True)
    return _extract_plane(canvas)


@lru_cache(maxsize=1)
def render_scribble() -> Coverage:
    """Return a zigzag line: a mark that is not a tile."""
    canvas = Canvas(ROOM, ROOM, _BLACK)
    steps = np.arange(9)
    x = ROOM / 2 + np.where(steps % 2, 26, -26) + 4 * np.sin(5.0 * steps)
    canvas.line(np.stack([x, ROOM / 2 - 32 + 8 * steps], axis=1), _WHITE, 6)
    return _extract_plane(canvas)


def _extract_plane(canvas: Canvas) -> Coverage:
    plane = np.asarray(cv2.extractChannel(canvas.frame(), 0), np.uint8)
    plane.flags.writeable = False
    return plane
