"""What stands behind the sculpture: one colour, or several where a table, its side or a floor come into the picture.

Nothing is assumed about a table's shape or colour. What a film shows beside the sculpture is sorted into its main
colours; how they go on behind the sculpture, which hardly shows through, is taken from the nearest place.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

_ALIKE = 14.0  # levels: colours that differ by less are one
_OTHER = 30.0  # levels: from here on a pixel is of none of the colours
_PLAIN = 0.94  # share of one colour from which on there is no other
_LEAST = 0.05  # share of a colour that is worth a part of its own
_MOST = 4
_LEAST_PIXELS = 40
_CLEAR = 0.02  # of the sculpture, in a pixel beside it


def areas_of(pixels: Floats, cover: Floats, seen: Floats | None = None) -> Floats | None:
    """How much of each pixel belongs to each colour of the backdrop, the main one first; None where it has but one.

    ``pixels`` are 3 x height x width, ``cover`` says how much of each the sculpture covers, about, and ``seen`` how
    much of each the film shows; None means all.
    """
    beside = cover < _CLEAR if seen is None else (cover < _CLEAR) & (seen > 1 - _CLEAR)
    around = pixels[:, beside]
    if around.shape[1] < _LEAST_PIXELS or (_gap(around, np.median(around, axis=1)) < _ALIKE).mean() >= _PLAIN:
        return None
    colours = _main_colours(around, pixels[:, cover > 1 - _CLEAR])
    if len(colours) < 2:
        return None
    shares, rest = _mixtures(pixels.reshape(3, -1), np.array(colours))
    known = beside & (rest < _OTHER).reshape(beside.shape)
    _, places = cv2.distanceTransformWithLabels(
        (~known).astype(np.uint8), cv2.DIST_L2, 3, labelType=cv2.DIST_LABEL_PIXEL
    )
    at_place = np.zeros((len(colours), places.max() + 1), np.float32)
    at_place[:, places[known]] = shares[:, known.ravel()]
    return at_place[:, places]


def _mixtures(pixels: Floats, colours: Floats) -> tuple[Floats, Floats]:
    """Each pixel as a mixture of the two colours nearest to it: the share of every colour, and what is left over."""
    gaps = np.array([((pixels - colour[:, None]) ** 2).sum(axis=0) for colour in colours])
    first, second = np.argsort(gaps, axis=0)[:2]
    way = (colours[second] - colours[first]).T
    off = pixels - colours[first].T
    along = ((off * way).sum(axis=0) / (way * way).sum(axis=0)).clip(0, 1)
    shares = np.zeros(gaps.shape, np.float32)
    every = np.arange(pixels.shape[1])
    shares[first, every] = 1 - along
    shares[second, every] = along
    return shares, np.abs(off - along * way).max(axis=0)


def _main_colours(around: Floats, sculpture: Floats) -> list[Floats]:
    """The colours beside the sculpture, the largest first, without those that it has itself: they may be a voxel."""
    colours: list[Floats] = []
    left = np.ones(around.shape[1], bool)
    bins = (around.astype(np.int64) >> 4).clip(0, 15)
    code = bins[0] << 8 | bins[1] << 4 | bins[2]
    for _ in range(2 * _MOST):
        if left.sum() < _LEAST * len(left) or len(colours) == _MOST:
            break
        commonest = np.bincount(code[left]).argmax()
        colour = np.median(around[:, left & (code == commonest)], axis=1)
        alike = left & (_gap(around, colour) < _ALIKE)
        share = alike.mean()
        left &= ~alike & (code != commonest)
        own = (_gap(sculpture, colour) < _ALIKE).mean() if sculpture.shape[1] else 0.0
        if share >= _LEAST and own < share / 2:
            colours.append(colour)
    return colours


def _gap(pixels: Floats, colour: Floats) -> Floats:
    return np.asarray(np.abs(pixels - colour[:, None]).max(axis=0))
