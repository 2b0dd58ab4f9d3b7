"""A move as it is seen: the piece leaves its square, glides, takes what it takes, and arrives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import chess

from vmevalkit.tasks.chess_task.board_state import EMPTY, BoardState, Flyer, centre_of, state_of
from vmevalkit.tasks.chess_task.mates import board_of

TAKES = 0.75
"""The share of its way after which a piece covers what it takes, and this vanishes."""


@dataclass(frozen=True, slots=True)
class Glide:
    """One piece from one square to another."""

    source: chess.Square
    target: chess.Square
    symbol: str

    def at(self, share: float) -> Flyer:
        (x, y), (end_x, end_y) = centre_of(self.source), centre_of(self.target)
        return Flyer(self.symbol, x + share * (end_x - x), y + share * (end_y - y))


@dataclass(frozen=True, slots=True)
class Course:
    """Everything that one move shows."""

    before: BoardState
    after: BoardState
    glides: tuple[Glide, ...]
    """One, or king and rook when castling."""
    taken: chess.Square | None

    def at(self, share: float, flyers: Sequence[Flyer] | None = None) -> BoardState:
        """The scene after this share of the way; before 0 its beginning, from 1 on its end. The pieces are on their
        straight ways, or where ``flyers`` says."""
        if share <= 0:
            return self.before
        if share >= 1:
            return self.after
        gone = {glide.source: EMPTY for glide in self.glides}
        if self.taken is not None and share >= TAKES:
            gone[self.taken] = EMPTY
        return self.before.changed(gone, *(flyers or [glide.at(share) for glide in self.glides]))


@lru_cache(maxsize=256)
def course_of(fen: str, uci: str) -> Course:
    """The course of a legal move, or of any other that only lifts a piece and puts it elsewhere."""
    board, move = board_of(fen), chess.Move.from_uci(uci)
    after = board.copy(stack=False)
    if board.is_legal(move):
        after.push(move)
    else:
        after.set_piece_at(move.to_square, after.remove_piece_at(move.from_square))
    symbol = board.piece_at(move.from_square)
    assert symbol is not None, f"nothing stands on {chess.square_name(move.from_square)} in {fen}"
    glides = [Glide(move.from_square, move.to_square, symbol.symbol())]
    if board.is_castling(move):
        short = chess.square_file(move.to_square) > chess.square_file(move.from_square)
        rank = chess.square_rank(move.from_square)
        corner, beside = (chess.square(file, rank) for file in ((7, 5) if short else (0, 3)))
        glides.append(Glide(corner, beside, "R" if board.turn == chess.WHITE else "r"))
    taken = None
    if board.is_en_passant(move):
        taken = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
    elif board.piece_at(move.to_square) is not None:
        taken = move.to_square
    return Course(state_of(board), state_of(after), tuple(glides), taken)
