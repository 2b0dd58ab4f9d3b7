"""What a board shows at one time: what stands on each square, and what is between squares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor

import chess

EMPTY, HIDDEN = ".", "?"
ASKEW = 0.3
"""How far off a square's centre a piece may be to stand on it, in squares along x or y."""


@dataclass(frozen=True, slots=True, order=True)
class Flyer:
    """A piece that does not stand on a square: it is moving, or left between squares."""

    symbol: str
    """As in FEN: upper case is white."""
    x: float
    """Its centre in squares from the board's left edge; the a-file's centre is 0.5."""
    y: float
    """The same from the upper edge; the eighth rank's centre is 0.5."""

    def rests_on(self) -> int | None:
        """The place among the 64 of the square on which it stands; None between squares."""
        row, column = floor(self.y), floor(self.x)
        askew = max(abs(self.x - column - 0.5), abs(self.y - row - 0.5))
        return 8 * row + column if askew <= ASKEW and 0 <= row < 8 and 0 <= column < 8 else None


@dataclass(frozen=True, slots=True)
class BoardState:
    """The whole scene at one time."""

    squares: str
    """64 letters from a8 to h1, row by row as seen: pieces as in FEN, ``.`` for an empty square, ``?`` for one that
    cannot be told."""
    flyers: tuple[Flyer, ...] = ()

    def changed(self, squares: Mapping[chess.Square, str], *flyers: Flyer) -> BoardState:
        """The scene with other pieces on some squares, and other flyers."""
        letters = list(self.squares)
        for square, symbol in squares.items():
            letters[place_of(square)] = symbol
        return BoardState("".join(letters), tuple(sorted(flyers)))

    def at(self, square: chess.Square) -> str:
        return self.squares[place_of(square)]

    def aloft(self) -> tuple[Flyer, ...]:
        """The flyers that are over no square in particular."""
        return tuple(flyer for flyer in self.flyers if flyer.rests_on() is None)

    def standing(self) -> str:
        """The 64 letters, with every flyer put down that is near the centre of a square: it stands there, askew."""
        letters = list(self.squares)
        for flyer in self.flyers:
            place = flyer.rests_on()
            if place is not None:
                letters[place] = flyer.symbol
        return "".join(letters)


def place_of(square: chess.Square) -> int:
    """Where python-chess's square (from a1) is among the 64 letters (from a8); the same back again."""
    return square ^ 56


def centre_of(square: chess.Square) -> tuple[float, float]:
    """The x and y of a piece that stands on the square."""
    return chess.square_file(square) + 0.5, 7 - chess.square_rank(square) + 0.5


def state_of(board: chess.BaseBoard) -> BoardState:
    """The position as it stands."""
    letters = [EMPTY] * 64
    for square, piece in board.piece_map().items():
        letters[place_of(square)] = piece.symbol()
    return BoardState("".join(letters))
