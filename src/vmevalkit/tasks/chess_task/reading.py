"""Reading a board back from a registered frame: what stands on each square, and what is between squares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.photometry import median
from vmevalkit.media.picture import Mask
from vmevalkit.media.sighting import Sighting
from vmevalkit.tasks.chess_task.board_state import EMPTY, HIDDEN, BoardState
from vmevalkit.tasks.chess_task.flights import find_flyers
from vmevalkit.tasks.chess_task.sprites import (
    BLURS,
    LETTERS,
    MARGIN,
    PATCH,
    SQUARE,
    Levels,
    askew,
    banks,
    grey,
    inner,
    misfits_in_all,
)

EVEN = 115.0
"""Variance in squared levels up to which a square is empty: noise, and the edge of a neighbour."""
EXPLAINED = 0.55
"""The share of a square's variance that a piece must explain to be there. A ghost of half its strength explains
nothing, one of two thirds explains three quarters."""
CLEAR = 0.8
"""A piece that explains so much of it is not doubted."""
BETTER = 0.85
"""Another piece, off the centre, that leaves so much less unexplained shows that this one is mistaken."""
LEAST_READ = 32
"""With fewer squares than this read there is no board."""
LEAST_SEEN = 0.75
"""The share of a square that the film must show."""
LEAST_CONTRAST = 30.0
"""Levels between light and dark squares, of which there are 73: with fewer the board has faded away."""
_MIDDLE = BLURS.index(1.45)
_TELLING = 10
"""So many pieces tell how blurred a picture is."""


class BoardReader:
    """Reads the frames of any position: it knows nothing of the puzzle."""

    def read(self, sighting: Sighting, before: BoardState | None) -> BoardState | None:
        """The state, with ``?`` for what cannot be told; None where there is no board to be seen."""
        picture = grey(sighting.picture)
        patches = inner(picture)
        blur, misfits = _best_blur(patches)
        letters = _letters(misfits)
        letters[_mistaken(patches, misfits, letters, blur)] = HIDDEN
        if _contrast(patches, letters) < LEAST_CONTRAST:
            return None
        if sighting.seen is not None:
            letters[_unseen(sighting.seen)] = HIDDEN
        if (letters != HIDDEN).sum() < LEAST_READ:
            return None
        return BoardState("".join(letters.ravel()), find_flyers(picture, letters, banks()[blur], before))


_NAMES = np.array(list(LETTERS))


def _letters(misfits: Levels) -> NDArray[np.str_]:
    """The letter of each square, or ``?``."""
    even = misfits[..., 0]
    best = misfits[..., 1:].argmin(axis=-1) + 1
    rest = misfits[..., 1:].min(axis=-1)
    letters = np.where(rest < (1 - EXPLAINED) * even, _NAMES[best], HIDDEN)
    return np.where(even < EVEN, _NAMES[0], letters)


def _mistaken(patches: Levels, misfits: Levels, letters: NDArray[np.str_], blur: int) -> Mask:
    """Squares whose letter fits no more than passably, while another one, off the centre, fits well: a knight that
    stands low looks much like a pawn. What really is there, and where, is then sought as for a piece in flight."""
    rest = misfits[..., 1:].min(axis=-1)
    doubtful = (letters != EMPTY) & (letters != HIDDEN) & (rest > (1 - CLEAR) * misfits[..., 0])
    mistaken: Mask = np.zeros_like(doubtful)
    if doubtful.any():
        places = askew(blur).misfits_of_few(patches[doubtful])
        anywhere = places.reshape(len(places), len(LETTERS), -1).min(axis=2)
        own = misfits[doubtful][:, 1:].argmin(axis=1) + 1
        mistaken[doubtful] = anywhere[:, 1:].min(axis=1) < BETTER * anywhere[np.arange(len(own)), own]
    return mistaken


_LIGHT = np.add.outer(np.arange(8), np.arange(8)) % 2 == 0


def _contrast(patches: Levels, letters: NDArray[np.str_]) -> float:
    """By how much light squares are brighter than dark ones, where they are empty; 0 where there are none."""
    empty = letters == EMPTY
    light, dark = empty & _LIGHT, empty & ~_LIGHT
    if not (light.any() and dark.any()):
        return 0.0
    levels = patches[..., PATCH * PATCH // 2]
    return median(levels[light]) - median(levels[dark])


def _best_blur(patches: Levels) -> tuple[int, Levels]:
    """Which degree of blur explains the clearest pieces best, and the misfits of all letters under it."""
    known = banks()
    misfits = known[_MIDDLE].upright.misfits(patches)
    flat = misfits.reshape(64, -1)
    best = flat[:, 1:].argmin(axis=1) + 1
    explained = 1 - flat[np.arange(64), best] / np.maximum(flat[:, 0], EVEN)
    telling = np.argsort(-explained)[:_TELLING]
    telling = telling[explained[telling] > 0.4]
    if not len(telling):
        return _MIDDLE, misfits
    rows = patches.reshape(64, -1)[telling]
    blur = int(misfits_in_all(rows, best[telling]).argmin())
    return (blur, misfits) if blur == _MIDDLE else (blur, known[blur].upright.misfits(patches))


def _unseen(seen: Mask) -> Mask:
    end = MARGIN + 8 * SQUARE
    shares = seen[MARGIN:end, MARGIN:end].reshape(8, SQUARE, 8, SQUARE).mean(axis=(1, 3))
    return np.asarray(shares < LEAST_SEEN)
