"""Drawing a board in the look of ``chess.svg``: dark frame with coordinates, brown squares, pieces."""

from __future__ import annotations

from functools import lru_cache

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.media.residual import Box
from vmevalkit.tasks.chess_task.board_state import EMPTY, HIDDEN, BoardState, MovingPiece
from vmevalkit.tasks.chess_task.pieces import UNIT, draw_coordinate, draw_piece

BOARD_SIZE = 400
SQUARE_SHARE, MARGIN_SHARE = 46 / 400, 16 / 400
"""Shares of the whole side. At 400 pixels both are whole, and within a pixel of the layout of ``chess.svg``."""
LIGHT, DARK, FRAME = "#ffce9e", "#d18b47", "#212121"


def get_layout(size: int) -> tuple[int, int]:
    """Return the side of a square and the width of the frame around the board, in whole pixels."""
    square = round(size * SQUARE_SHARE)
    return square, (size - 8 * square) // 2


def box_of_square(index: int) -> Box:
    """Return the box of one of the 64 squares, as shares of the image."""
    row, column = divmod(index, 8)
    left, top = MARGIN_SHARE + column * SQUARE_SHARE, MARGIN_SHARE + row * SQUARE_SHARE
    return left, top, left + SQUARE_SHARE, top + SQUARE_SHARE


def draw(state: BoardState, size: int = BOARD_SIZE) -> Frame:
    """Return the image of a state. Moving pieces are drawn over the others."""
    square, margin = get_layout(size)
    frame = _draw_empty_board(size).copy()
    for index, symbol in enumerate(state.squares):
        if symbol not in (EMPTY, HIDDEN):
            row, column = divmod(index, 8)
            top, left = margin + row * square, margin + column * square
            frame[top : top + square, left : left + square] = _draw_square(symbol, (row + column) % 2 == 0, square)
    for piece in state.moving:
        _draw_moving_piece(frame, piece, square, margin)
    return frame


@lru_cache(maxsize=4)
def _draw_empty_board(size: int) -> Frame:
    """Return the board without pieces."""
    square, margin = get_layout(size)
    canvas = Canvas(size, size, FRAME)
    for index in range(64):
        row, column = divmod(index, 8)
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
def _draw_square(symbol: str, light: bool, square: int) -> Frame:
    canvas = Canvas(square, square, LIGHT if light else DARK)
    draw_piece(canvas, symbol, 0, 0, square)
    return canvas.frame()


def _draw_moving_piece(frame: Frame, piece: MovingPiece, square: int, margin: int) -> None:
    """Draw a piece at any position. Only the pixels around it go through the canvas."""
    size = frame.shape[0]
    x, y = margin + (piece.x - 0.5) * square, margin + (piece.y - 0.5) * square
    left, top = max(0, int(x) - 1), max(0, int(y) - 1)
    right, bottom = min(size, int(x) + square + 2), min(size, int(y) + square + 2)
    if right <= left or bottom <= top:
        return
    canvas = Canvas(right - left, bottom - top)
    canvas.paste(frame[top:bottom, left:right], 0, 0)
    draw_piece(canvas, piece.symbol, x - left, y - top, square)
    frame[top:bottom, left:right] = canvas.frame()
