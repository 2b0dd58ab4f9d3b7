"""The animation of a move: the piece leaves its square, glides, captures, and arrives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import chess

from vmevalkit.tasks.chess_task.board_state import EMPTY, BoardState, MovingPiece, get_centre, make_state
from vmevalkit.tasks.chess_task.mates import parse_board

CAPTURE_SHARE = 0.75
"""The share of its way after which a piece covers the captured piece, which then vanishes."""


@dataclass(frozen=True, slots=True)
class Glide:
    """The straight way of one piece from one square to another."""

    source: chess.Square
    target: chess.Square
    symbol: str

    def at(self, share: float) -> MovingPiece:
        """Return the piece after this share of its way."""
        (x, y), (end_x, end_y) = get_centre(self.source), get_centre(self.target)
        return MovingPiece(self.symbol, x + share * (end_x - x), y + share * (end_y - y))


@dataclass(frozen=True, slots=True)
class MoveAnimation:
    """Everything that one move shows."""

    before: BoardState
    after: BoardState
    glides: tuple[Glide, ...]
    """One, or king and rook when castling."""
    captured: chess.Square | None

    def at(self, share: float, moving: Sequence[MovingPiece] | None = None) -> BoardState:
        """Return the scene after this share of the way; up to 0 the beginning, from 1 on the end. The pieces are on
        their straight ways, or where ``moving`` places them."""
        if share <= 0:
            return self.before
        if share >= 1:
            return self.after
        gone = {glide.source: EMPTY for glide in self.glides}
        if self.captured is not None and share >= CAPTURE_SHARE:
            gone[self.captured] = EMPTY
        return self.before.with_changes(gone, *(moving or [glide.at(share) for glide in self.glides]))


@lru_cache(maxsize=256)
def animate_move(fen: str, uci: str) -> MoveAnimation:
    """Return the animation of a legal move, or of another one that only moves a piece to another square."""
    board, move = parse_board(fen), chess.Move.from_uci(uci)
    after = board.copy(stack=False)
    if board.is_legal(move):
        after.push(move)
    else:
        after.set_piece_at(move.to_square, after.remove_piece_at(move.from_square))
    symbol = board.piece_at(move.from_square)
    assert symbol is not None, f"no piece on {chess.square_name(move.from_square)} in {fen}"
    glides = [Glide(move.from_square, move.to_square, symbol.symbol())]
    if board.is_castling(move):
        short = chess.square_file(move.to_square) > chess.square_file(move.from_square)
        rank = chess.square_rank(move.from_square)
        corner, beside = (chess.square(file, rank) for file in ((7, 5) if short else (0, 3)))
        glides.append(Glide(corner, beside, "R" if board.turn == chess.WHITE else "r"))
    captured = None
    if board.is_en_passant(move):
        captured = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
    elif board.piece_at(move.to_square) is not None:
        captured = move.to_square
    return MoveAnimation(make_state(board), make_state(after), tuple(glides), captured)
