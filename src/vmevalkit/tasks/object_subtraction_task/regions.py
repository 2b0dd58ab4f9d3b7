"""Segmentation of an image into regions of ink: connected pixels, split where several patches touch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame, Mask

Plane = NDArray[np.uint8]
"""One value a pixel. As a mask, 0 or 1."""
Window = tuple[int, int, int, int]
"""Left, top, right and bottom."""

MIN_PIXELS = 20
"""Smaller regions are noise."""
_FAINT = 26
"""Levels of ink above the ground's own from which a pixel has ink."""
_MIN_GROUND_LEVEL = 140
_MAX_INK_SHARE = 0.6
_MAX_REGIONS = 60
_STRONG = 110
"""Levels of ink of an object that is at least half opaque."""
_TWO_BY_TWO = np.ones((2, 2), np.uint8)
_HALF_SIZE_EDGE, _FULL_SIZE_EDGE = np.ones((5, 5), np.uint8), np.ones((7, 7), np.uint8)
"""Width of an edge that is widened by blur, at half and at full size."""
_FAINT_SHARE = 0.15
"""More faint ink beside strong ink than this share of it belongs to another patch."""
_MAX_DISTANCE_PX = 6.0
"""Ink farther than this from the patches that a region is split into belongs to none of them."""


@dataclass(frozen=True, slots=True)
class InkRegion:
    """Connected ink, or a part of it."""

    mask: Plane
    """Its pixels, within its box."""
    left: int
    top: int
    is_joined: bool
    """Whether it touches another region."""
    is_from_outside: bool
    """Whether it, or what it touches, continues beyond the edge of the visible part of the image."""

    @property
    def box(self) -> Window:
        height, width = self.mask.shape
        return self.left, self.top, self.left + width, self.top + height


@dataclass(frozen=True, slots=True)
class SegmentedFrame:
    """The white ground of an image, and the regions of ink on it."""

    white: NDArray[np.float64]
    """Levels of red, green and blue of the ground."""
    ink: Plane
    """Distance of each pixel from white in its darkest channel, smoothed."""
    window: Window
    """The visible part of the image."""
    regions: tuple[InkRegion, ...]


