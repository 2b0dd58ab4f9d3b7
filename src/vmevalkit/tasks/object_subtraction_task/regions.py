"""Which pixels of a picture belong together: connected ink, cut apart where several patches touch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.picture import Frame, Mask

Plane = NDArray[np.uint8]
"""One value a pixel. As a mask, 0 or 1."""
Window = tuple[int, int, int, int]
"""Left, top, right and bottom."""

SMALLEST = 20
"""Pixels that a region has at least."""
_FAINT = 26
"""Levels of ink above the ground's own that are seen as something."""
_DIMMEST_GROUND = 140
_MOST_INK = 0.6
_MOST = 60
_STRONG = 110
"""Levels of ink that an object has when at least half of it is there."""
_TWO_BY_TWO = np.ones((2, 2), np.uint8)
_EDGE, _WIDE_EDGE = np.ones((5, 5), np.uint8), np.ones((7, 7), np.uint8)
"""An edge that blur has widened lies within this of what it is the edge of; at half the size, and at the whole."""
_BESIDE = 0.15
"""More faint ink beside strong ink than this share of it is another patch."""
_REACH = 6.0
"""Ink farther than this from the patches that a region is cut into is of none of them."""


@dataclass(frozen=True, slots=True)
class Region:
    """Connected ink, or a part of it."""

    mask: Plane
    """Its pixels, within its box."""
    left: int
    top: int
    joined: bool
    """Whether it touches another region."""
    reaches_in: bool
    """Whether it, or what it touches, comes from beyond the edge of what is seen."""

    @property
    def box(self) -> Window:
        height, width = self.mask.shape
        return self.left, self.top, self.left + width, self.top + height


@dataclass(frozen=True, slots=True)
class Ground:
    """The ground of a picture, and what lies on it."""

    white: NDArray[np.float64]
    """Its levels of red, green and blue."""
    ink: Plane
    """How far each pixel is from white in its darkest channel, smoothed."""
    window: Window
    """What is seen of the picture."""
    regions: tuple[Region, ...]


