"""A puzzle in words: the side to move, the mates in standard notation, and the kind of mate."""

from __future__ import annotations

import chess

from vmevalkit.tasks.chess_task.chess_reasoning import ChessPuzzle
from vmevalkit.tasks.chess_task.families import MATE_PATTERNS
from vmevalkit.tasks.chess_task.mates import parse_board


def get_side(puzzle: ChessPuzzle) -> str:
    """Return the side to move: ``white`` or ``black``."""
    return "white" if puzzle.fen.split()[1] == "w" else "black"


def list_sans(puzzle: ChessPuzzle) -> list[str]:
    """Return the mating moves in standard algebraic notation, such as ``Ra8#``."""
    board = parse_board(puzzle.fen).copy(stack=False)
    return [board.san(chess.Move.from_uci(uci)) for uci in puzzle.mates]


def list_tags(puzzle: ChessPuzzle) -> list[str]:
    """Return the family, the piece that mates, and the special features of the move."""
    board, move = parse_board(puzzle.fen), chess.Move.from_uci(puzzle.mates[0])
    kind = board.piece_type_at(move.from_square)
    assert kind is not None, f"no piece on {puzzle.mates[0][:2]} in {puzzle.fen}"
    special = {
        "capture": board.is_capture(move),
        "promotion": move.promotion is not None,
        "castling": board.is_castling(move),
        "en_passant": board.is_en_passant(move),
    }
    tags = [puzzle.family, chess.piece_name(kind), *(name for name, applies in special.items() if applies)]
    return list(dict.fromkeys(tags))


def describe_mate(puzzle: ChessPuzzle) -> str:
    """Return a short description, such as ``Back-rank mate: rook, capture``."""
    family = MATE_PATTERNS[puzzle.family].title if puzzle.family in MATE_PATTERNS else "Mate in one"
    rest = [tag.replace("_", " ") for tag in list_tags(puzzle) if tag != puzzle.family]
    return f"{family}: {', '.join(rest)}" if rest else family
