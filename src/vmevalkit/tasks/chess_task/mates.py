"""The moves that give mate, and the checks that a position must pass to become a question."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import chess

MAX_PIECES = {
    chess.PAWN: 8, chess.KNIGHT: 2, chess.BISHOP: 2, chess.ROOK: 2, chess.QUEEN: 1, chess.KING: 1,
}  # fmt: skip
"""How many of a kind each side has at the start of a game. More are legal after promotions, but look odd."""


@lru_cache(maxsize=256)
def parse_board(fen: str) -> chess.Board:
    """Return the position. The board is shared and must not be changed."""
    return chess.Board(fen)


@lru_cache(maxsize=256)
def find_mates(fen: str) -> tuple[str, ...]:
    """Return every move that gives mate in a position, in UCI notation and sorted."""
    return tuple(sorted(move.uci() for move in list_mating_moves(parse_board(fen).copy(stack=False))))


def list_mating_moves(board: chess.Board) -> list[chess.Move]:
    """Return every legal move that gives mate."""
    return [move for move in _list_possible_checks(board) if gives_mate(board, move)]


def gives_mate(board: chess.Board, move: chess.Move) -> bool:
    """Return whether the move, which must be legal, gives mate."""
    board.push(move)
    try:
        return board.is_checkmate()
    finally:
        board.pop()


def _list_possible_checks(board: chess.Board) -> Iterator[chess.Move]:
    """Yield the legal moves without most of those that cannot give check, because trying a move is slow."""
    king = board.king(not board.turn)
    if king is None:
        return
    discoverers = _find_discoverers(board, king)
    yield from board.generate_legal_moves(from_mask=discoverers)
    checking_squares = _find_checking_squares(board, king)
    others = board.occupied_co[board.turn] & ~discoverers
    last = chess.BB_RANK_8 if board.turn == chess.WHITE else chess.BB_RANK_1
    special = chess.BB_SQUARES[board.ep_square] if board.ep_square is not None else chess.BB_EMPTY
    wanted = (
        checking_squares[chess.QUEEN]
        | checking_squares[chess.KNIGHT]
        | checking_squares[chess.PAWN]
        | last
        | special
        | board.castling_rights
    )
    for move in board.generate_legal_moves(from_mask=others, to_mask=wanted):
        kind = board.piece_type_at(move.from_square)
        target = chess.BB_SQUARES[move.to_square]
        if kind == chess.KING:
            if board.is_castling(move):
                yield move
        elif kind is not None and (
            move.promotion or target & checking_squares[kind] or (kind == chess.PAWN and target & special)
        ):
            yield move


def _find_checking_squares(board: chess.Board, king: chess.Square) -> dict[chess.PieceType, chess.Bitboard]:
    """Return the squares from which each kind of piece of the side to move would attack the other king."""
    straight = chess.BB_RANK_ATTACKS[king][chess.BB_RANK_MASKS[king] & board.occupied]
    straight |= chess.BB_FILE_ATTACKS[king][chess.BB_FILE_MASKS[king] & board.occupied]
    diagonal = chess.BB_DIAG_ATTACKS[king][chess.BB_DIAG_MASKS[king] & board.occupied]
    return {
        chess.PAWN: chess.BB_PAWN_ATTACKS[not board.turn][king],
        chess.KNIGHT: chess.BB_KNIGHT_ATTACKS[king],
        chess.BISHOP: diagonal,
        chess.ROOK: straight,
        chess.QUEEN: straight | diagonal,
    }


def _find_discoverers(board: chess.Board, king: chess.Square) -> chess.Bitboard:
    """Return the pieces of the side to move that alone block a line of another one to the other king."""
    lines = chess.BB_RANK_ATTACKS[king][0] | chess.BB_FILE_ATTACKS[king][0]
    behind = lines & (board.rooks | board.queens) | chess.BB_DIAG_ATTACKS[king][0] & (board.bishops | board.queens)
    found = chess.BB_EMPTY
    for square in chess.scan_forward(behind & board.occupied_co[board.turn]):
        between = chess.between(square, king) & board.occupied
        if between and not between & (between - 1):
            found |= between & board.occupied_co[board.turn]
    return found


def find_flaw(board: chess.Board) -> str | None:
    """Return why the position cannot be a question, apart from its mates; None if it can."""
    status = board.status()
    if status:
        return f"it is not legal ({status.name})"
    if _has_hidden_castling_mate(board):
        return "castling would give mate as well, and the image does not show whether it is allowed"
    return None


def find_oddity(board: chess.Board) -> str | None:
    """Return why a legal position does not look like one from a game; None if it does."""
    if board.is_check():
        return "the side to move is in check"
    for colour in chess.COLORS:
        for kind, most in MAX_PIECES.items():
            if board.pieces_mask(kind, colour).bit_count() > most:
                return f"there are more than {most} pieces of a kind on one side"
        bishops = board.pieces_mask(chess.BISHOP, colour)
        if (bishops & chess.BB_LIGHT_SQUARES).bit_count() > 1 or (bishops & chess.BB_DARK_SQUARES).bit_count() > 1:
            return "two bishops of a side are on squares of one colour"
    return None


def _has_hidden_castling_mate(board: chess.Board) -> bool:
    """Return whether castling would give mate if it were allowed: an image does not show that it is not."""
    home = chess.BB_RANK_1 if board.turn == chess.WHITE else chess.BB_RANK_8
    if not board.pieces_mask(chess.KING, board.turn) & home & chess.BB_FILE_E:
        return False
    corners = board.pieces_mask(chess.ROOK, board.turn) & home & chess.BB_CORNERS & ~board.castling_rights
    if not corners:
        return False
    allowed = board.copy(stack=False)
    allowed.castling_rights = corners
    return any(gives_mate(allowed, move) for move in list(allowed.generate_castling_moves()))
