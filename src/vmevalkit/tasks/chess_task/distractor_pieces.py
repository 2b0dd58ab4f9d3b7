"""Distractors: pieces that take no part in a mate, so that it must be found among them."""

from __future__ import annotations

from random import Random

import chess

from vmevalkit.tasks.chess_task.construction import PIECES, MatePosition, find_attacks, find_room

_PAWN_RANKS = (1, 1, 1, 2, 2, 3, 4)
"""Ranks of White's pawns, from 0, weighted by repetition."""
_ATTEMPTS = 4


def add_distractors(rng: Random, position: MatePosition, symbols: str, count: int) -> chess.Board:
    """Return the position with so many distractors, or fewer where no room is left. Most often it is still mate."""
    board = position.board.copy(stack=False)
    for _ in range(count):
        for _ in range(_ATTEMPTS):
            piece = PIECES[rng.choice(symbols)]
            square = _choose_square(rng, piece, position.reserved, board)
            if square is not None and _is_harmless(board, position, piece, square):
                board.set_piece_at(square, piece)
                break
    return board


def _choose_square(
    rng: Random, piece: chess.Piece, reserved: chess.Bitboard, board: chess.Board
) -> chess.Square | None:
    squares = find_room(board, piece) & ~reserved
    if piece.piece_type == chess.PAWN:
        rank = rng.choice(_PAWN_RANKS)
        squares &= chess.BB_RANKS[rank if piece.color == chess.WHITE else 7 - rank]
    free = list(chess.scan_forward(squares))
    return rng.choice(free) if free else None


def _is_harmless(board: chess.Board, position: MatePosition, piece: chess.Piece, square: chess.Square) -> bool:
    """Return whether the piece attacks neither the other king nor, if it is black, a square from which it would prevent
    mate."""
    attacks = find_attacks(piece.piece_type, piece.color, square, board.occupied)
    if attacks & board.pieces_mask(chess.KING, not piece.color):
        return False
    return piece.color == chess.WHITE or not attacks & position.guarded_squares
