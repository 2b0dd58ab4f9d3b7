"""Pieces that stand around without taking part in a mate, so that it must be found among them."""

from __future__ import annotations

from random import Random

import chess

from vmevalkit.tasks.chess_task.construction import PIECES, Built, reach, room_for

_PAWN_RANKS = (1, 1, 1, 2, 2, 3, 4)
"""Ranks of White's pawns, from 0, as often as they are taken."""
_TRIES = 4


def accompanied(rng: Random, built: Built, symbols: str, number: int) -> chess.Board:
    """The position with so many further pieces, or fewer where no room is left. Most often the mate survives."""
    board = built.board.copy(stack=False)
    for _ in range(number):
        for _ in range(_TRIES):
            piece = PIECES[rng.choice(symbols)]
            square = _place(rng, piece, built.reserved, board)
            if square is not None and _harmless(board, built, piece, square):
                board.set_piece_at(square, piece)
                break
    return board


def _place(rng: Random, piece: chess.Piece, reserved: chess.Bitboard, board: chess.Board) -> chess.Square | None:
    where = room_for(board, piece) & ~reserved
    if piece.piece_type == chess.PAWN:
        rank = rng.choice(_PAWN_RANKS)
        where &= chess.BB_RANKS[rank if piece.color == chess.WHITE else 7 - rank]
    squares = list(chess.scan_forward(where))
    return rng.choice(squares) if squares else None


def _harmless(board: chess.Board, built: Built, piece: chess.Piece, square: chess.Square) -> bool:
    """Whether the piece attacks neither the other king nor, if it is black, a square where it would prevent mate."""
    attacks = reach(piece.piece_type, piece.color, square, board.occupied)
    if attacks & board.pieces_mask(chess.KING, not piece.color):
        return False
    return piece.color == chess.WHITE or not attacks & built.answered
