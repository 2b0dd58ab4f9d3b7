"""The mate-in-one puzzle: its params, sampling, the proof that a position is valid, and the solution."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from random import Random
from typing import Literal

import chess

from vmevalkit.core.errors import Uncertified, UnknownName, UsageError
from vmevalkit.core.jsonable import dumps
from vmevalkit.core.randomness import rng_for
from vmevalkit.tasks.chess_task.board_state import BoardState
from vmevalkit.tasks.chess_task.construction import build_mate
from vmevalkit.tasks.chess_task.distractor_pieces import add_distractors
from vmevalkit.tasks.chess_task.families import MATE_PATTERNS
from vmevalkit.tasks.chess_task.mates import find_flaw, find_mates, find_oddity, parse_board
from vmevalkit.tasks.chess_task.motion import animate_move

FAMILIES = tuple(MATE_PATTERNS)
ARRIVAL = 0.85
"""When the piece of the reference solution arrives. Then it rests, so that the end is visible."""
MAX_EXTRA = 20
_ATTEMPTS = 200


@dataclass(frozen=True, slots=True)
class ChessParams:
    """Generation params of mates in one."""

    families: tuple[str, ...] = FAMILIES
    """The kinds of mates; all are equally frequent."""
    extra_pieces: tuple[int, int] = (1, 5)
    """The fewest and the most pieces that take no part in the mate. There are fewer where no room is left."""
    unique: bool = True
    """Whether exactly one move gives mate. Otherwise several may; all are listed and accepted."""
    side: Literal["white", "black", "either"] = "either"
    """The side to move."""

    def __post_init__(self) -> None:
        if not self.families:
            raise UsageError(f"chess: families is empty; choose some of {', '.join(FAMILIES)}")
        for name in self.families:
            if name not in MATE_PATTERNS:
                raise UnknownName("family of mates", name, FAMILIES)
        fewest, most = self.extra_pieces
        if not 0 <= fewest <= most <= MAX_EXTRA:
            raise UsageError(
                f"chess: extra_pieces={self.extra_pieces!r} is impossible; expected the fewest and the most, "
                f"from 0 to {MAX_EXTRA}"
            )
        if self.side not in ("white", "black", "either"):
            raise UnknownName("side", self.side, ("white", "black", "either"))


@dataclass(frozen=True, slots=True)
class ChessPuzzle:
    """One puzzle: a position, and every move that gives mate in it."""

    fen: str
    """The position in Forsyth-Edwards notation."""
    mates: tuple[str, ...]
    """The mating moves in UCI notation; the first is the one that the reference solution shows."""
    family: str
    """The kind of mate; ``given`` for a position that the user supplied."""


def sample(rng: Random, params: ChessParams) -> ChessPuzzle:
    """Return a position of a random family. Attempts fail often and are repeated here, so that families stay equally
    frequent."""
    # With other params, the same seed must not give the same mates with more distractors.
    rng = rng_for(rng.getrandbits(64), dumps(params))
    family = rng.choice(params.families)
    pattern = MATE_PATTERNS[family]
    black = {"white": False, "black": True, "either": rng.random() < 0.5}[params.side]
    mirrored = rng.random() < 0.5
    for _ in range(_ATTEMPTS):
        position = build_mate(rng, pattern)
        if position is None:
            continue
        board = add_distractors(rng, position, pattern.distractors, rng.randint(*params.extra_pieces))
        if find_flaw(board) or find_oddity(board):
            continue
        fen, first = _orient_position(board, position.move, black, mirrored)
        mates = find_mates(fen)
        if first in mates and (len(mates) == 1 or not params.unique) and not _passes_other_mate(first, mates):
            return ChessPuzzle(fen, (first, *(other for other in mates if other != first)), family)
    raise Uncertified(f"no mate of the family {family} in {_ATTEMPTS} attempts")


def _passes_other_mate(first: str, mates: tuple[str, ...]) -> bool:
    """Return whether the piece passes a square where it gives mate too: half of the move would be an answer."""
    passed = chess.SquareSet.between(chess.parse_square(first[:2]), chess.parse_square(first[2:4]))
    return any(other[:2] == first[:2] and chess.parse_square(other[2:4]) in passed for other in mates)


def _orient_position(board: chess.Board, move: chess.Move, black: bool, mirrored: bool) -> tuple[str, str]:
    """Return White's position and move as FEN and UCI: unchanged, mirrored, or with colours exchanged."""
    flip = (7 if mirrored else 0) ^ (56 if black else 0)
    if mirrored:
        board.apply_transform(chess.flip_horizontal)
    if black:
        board.apply_mirror()
    oriented = chess.Move(move.from_square ^ flip, move.to_square ^ flip, move.promotion)
    return f"{board.board_fen()} {'b' if black else 'w'} - - 0 1", oriented.uci()


def make_puzzle(fen: str, family: str = "given") -> ChessPuzzle:
    """Return the puzzle of a position. Raises Uncertified if it is not a valid question."""
    _parse_fen(fen)
    puzzle = ChessPuzzle(fen, find_mates(fen), family)
    certify(puzzle)
    return puzzle


def key(puzzle: ChessPuzzle) -> Hashable:
    """Return the position and the side to move. A mirrored position is another question: it looks different."""
    return tuple(puzzle.fen.split()[:2])


def check_moves(puzzle: ChessPuzzle) -> None:
    """Raise ValueError unless the position can be read, and the listed moves are legal in it."""
    board = chess.Board(puzzle.fen)
    if not puzzle.mates or not all(board.is_legal(chess.Move.from_uci(mate)) for mate in puzzle.mates):
        raise ValueError("a listed move is not legal in the position")


def certify(puzzle: ChessPuzzle) -> None:
    """Raise Uncertified unless the position is legal and exactly the listed moves give mate."""
    flaw = find_flaw(_parse_fen(puzzle.fen))
    if flaw is not None:
        raise Uncertified(f"the position {puzzle.fen!r} is not a valid question: {flaw}")
    found = find_mates(puzzle.fen)
    if not found:
        raise Uncertified(f"no move gives mate in {puzzle.fen!r}")
    if tuple(sorted(puzzle.mates)) != found:
        raise Uncertified(f"{', '.join(found)} give mate in {puzzle.fen!r}, but {', '.join(puzzle.mates)} are listed")


def _parse_fen(fen: str) -> chess.Board:
    try:
        return parse_board(fen)
    except ValueError as error:
        raise Uncertified(f"{fen!r} is not a position in Forsyth-Edwards notation: {error}") from error


def solution(puzzle: ChessPuzzle, t: float) -> BoardState:
    """Return the reference solution at time t: the piece glides to its target at an even speed, and rests there."""
    return animate_move(puzzle.fen, puzzle.mates[0]).at(t / ARRIVAL)
