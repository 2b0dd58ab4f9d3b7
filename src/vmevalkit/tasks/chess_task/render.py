"""Drawing a board in the look of ``chess.svg``: dark frame with coordinates, brown squares, pieces."""

from __future__ import annotations

from functools import lru_cache

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.picture import Frame
from vmevalkit.tasks.chess_task.board_state import EMPTY, HIDDEN, BoardState, Flyer
from vmevalkit.tasks.chess_task.pieces import UNIT, draw_coordinate, draw_piece

BOARD_SIZE = 400
SQUARE_SHARE, MARGIN_SHARE = 46 / 400, 16 / 400
"""Of the whole side. At 400 pixels both are whole, and within a pixel of where ``chess.svg`` has them."""
LIGHT, DARK, FRAME = "#ffce9e", "#d18b47", "#212121"


def layout_of(size: int) -> tuple[int, int]:
    """Side of a square and width of the frame around the board, in whole pixels."""
    square = round(size * SQUARE_SHARE)
    return square, (size - 8 * square) // 2


def draw(state: BoardState, size: int = BOARD_SIZE) -> Frame:
    """The picture of a state. What flies lies over what stands."""
    square, margin = layout_of(size)
    frame = _bare(size).copy()
    for place, symbol in enumerate(state.squares):
        if symbol not in (EMPTY, HIDDEN):
            row, column = divmod(place, 8)
            top, left = margin + row * square, margin + column * square
            frame[top : top + square, left : left + square] = _tile(symbol, (row + column) % 2 == 0, square)
    for flyer in state.flyers:
        _lay(frame, flyer, square, margin)
    return frame


@lru_cache(maxsize=4)
def _bare(size: int) -> Frame:
    """The board without pieces."""
    square, margin = layout_of(size)
    canvas = Canvas(size, size, FRAME)
    for place in range(64):
        row, column = divmod(place, 8)
        colour = LIGHT if (row + column) % 2 == 0 else DARK
        canvas.rectangle(margin + column * square, margin + row * square, square, square, colour)
    unit = square / UNIT
    scale = 0.75 * unit
    for i, letter in enumerate("abcdefgh"):
        x = margin + i * square + 5 * unit
        draw_coordinate(canvas, letter, x, 1 * unit, scale)
        draw_coordinate(canvas, letter, x, size - margin, scale)
    for i, number in enumerate("87654321"):
        y = margin + (i + 0.5) * square - 16.5 * unit
        draw_coordinate(canvas, number, 0, y, scale)
        draw_coordinate(canvas, number, size - margin, y, scale)
    return canvas.frame()


@lru_cache(maxsize=64)
def _tile(symbol: str, light: bool, square: int) -> Frame:
    canvas = Canvas(square, square, LIGHT if light else DARK)
    draw_piece(canvas, symbol, 0, 0, square)
    return canvas.frame()


def _lay(frame: Frame, flyer: Flyer, square: int, margin: int) -> None:
    """A piece anywhere. Only the pixels around it go through the canvas."""
    size = frame.shape[0]
    x, y = margin + (flyer.x - 0.5) * square, margin + (flyer.y - 0.5) * square
    left, top = max(0, int(x) - 1), max(0, int(y) - 1)
    right, bottom = min(size, int(x) + square + 2), min(size, int(y) + square + 2)
    if right <= left or bottom <= top:
        return
    canvas = Canvas(right - left, bottom - top)
    canvas.paste(frame[top:bottom, left:right], 0, 0)
    draw_piece(canvas, flyer.symbol, x - left, y - top, square)
    frame[top:bottom, left:right] = canvas.frame()
