"""Patches of colour on the white ground: where they are, how large, and what they look like."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.picture import Frame, Mask
from vmevalkit.tasks.object_subtraction_task.looks import Floats
from vmevalkit.tasks.object_subtraction_task.regions import Ground, Region, find_regions, touches_edge

_AROUND = 4
"""Pixels around a patch that may still hold some of its ink."""
_HALO = np.ones((5, 5), np.uint8)
_NOTHING, _MOST = 0.08, 1.15
"""A smaller share of a patch's ink in a pixel is noise, a larger one something darker."""
_MIXED = 0.12
"""A larger share of pixels in another colour than the rest makes a patch mixed."""
_STRANGE = 60.0
"""So far, in levels, is a pixel from the line between white and the patch's colour when it is of another."""


@dataclass(frozen=True)
class Blob:
    """One patch. Places are pixels of the picture, whose left edge is at 0."""

    region: Region
    lack: NDArray[np.float64]
    """What its colour takes from white, in levels of red, green and blue."""
    x: float
    """Its centre of mass."""
    y: float
    area: float
    at_edge: bool
    """Whether it touches the edge of what is seen."""
    alpha: Floats
    """How much of each pixel it covers, in a wider box."""
    corner: tuple[int, int]
    """Left and top of the wider box."""
    shown: Floats
    """The picture there."""
    lift: NDArray[np.float64]
    """What makes the ground white, for each channel."""

    @cached_property
    def mixed(self) -> bool:
        """Whether it has more than one colour: many pixels within lie off the line from white to its own."""
        off_line = np.eye(3) - np.outer(self.lack, self.lack) / float(self.lack @ self.lack)
        off = cv2.transform(self.shown, np.hstack([off_line * self.lift, -255 * off_line.sum(axis=1, keepdims=True)]))
        near = cv2.inRange(off, (-_STRANGE,) * 3, (_STRANGE,) * 3)
        # Coders blur colours: the pixels of the edge say nothing.
        within = cv2.erode(_widened(self.region, self.corner, self.alpha.shape), _HALO)
        return cv2.countNonZero(within & ~near) > _MIXED * cv2.countNonZero(within)


def find_blobs(picture: Frame, seen: Mask | None = None) -> list[Blob] | None:
    """All patches that are seen; None where there is no white ground, or nearly nothing else."""
    ground = find_regions(picture, seen)
    if ground is None:
        return None
    lift = 255 / ground.white
    blobs = (_measured(picture, ground, region, lift) for region in ground.regions)
    return [blob for blob in blobs if blob is not None]


def _measured(picture: Frame, ground: Ground, region: Region, lift: NDArray[np.float64]) -> Blob | None:
    left, top, right, bottom = region.box
    side_y, side_x = ground.ink.shape
    inked = ground.ink[top:bottom, left:right] * region.mask
    _, peak, _, _ = cv2.minMaxLoc(inked)
    _, core = cv2.threshold(inked, 0.8 * peak, 1, cv2.THRESH_BINARY)
    lack: NDArray[np.float64] = 255 - np.array(cv2.mean(picture[top:bottom, left:right], core)[:3]) * lift
    power = float(lack @ lack)
    if power < 1.0:
        return None
    x0, y0 = max(0, left - _AROUND), max(0, top - _AROUND)
    shown = picture[y0 : min(side_y, bottom + _AROUND), x0 : min(side_x, right + _AROUND)].astype(np.float32)
    share = -lack / power
    alpha = cv2.transform(shown, np.array([[*(share * lift), -255 * float(share.sum())]]))
    alpha *= cv2.dilate(_widened(region, (x0, y0), alpha.shape), _HALO)
    _, alpha = cv2.threshold(alpha, _NOTHING, 0, cv2.THRESH_TOZERO)
    _, alpha = cv2.threshold(alpha, _MOST, 0, cv2.THRESH_TRUNC)
    moments = cv2.moments(alpha)
    area = moments["m00"]
    if area < 1.0:
        return None
    x, y = x0 + moments["m10"] / area + 0.5, y0 + moments["m01"] / area + 0.5
    return Blob(region, lack, x, y, area, touches_edge(region.box, ground.window), alpha, (x0, y0), shown, lift)


def _widened(region: Region, corner: tuple[int, int], shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """The region's mask in a wider box."""
    left, top, right, bottom = region.box
    wide = np.zeros(shape, np.uint8)
    wide[top - corner[1] : bottom - corner[1], left - corner[0] : right - corner[0]] = region.mask
    return wide
