"""Drawing a sudoku: black lines on white, bold blue digits, blanks in a light grey."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.picture import Frame
from vmevalkit.tasks.sudoku_task.grids import BOXES
from vmevalkit.tasks.sudoku_task.strokes import begun, by_hand
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import Face, Ink, SudokuState

SIDE = 600
"""Of the picture: 6 inches at 100 pixels."""
MARGIN = 30
BOARD = SIDE - 2 * MARGIN
LINE = 3
"""Thickness of a line in pixels: 2 points."""
BOX_LINE = 6
"""Of the lines around boxes."""
EM = 24 / 72 * SIDE / 6
"""Size of the digits: 24 points."""
SHADE = 255 - round(0.3 * (255 - 211))
"""Level of a blank: light grey at an opacity of 0.3 on white."""
_WRITERS = 7
"""So many cells in a row are written a little differently by hand."""
_PEN = 0.13
"""Width of the pen, relative to EM."""
_APART = 0.85
"""Distance between several digits in a cell, in em."""
_ROOM = 0.9
"""The em that several digits share, relative to their cell: they are drawn smaller in small cells."""


class Look(NamedTuple):
    """How the digits of a face look."""

    colour: tuple[int, int, int]
    size: float
    """Relative to EM."""


LOOKS: dict[Face, Look] = {
    "print": Look((0, 0, 255), 1.0),
    "plain": Look((0, 0, 0), 1.25),
    "serif": Look((160, 20, 20), 1.15),
    "hand": Look((25, 25, 60), 1.15),
}


def cell_px(order: int) -> int:
    return BOARD // order


@lru_cache(maxsize=8)
def lines(order: int) -> tuple[tuple[int, int], ...]:
    """Where each line lies across: its first pixel and its thickness."""
    box = BOXES[order]
    found = []
    for number in range(order + 1):
        thick = BOX_LINE if box and number % box[0] == 0 else LINE
        found.append((MARGIN + number * cell_px(order) - thick // 2, thick))
    return tuple(found)


@lru_cache(maxsize=8)
def _grid(order: int) -> Frame:
    """The lines alone."""
    canvas = Canvas(SIDE, SIDE)
    first, last = lines(order)[0], lines(order)[-1]
    length = last[0] + last[1] - first[0]
    for start, thick in lines(order):
        canvas.rectangle(start, first[0], thick, length, (0, 0, 0))
        canvas.rectangle(first[0], start, length, thick, (0, 0, 0))
    frame = canvas.frame()
    frame.flags.writeable = False
    return frame


def draw(order: int, state: SudokuState) -> Frame:
    """The picture of a state."""
    frame = _grid(order).copy()
    for number, ink in enumerate(state.cells):
        for patch in _patches(order, number, ink):
            frame[patch.rows, patch.columns] = patch.pixels
    return frame


class _Patch(NamedTuple):
    """Pixels and where they lie; one level stands for all of them."""

    rows: slice
    columns: slice
    pixels: Frame | int


@lru_cache(maxsize=4096)
def _patches(order: int, number: int, ink: Ink) -> tuple[_Patch, ...]:
    """What a cell adds to the lines: its ground, where that is not white, and its marks."""
    row, column = divmod(number, order)
    ground, side = _ground(ink), cell_px(order)
    found = [] if ground == 255 else [_Patch(_inside(order, row), _inside(order, column), ground)]
    x, y = MARGIN + (column + 0.5) * side, MARGIN + (row + 0.5) * side
    size = min(EM, _ROOM * side / len(ink.digits)) if ink.digits else EM
    for place, digit in enumerate(ink.digits):
        at = x + (place - (len(ink.digits) - 1) / 2) * _APART * size
        mark = _Mark(digit, ink.face, size, round(ink.opacity, 3), number % _WRITERS, round(ink.written, 2))
        stamp = _stamp(mark, ground, at % 1, y % 1)
        left, top = int(at) + stamp.left, int(y) + stamp.top
        height, width = stamp.pixels.shape[:2]
        found.append(_Patch(slice(top, top + height), slice(left, left + width), stamp.pixels))
    return tuple(found)


def _ground(ink: Ink) -> int:
    """The level of a cell's ground: it turns white as a digit comes up."""
    shade = 1.0 - min(ink.opacity, ink.written) if ink.digits else 1.0
    return 255 - round(shade * (255 - SHADE))


