"""Drawing a sudoku: black lines on white, bold blue digits, blanks in a light grey."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.media.residual import Box
from vmevalkit.tasks.sudoku_task.grids import BOXES
from vmevalkit.tasks.sudoku_task.strokes import cut_strokes, write_digit
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import CellInk, Face, SudokuState

SIDE = 600
"""Side of the image: 6 inches at 100 pixels."""
MARGIN = 30
BOARD = SIDE - 2 * MARGIN
LINE = 3
"""Thickness of a line in pixels: 2 points."""
BOX_LINE = 6
"""Thickness of the lines around boxes."""
EM = 24 / 72 * SIDE / 6
"""Size of the digits: 24 points."""
BLANK_LEVEL = 255 - round(0.3 * (255 - 211))
"""Background of a blank: light grey at an opacity of 0.3 on white."""
_WRITERS = 7
"""Number of different handwritings, used in turn from cell to cell."""
_PEN = 0.13
"""Width of the pen, relative to EM."""
_SPACING = 0.85
"""Distance between several digits in a cell, in em."""
_MAX_WIDTH = 0.9
"""Sum of the ems of several digits, relative to their cell: they are drawn smaller in small cells."""


class DigitStyle(NamedTuple):
    """Colour and size of the digits of a face."""

    colour: tuple[int, int, int]
    size: float
    """Relative to EM."""


DIGIT_STYLES: dict[Face, DigitStyle] = {
    "print": DigitStyle((0, 0, 255), 1.0),
    "plain": DigitStyle((0, 0, 0), 1.25),
    "serif": DigitStyle((160, 20, 20), 1.15),
    "hand": DigitStyle((25, 25, 60), 1.15),
}


def cell_px(order: int) -> int:
    """Return the distance between lines in pixels."""
    return BOARD // order


def box_of_cell(order: int, cell: int) -> Box:
    """Return the box of a cell, as shares of the image."""
    row, column = divmod(cell, order)
    left, top, side = MARGIN + column * cell_px(order), MARGIN + row * cell_px(order), cell_px(order)
    return left / SIDE, top / SIDE, (left + side) / SIDE, (top + side) / SIDE


@lru_cache(maxsize=8)
def line_positions(order: int) -> tuple[tuple[int, int], ...]:
    """Return the first pixel and the thickness of each line. They are the same for rows and columns."""
    box = BOXES[order]
    positions = []
    for number in range(order + 1):
        thickness = BOX_LINE if box and number % box[0] == 0 else LINE
        positions.append((MARGIN + number * cell_px(order) - thickness // 2, thickness))
    return tuple(positions)


@lru_cache(maxsize=8)
def _draw_lines(order: int) -> Frame:
    canvas = Canvas(SIDE, SIDE)
    first, last = line_positions(order)[0], line_positions(order)[-1]
    length = last[0] + last[1] - first[0]
    for start, thickness in line_positions(order):
        canvas.rectangle(start, first[0], thickness, length, (0, 0, 0))
        canvas.rectangle(first[0], start, length, thickness, (0, 0, 0))
    frame = canvas.frame()
    frame.flags.writeable = False
    return frame


def draw_state(order: int, state: SudokuState) -> Frame:
    """Return the image of a state."""
    frame = _draw_lines(order).copy()
    for number, ink in enumerate(state.cells):
        for patch in _draw_cell(order, number, ink):
            frame[patch.rows, patch.columns] = patch.pixels
    return frame


class _PixelPatch(NamedTuple):
    """Pixels and their position in the image; a single level is used for all of them."""

    rows: slice
    columns: slice
    pixels: Frame | int


@lru_cache(maxsize=4096)
def _draw_cell(order: int, number: int, ink: CellInk) -> tuple[_PixelPatch, ...]:
    """Return what a cell adds to the lines: its background, if that is not white, and its digits."""
    row, column = divmod(number, order)
    background, side = _background_level(ink), cell_px(order)
    patches = (
        []
        if background == 255
        else [_PixelPatch(_between_lines(order, row), _between_lines(order, column), background)]
    )
    x, y = MARGIN + (column + 0.5) * side, MARGIN + (row + 0.5) * side
    em = min(EM, _MAX_WIDTH * side / len(ink.digits)) if ink.digits else EM
    for place, digit in enumerate(ink.digits):
        digit_x = x + (place - (len(ink.digits) - 1) / 2) * _SPACING * em
        glyph = _Glyph(digit, ink.face, em, round(ink.opacity, 3), number % _WRITERS, round(ink.written_share, 2))
        image = _draw_glyph(glyph, background, digit_x % 1, y % 1)
        left, top = int(digit_x) + image.left, int(y) + image.top
        height, width = image.pixels.shape[:2]
        patches.append(_PixelPatch(slice(top, top + height), slice(left, left + width), image.pixels))
    return tuple(patches)


def _background_level(ink: CellInk) -> int:
    """Return the level of a cell's background: it turns white while a digit fades in."""
    blank_share = 1.0 - min(ink.opacity, ink.written_share) if ink.digits else 1.0
    return 255 - round(blank_share * (255 - BLANK_LEVEL))


