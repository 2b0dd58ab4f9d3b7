"""What a frame shows that its redrawn scene does not explain: added things, missing things, covers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame, Mask

TOLERANCE = 40
"""Levels by which a pixel may be outside the range of the other image around it."""
_REACH = np.ones((5, 5), np.uint8)
"""Edges may be blurred or off by two pixels."""
_WIDEST = 8
"""Pixels around a pixel that decide whether it is explained: more than three times the reach."""
_CONTRAST_LOST = 0.65
"""Share of a thin line's contrast that blur may take."""
_LINE_TOLERANCE = np.maximum(np.rint(np.arange(256) * _CONTRAST_LOST), TOLERANCE).astype(np.uint8)
CHANGED_LEVELS = 6
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
NOTICED_AREA = 0.0003
"""Share of an image from which a compact area is noticed."""
_FLAT_LEVELS = 12
"""Range of the levels around a pixel of one colour."""
_SOFT_SHARE = 0.27
"""Share of the contrast of light or shadow that may be gained within a pixel: a thing has a sharper edge."""
_LIGHT_LEVELS, _DARKEST, _LIT_SHARE = 28.0, 0.45, 0.8
"""Levels by which light may change the hue of a pixel, least share of the brightness that a shadow leaves, and share of
an area in which that is so."""
_KEPT_CONTRAST = 0.5
"""Share of the scene's contrast that light leaves."""
_NEAR = np.ones((7, 7), np.uint8)
"""Around an edge of the scene no edge is looked for."""
_RIM_SHARE, _RIM_WIDTH = 0.85, 1.25
"""Share of a rim that another size of what is beside it explains, and the width of a rim in reaches."""


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
    thickness: float = 1.0
    """Diameter of the largest disc inside it, as a share of the image's shorter side."""
    is_light: bool = False
    """Whether it is the scene in another light, without an edge of its own: a shadow, a shine, dark corners."""
    is_rim: bool = False
    """Whether it is a rim of what is drawn beside it: lines are thicker or thinner, a part is larger or smaller."""
    flat_share: float = 0.0
    """Share of it that is over ground of one colour."""
    moved_share: float = 0.0
    """Share of it that is where a part has moved in the video."""
    is_own: bool = False
    """Whether it belongs to a thing that the video showed over the puzzle from its first frame on: a watermark."""
    mask: Mask | None = field(default=None, compare=False, repr=False)
    """Its pixels, within its box; None where they are not known."""

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

    @property
    def is_style(self) -> bool:
        """Whether it is light, or the size of what is drawn, and not something else."""
        return self.is_light or self.is_rim

    def measure_coverage(self, box: Box) -> float:
        """Return the share of a box that it covers."""
        if self.mask is None:
            return 0.0
        left, top, right, bottom = self._find_pixels(box)
        inside = self.mask[max(top, 0) : max(bottom, 0), max(left, 0) : max(right, 0)]
        return int(np.count_nonzero(inside)) / max((right - left) * (bottom - top), 1)

    def measure_rest(self, boxes: Sequence[Box]) -> float:
        """Return the thickness of what is left of it outside of boxes."""
        if self.mask is None:
            return self.thickness
        rest = self.mask.copy()
        for box in boxes:
            left, top, right, bottom = self._find_pixels(box)
            rest[max(top, 0) : max(bottom, 0), max(left, 0) : max(right, 0)] = False
        whole = _measure_thickness(self.mask)
        return self.thickness * _measure_thickness(rest) / whole if whole > 0 else 0.0

    def _find_pixels(self, box: Box) -> tuple[int, int, int, int]:
        """Return left, top, right and bottom of a box in pixels of the mask."""
        assert self.mask is not None
        rows, columns = self.mask.shape
        scale_x, scale_y = columns / (self.right - self.left), rows / (self.bottom - self.top)
        left, right = (round((x - self.left) * scale_x) for x in (box[0], box[2]))
        top, bottom = (round((y - self.top) * scale_y) for y in (box[1], box[3]))
        return left, top, right, bottom


def _measure_thickness(mask: Mask) -> float:
    """Return the diameter of the largest disc inside a mask, in pixels."""
    padded = cv2.copyMakeBorder(mask.astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT)
    return max(0.0, 2 * float(cv2.distanceTransform(padded, cv2.DIST_L2, 3).max()) - 1)