def segment_frame(image: Frame, seen: Mask | None = None) -> SegmentedFrame | None:
    """Return the regions of the visible part; None where it has no white ground, or nearly nothing else than ink."""
    window = (0, 0, image.shape[1], image.shape[0])
    if seen is not None:
        window = _find_window(seen)
        image = np.where(seen[..., None], image, np.uint8(255))
    sample = image[4::8, 4::8].reshape(-1, 3)
    white = np.partition(sample, len(sample) // 2, axis=0)[len(sample) // 2].astype(np.float64)
    level = float(white.min())
    if level < _MIN_GROUND_LEVEL:
        return None
    red, green, blue = cv2.split(image)
    ink = cv2.GaussianBlur(cv2.bitwise_not(cv2.min(cv2.min(red, green), blue)), (5, 5), 1.0)
    _, inked = cv2.threshold(ink, 255 - level + _FAINT * level / 255, 1, cv2.THRESH_BINARY)
    if cv2.countNonZero(inked) > _MAX_INK_SHARE * inked.size:
        return None
    _, strong = cv2.threshold(ink, 255 - level + _STRONG * level / 255, 1, cv2.THRESH_BINARY)
    # Labelling is the most expensive step, and half the size is fine enough to separate regions.
    labels, large = _label_regions(_halve(inked))
    if len(large) > _MAX_REGIONS:
        return None
    joined = _find_joined(_halve(strong), _halve(inked), labels)
    regions: list[InkRegion] = []
    for label, left, top, width, height in large:
        place = np.s_[2 * top : 2 * (top + height), 2 * left : 2 * (left + width)]
        mask = (labels[top : top + height, left : left + width] == label).view(np.uint8)
        mask = inked[place] * mask.repeat(2, axis=0).repeat(2, axis=1)[: inked.shape[0], : inked.shape[1]]
        corner = 2 * left, 2 * top
        is_at_edge = has_edge_contact((*corner, corner[0] + mask.shape[1], corner[1] + mask.shape[0]), window)
        if label in joined:
            regions += _split_region(ink[place] * mask, mask, corner, is_at_edge)
        else:
            regions.append(InkRegion(mask, *corner, is_joined=False, is_from_outside=is_at_edge))
    return SegmentedFrame(white, ink, window, tuple(regions))


def _halve(mask: Plane) -> Plane:
    """Return the mask at half the size, set where any of two by two pixels is set."""
    return np.asarray(cv2.dilate(mask, _TWO_BY_TWO, anchor=(0, 0))[::2, ::2])


def _label_regions(half: Plane) -> tuple[NDArray[np.uint16], list[tuple[int, int, int, int, int]]]:
    """Return labels of connected pixels, and label, left, top, width and height of those that are large enough."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(half, connectivity=8, ltype=cv2.CV_16U)
    rows = enumerate(stats.tolist())
    return labels, [(label, *row[:4]) for label, row in rows if label and 4 * row[4] >= MIN_PIXELS]


def _find_joined(strong: Plane, inked: Plane, labels: NDArray[np.uint16]) -> set[int]:
    """Return the regions with several areas of strong ink, or with much faint ink beside it; all at half the size."""
    cores, large = _label_regions(strong)
    owners = []
    for core, left, top, width, _ in large:
        x = left + int(np.argmax(cores[top, left : left + width] == core))
        owners.append(int(labels[top, x]))
    found = {owner for owner in owners if owners.count(owner) > 1}
    faint = cv2.subtract(inked, cv2.dilate(strong, _HALF_SIZE_EDGE))
    if 4 * cv2.countNonZero(faint) < MIN_PIXELS:
        return found
    faint_counts = np.bincount(labels[faint > 0], minlength=max(owners, default=0) + 1)
    strong_counts = np.bincount(labels[strong > 0], minlength=len(faint_counts))
    return found | {
        owner for owner in owners if faint_counts[owner] > max(MIN_PIXELS / 4, _FAINT_SHARE * strong_counts[owner])
    }


def has_edge_contact(box: Window, window: Window) -> bool:
    """Return whether a box ends within a pixel of the edge of the window."""
    return box[0] <= window[0] + 1 or box[1] <= window[1] + 1 or box[2] >= window[2] - 1 or box[3] >= window[3] - 1


def _find_window(seen: Mask) -> Window:
    """Return the bounding rectangle of the visible pixels."""
    rows, columns = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
    if not len(rows):
        return (0, 0, 0, 0)
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _split_region(inked: Plane, mask: Plane, corner: tuple[int, int], is_from_outside: bool) -> Iterator[InkRegion]:
    """Yield the patches of a region that blur or overlap has joined; the region itself where it is one patch."""
    _, peak, _, _ = cv2.minMaxLoc(inked)
    _, strong = cv2.threshold(inked, 0.5 * peak, 1, cv2.THRESH_BINARY)
    faint = cv2.subtract(mask, cv2.dilate(strong, _FULL_SIZE_EDGE))
    cores = _list_areas(strong)
    if cv2.countNonZero(faint) > max(MIN_PIXELS, _FAINT_SHARE * cv2.countNonZero(strong)):
        cores += _list_areas(faint)
    if len(cores) < 2:
        yield InkRegion(mask, *corner, is_joined=False, is_from_outside=is_from_outside)
        return
    distances = np.stack([cv2.distanceTransform(1 - core, cv2.DIST_L2, 3) for core in cores])
    nearest = distances.argmin(axis=0)
    for number in range(len(cores)):
        own = (mask > 0) & (nearest == number) & (distances[number] < _MAX_DISTANCE_PX)
        rows, columns = np.flatnonzero(own.any(axis=1)), np.flatnonzero(own.any(axis=0))
        x, y = int(columns[0]), int(rows[0])
        part = own[y : rows[-1] + 1, x : columns[-1] + 1].view(np.uint8)
        yield InkRegion(part, corner[0] + x, corner[1] + y, is_joined=True, is_from_outside=is_from_outside)


def _list_areas(mask: Plane) -> list[Plane]:
    """Return a mask for each connected area that is large enough."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4, ltype=cv2.CV_16U)
    large = [label for label, row in enumerate(stats.tolist()) if label and row[4] >= MIN_PIXELS]
    return [(labels == label).view(np.uint8) for label in large]
