"""The positions that moves lead to, as letters that can be compared with a reading."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from vmevalkit.tasks.chess_task.board_state import EMPTY, HIDDEN
from vmevalkit.tasks.chess_task.chess_reasoning import ChessPuzzle
from vmevalkit.tasks.chess_task.mates import parse_board
from vmevalkit.tasks.chess_task.motion import animate_move


@dataclass(frozen=True, slots=True)
class MoveOutcome:
    """The position after one move, as letters, and the squares that must be readable."""

    move: str
    """The move in UCI notation."""
    letters: str
    targets: tuple[int, ...]
    """Indices of the squares with a new piece: these must be readable."""

    def matches(self, letters: str) -> bool:
        """Return whether the letters are this position, as far as they are readable."""
        if letters == self.letters:
            return True
        if any(letters[index] != self.letters[index] for index in self.targets):
            return False
        return all(letter in (HIDDEN, expected) for letter, expected in zip(letters, self.letters, strict=True))


def _make_outcome(puzzle: ChessPuzzle, uci: str) -> MoveOutcome:
    animation = animate_move(puzzle.fen, uci)
    before, after = animation.before.squares, animation.after.squares
    targets = tuple(i for i in range(64) if after[i] not in (EMPTY, before[i]))
    return MoveOutcome(uci, after, targets)


@lru_cache(maxsize=64)
def list_answers(puzzle: ChessPuzzle) -> tuple[MoveOutcome, ...]:
    """Return the outcome of every mate."""
    return tuple(_make_outcome(puzzle, uci) for uci in puzzle.mates)


@lru_cache(maxsize=16)
def list_wrong_moves(puzzle: ChessPuzzle) -> tuple[MoveOutcome, ...]:
    """Return the outcome of every legal move that is not an answer."""
    moves = [move.uci() for move in parse_board(puzzle.fen).legal_moves]
    return tuple(_make_outcome(puzzle, uci) for uci in moves if uci not in puzzle.mates)


@lru_cache(maxsize=16)
def list_replies(puzzle: ChessPuzzle) -> tuple[MoveOutcome, ...]:
    """Return the outcome of every move of the other side, as if it were to move."""
    board = parse_board(puzzle.fen).copy(stack=False)
    board.turn = not board.turn
    other_side = ChessPuzzle(board.fen(), (), puzzle.family)
    return tuple(_make_outcome(other_side, move.uci()) for move in board.legal_moves)


def get_start_letters(puzzle: ChessPuzzle) -> str:
    """Return the letters of the position before the move."""
    return animate_move(puzzle.fen, puzzle.mates[0]).before.squares
