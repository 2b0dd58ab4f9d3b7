"""The backdrop behind the sculpture: one colour, or several where the image shows a table, its side or a floor.

Nothing is assumed about the shape or the colour of a table. The pixels beside the sculpture are grouped by their main
colours. Behind the sculpture, which is nearly opaque, each pixel has the colour of the nearest place beside it.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

_SAME_COLOUR = 14.0  # levels: colours that differ by less are one
_OTHER_COLOUR = 30.0  # levels: a pixel that differs by more has none of the colours
_PLAIN_SHARE = 0.94  # of one colour; from here on there is no other
_MIN_SHARE = 0.05  # of a colour that is an area of its own
_MAX_COLOURS = 4
_MIN_PIXELS = 40
_MAX_COVER = 0.02  # of the sculpture, in a pixel beside it


def segment_backdrop(pixels: Floats, cover: Floats, seen: Floats | None = None) -> Floats | None:
    """Return how much of each pixel has each colour of the backdrop, the main colour first; None where it has only one.

    ``pixels`` are 3 x height x width, ``cover`` is about the share of each that the sculpture covers, and ``seen`` the
    share of each that the video shows; None means all.
    """
    beside = cover < _MAX_COVER if seen is None else (cover < _MAX_COVER) & (seen > 1 - _MAX_COVER)
    around = pixels[:, beside]
    if around.shape[1] < _MIN_PIXELS or _is_plain(around):
        return None
    colours = _find_main_colours(around, pixels[:, cover > 1 - _MAX_COVER])
    if len(colours) < 2:
        return None
    shares, rest = _unmix(pixels.reshape(3, -1), np.array(colours))
    is_backdrop = beside & (rest < _OTHER_COLOUR).reshape(beside.shape)
    _, places = cv2.distanceTransformWithLabels(
        (~is_backdrop).astype(np.uint8), cv2.DIST_L2, 3, labelType=cv2.DIST_LABEL_PIXEL
    )
    by_place = np.zeros((len(colours), places.max() + 1), np.float32)
    by_place[:, places[is_backdrop]] = shares[:, is_backdrop.ravel()]
    return by_place[:, places]


def _is_plain(around: Floats) -> bool:
    """Return whether nearly all pixels have one colour."""
    difference = _measure_difference(around, np.median(around, axis=1))
    return bool((difference < _SAME_COLOUR).mean() >= _PLAIN_SHARE)


def _unmix(pixels: Floats, colours: Floats) -> tuple[Floats, Floats]:
    """Return each pixel as a mixture of the two nearest colours: the share of every colour, and the difference."""
    distances = np.array([((pixels - colour[:, None]) ** 2).sum(axis=0) for colour in colours])
    first, second = np.argsort(distances, axis=0)[:2]
    direction = (colours[second] - colours[first]).T
    offset = pixels - colours[first].T
    along = ((offset * direction).sum(axis=0) / (direction * direction).sum(axis=0)).clip(0, 1)
    shares = np.zeros(distances.shape, np.float32)
    every = np.arange(pixels.shape[1])
    shares[first, every] = 1 - along
    shares[second, every] = along
    return shares, np.abs(offset - along * direction).max(axis=0)


def _find_main_colours(around: Floats, sculpture: Floats) -> list[Floats]:
    """Return the colours beside the sculpture, the most frequent first.

    Colours that the sculpture has too are left out: they may be a voxel.
    """
    colours: list[Floats] = []
    remaining = np.ones(around.shape[1], bool)
    bins = (around.astype(np.int64) >> 4).clip(0, 15)
    code = bins[0] << 8 | bins[1] << 4 | bins[2]
    for _ in range(2 * _MAX_COLOURS):
        if remaining.sum() < _MIN_SHARE * len(remaining) or len(colours) == _MAX_COLOURS:
            break
        most_frequent = np.bincount(code[remaining]).argmax()
        colour = np.median(around[:, remaining & (code == most_frequent)], axis=1)
        is_same = remaining & (_measure_difference(around, colour) < _SAME_COLOUR)
        share = is_same.mean()
        remaining &= ~is_same & (code != most_frequent)
        own_share = (_measure_difference(sculpture, colour) < _SAME_COLOUR).mean() if sculpture.shape[1] else 0.0
        if share >= _MIN_SHARE and own_share < share / 2:
            colours.append(colour)
    return colours


def _measure_difference(pixels: Floats, colour: Floats) -> Floats:
    return np.asarray(np.abs(pixels - colour[:, None]).max(axis=0))
