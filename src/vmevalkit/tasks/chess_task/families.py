"""The families of mates and their building blocks. White gives mate; Black's mates and mirror images follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import chess

_EDGE = tuple(chess.SquareSet(chess.BB_BACKRANKS | chess.BB_FILE_A | chess.BB_FILE_H))
_TOP = tuple(chess.SquareSet(chess.BB_RANK_8))
_CORNERS = (chess.A8, chess.H8)
_NEAR_CORNERS = (*_CORNERS, *_CORNERS, chess.B8, chess.G8, chess.A7, chess.H7)
_UPPER = tuple(chess.SquareSet(chess.BB_RANK_8 | chess.BB_RANK_7 | chess.BB_RANK_6))


@dataclass(frozen=True, slots=True)
class MatePattern:
    """How the mates of a family are built around the mated king."""

    title: str
    """The family in words."""
    movers: tuple[str, ...]
    """The pieces that give mate; ``=Q`` is a pawn that is promoted to a queen."""
    kings: tuple[chess.Square, ...]
    """The squares of the mated king; a square that is listed twice is chosen twice as often."""
    distances: tuple[int, int]
    """Least and greatest distance of the mating piece from the king, in king's moves."""
    supporters: str
    """White pieces that can attack flight squares or guard the mating piece."""
    blocked_share: float
    """How often a flight square is blocked by a black piece rather than attacked."""
    blockers: str
    """The black pieces that block flight squares."""
    distractors: str = "PPPPNBRQppppnbrq"
    """Pieces that take no part in the mate, or are captured by the mating move."""
    targets: chess.Bitboard = chess.BB_ALL
    """The squares on which the mating piece can end."""


MATE_PATTERNS: Mapping[str, MatePattern] = {
    "back_rank": MatePattern(
        title="Back-rank mate",
        movers=("R", "R", "Q"),
        kings=_TOP,
        distances=(2, 7),
        supporters="KNBRP",
        blocked_share=0.9,
        blockers="ppppprnb",
        targets=chess.BB_RANK_8,
    ),
    "queen_corner": MatePattern(
        title="Mate by the supported queen in the corner",
        movers=("Q",),
        kings=_NEAR_CORNERS,
        distances=(1, 1),
        supporters="KNBPR",
        blocked_share=0.3,
        blockers="pppr",
    ),
    "smothered": MatePattern(
        title="Smothered mate",
        movers=("N",),
        kings=(*_CORNERS, *_CORNERS, *_CORNERS, chess.G8, chess.B8),
        distances=(2, 2),
        supporters="BRNQ",
        blocked_share=1.0,
        blockers="pprnb",
    ),
    "rook_endgame": MatePattern(
        title="Rook endgame",
        movers=("R",),
        kings=_EDGE,
        distances=(1, 7),
        supporters="KKRP",
        blocked_share=0.1,
        blockers="p",
        distractors="PPppr",
    ),
    "minor_pieces": MatePattern(
        title="Mate by knight or bishop",
        movers=("N", "B"),
        kings=(*_NEAR_CORNERS, *_TOP),
        distances=(1, 7),
        supporters="KNBBP",
        blocked_share=0.55,
        blockers="ppprnb",
    ),
    "pawn": MatePattern(
        title="Mate by a pawn",
        movers=("P", "P", "P", "P", "=Q", "=Q", "=N"),
        kings=_UPPER,
        distances=(1, 7),
        supporters="KRNBQP",
        blocked_share=0.45,
        blockers="ppprnb",
    ),
}
"""Every family by its name."""
