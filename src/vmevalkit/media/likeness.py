"""How much of a picture another one shows, whatever blur and noise lie over it."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.picture import Frame, Mask

_BLURS = (0.0, 0.6, 1.0, 1.5, 2.2, 3.2)
"""Standard deviations in pixels that are tried on the sharp picture."""
_WINDOW = 9
_TEXTURE = 10.0**2
"""Variance in squared levels, above which a window shows something."""
_RIM = 6
"""Half a window and the pixels at the edge that bars beside the picture may have touched."""
_EDGE = 2
"""Pixels at the edge where a film's bars may shine in."""
_BLOCK = 12
_WORST = 0.3
_TOLERANCE = 48
_CONTRAST_LEFT = 0.35
"""Share of a thin line's contrast that must be left for the line to be there: blur takes the rest."""
_FAINT = np.maximum(np.rint(np.arange(256) * (1 - _CONTRAST_LEFT)), _TOLERANCE).astype(np.uint8)
"""For each contrast, by how much a level may lie outside."""


def likeness(reference: Frame, picture: Frame, shown: tuple[slice, slice] | None = None) -> float:
    """From 0 to 1: whether small windows of both show the same, over all windows where either shows something.

    It is the structure term of SSIM. A window with ink in one picture alone counts as 0, so what is missing and
    what should not be there both take away. ``shown`` are the rows and columns that can be compared.
    """
    sharp, other = reference.astype(np.float32), picture.astype(np.float32)
    if shown is not None:
        sharp, other = sharp[shown], other[shown]
    if min(sharp.shape[:2]) <= 2 * _RIM:
        return 0.0
    blurred = [_blurred(sharp, blur) for blur in _BLURS]
    expected = min(blurred, key=lambda candidate: float(np.abs(candidate - other).sum()))
    return _structure(expected, other)


def unexplained(picture: Frame, redrawn: Frame, seen: Mask | None = None, least: float = 0.0) -> tuple[float, float]:
    """Shares of the picture that the redrawn scene does not explain: of all pixels, and of the largest blob.

    A pixel is explained when its levels lie between those of the other picture within two pixels: edges may be
    blurred or off by a little. What is drawn must be seen, and what is seen must be drawn. Where all pixels together
    make no share above ``least``, no blob does, and none is looked for.
    """
    low, high = _envelope(redrawn)
    slack = np.full_like(picture, _TOLERANCE)
    extra = _outside(picture, low, high, slack)
    faint = np.asarray(cv2.LUT(cv2.subtract(high, low), _FAINT), np.uint8)
    missing = _outside(redrawn, *_envelope(picture), faint)
    odd = extra | missing
    odd[:_EDGE] = odd[-_EDGE:] = False
    odd[:, :_EDGE] = odd[:, -_EDGE:] = False
    if seen is not None:
        odd &= seen
    total = odd.size if seen is None else int(seen.sum())
    count = int(odd.sum())
    if count == 0 or total == 0:
        return 0.0, 0.0
    if count <= least * total:
        return count / total, 0.0
    _, _, stats, _ = cv2.connectedComponentsWithStats(odd.astype(np.uint8), connectivity=8)
    return count / total, int(stats[1:, cv2.CC_STAT_AREA].max()) / total


def _blurred(picture: NDArray[np.float32], blur: float) -> NDArray[np.float32]:
    return picture if blur == 0 else np.asarray(cv2.GaussianBlur(picture, (0, 0), blur), np.float32)


def _structure(expected: NDArray[np.float32], shown: NDArray[np.float32]) -> float:
    def mean(values: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(cv2.blur(values, (_WINDOW, _WINDOW)), np.float32)

    mean_e, mean_s = mean(expected), mean(shown)
    var_e = (mean(expected * expected) - mean_e**2).sum(axis=2)
    var_s = (mean(shown * shown) - mean_s**2).sum(axis=2)
    both = (mean(expected * shown) - mean_e * mean_s).sum(axis=2)
    alike = np.clip((2 * both + 20) / (var_e + var_s + 20), 0, 1)
    matters = np.minimum(np.sqrt(np.maximum(np.maximum(var_e, var_s) - _TEXTURE, 0)), 60)
    matters[:_RIM] = matters[-_RIM:] = 0
    matters[:, :_RIM] = matters[:, -_RIM:] = 0
    return _worst(alike, matters)


def _worst(alike: NDArray[np.float32], matters: NDArray[np.float32]) -> float:
    """The mean over the worst part of the blocks. Two questions of one task share much, such as a board; where
    they differ they differ wholly, while blur and noise lie over all blocks alike."""
    rows = np.arange(0, alike.shape[0], _BLOCK)
    columns = np.arange(0, alike.shape[1], _BLOCK)
    weight = np.add.reduceat(np.add.reduceat(matters, rows, axis=0), columns, axis=1).ravel()
    value = np.add.reduceat(np.add.reduceat(alike * matters, rows, axis=0), columns, axis=1).ravel()
    total = float(weight.sum())
    if total < 1e-3:
        return 0.0
    value = value / np.maximum(weight, 1e-6)
    weight = np.minimum(weight, 4 * total / len(weight))
    order = np.argsort(value)
    value, weight = value[order], weight[order]
    above = np.cumsum(weight) - weight
    part = np.clip(_WORST * weight.sum() - above, 0, weight)
    return float((value * part).sum() / part.sum())


def _envelope(picture: Frame) -> tuple[Frame, Frame]:
    around = np.ones((5, 5), np.uint8)
    return np.asarray(cv2.erode(picture, around), np.uint8), np.asarray(cv2.dilate(picture, around), np.uint8)


def _outside(picture: Frame, low: Frame, high: Frame, slack: Frame) -> Mask:
    beyond = cv2.max(cv2.subtract(picture, high), cv2.subtract(low, picture))
    r, g, b = cv2.split(cv2.subtract(beyond, slack))
    return np.asarray(cv2.max(cv2.max(r, g), b), np.bool_)
