"""A puzzle in words: whose move it is, the mates as chess players write them, what kind of mate it is."""

from __future__ import annotations

import chess

from vmevalkit.tasks.chess_task.chess_reasoning import ChessPuzzle
from vmevalkit.tasks.chess_task.families import RECIPES
from vmevalkit.tasks.chess_task.mates import board_of


def side_of(puzzle: ChessPuzzle) -> str:
    """``white`` or ``black``."""
    return "white" if puzzle.fen.split()[1] == "w" else "black"


def sans_of(puzzle: ChessPuzzle) -> list[str]:
    """The mating moves in standard algebraic notation, such as ``Ra8#``."""
    board = board_of(puzzle.fen).copy(stack=False)
    return [board.san(chess.Move.from_uci(uci)) for uci in puzzle.mates]


def tags_of(puzzle: ChessPuzzle) -> list[str]:
    """The family, the piece that mates, and what is special about the move."""
    board, move = board_of(puzzle.fen), chess.Move.from_uci(puzzle.mates[0])
    kind = board.piece_type_at(move.from_square)
    assert kind is not None, f"nothing stands on {puzzle.mates[0][:2]} in {puzzle.fen}"
    special = {
        "capture": board.is_capture(move),
        "promotion": move.promotion is not None,
        "castling": board.is_castling(move),
        "en_passant": board.is_en_passant(move),
    }
    tags = [puzzle.family, chess.piece_name(kind), *(name for name, holds in special.items() if holds)]
    return list(dict.fromkeys(tags))


def description_of(puzzle: ChessPuzzle) -> str:
    """A few words, such as ``Back-rank mate: rook, capture``."""
    family = RECIPES[puzzle.family].words if puzzle.family in RECIPES else "Mate in one"
    rest = [tag.replace("_", " ") for tag in tags_of(puzzle) if tag != puzzle.family]
    return f"{family}: {', '.join(rest)}" if rest else family
