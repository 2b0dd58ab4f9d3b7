"""Measurement of the patches of colour on the white ground: position, area, colour and coverage."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame, Mask
from vmevalkit.tasks.object_subtraction_task.appearance import Floats
from vmevalkit.tasks.object_subtraction_task.regions import (
    InkRegion,
    SegmentedFrame,
    has_edge_contact,
    segment_frame,
)

_MARGIN_PX = 4
"""Pixels around a region that may still contain some of its ink."""
_HALO = np.ones((5, 5), np.uint8)
_MIN_COVERAGE, _MAX_COVERAGE = 0.08, 1.15
"""A lower coverage of a pixel is noise, a higher one is something darker."""
_MIXED_SHARE = 0.12
"""A blob with a larger share of pixels of other colours is mixed."""
_OTHER_COLOUR_LEVELS = 60.0
"""Distance from the line between white and the blob's colour from which a pixel has another colour."""


@dataclass(frozen=True)
class Blob:
    """One patch of colour. Positions are pixels of the image, whose left edge is at 0."""

    region: InkRegion
    absorption: NDArray[np.float64]
    """White minus its colour, in levels of red, green and blue."""
    x: float
    """Its centre of mass."""
    y: float
    area: float
    is_at_edge: bool
    """Whether it touches the edge of the visible part of the image."""
    alpha: Floats
    """Coverage of each pixel, in a wider box."""
    corner: tuple[int, int]
    """Left and top of the wider box."""
    pixels: Floats
    """The image in the wider box."""
    gain: NDArray[np.float64]
    """Factor for each channel that makes the ground white."""

    @cached_property
    def is_mixed(self) -> bool:
        """Whether it has more than one colour: many inner pixels are off the line from white to its own colour."""
        projection = np.eye(3) - np.outer(self.absorption, self.absorption) / float(self.absorption @ self.absorption)
        offset = -255 * projection.sum(axis=1, keepdims=True)
        off_line = cv2.transform(self.pixels, np.hstack([projection * self.gain, offset]))
        own = cv2.inRange(off_line, (-_OTHER_COLOUR_LEVELS,) * 3, (_OTHER_COLOUR_LEVELS,) * 3)
        # Encoders blur colours, so the pixels of the edge are not used.
        inner = cv2.erode(_widen_mask(self.region, self.corner, self.alpha.shape), _HALO)
        return cv2.countNonZero(inner & ~own) > _MIXED_SHARE * cv2.countNonZero(inner)


def find_blobs(image: Frame, seen: Mask | None = None) -> list[Blob] | None:
    """Return all visible blobs; None where the frame has no white ground, or nearly nothing else than ink."""
    segmented = segment_frame(image, seen)
    if segmented is None:
        return None
    gain = 255 / segmented.white
    blobs = (_measure_blob(image, segmented, region, gain) for region in segmented.regions)
    return [blob for blob in blobs if blob is not None]


def _measure_blob(image: Frame, segmented: SegmentedFrame, region: InkRegion, gain: NDArray[np.float64]) -> Blob | None:
    left, top, right, bottom = region.box
    height, width = segmented.ink.shape
    inked = segmented.ink[top:bottom, left:right] * region.mask
    _, peak, _, _ = cv2.minMaxLoc(inked)
    _, core = cv2.threshold(inked, 0.8 * peak, 1, cv2.THRESH_BINARY)
    absorption: NDArray[np.float64] = 255 - np.array(cv2.mean(image[top:bottom, left:right], core)[:3]) * gain
    power = float(absorption @ absorption)
    if power < 1.0:
        return None
    x0, y0 = max(0, left - _MARGIN_PX), max(0, top - _MARGIN_PX)
    pixels = image[y0 : min(height, bottom + _MARGIN_PX), x0 : min(width, right + _MARGIN_PX)].astype(np.float32)
    weights = -absorption / power
    alpha = cv2.transform(pixels, np.array([[*(weights * gain), -255 * float(weights.sum())]]))
    alpha *= cv2.dilate(_widen_mask(region, (x0, y0), alpha.shape), _HALO)
    _, alpha = cv2.threshold(alpha, _MIN_COVERAGE, 0, cv2.THRESH_TOZERO)
    _, alpha = cv2.threshold(alpha, _MAX_COVERAGE, 0, cv2.THRESH_TRUNC)
    moments = cv2.moments(alpha)
    area = moments["m00"]
    if area < 1.0:
        return None
    x, y = x0 + moments["m10"] / area + 0.5, y0 + moments["m01"] / area + 0.5
    is_at_edge = has_edge_contact(region.box, segmented.window)
    return Blob(region, absorption, x, y, area, is_at_edge, alpha, (x0, y0), pixels, gain)


def _widen_mask(region: InkRegion, corner: tuple[int, int], shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """Return the region's mask in a wider box."""
    left, top, right, bottom = region.box
    wide = np.zeros(shape, np.uint8)
    wide[top - corner[1] : bottom - corner[1], left - corner[0] : right - corner[0]] = region.mask
    return wide