def find_regions(picture: Frame, seen: Mask | None = None) -> Ground | None:
    """The regions of what is seen; None where there is no white ground, or nearly nothing else."""
    window = (0, 0, picture.shape[1], picture.shape[0])
    if seen is not None:
        window = _window(seen)
        picture = np.where(seen[..., None], picture, np.uint8(255))
    sample = picture[4::8, 4::8].reshape(-1, 3)
    white = np.partition(sample, len(sample) // 2, axis=0)[len(sample) // 2].astype(np.float64)
    level = float(white.min())
    if level < _DIMMEST_GROUND:
        return None
    red, green, blue = cv2.split(picture)
    ink = cv2.GaussianBlur(cv2.bitwise_not(cv2.min(cv2.min(red, green), blue)), (5, 5), 1.0)
    _, inked = cv2.threshold(ink, 255 - level + _FAINT * level / 255, 1, cv2.THRESH_BINARY)
    if cv2.countNonZero(inked) > _MOST_INK * inked.size:
        return None
    _, strong = cv2.threshold(ink, 255 - level + _STRONG * level / 255, 1, cv2.THRESH_BINARY)
    # Labelling costs most of all, and half the size is fine enough to tell regions apart.
    labels, large = _labelled(_halved(inked))
    if len(large) > _MOST:
        return None
    several = _joined(_halved(strong), _halved(inked), labels)
    regions: list[Region] = []
    for label, left, top, width, height in large:
        place = np.s_[2 * top : 2 * (top + height), 2 * left : 2 * (left + width)]
        mask = (labels[top : top + height, left : left + width] == label).view(np.uint8)
        mask = inked[place] * mask.repeat(2, axis=0).repeat(2, axis=1)[: inked.shape[0], : inked.shape[1]]
        corner = 2 * left, 2 * top
        at_edge = touches_edge((*corner, corner[0] + mask.shape[1], corner[1] + mask.shape[0]), window)
        if label in several:
            regions += _cut_apart(ink[place] * mask, mask, corner, at_edge)
        else:
            regions.append(Region(mask, *corner, joined=False, reaches_in=at_edge))
    return Ground(white, ink, window, tuple(regions))


def _halved(mask: Plane) -> Plane:
    """At half the size, where any of two by two pixels is set."""
    return np.asarray(cv2.dilate(mask, _TWO_BY_TWO, anchor=(0, 0))[::2, ::2])


def _labelled(half: Plane) -> tuple[NDArray[np.uint16], list[tuple[int, int, int, int, int]]]:
    """Labels of connected pixels; and of those that are large enough the label, left, top, width and height."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(half, connectivity=8, ltype=cv2.CV_16U)
    rows = enumerate(stats.tolist())
    return labels, [(label, *row[:4]) for label, row in rows if label and 4 * row[4] >= SMALLEST]


def _joined(strong: Plane, inked: Plane, labels: NDArray[np.uint16]) -> set[int]:
    """The regions that seem to have several areas of strong ink, or much faint ink beside it; all at half the size."""
    parts, large = _labelled(strong)
    owners = []
    for part, left, top, width, _ in large:
        x = left + int(np.argmax(parts[top, left : left + width] == part))
        owners.append(int(labels[top, x]))
    found = {owner for owner in owners if owners.count(owner) > 1}
    faint = cv2.subtract(inked, cv2.dilate(strong, _EDGE))
    if 4 * cv2.countNonZero(faint) < SMALLEST:
        return found
    beside = np.bincount(labels[faint > 0], minlength=max(owners, default=0) + 1)
    total = np.bincount(labels[strong > 0], minlength=len(beside))
    return found | {owner for owner in owners if beside[owner] > max(SMALLEST / 4, _BESIDE * total[owner])}


def touches_edge(box: Window, window: Window) -> bool:
    """Whether a box ends where what is seen ends, or nearly so."""
    return box[0] <= window[0] + 1 or box[1] <= window[1] + 1 or box[2] >= window[2] - 1 or box[3] >= window[3] - 1


def _window(seen: Mask) -> Window:
    """The rectangle that holds all that is seen."""
    rows, columns = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
    if not len(rows):
        return (0, 0, 0, 0)
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _cut_apart(inked: Plane, mask: Plane, corner: tuple[int, int], reaches_in: bool) -> Iterator[Region]:
    """The regions that one is joined from, by blur or because one thing lies over another; if it is, after all."""
    _, peak, _, _ = cv2.minMaxLoc(inked)
    _, strong = cv2.threshold(inked, 0.5 * peak, 1, cv2.THRESH_BINARY)
    faint = cv2.subtract(mask, cv2.dilate(strong, _WIDE_EDGE))
    cores = _areas(strong)
    if cv2.countNonZero(faint) > max(SMALLEST, _BESIDE * cv2.countNonZero(strong)):
        cores += _areas(faint)
    if len(cores) < 2:
        yield Region(mask, *corner, joined=False, reaches_in=reaches_in)
        return
    apart = np.stack([cv2.distanceTransform(1 - core, cv2.DIST_L2, 3) for core in cores])
    nearest = apart.argmin(axis=0)
    for number in range(len(cores)):
        mine = (mask > 0) & (nearest == number) & (apart[number] < _REACH)
        rows, columns = np.flatnonzero(mine.any(axis=1)), np.flatnonzero(mine.any(axis=0))
        x, y = int(columns[0]), int(rows[0])
        part = mine[y : rows[-1] + 1, x : columns[-1] + 1].view(np.uint8)
        yield Region(part, corner[0] + x, corner[1] + y, joined=True, reaches_in=reaches_in)


def _areas(mask: Plane) -> list[Plane]:
    """Each connected area of a mask that is large enough, alone."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4, ltype=cv2.CV_16U)
    large = [label for label, row in enumerate(stats.tolist()) if label and row[4] >= SMALLEST]
    return [(labels == label).view(np.uint8) for label in large]