def _between_lines(order: int, number: int) -> slice:
    """Return the pixels between two neighbouring lines."""
    (start, thickness), (end, _) = line_positions(order)[number : number + 2]
    return slice(start + thickness, end)


class _Glyph(NamedTuple):
    """A digit and how it is drawn."""

    digit: int
    face: Face
    em: float
    opacity: float
    writer: int
    written_share: float


class _GlyphImage(NamedTuple):
    """The pixels of a glyph, and their offset from the pixel at its centre."""

    pixels: Frame
    left: int
    top: int


@lru_cache(maxsize=4096)
def _draw_glyph(glyph: _Glyph, background: int, x: float, y: float) -> _GlyphImage:
    """Return a glyph on a background; x and y are the offset of its centre from a whole pixel."""
    mask = _draw_mask(glyph.digit, glyph.face, glyph.em, glyph.writer, glyph.written_share, x, y)
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return _GlyphImage(np.empty((0, 0, 3), np.uint8), 0, 0)
    alpha = mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1, None] * np.float32(glyph.opacity / 255)
    colour = np.array(DIGIT_STYLES[glyph.face].colour, np.float32)
    pixels = (background + alpha * (colour - background) + 0.5).astype(np.uint8)
    half = mask.shape[0] // 2
    return _GlyphImage(pixels, int(columns[0]) - half, int(rows[0]) - half)


@lru_cache(maxsize=2048)
def _draw_mask(
    digit: int, face: Face, em: float, writer: int, written_share: float, x: float, y: float
) -> NDArray[np.uint8]:
    """Return a digit at the centre of a square: 255 where the ink covers a whole pixel."""
    half = round(EM)
    canvas = Canvas(2 * half, 2 * half, (0.0, 0.0, 0.0))
    x, y, white = half + x, half + y, (1.0, 1.0, 1.0)
    size = em * DIGIT_STYLES[face].size
    if digit == 0:
        canvas.line(_scribble_points() * 0.75 * em + [x, y], white, _PEN * em)
    elif face == "hand":
        strokes = write_digit(digit, writer)
        points = np.concatenate(strokes)
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        for stroke in cut_strokes(strokes, written_share):
            canvas.line((stroke - middle) * size + [x, y], white, _PEN * em)
    elif face == "serif":
        vertices, codes = _load_serif_outline(digit)
        canvas.shape(vertices * size + [x, y], codes, fill=white)
    else:
        canvas.text(str(digit), x, y, size, fill=white, bold=face == "print")
    return np.ascontiguousarray(canvas.frame()[..., 0])


def _scribble_points() -> NDArray[np.float64]:
    """Return a zigzag, about as large as a digit."""
    steps = np.arange(9)
    return np.stack([np.where(steps % 2, 0.5, -0.5) + 0.04 * np.sin(5.0 * steps), steps / 8 - 0.5], axis=1)


@lru_cache(maxsize=16)
def _load_serif_outline(digit: int) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Return the outline of a digit in matplotlib's serif face, in em around its centre."""
    import matplotlib
    from matplotlib.ft2font import FT2Font, LoadFlags

    font: Any = FT2Font(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSerif.ttf"))
    font.set_size(64.0, 72.0)
    font.load_char(ord(str(digit)), flags=LoadFlags.NO_HINTING)
    vertices, codes = font.get_path()
    points = np.asarray(vertices, np.float64) / 64.0 * [1, -1]
    outline = points[np.asarray(codes) != 79]  # 79 closes a path and has no point of its own
    return points - (outline.min(axis=0) + outline.max(axis=0)) / 2, np.asarray(codes).astype(np.uint8)
