"""Drawing a scene: blue pipes on light grey, with nothing around them."""

from __future__ import annotations

from functools import lru_cache
from math import cos, radians, sin
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas, rgba
from vmevalkit.media.picture import Frame
from vmevalkit.tasks.rotation_puzzle_task.pipes import BOTTOM, KINDS, LEFT, RIGHT, TOP, sides_of
from vmevalkit.tasks.rotation_puzzle_task.scene import BACKGROUND, BLUE, OTHER, PIPE, SIZE, SQUARE, Pipe, Scene

_Outline: TypeAlias = NDArray[np.float64]

_W, _R = PIPE / 2 / SQUARE, 0.5
_OUTLINES: dict[str, list[tuple[float, float]]] = {
    "L": [(-_W, -_R), (_W, -_R), (_W, -_W), (_R, -_W), (_R, _W), (-_W, _W)],
    "I": [(-_W, -_R), (_W, -_R), (_W, _R), (-_W, _R)],
    "T": [(-_W, -_R), (_W, -_R), (_W, -_W), (_R, -_W), (_R, _W), (-_R, _W), (-_R, -_W), (-_W, -_W)],
    OTHER: [(0.35 * cos(k * 0.3927), 0.35 * sin(k * 0.3927)) for k in range(16)],
}
"""In squares from the centre, as a pipe lies at 0 degrees. What is no pipe is drawn as a disc."""
_EXACT = 1e-9


def outline(shape: str, angle_deg: float) -> _Outline:
    """The corners of a shape, turned clockwise, in squares from its centre."""
    turn = radians(angle_deg)
    matrix = np.array([[cos(turn), sin(turn)], [-sin(turn), cos(turn)]])
    return np.asarray(np.array(_OUTLINES[shape]) @ matrix)


def draw(square: int, scene: Scene) -> Frame:
    """The picture of a scene, whose squares are ``square`` pixels wide. Half opaque pipes add up."""
    frame = _sheet().copy()
    zoom = scene.camera.zoom
    for pipe in scene.pipes:
        x, y = scene.camera.shown((pipe.x, pipe.y))
        if not (zoom == 1 and _stamped(frame, pipe, x, y, square)):
            _paint(frame, pipe, x, y, square * zoom)
    return frame


@lru_cache(maxsize=1)
def _sheet() -> Frame:
    return Canvas(*SIZE, background=BACKGROUND).frame()


def _stamped(frame: Frame, pipe: Pipe, x: float, y: float, square: int) -> bool:
    """Whether the pipe could be drawn by copying: most pipes rest on whole pixels, and alone in their square."""
    quarters = pipe.angle_deg / 90
    half = square // 2
    left, top = round(x) - half, round(y) - half
    if abs(quarters - round(quarters)) > _EXACT or abs(x - round(x)) + abs(y - round(y)) > _EXACT:
        return False
    if pipe.opacity != 1 or min(left, top) < 0 or left + square > SIZE[0] or top + square > SIZE[1]:
        return False
    if square == SQUARE and pipe.colour == BLUE and pipe.shape in KINDS:
        _lay(frame, sides_of(pipe.shape, round(quarters)), round(x), round(y))
        return True
    ink, colour = _stamp(pipe.shape, round(quarters) % 4, pipe.colour, square)
    np.copyto(frame[top : top + square, left : left + square], colour, where=ink)
    return True


def _lay(frame: Frame, sides: int, x: int, y: int) -> None:
    """A resting pipe of the specification's size."""
    for arm in _arms(sides, x, y):
        part = frame[arm]
        part[:] = _paint_pot()[: part.shape[0], : part.shape[1]]


@lru_cache(maxsize=1024)
def _arms(sides: int, x: int, y: int) -> list[tuple[slice, slice]]:
    """Rows and columns of the one or two rectangles of whole pixels that make a resting pipe."""
    half, reach = PIPE // 2, SQUARE // 2
    arms = []
    for one, other, across in ((LEFT, RIGHT, True), (TOP, BOTTOM, False)):
        if not sides & (one | other):
            continue
        begin, end = reach if sides & one else half, reach if sides & other else half
        wide = (slice(y - half, y + half), slice(x - begin, x + end))
        high = (slice(y - begin, y + end), slice(x - half, x + half))
        arms.append(wide if across else high)
    return arms


@lru_cache(maxsize=1)
def _paint_pot() -> Frame:
    """Nothing but blue: rows are copied much faster than a colour is spread."""
    return Canvas(SQUARE, SQUARE, BLUE).frame()


@lru_cache(maxsize=256)
def _stamp(shape: str, quarters: int, colour: str, square: int) -> tuple[NDArray[np.bool_], Frame]:
    """Where a resting pipe has ink, and its picture."""
    canvas = Canvas(square, square, BACKGROUND)
    canvas.polygon(np.round(outline(shape, 90 * quarters) * square, 6) + square / 2, fill=colour)
    picture = canvas.frame()
    return np.broadcast_to((picture != _sheet()[0, 0]).any(axis=2, keepdims=True), picture.shape).copy(), picture


def _paint(frame: Frame, pipe: Pipe, x: float, y: float, square: float) -> None:
    """A pipe anywhere, of any opacity. Only the pixels around it are touched."""
    half = int(0.76 * square) + 2
    left, right = max(0, int(x) - half), min(SIZE[0], int(x) + half)
    top, bottom = max(0, int(y) - half), min(SIZE[1], int(y) + half)
    if right <= left or bottom <= top:
        return
    corners = outline(pipe.shape, pipe.angle_deg) * square + (x - left, y - top)
    if pipe.opacity >= 1:
        canvas = Canvas(right - left, bottom - top)
        canvas.paste(frame[top:bottom, left:right], 0, 0)
        canvas.polygon(corners, fill=pipe.colour)
        frame[top:bottom, left:right] = canvas.frame()
        return
    canvas = Canvas(right - left, bottom - top, (0, 0, 0))
    canvas.polygon(corners, fill=(1.0, 1.0, 1.0))
    ink = canvas.frame().astype(np.float64) / 255 * max(pipe.opacity, 0.0)
    change = 255 * (np.array(rgba(pipe.colour)) - np.array(rgba(BACKGROUND)))[:3]
    part = frame[top:bottom, left:right]
    part[:] = np.clip(np.round(part + ink * change), 0, 255).astype(np.uint8)
