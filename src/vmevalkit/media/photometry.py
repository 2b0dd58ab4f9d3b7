"""Gain and offset of each channel: what a film did to the levels of a picture, and undoing it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.picture import Frame

Triple = tuple[float, float, float]

_ROUNDS = 4
_TRUST_GAIN = 12.0**2
"""How far, in squared levels, a gain of one half stands from belief: weak, but a flat picture says nothing."""


@dataclass(frozen=True, slots=True)
class Photometry:
    """film = gain x picture + offset, for each channel."""

    gain: Triple = (1.0, 1.0, 1.0)
    offset: Triple = (0.0, 0.0, 0.0)

    def undo(self, frame: Frame) -> Frame:
        """The picture's own levels."""
        if all(abs(g - 1) < 0.004 for g in self.gain) and all(abs(o) < 0.5 for o in self.offset):
            return frame
        matrix = np.zeros((3, 4))
        for i in range(3):
            matrix[i, i], matrix[i, 3] = 1 / self.gain[i], -self.offset[i] / self.gain[i]
        return np.asarray(cv2.transform(frame, matrix), np.uint8)


def estimate(
    film: NDArray[np.float32], picture: NDArray[np.float32], guess: Photometry | None = None
) -> Photometry | None:
    """From levels at the same places (n x 3 each), passing over places that changed. None if too few agree.

    Where the picture shows one level only, the gain stays near 1.
    """
    if len(film) < 16:
        return None
    gains, offsets = [], []
    for i in range(3):
        line = _line(film[:, i], picture[:, i], None if guess is None else (guess.gain[i], guess.offset[i]))
        if line is None:
            return None
        gains.append(line[0])
        offsets.append(line[1])
    return Photometry((gains[0], gains[1], gains[2]), (offsets[0], offsets[1], offsets[2]))


def _line(
    film: NDArray[np.float32], picture: NDArray[np.float32], guess: tuple[float, float] | None
) -> tuple[float, float] | None:
    gain, offset = guess or (1.0, float(np.median(film - picture)))
    weights = film
    for _ in range(_ROUNDS):
        residual = film - gain * picture - offset
        size = np.abs(residual)
        spread = max(2.0, 1.5 * float(np.partition(size, len(size) // 2)[len(size) // 2]))
        weights = np.maximum(0.0, 1.0 - (residual / (4.0 * spread)) ** 2) ** 2
        total = float(weights.sum())
        if total < 0.2 * len(film):
            return None
        mean_x, mean_y = float(weights @ picture) / total, float(weights @ film) / total
        dx = picture - mean_x
        weighted = weights * dx
        variance, covariance = float(weighted @ dx) / total, float(weighted @ (film - mean_y)) / total
        new_gain = (covariance + _TRUST_GAIN) / (variance + _TRUST_GAIN)
        new_gain = min(4.0, max(0.1, new_gain))
        settled = abs(new_gain - gain) < 1e-3
        gain, offset = new_gain, mean_y - new_gain * mean_x
        if settled:
            break
    return gain, offset
