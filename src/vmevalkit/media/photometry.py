"""Gain and offset of each channel: what a film did to the levels of a picture, and undoing it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.picture import Frame

Triple = tuple[float, float, float]
Levels = NDArray[np.float32]

_ROUNDS = 5
_SLOW = 6.0
"""Levels by which a film may stray from its levels of a frame ago, before what strays counts as something else."""
_BLACK = 0.004
"""Weight of the belief that black stays black, against 1 for all places: where a picture shows nothing but white,
darkening is a gain."""


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


def flat_places(colour: Frame, count: int) -> tuple[NDArray[np.intp], NDArray[np.intp], Levels]:
    """Rows, columns and weights of places without an edge nearby: there levels compare whatever the blur.

    The places lie evenly over the picture, with some more of rare colours; all colours together weigh alike, so
    that a dark dot counts as much as the wide white ground.
    """
    around = np.ones((3, 3), np.uint8)
    spread = np.asarray(cv2.subtract(cv2.dilate(colour, around), cv2.erode(colour, around))).max(axis=2)
    rim = 3
    spread[:rim] = spread[-rim:] = 255
    spread[:, :rim] = spread[:, -rim:] = 255
    rows, columns = np.nonzero(spread <= 6)
    kind = colour[rows, columns].astype(np.int32) // 32 @ np.array([64, 8, 1])
    kinds, members = np.unique(kind, return_inverse=True)
    chosen, weights = [], []
    for k in range(len(kinds)):
        places = np.flatnonzero(members == k)
        if len(places) < 4:
            continue
        fair = max(16, round(count * len(places) / len(rows)))
        places = places[np.linspace(0, len(places) - 1, min(len(places), fair)).astype(int)]
        chosen.append(places)
        weights.append(np.full(len(places), 1 / max(24, len(places)), np.float32))
    if not chosen:
        return rows[:0], columns[:0], np.empty(0, np.float32)
    index, weight = np.concatenate(chosen), np.concatenate(weights)
    return rows[index], columns[index], weight / weight.sum()


def estimate(film: Levels, picture: Levels, weights: Levels, guess: Photometry | None = None) -> Photometry | None:
    """From levels at the same places (n x 3 each), passing over places that changed. None if too few agree.

    ``guess`` holds for the frame before. Levels change slowly, so what is far from it is something in front; only
    if most is, they are found afresh.
    """
    if len(film) < 16:
        return None
    if guess is not None:
        near = _fitted(film, picture, weights, np.array(guess.gain), np.array(guess.offset), _SLOW)
        if near is not None:
            return near
    return _fitted(film, picture, weights, np.ones(3), np.median(film - picture, axis=0), np.inf)


def _fitted(
    film: Levels, picture: Levels, weights: Levels, gain: NDArray[Any], offset: NDArray[Any], most: float
) -> Photometry | None:
    """Tukey's weights, a line for each channel, and again."""
    film, picture = np.ascontiguousarray(film.T), np.ascontiguousarray(picture.T)
    count = film.shape[1]
    for _ in range(_ROUNDS):
        residual = film - (gain[:, None] * picture + offset[:, None]).astype(np.float32)
        usual = 1.5 * np.partition(np.abs(residual), count // 2, axis=1)[:, count // 2]
        spread = np.clip(usual, 2.0, most).astype(np.float32)
        trust = np.maximum(0.0, 1.0 - (residual / (4.0 * spread)[:, None]) ** 2)
        if np.count_nonzero(trust, axis=1).min() < 0.45 * count:
            return None
        trust *= trust * weights
        whole = trust.sum(axis=1) + _BLACK
        mean_x, mean_y = _products(trust, picture) / whole, _products(trust, film) / whole
        weighted = trust * (picture - mean_x[:, None])
        across = _products(weighted, picture) + _BLACK * mean_x**2
        up = _products(weighted, film) + _BLACK * mean_x * mean_y
        new_gain = np.clip(up / np.maximum(across, 1e-3), 0.1, 4.0)
        settled = bool(np.abs(new_gain - gain).max() < 2e-3)
        gain, offset = new_gain, mean_y - new_gain * mean_x
        if settled:
            break
    return Photometry(_triple(gain), _triple(offset))


def _products(one: Levels, other: Levels) -> Levels:
    """The inner product of each channel."""
    return np.asarray(np.einsum("cn,cn->c", one, other), np.float32)


def median(levels: NDArray[Any]) -> float:
    """Of a row of levels. NumPy's own does the same, and takes many times as long where they are few."""
    above = len(levels) // 2
    below = above if len(levels) % 2 else above - 1
    ranked = np.partition(levels, (below, above))
    return (float(ranked[below]) + float(ranked[above])) / 2


def _triple(values: NDArray[Any]) -> Triple:
    return float(values[0]), float(values[1]), float(values[2])