def find_blobs(
    image: Frame, expected: Sequence[Frame], seen: Mask | None, min_area: float, rim: float = 0.0
) -> tuple[Blob, ...]:
    """Return the areas of at least ``min_area`` (a share of the image) that none of the expected images explains.

    A pixel is explained when its levels are within the range of the other image around it. The test runs both ways,
    so added and missing content both count. ``rim`` is the reach of rims, as a share of the image's shorter side.
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
    return _measure_blobs(odd, min_area, image, expected[0], rim, seen)


def find_changed_pixels(before: Frame, after: Frame, levels: int = CHANGED_LEVELS) -> Mask:
    """Return the pixels of which one channel differs by more than ``levels`` between two drawn images."""
    return np.asarray(_largest_channel(cv2.absdiff(before, after)) > levels, np.bool_)


def find_unlike_window(one: Frame, other: Frame, levels: int, margin: int = 0) -> tuple[slice, slice] | None:
    """Return the rows and columns, with a margin, in which two images differ by more than ``levels``; None where they
    differ nowhere. Most of an image is as it is expected, and is looked at once."""
    difference = cv2.absdiff(one, other).reshape(len(one), -1)  # the channels side by side
    _, unlike = cv2.threshold(difference, levels, 255, cv2.THRESH_BINARY)
    left, top, wide, high = cv2.boundingRect(unlike)
    if not wide:
        return None
    first, last = left // 3, (left + wide - 1) // 3
    return slice(max(0, top - margin), top + high + margin), slice(max(0, first - margin), last + 1 + margin)


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


def _measure_blobs(
    odd: Mask, min_area: float, image: Frame, expected: Frame, rim: float, seen: Mask | None
) -> tuple[Blob, ...]:
    height, width = odd.shape
    count, labels, stats, _ = cv2.connectedComponentsWithStats(odd.astype(np.uint8), connectivity=8)
    places = [number for number in range(1, count) if stats[number][4] >= min_area * odd.size]
    if not places:
        return ()
    short, blobs = min(height, width), []
    reach = round(rim * short)
    light, is_flat = _measure_light(image, expected)
    # Where the video ends the image goes on as it was: that is no edge of what is seen.
    is_even = is_flat if seen is None else is_flat & (cv2.erode(seen.astype(np.uint8), _NEAR) > 0)
    resized = _find_resized(image, expected, reach) if reach else None
    for number in places:
        left, top, wide, high, area = (int(value) for value in stats[number])
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
        mask = labels[top : top + high, left : left + wide] == number
        thickness = _measure_thickness(mask)
        is_rim = resized is not None and thickness <= _RIM_WIDTH * reach and resized[window][own].mean() >= _RIM_SHARE
        blobs.append(
            Blob(
                *box, area / odd.size, at_edge, is_plain, is_bare, thickness / short,
                is_light=_is_light(own, light[window], is_even[window], image[window], expected[window]),
                is_rim=bool(is_rim), flat_share=float(is_flat[window][own].mean()), mask=mask,
            )
        )  # fmt: skip
    return tuple(sorted(blobs, key=lambda blob: -blob.area))


def _measure_light(image: Frame, expected: Frame) -> tuple[NDArray[np.float32], Mask]:
    """Return by how many levels each pixel differs from what is expected, and where that has one colour."""
    change = image.astype(np.float32) - expected
    levels = change[..., 0] + change[..., 1] + change[..., 2]
    spread = _largest_channel(cv2.subtract(cv2.dilate(expected, _NEAR), cv2.erode(expected, _NEAR)))
    return cv2.GaussianBlur(levels / 3, (0, 0), 1.0).astype(np.float32), np.asarray(spread <= _FLAT_LEVELS, np.bool_)


def _is_light(own: Mask, light: NDArray[np.float32], is_flat: Mask, image: Frame, expected: Frame) -> bool:
    """Return whether an area is the expected scene, darker or paler, without an edge where the scene has none."""
    near = cv2.dilate(own.astype(np.uint8), _RING).astype(bool)
    contrasts = expected[near].std(axis=0)
    if contrasts.max() > _FLAT_LEVELS and (image[near].std(axis=0) < _KEPT_CONTRAST * contrasts).any():
        return False  # what was there is erased
    around = near & is_flat
    if np.count_nonzero(around) < np.count_nonzero(own) / 5:
        return False
    across, down = cv2.Sobel(light, cv2.CV_32F, 1, 0, ksize=3) / 8, cv2.Sobel(light, cv2.CV_32F, 0, 1, ksize=3) / 8
    steep = np.sqrt(across**2 + down**2)[around]
    contrast = float(np.percentile(np.abs(light[own]), 90))
    if float(np.percentile(steep, 97)) > _SOFT_SHARE * max(contrast, 1.0):
        return False
    seen, scene = image[own].astype(np.float32), np.maximum(expected[own].astype(np.float32), 1.0)
    dimmed = np.clip(seen.sum(axis=1) / scene.sum(axis=1), _DARKEST, 1.0)[:, None] * scene
    room = np.maximum(255 - scene, 1.0)
    paler = scene + np.clip((seen - scene).sum(axis=1) / room.sum(axis=1), 0.0, 1.0)[:, None] * room
    off = np.minimum(np.abs(seen - dimmed).max(axis=1), np.abs(seen - paler).max(axis=1))
    return bool((off <= _LIGHT_LEVELS).mean() >= _LIT_SHARE)


def _find_resized(image: Frame, expected: Frame, reach: int) -> Mask:
    """Return the pixels that are explained where everything drawn may be larger or smaller by so many pixels."""
    kernel = np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)
    added = _find_outside(image, cv2.erode(expected, kernel), cv2.dilate(expected, kernel), TOLERANCE)
    missing = _find_outside(expected, cv2.erode(image, kernel), cv2.dilate(image, kernel), TOLERANCE)
    return ~(added | missing)


def _has_ground_colour(pixels: NDArray[np.uint8], image: Frame, own: Mask, odd: Mask) -> bool:
    """Return whether the pixels of an area have the colour of the explained ones around it."""
    ring = cv2.dilate(own.astype(np.uint8), _RING).astype(bool) & ~odd
    if not ring.any():
        return False
    return bool(np.abs(np.median(image[ring], axis=0) - np.median(pixels, axis=0)).max() < _SAME_COLOUR)


def _find_unexplained(image: Frame, other: Frame) -> Mask:
    """Return the pixels that another image does not explain. Only where the two differ can there be any."""
    found = np.zeros(image.shape[:2], np.bool_)
    window = find_unlike_window(image, other, TOLERANCE, _WIDEST)
    if window is not None:
        inside, beside = image[window], other[window]
        unlike = _largest_channel(cv2.absdiff(inside, beside)) > TOLERANCE
        found[window] = _find_unexplained_around(inside, beside) & unlike
    return found


def _find_unexplained_around(image: Frame, other: Frame) -> Mask:
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
