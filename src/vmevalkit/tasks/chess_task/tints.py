"""Squares with an even tint over square and piece, as chess sites mark a move or a king in check."""

from __future__ import annotations

import cv2
import numpy as np

from vmevalkit.media.image import Frame, Mask
from vmevalkit.tasks.chess_task.sprites import MARGIN, SQUARE, Levels, Patterns

MIN_TINT = 12.0
"""Levels by which the mean hue of a tinted square differs from that of most squares."""
MIN_BLUE = 6.0
"""Mean of the levels by which the pixels of a tinted square are bluer than red: pieces and board are not."""
_HUE = np.array([[1.0, -2.0, 1.0]])
"""This sum of the channels is about 0 for black, white, and both colours of the board, and so for all mixtures."""
_BLUE = np.array([[-1.0, 0.0, 1.0]])
OPACITIES = tuple(step / 20 for step in range(11))
"""Opacities of a tint that are tried; a denser one hides the piece."""
_SLACK = 8.0
"""Levels by which a tint may be darker than black or brighter than white, because of noise."""


def find_tinted_squares(image: Frame) -> Mask:
    """Return the squares with a colour that neither pieces nor board have: 8 x 8."""
    end = MARGIN + 8 * SQUARE
    board = np.ascontiguousarray(image[MARGIN:end:2, MARGIN:end:2]).astype(np.float32)
    hues = _average_squares(cv2.transform(board, _HUE))
    blues = _average_squares(np.maximum(cv2.transform(board, _BLUE), 0.0))
    return np.asarray((np.abs(hues - np.median(hues)) > MIN_TINT) | (blues > MIN_BLUE))


def _average_squares(board: Levels) -> Levels:
    return np.asarray(cv2.resize(board, (8, 8), interpolation=cv2.INTER_AREA), np.float32)


def remove_tint(patch: Levels, patterns: Patterns) -> Levels:
    """Return the pixels of a square without the tint over it, as the best letter explains them.

    A tint of opacity ``t`` and level ``c`` turns the level ``v`` of every pixel into ``(1 - t) * v + t * c``.
    """
    clear, added = np.split(patterns.both.T, 2)
    best, least = patch, np.inf
    for opacity in OPACITIES:
        rest = patch - (1 - opacity) * added
        # A level of the square and one of the tint, fitted for each letter: two unknowns.
        mean, mean_clear = rest.mean(axis=1), clear.mean(axis=1)
        rest_around, clear_around = rest - mean[:, None], clear - mean_clear[:, None]
        spread = np.maximum((clear_around * clear_around).sum(axis=1), 1e-6)
        level = (rest_around * clear_around).sum(axis=1) / spread
        tint = mean - level * mean_clear
        error = ((rest_around - level[:, None] * clear_around) ** 2).mean(axis=1)
        error[(tint < -_SLACK) | (tint > 255 * opacity + _SLACK)] = np.inf
        letter = int(error[1:].argmin()) + 1
        if error[letter] < least:
            least = float(error[letter])
            best = np.asarray((patch - tint[letter]) / (1 - opacity), np.float32)
    return best
