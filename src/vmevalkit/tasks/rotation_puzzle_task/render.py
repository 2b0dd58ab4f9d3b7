"""Drawing of a scene: blue pipes on light grey, with nothing around them."""

from __future__ import annotations

from functools import lru_cache
from math import cos, radians, sin
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas, rgba
from vmevalkit.media.image import Frame
from vmevalkit.tasks.rotation_puzzle_task.pipes import BOTTOM, KINDS, LEFT, RIGHT, TOP, get_sides
from vmevalkit.tasks.rotation_puzzle_task.scene import (
    BACKGROUND,
    BLUE,
    OTHER,
    PIPE_WIDTH,
    SIZE,
    SQUARE,
    Pipe,
    PipeScene,
)

_Outline: TypeAlias = NDArray[np.float64]

_W, _R = PIPE_WIDTH / 2 / SQUARE, 0.5
_OUTLINES: dict[str, list[tuple[float, float]]] = {
    "L": [(-_W, -_R), (_W, -_R), (_W, -_W), (_R, -_W), (_R, _W), (-_W, _W)],
    "I": [(-_W, -_R), (_W, -_R), (_W, _R), (-_W, _R)],
    "T": [(-_W, -_R), (_W, -_R), (_W, -_W), (_R, -_W), (_R, _W), (-_R, _W), (-_R, -_W), (-_W, -_W)],
    OTHER: [(0.35 * cos(k * 0.3927), 0.35 * sin(k * 0.3927)) for k in range(16)],
}
"""Corners of each shape at 0 degrees, in squares from the centre. A shape that is not a pipe is drawn as a disc."""
_EXACT = 1e-9


def compute_outline(shape: str, angle_deg: float) -> _Outline:
    """Return the corners of a shape, rotated clockwise, in squares from its centre."""
    turn = radians(angle_deg)
    matrix = np.array([[cos(turn), sin(turn)], [-sin(turn), cos(turn)]])
    return np.asarray(np.array(_OUTLINES[shape]) @ matrix)


def draw_scene(square: int, scene: PipeScene) -> Frame:
    """Return the image of a scene whose squares are ``square`` pixels wide. Half opaque pipes add up."""
    frame = _get_background().copy()
    zoom = scene.camera.zoom
    for pipe in scene.pipes:
        x, y = scene.camera.project((pipe.x, pipe.y))
        if not (zoom == 1 and _copy_resting_pipe(frame, pipe, x, y, square)):
            _draw_pipe(frame, pipe, x, y, square * zoom)
    return frame


@lru_cache(maxsize=1)
def _get_background() -> Frame:
    return Canvas(*SIZE, background=BACKGROUND).frame()


def _copy_resting_pipe(frame: Frame, pipe: Pipe, x: float, y: float, square: int) -> bool:
    """Draw a pipe by copying pixels and return True; return False where it is not at rest on whole pixels.

    Most pipes are at rest, and copying is much faster than drawing.
    """
    quarters = pipe.angle_deg / 90
    half = square // 2
    left, top = round(x) - half, round(y) - half
    if abs(quarters - round(quarters)) > _EXACT or abs(x - round(x)) + abs(y - round(y)) > _EXACT:
        return False
    if pipe.opacity != 1 or min(left, top) < 0 or left + square > SIZE[0] or top + square > SIZE[1]:
        return False
    if square == SQUARE and pipe.colour == BLUE and pipe.shape in KINDS:
        _fill_arms(frame, get_sides(pipe.shape, round(quarters)), round(x), round(y))
        return True
    ink, image = _render_resting_pipe(pipe.shape, round(quarters) % 4, pipe.colour, square)
    np.copyto(frame[top : top + square, left : left + square], image, where=ink)
    return True


def _fill_arms(frame: Frame, sides: int, x: int, y: int) -> None:
    """Draw a resting pipe of the specification's size."""
    for arm in _find_arms(sides, x, y):
        part = frame[arm]
        part[:] = _get_blue_square()[: part.shape[0], : part.shape[1]]


@lru_cache(maxsize=1024)
def _find_arms(sides: int, x: int, y: int) -> list[tuple[slice, slice]]:
    """Return rows and columns of the one or two rectangles of whole pixels that make a resting pipe."""
    half, reach = PIPE_WIDTH // 2, SQUARE // 2
    arms = []
    for one, other, is_horizontal in ((LEFT, RIGHT, True), (TOP, BOTTOM, False)):
        if not sides & (one | other):
            continue
        begin, end = reach if sides & one else half, reach if sides & other else half
        horizontal = (slice(y - half, y + half), slice(x - begin, x + end))
        vertical = (slice(y - begin, y + end), slice(x - half, x + half))
        arms.append(horizontal if is_horizontal else vertical)
    return arms


@lru_cache(maxsize=1)
def _get_blue_square() -> Frame:
    """Return a blue image: rows are copied much faster than a colour is broadcast."""
    return Canvas(SQUARE, SQUARE, BLUE).frame()


@lru_cache(maxsize=256)
def _render_resting_pipe(shape: str, quarters: int, colour: str, square: int) -> tuple[NDArray[np.bool_], Frame]:
    """Return where a resting pipe has ink, and its image."""
    canvas = Canvas(square, square, BACKGROUND)
    canvas.polygon(np.round(compute_outline(shape, 90 * quarters) * square, 6) + square / 2, fill=colour)
    image = canvas.frame()
    return np.broadcast_to((image != _get_background()[0, 0]).any(axis=2, keepdims=True), image.shape).copy(), image


def _draw_pipe(frame: Frame, pipe: Pipe, x: float, y: float, square: float) -> None:
    """Draw a pipe at any place and of any opacity. Only the pixels around it are changed."""
    half = int(0.76 * square) + 2
    left, right = max(0, int(x) - half), min(SIZE[0], int(x) + half)
    top, bottom = max(0, int(y) - half), min(SIZE[1], int(y) + half)
    if right <= left or bottom <= top:
        return
    corners = compute_outline(pipe.shape, pipe.angle_deg) * square + (x - left, y - top)
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
