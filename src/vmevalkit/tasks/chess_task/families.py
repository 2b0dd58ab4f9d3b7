"""The families of mates: what each is made of. White gives mate; the other side and mirror images come by turning."""

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
class Recipe:
    """How a family's mates are built around the king that is mated."""

    words: str
    """The family, for a reader."""
    movers: tuple[str, ...]
    """What gives mate: a piece, or ``=Q`` for a pawn that becomes one."""
    kings: tuple[chess.Square, ...]
    """Where the mated king may stand; a square named twice is taken twice as often."""
    far: tuple[int, int]
    """Least and greatest distance from which the mating piece checks, in king's moves."""
    helpers: str
    """White pieces that may take flight squares or guard the mating piece."""
    walled: float
    """How often a flight square is filled by a black piece rather than attacked."""
    wall: str
    """What it is filled with."""
    company: str = "PPPPNBRQppppnbrq"
    """Pieces that may stand around without taking part, or be taken by the mating move."""
    targets: chess.Bitboard = chess.BB_ALL
    """Where the mating piece may end."""


RECIPES: Mapping[str, Recipe] = {
    "back_rank": Recipe(
        words="Back-rank mate",
        movers=("R", "R", "Q"),
        kings=_TOP,
        far=(2, 7),
        helpers="KNBRP",
        walled=0.9,
        wall="ppppprnb",
        targets=chess.BB_RANK_8,
    ),
    "queen_corner": Recipe(
        words="Mate by the supported queen in the corner",
        movers=("Q",),
        kings=_NEAR_CORNERS,
        far=(1, 1),
        helpers="KNBPR",
        walled=0.3,
        wall="pppr",
    ),
    "smothered": Recipe(
        words="Smothered mate",
        movers=("N",),
        kings=(*_CORNERS, *_CORNERS, *_CORNERS, chess.G8, chess.B8),
        far=(2, 2),
        helpers="BRNQ",
        walled=1.0,
        wall="pprnb",
    ),
    "rook_endgame": Recipe(
        words="Rook endgame",
        movers=("R",),
        kings=_EDGE,
        far=(1, 7),
        helpers="KKRP",
        walled=0.1,
        wall="p",
        company="PPppr",
    ),
    "minor_pieces": Recipe(
        words="Mate by knight or bishop",
        movers=("N", "B"),
        kings=(*_NEAR_CORNERS, *_TOP),
        far=(1, 7),
        helpers="KNBBP",
        walled=0.55,
        wall="ppprnb",
    ),
    "pawn": Recipe(
        words="Mate by a pawn",
        movers=("P", "P", "P", "P", "=Q", "=Q", "=N"),
        kings=_UPPER,
        far=(1, 7),
        helpers="KRNBQP",
        walled=0.45,
        wall="ppprnb",
    ),
}
"""Every family by its name."""
