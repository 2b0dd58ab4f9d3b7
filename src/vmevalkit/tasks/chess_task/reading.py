"""Reading a board back from a registered frame: the piece on each square, and pieces between squares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame, Mask
from vmevalkit.media.photometry import median
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.tasks.chess_task.board_state import EMPTY, HIDDEN, BoardState
from vmevalkit.tasks.chess_task.moving_pieces import find_moving_pieces
from vmevalkit.tasks.chess_task.sprites import (
    BLURS,
    LETTERS,
    MARGIN,
    PATCH,
    SQUARE,
    Levels,
    Patterns,
    extract_patches,
    load_offset_patterns,
    load_templates,
    measure_misfits_by_blur,
    mix_channels,
)
from vmevalkit.tasks.chess_task.tints import find_tinted_squares, remove_tint

MAX_EMPTY_VARIANCE = 115.0
"""Variance in squared levels up to which a square is empty. It allows for noise and the edge of a neighbour."""
MIN_TINTED_VARIANCE = 30.0
"""The same for a square under a tint, which takes contrast."""
EXPLAINED = 0.55
"""The share of a square's variance that a piece must explain. A piece at half opacity explains nothing, one at two
thirds explains three quarters."""
CERTAIN = 0.8
"""A piece that explains this share is not checked further."""
MAX_RELATIVE_ERROR = 0.85
"""If another piece, away from the centre, has at most this share of a piece's error, that piece is mistaken."""
MIN_READ_SQUARES = 32
"""With fewer readable squares there is no board."""
MIN_VISIBLE_SHARE = 0.75
"""The share of a square that the video must show."""
MIN_CONTRAST = 30.0
"""Levels between light and dark squares; drawn boards have 73. With fewer the board has faded out."""
_MIDDLE_BLUR = BLURS.index(1.45)
_BLUR_SAMPLES = 10
"""The number of pieces from which the blur of an image is measured."""


class BoardReader:
    """Reads the frames of any position, without knowledge of the puzzle."""

    def read(self, frame: RegisteredFrame, before: BoardState | None) -> BoardState | None:
        """Return the state, with ``?`` for squares that cannot be read; None where no board is visible."""
        image = mix_channels(frame.image)
        patches = extract_patches(image)
        blur, misfits = _find_blur(patches)
        _remove_tints(frame.image, patches, misfits, load_templates()[blur].upright)
        letters = _classify_squares(misfits)
        letters[_find_mistaken(patches, misfits, letters, blur)] = HIDDEN
        if _measure_contrast(patches, letters) < MIN_CONTRAST:
            return None
        if frame.visible is not None:
            letters[_find_unseen_squares(frame.visible)] = HIDDEN
        if (letters != HIDDEN).sum() < MIN_READ_SQUARES:
            return None
        return BoardState("".join(letters.ravel()), find_moving_pieces(image, letters, load_templates()[blur], before))


def _remove_tints(image: Frame, patches: Levels, misfits: Levels, patterns: Patterns) -> None:
    """Take the tints off marked squares with a piece, in the patches and their misfits."""
    tinted = find_tinted_squares(image) & (misfits[..., 0] > MIN_TINTED_VARIANCE)
    for square in map(tuple, np.argwhere(tinted)):
        patch = remove_tint(patches[square], patterns)
        found = patterns.misfits_of_few(patch[None])[0]
        if found[1:].min() < (1 - EXPLAINED) * found[0]:
            patches[square], misfits[square] = patch, found


_SYMBOLS = np.array(list(LETTERS))


def _classify_squares(misfits: Levels) -> NDArray[np.str_]:
    """Return the letter of each square, or ``?``."""
    variance = misfits[..., 0]
    best = misfits[..., 1:].argmin(axis=-1) + 1
    rest = misfits[..., 1:].min(axis=-1)
    letters = np.where(rest < (1 - EXPLAINED) * variance, _SYMBOLS[best], HIDDEN)
    return np.where(variance < MAX_EMPTY_VARIANCE, _SYMBOLS[0], letters)


def _find_mistaken(patches: Levels, misfits: Levels, letters: NDArray[np.str_], blur: int) -> Mask:
    """Return squares whose letter fits poorly, while another one, away from the centre, fits well: a knight low on its
    square looks much like a pawn. These squares are then searched for moving pieces."""
    rest = misfits[..., 1:].min(axis=-1)
    doubtful = (letters != EMPTY) & (letters != HIDDEN) & (rest > (1 - CERTAIN) * misfits[..., 0])
    mistaken: Mask = np.zeros_like(doubtful)
    if doubtful.any():
        places = load_offset_patterns(blur).misfits_of_few(patches[doubtful])
        anywhere = places.reshape(len(places), len(LETTERS), -1).min(axis=2)
        own = misfits[doubtful][:, 1:].argmin(axis=1) + 1
        mistaken[doubtful] = anywhere[:, 1:].min(axis=1) < MAX_RELATIVE_ERROR * anywhere[np.arange(len(own)), own]
    return mistaken


_LIGHT = np.add.outer(np.arange(8), np.arange(8)) % 2 == 0


def _measure_contrast(patches: Levels, letters: NDArray[np.str_]) -> float:
    """Return by how much empty light squares are brighter than empty dark ones; 0 where there are none."""
    empty = letters == EMPTY
    light, dark = empty & _LIGHT, empty & ~_LIGHT
    if not (light.any() and dark.any()):
        return 0.0
    levels = patches[..., PATCH * PATCH // 2]
    return median(levels[light]) - median(levels[dark])


def _find_blur(patches: Levels) -> tuple[int, Levels]:
    """Return the index of the blur that explains the clearest pieces best, and the misfits of all letters at it."""
    templates = load_templates()
    misfits = templates[_MIDDLE_BLUR].upright.misfits(patches)
    flat = misfits.reshape(64, -1)
    best = flat[:, 1:].argmin(axis=1) + 1
    explained = 1 - flat[np.arange(64), best] / np.maximum(flat[:, 0], MAX_EMPTY_VARIANCE)
    clearest = np.argsort(-explained)[:_BLUR_SAMPLES]
    clearest = clearest[explained[clearest] > 0.4]
    if not len(clearest):
        return _MIDDLE_BLUR, misfits
    rows = patches.reshape(64, -1)[clearest]
    blur = int(measure_misfits_by_blur(rows, best[clearest]).argmin())
    return (blur, misfits) if blur == _MIDDLE_BLUR else (blur, templates[blur].upright.misfits(patches))


def _find_unseen_squares(seen: Mask) -> Mask:
    """Return the squares that the video does not show."""
    end = MARGIN + 8 * SQUARE
    shares = seen[MARGIN:end, MARGIN:end].reshape(8, SQUARE, 8, SQUARE).mean(axis=(1, 3))
    return np.asarray(shares < MIN_VISIBLE_SHARE)
