"""Making mate-in-one questions: knobs, the puzzle, sampling, the proof that a position is sound, its solution."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from random import Random
from typing import Literal

import chess

from vmevalkit.core.errors import Uncertified, UnknownName, UsageError
from vmevalkit.core.randomness import rng_for
from vmevalkit.tasks.chess_task.board_state import BoardState
from vmevalkit.tasks.chess_task.company import accompanied
from vmevalkit.tasks.chess_task.construction import build
from vmevalkit.tasks.chess_task.families import RECIPES
from vmevalkit.tasks.chess_task.mates import board_of, flaw, mates_of, oddity
from vmevalkit.tasks.chess_task.motion import course_of

FAMILIES = tuple(RECIPES)
ARRIVAL = 0.85
"""When the piece of the reference solution arrives; then it rests there, so that the end can be seen."""
MOST_EXTRA = 20
_TRIES = 200


@dataclass(frozen=True, slots=True)
class ChessKnobs:
    """What can be turned about mates in one."""

    families: tuple[str, ...] = FAMILIES
    """Which kinds of mates; all are equally frequent."""
    extra_pieces: tuple[int, int] = (1, 5)
    """The fewest and the most pieces that take no part in the mate. Where no room is left there may be fewer."""
    unique: bool = True
    """Whether exactly one move gives mate. Otherwise several may; all are listed and accepted."""
    side: Literal["white", "black", "either"] = "either"
    """Who moves."""

    def __post_init__(self) -> None:
        if not self.families:
            raise UsageError(f"chess: no families of mates; wanted some of {', '.join(FAMILIES)}")
        for name in self.families:
            if name not in RECIPES:
                raise UnknownName("family of mates", name, FAMILIES)
        fewest, most = self.extra_pieces
        if not 0 <= fewest <= most <= MOST_EXTRA:
            raise UsageError(
                f"chess: extra_pieces={self.extra_pieces!r} is impossible; wanted the fewest and the most, "
                f"from 0 to {MOST_EXTRA}"
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
    """The kind of mate; ``given`` for a position brought from elsewhere."""


def sample(rng: Random, knobs: ChessKnobs) -> ChessPuzzle:
    """A position of a random family. Tries fail often, so they are repeated here: families stay equally frequent."""
    # With other knobs, the same seed shall not give the same mates with more pieces around.
    rng = rng_for(rng.getrandbits(64), knobs)
    family = rng.choice(knobs.families)
    recipe = RECIPES[family]
    black = {"white": False, "black": True, "either": rng.random() < 0.5}[knobs.side]
    mirrored = rng.random() < 0.5
    for _ in range(_TRIES):
        built = build(rng, recipe)
        if built is None:
            continue
        board = accompanied(rng, built, recipe.company, rng.randint(*knobs.extra_pieces))
        if flaw(board) or oddity(board):
            continue
        fen, first = _turned(board, built.move, black, mirrored)
        mates = mates_of(fen)
        if first in mates and (len(mates) == 1 or not knobs.unique) and not _mates_on_the_way(first, mates):
            return ChessPuzzle(fen, (first, *(other for other in mates if other != first)), family)
    raise Uncertified(f"no mate of the family {family} in {_TRIES} tries")


def _mates_on_the_way(first: str, mates: tuple[str, ...]) -> bool:
    """Whether the piece passes a square where it gives mate too: then half of the move would be an answer."""
    passed = chess.SquareSet.between(chess.parse_square(first[:2]), chess.parse_square(first[2:4]))
    return any(other[:2] == first[:2] and chess.parse_square(other[2:4]) in passed for other in mates)


def _turned(board: chess.Board, move: chess.Move, black: bool, mirrored: bool) -> tuple[str, str]:
    """White's position and move as they are, or mirrored, or Black's."""
    flip = (7 if mirrored else 0) ^ (56 if black else 0)
    if mirrored:
        board.apply_transform(chess.flip_horizontal)
    if black:
        board.apply_mirror()
    turned = chess.Move(move.from_square ^ flip, move.to_square ^ flip, move.promotion)
    return f"{board.board_fen()} {'b' if black else 'w'} - - 0 1", turned.uci()


def posed(fen: str, family: str = "given") -> ChessPuzzle:
    """The question that a position of one's own asks. Raises Uncertified where it cannot be asked."""
    _board(fen)
    puzzle = ChessPuzzle(fen, mates_of(fen), family)
    certify(puzzle)
    return puzzle


def key(puzzle: ChessPuzzle) -> Hashable:
    """A mirrored position, or one with colours changed, is another question: it looks different."""
    return tuple(puzzle.fen.split()[:2])


def certify(puzzle: ChessPuzzle) -> None:
    """Raises Uncertified unless the position is legal, and mated by the listed moves and by no others."""
    wrong = flaw(_board(puzzle.fen))
    if wrong is not None:
        raise Uncertified(f"the position {puzzle.fen!r} cannot be asked about: {wrong}")
    found = mates_of(puzzle.fen)
    if not found:
        raise Uncertified(f"no move gives mate in {puzzle.fen!r}")
    if tuple(sorted(puzzle.mates)) != found:
        raise Uncertified(f"{', '.join(found)} give mate in {puzzle.fen!r}, but {', '.join(puzzle.mates)} are listed")


def _board(fen: str) -> chess.Board:
    try:
        return board_of(fen)
    except ValueError as error:
        raise Uncertified(f"{fen!r} is no position in Forsyth-Edwards notation: {error}") from error


def solution(puzzle: ChessPuzzle, t: float) -> BoardState:
    """The piece glides to where it gives mate, at an even speed, and rests there."""
    return course_of(puzzle.fen, puzzle.mates[0]).at(t / ARRIVAL)
