"""Which moves give mate, and whether a position is one that a question may ask about."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import chess

MOST = {
    chess.PAWN: 8, chess.KNIGHT: 2, chess.BISHOP: 2, chess.ROOK: 2, chess.QUEEN: 1, chess.KING: 1,
}  # fmt: skip
"""How many of a kind each side begins with. Positions with more are legal after promotions, but look odd."""


@lru_cache(maxsize=256)
def board_of(fen: str) -> chess.Board:
    """The position. It is shared, and must not be changed."""
    return chess.Board(fen)


@lru_cache(maxsize=256)
def mates_of(fen: str) -> tuple[str, ...]:
    """Every move that gives mate in a position, in UCI notation and sorted."""
    return tuple(sorted(move.uci() for move in mating_moves(board_of(fen).copy(stack=False))))


def mating_moves(board: chess.Board) -> list[chess.Move]:
    """Every legal move that gives mate."""
    return [move for move in _possible_checks(board) if mates(board, move)]


def mates(board: chess.Board, move: chess.Move) -> bool:
    """Whether the move, which must be legal, leaves the other side mated."""
    board.push(move)
    try:
        return board.is_checkmate()
    finally:
        board.pop()


def _possible_checks(board: chess.Board) -> Iterator[chess.Move]:
    """The legal moves without most of those that cannot give check: few are left, and trying a move is slow."""
    king = board.king(not board.turn)
    if king is None:
        return
    unmasking = _unmasking(board, king)
    yield from board.generate_legal_moves(from_mask=unmasking)
    sights = _sights(board, king)
    others = board.occupied_co[board.turn] & ~unmasking
    last = chess.BB_RANK_8 if board.turn == chess.WHITE else chess.BB_RANK_1
    special = chess.BB_SQUARES[board.ep_square] if board.ep_square is not None else chess.BB_EMPTY
    wanted = sights[chess.QUEEN] | sights[chess.KNIGHT] | sights[chess.PAWN] | last | special | board.castling_rights
    for move in board.generate_legal_moves(from_mask=others, to_mask=wanted):
        kind = board.piece_type_at(move.from_square)
        target = chess.BB_SQUARES[move.to_square]
        if kind == chess.KING:
            if board.is_castling(move):
                yield move
        elif kind is not None and (
            move.promotion or target & sights[kind] or (kind == chess.PAWN and target & special)
        ):
            yield move


def _sights(board: chess.Board, king: chess.Square) -> dict[chess.PieceType, chess.Bitboard]:
    """From where each kind of piece of the side to move would attack the other king."""
    level = chess.BB_RANK_ATTACKS[king][chess.BB_RANK_MASKS[king] & board.occupied]
    level |= chess.BB_FILE_ATTACKS[king][chess.BB_FILE_MASKS[king] & board.occupied]
    slanting = chess.BB_DIAG_ATTACKS[king][chess.BB_DIAG_MASKS[king] & board.occupied]
    return {
        chess.PAWN: chess.BB_PAWN_ATTACKS[not board.turn][king],
        chess.KNIGHT: chess.BB_KNIGHT_ATTACKS[king],
        chess.BISHOP: slanting,
        chess.ROOK: level,
        chess.QUEEN: level | slanting,
    }


def _unmasking(board: chess.Board, king: chess.Square) -> chess.Bitboard:
    """Pieces of the side to move that stand alone between one of their own and the other king."""
    lines = chess.BB_RANK_ATTACKS[king][0] | chess.BB_FILE_ATTACKS[king][0]
    behind = lines & (board.rooks | board.queens) | chess.BB_DIAG_ATTACKS[king][0] & (board.bishops | board.queens)
    found = chess.BB_EMPTY
    for square in chess.scan_forward(behind & board.occupied_co[board.turn]):
        between = chess.between(square, king) & board.occupied
        if between and not between & (between - 1):
            found |= between & board.occupied_co[board.turn]
    return found


def flaw(board: chess.Board) -> str | None:
    """What keeps the position from being asked about, besides its mates; None if nothing does."""
    status = board.status()
    if status:
        return f"it is not legal ({status.name})"
    if _unseen_castling(board):
        return "castling, whose right cannot be seen, would give mate as well"
    return None


def oddity(board: chess.Board) -> str | None:
    """What makes a legal position look as if it came from no game; None if nothing does."""
    if board.is_check():
        return "the side to move is in check"
    for colour in chess.COLORS:
        for kind, most in MOST.items():
            if board.pieces_mask(kind, colour).bit_count() > most:
                return f"there are more than {most} pieces of a kind on one side"
        bishops = board.pieces_mask(chess.BISHOP, colour)
        if (bishops & chess.BB_LIGHT_SQUARES).bit_count() > 1 or (bishops & chess.BB_DARK_SQUARES).bit_count() > 1:
            return "two bishops of a side stand on one colour"
    return None


def _unseen_castling(board: chess.Board) -> bool:
    """Whether castling would give mate, were it allowed: a picture does not show that it is not."""
    home = chess.BB_RANK_1 if board.turn == chess.WHITE else chess.BB_RANK_8
    if not board.pieces_mask(chess.KING, board.turn) & home & chess.BB_FILE_E:
        return False
    corners = board.pieces_mask(chess.ROOK, board.turn) & home & chess.BB_CORNERS & ~board.castling_rights
    if not corners:
        return False
    allowed = board.copy(stack=False)
    allowed.castling_rights = corners
    return any(mates(allowed, move) for move in list(allowed.generate_castling_moves()))