def _inside(order: int, number: int) -> slice:
    """The pixels between two neighbouring lines."""
    (start, thick), (end, _) = lines(order)[number : number + 2]
    return slice(start + thick, end)


class _Mark(NamedTuple):
    """A digit as it is drawn."""

    digit: int
    face: Face
    em: float
    opacity: float
    writer: int
    written: float


class _Stamp(NamedTuple):
    """The pixels of a mark, and where they lie from the pixel of its middle."""

    pixels: Frame
    left: int
    top: int


@lru_cache(maxsize=4096)
def _stamp(mark: _Mark, ground: int, x: float, y: float) -> _Stamp:
    """A mark on a ground; x and y say by how much of a pixel it stands beside its middle."""
    mask = _mask(mark.digit, mark.face, mark.em, mark.writer, mark.written, x, y)
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return _Stamp(np.empty((0, 0, 3), np.uint8), 0, 0)
    alpha = mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1, None] * np.float32(mark.opacity / 255)
    colour = np.array(LOOKS[mark.face].colour, np.float32)
    pixels = (ground + alpha * (colour - ground) + 0.5).astype(np.uint8)
    half = mask.shape[0] // 2
    return _Stamp(pixels, int(columns[0]) - half, int(rows[0]) - half)


@lru_cache(maxsize=2048)
def _mask(digit: int, face: Face, em: float, writer: int, written: float, x: float, y: float) -> NDArray[np.uint8]:
    """A digit around the middle of a square: 255 where the ink covers all of a pixel."""
    half = round(EM)
    canvas = Canvas(2 * half, 2 * half, (0.0, 0.0, 0.0))
    x, y, white = half + x, half + y, (1.0, 1.0, 1.0)
    size = em * LOOKS[face].size
    if digit == 0:
        canvas.line(_scribble() * 0.75 * em + [x, y], white, _PEN * em)
    elif face == "hand":
        strokes = by_hand(digit, writer)
        points = np.concatenate(strokes)
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        for stroke in begun(strokes, written):
            canvas.line((stroke - middle) * size + [x, y], white, _PEN * em)
    elif face == "serif":
        vertices, codes = _serif(digit)
        canvas.shape(vertices * size + [x, y], codes, fill=white)
    else:
        canvas.text(str(digit), x, y, size, fill=white, bold=face == "print")
    return np.ascontiguousarray(canvas.frame()[..., 0])


def _scribble() -> NDArray[np.float64]:
    """A zigzag back and forth, about as large as a digit."""
    steps = np.arange(9)
    return np.stack([np.where(steps % 2, 0.5, -0.5) + 0.04 * np.sin(5.0 * steps), steps / 8 - 0.5], axis=1)


@lru_cache(maxsize=16)
def _serif(digit: int) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """The outline of a digit in the serif face that matplotlib brings, in em around its middle."""
    import matplotlib
    from matplotlib.ft2font import FT2Font, LoadFlags

    font: Any = FT2Font(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSerif.ttf"))
    font.set_size(64.0, 72.0)
    font.load_char(ord(str(digit)), flags=LoadFlags.NO_HINTING)
    vertices, codes = font.get_path()
    points = np.asarray(vertices, np.float64) / 64.0 * [1, -1]
    ink = points[np.asarray(codes) != 79]
    return points - (ink.min(axis=0) + ink.max(axis=0)) / 2, np.asarray(codes).astype(np.uint8)
