"""What a frame shows that its redrawn scene does not explain: added things, missing things, covers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame, Mask

TOLERANCE = 40
"""Levels by which a pixel may be outside the range of the other image around it."""
_REACH = np.ones((5, 5), np.uint8)
"""Edges may be blurred or off by two pixels."""
_CONTRAST_LOST = 0.65
"""Share of a thin line's contrast that blur may take."""
_LINE_TOLERANCE = np.maximum(np.rint(np.arange(256) * _CONTRAST_LOST), TOLERANCE).astype(np.uint8)
_CHANGED_LEVELS = 6
"""Levels by which two drawn images must differ to count as changed."""
_PLAIN_LEVELS = 14.0
"""Standard deviation of the levels of an area of one colour."""
_SAME_COLOUR = 20.0
"""Levels by which the ground may vary from place to place."""
_AROUND = 4
"""Pixels around an area whose colour is that of the ground."""
_RING = np.ones((2 * _AROUND + 1, 2 * _AROUND + 1), np.uint8)
_EDGE = 2
"""Pixels at the edge that bars beside the image may affect."""


Box = tuple[float, float, float, float]
"""Left, top, right and bottom, as shares of the image."""


@dataclass(frozen=True, slots=True)
class Blob:
    """A connected area that is not explained, in shares of the image's width and height."""

    left: float
    top: float
    right: float
    bottom: float
    area: float
    """Share of the whole image."""
    at_edge: bool
    """Whether it touches the edge of the image."""
    is_plain: bool = False
    """Whether it has one colour."""
    is_bare: bool = False
    """Whether that is the colour around it: something is missing there, and nothing is over it."""

    def overlaps(self, box: Box, margin: float = 0.0) -> bool:
        """Return whether it overlaps a box that is enlarged by a margin."""
        left, top, right, bottom = box
        return (
            self.left < right + margin
            and left - margin < self.right
            and self.top < bottom + margin
            and top - margin < self.bottom
        )

    def is_inside(self, box: Box) -> bool:
        """Return whether it is inside a box."""
        left, top, right, bottom = box
        return left <= self.left and top <= self.top and self.right <= right and self.bottom <= bottom

    @property
    def box(self) -> Box:
        return self.left, self.top, self.right, self.bottom


def find_blobs(image: Frame, expected: Sequence[Frame], seen: Mask | None, min_area: float) -> tuple[Blob, ...]:
    """Return the areas of at least ``min_area`` (a share of the image) that none of the expected images explains.

    A pixel is explained when its levels are within the range of the other image around it. The test runs both ways,
    so added and missing content both count.
    """
    odd: Mask | None = None
    for other in expected:
        unexplained = _find_unexplained(image, other)
        odd = unexplained if odd is None else odd & unexplained
        if np.count_nonzero(odd) < min_area * odd.size:
            return ()
    if odd is None:
        return ()
    odd[:_EDGE] = odd[-_EDGE:] = False
    odd[:, :_EDGE] = odd[:, -_EDGE:] = False
    if seen is not None:
        odd &= seen
    return _measure_blobs(odd, min_area, image)


def find_changed_pixels(before: Frame, after: Frame, levels: int = _CHANGED_LEVELS) -> Mask:
    """Return the pixels of which one channel differs by more than ``levels`` between two drawn images."""
    return np.asarray(_largest_channel(cv2.absdiff(before, after)) > levels, np.bool_)


def find_changed_boxes(before: Frame, after: Frame) -> list[Box]:
    """Return the boxes of the areas in which two drawn images differ."""
    changed = find_changed_pixels(before, after)
    height, width = changed.shape
    near = cv2.dilate(changed.astype(np.uint8), _REACH)
    count, _, stats, _ = cv2.connectedComponentsWithStats(near, connectivity=8)
    rows = (tuple(int(value) for value in stats[number][:4]) for number in range(1, count))
    return [
        (left / width, top / height, (left + wide) / width, (top + high) / height) for left, top, wide, high in rows
    ]


def _measure_blobs(odd: Mask, min_area: float, image: Frame) -> tuple[Blob, ...]:
    height, width = odd.shape
    count, labels, stats, _ = cv2.connectedComponentsWithStats(odd.astype(np.uint8), connectivity=8)
    blobs = []
    for number in range(1, count):
        left, top, wide, high, area = (int(value) for value in stats[number])
        if area < min_area * odd.size:
            continue
        at_edge = left <= _EDGE or top <= _EDGE or left + wide >= width - _EDGE or top + high >= height - _EDGE
        window = (
            slice(max(top - _AROUND, 0), top + high + _AROUND),
            slice(max(left - _AROUND, 0), left + wide + _AROUND),
        )
        own = labels[window] == number
        pixels = image[window][own]
        is_plain = bool(pixels.std(axis=0).max() < _PLAIN_LEVELS)
        is_bare = is_plain and _has_ground_colour(pixels, image[window], own, odd[window])
        box = left / width, top / height, (left + wide) / width, (top + high) / height
        blobs.append(Blob(*box, area / odd.size, at_edge, is_plain, is_bare))
    return tuple(sorted(blobs, key=lambda blob: -blob.area))


def _has_ground_colour(pixels: NDArray[np.uint8], image: Frame, own: Mask, odd: Mask) -> bool:
    """Return whether the pixels of an area have the colour of the explained ones around it."""
    ring = cv2.dilate(own.astype(np.uint8), _RING).astype(bool) & ~odd
    if not ring.any():
        return False
    return bool(np.abs(np.median(image[ring], axis=0) - np.median(pixels, axis=0)).max() < _SAME_COLOUR)


def _find_unexplained(image: Frame, other: Frame) -> Mask:
    low, high = cv2.erode(other, _REACH), cv2.dilate(other, _REACH)
    added = _find_outside(image, low, high, TOLERANCE)
    if added.any():
        # A thin line that is drawn across two rows of pixels has half the contrast of one that is drawn on one row.
        thin_lines = cv2.dilate(cv2.subtract(cv2.erode(high, _REACH), other), _REACH)
        added = _find_outside(image, cv2.subtract(low, thin_lines), high, TOLERANCE)
    slack = cv2.LUT(cv2.subtract(high, low), _LINE_TOLERANCE)
    missing = _find_outside(other, cv2.erode(image, _REACH), cv2.dilate(image, _REACH), slack)
    return np.asarray(added | missing, np.bool_)


def _find_outside(image: Frame, low: Frame, high: Frame, slack: Frame | int) -> Mask:
    beyond = cv2.max(cv2.subtract(image, high), cv2.subtract(low, image))
    if isinstance(slack, int):
        return np.asarray(_largest_channel(beyond) > slack, np.bool_)
    return np.asarray(_largest_channel(cv2.subtract(beyond, slack)), np.bool_)


def _largest_channel(image: Frame) -> NDArray[np.uint8]:
    """Return the largest of the three levels of each pixel: numpy's maximum over an axis takes far longer."""
    r, g, b = cv2.split(image)
    return np.asarray(cv2.max(cv2.max(r, g), b), np.uint8)
