"""What a board shows at one time: the piece on each square, and pieces between squares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor

import chess

EMPTY, HIDDEN = ".", "?"
MAX_OFFSET = 0.3
"""The greatest distance from a square's centre of a piece on that square, in squares along x or y."""


@dataclass(frozen=True, slots=True, order=True)
class MovingPiece:
    """A piece at any position: it is moving, or was left between squares."""

    symbol: str
    """The letter as in FEN: upper case is white."""
    x: float
    """The distance of its centre from the board's left edge, in squares; the a-file's centre is 0.5."""
    y: float
    """The same from the upper edge; the eighth rank's centre is 0.5."""

    def get_resting_index(self) -> int | None:
        """Return the index among the 64 letters of the square that it is on; None between squares."""
        row, column = floor(self.y), floor(self.x)
        offset = max(abs(self.x - column - 0.5), abs(self.y - row - 0.5))
        return 8 * row + column if offset <= MAX_OFFSET and 0 <= row < 8 and 0 <= column < 8 else None


@dataclass(frozen=True, slots=True)
class BoardState:
    """The whole scene at one time."""

    squares: str
    """64 letters from a8 to h1, row by row as seen: pieces as in FEN, ``.`` for an empty square, ``?`` for one that
    cannot be read."""
    moving: tuple[MovingPiece, ...] = ()

    def with_changes(self, squares: Mapping[chess.Square, str], *moving: MovingPiece) -> BoardState:
        """Return the scene with other pieces on some squares, and other moving pieces."""
        letters = list(self.squares)
        for square, symbol in squares.items():
            letters[get_index(square)] = symbol
        return BoardState("".join(letters), tuple(sorted(moving)))

    def at(self, square: chess.Square) -> str:
        """Return the letter of a square."""
        return self.squares[get_index(square)]

    def get_lifted_pieces(self) -> tuple[MovingPiece, ...]:
        """Return the moving pieces that are between squares."""
        return tuple(piece for piece in self.moving if piece.get_resting_index() is None)

    def get_letters(self) -> str:
        """Return the 64 letters, with every moving piece that is near the centre of a square on that square."""
        letters = list(self.squares)
        for piece in self.moving:
            index = piece.get_resting_index()
            if index is not None:
                letters[index] = piece.symbol
        return "".join(letters)


def get_index(square: chess.Square) -> int:
    """Return the index among the 64 letters (from a8) of a python-chess square (from a1). It is its own inverse."""
    return square ^ 56


def get_centre(square: chess.Square) -> tuple[float, float]:
    """Return the x and y of a piece on the square."""
    return chess.square_file(square) + 0.5, 7 - chess.square_rank(square) + 0.5


def make_state(board: chess.BaseBoard) -> BoardState:
    """Return the state that shows a position."""
    letters = [EMPTY] * 64
    for square, piece in board.piece_map().items():
        letters[get_index(square)] = piece.symbol()
    return BoardState("".join(letters))
