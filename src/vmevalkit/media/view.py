"""The part of a video frame that shows the reference image, and sampling it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.core.records import Placement
from vmevalkit.media.image import Frame, Mask, Size

Floats = NDArray[np.float32]

_SLACK = 0.75
"""Pixels of the image that may be outside the frame and still count as visible."""
_MARGIN, _ALIGNMENT = 8, 16
"""Pixels added around a region of a frame, and the multiple to which its ends are rounded."""
_MAX_SHEAR, _MAX_TILT = 0.1, 0.1
"""Most shear and perspective of a readable view. A camera that rolls by 2.5 degrees shears by 0.08 where the image is
16:9, and a picture that is 5% narrower at its top has a tilt of 0.05. More is another camera, not an unsteady one."""


@dataclass(frozen=True, slots=True)
class ViewRect:
    """The part of a video frame that shows the whole image: a rectangle, which may be sheared and tilted a little.

    Left, top, width and height are fractions of the frame's width and height, so a view is valid for a video at any
    size. It may extend beyond the frame. A point (a, b) of the image, measured from its middle in fractions of its
    size, is shown at ((a + shear_x b) / w, (b + shear_y a) / w) of the rectangle, where w = 1 + tilt_x a + tilt_y b.
    """

    left: float
    top: float
    width: float
    height: float
    shear_x: float = 0.0
    shear_y: float = 0.0
    tilt_x: float = 0.0
    tilt_y: float = 0.0

    @classmethod
    def from_placement(cls, placement: Placement) -> ViewRect:
        left, top, width, height = placement.box
        canvas_width, canvas_height = placement.canvas
        return cls(left / canvas_width, top / canvas_height, width / canvas_width, height / canvas_height)

    @property
    def _values(self) -> tuple[float, ...]:
        return (
            self.left, self.top, self.width, self.height, self.shear_x, self.shear_y, self.tilt_x, self.tilt_y
        )  # fmt: skip

    @property
    def is_upright(self) -> bool:
        """Whether it is a plain rectangle, without shear and tilt."""
        return not (self.shear_x or self.shear_y or self.tilt_x or self.tilt_y)

    @property
    def is_plausible(self) -> bool:
        """Whether a video could show an image at this place and still be readable."""
        right, bottom = self.left + self.width, self.top + self.height
        visible_x = (min(1.0, right) - max(0.0, self.left)) / self.width if self.width > 0 else 0.0
        visible_y = (min(1.0, bottom) - max(0.0, self.top)) / self.height if self.height > 0 else 0.0
        is_near = max(abs(self.shear_x), abs(self.shear_y)) <= _MAX_SHEAR
        is_near = is_near and max(abs(self.tilt_x), abs(self.tilt_y)) <= _MAX_TILT
        return is_near and 0.1 < self.width < 5 and 0.1 < self.height < 5 and visible_x > 0.3 and visible_y > 0.3

    def move(
        self, dx: float = 0.0, grow_x: float = 0.0, dy: float = 0.0, grow_y: float = 0.0,
        shear_x: float = 0.0, shear_y: float = 0.0, tilt_x: float = 0.0, tilt_y: float = 0.0,
    ) -> ViewRect:  # fmt: skip
        """Return the view shifted by fractions of its own size, enlarged around its centre, sheared and tilted."""
        width, height = self.width * (1 + grow_x), self.height * (1 + grow_y)
        return ViewRect(
            self.left + self.width * (dx - grow_x / 2), self.top + self.height * (dy - grow_y / 2), width, height,
            self.shear_x + shear_x, self.shear_y + shear_y, self.tilt_x + tilt_x, self.tilt_y + tilt_y,
        )  # fmt: skip

    def place_in(self, outer: ViewRect) -> ViewRect:
        """Return where a frame shows this view of a picture, from where it shows the picture. Both are upright."""
        return ViewRect(
            outer.left + self.left * outer.width, outer.top + self.top * outer.height,
            self.width * outer.width, self.height * outer.height,
        )  # fmt: skip

    def straighten(self) -> ViewRect:
        """Return the rectangle without shear and tilt."""
        return ViewRect(self.left, self.top, self.width, self.height)

    def extrapolate_from(self, previous: ViewRect) -> ViewRect:
        """Return the next view if the motion from ``previous`` continues."""
        return ViewRect(*(2 * now - then for now, then in zip(self._values, previous._values, strict=True)))

    def interpolate_to(self, other: ViewRect, fraction: float) -> ViewRect:
        """Return the view at a fraction of the way to another; the other for a fraction of 1 or more."""
        if fraction >= 1:
            return other
        pairs = zip(self._values, other._values, strict=True)
        return ViewRect(*(start + fraction * (end - start) for start, end in pairs))

    def measure_distance(self, other: ViewRect) -> float:
        """Return by how much the corners of two views differ at most, as a fraction of this view's size."""
        if self == other:
            return 0.0
        corners = np.array([0, 1, 0, 1], np.float32), np.array([0, 0, 1, 1], np.float32)
        (x, y), (other_x, other_y) = (view.map_points(*corners, (1, 1)) for view in (self, other))
        return max(float(np.abs(other_x - x).max()) / self.width, float(np.abs(other_y - y).max()) / self.height)

    def map_points(self, u: Floats, v: Floats, size: Size, scale: float = 1.0) -> tuple[Floats, Floats]:
        """Return where points of the image (fractions of its size) are in a frame of ``size``, in pixels times
        ``scale``."""
        left, top, width, height = (np.float32(length * scale) for length in self.to_pixels(size))
        if self.is_upright:
            return u * width + left, v * height + top
        a, b = u - np.float32(0.5), v - np.float32(0.5)
        depth = 1 + np.float32(self.tilt_x) * a + np.float32(self.tilt_y) * b
        x = (a + np.float32(self.shear_x) * b) / depth + np.float32(0.5)
        y = (b + np.float32(self.shear_y) * a) / depth + np.float32(0.5)
        return np.asarray(x * width + left, np.float32), np.asarray(y * height + top, np.float32)

    def compute_matrix(self, frame_size: Size, size: Size) -> NDArray[np.float64]:
        """Return the homography from pixels of the image at ``size`` to pixels of the frame. Both count from the
        corner of the first pixel."""
        left, top, width, height = self.to_pixels(frame_size)
        from_middle = np.array([[1 / size[0], 0, -0.5], [0, 1 / size[1], -0.5], [0, 0, 1]])
        warp = np.array([[1, self.shear_x, 0], [self.shear_y, 1, 0], [self.tilt_x, self.tilt_y, 1]])
        to_frame = np.array([[width, 0, left + width / 2], [0, height, top + height / 2], [0, 0, 1]])
        return np.asarray(to_frame @ warp @ from_middle, np.float64)

    def compute_bounds(self, size: Size) -> tuple[float, float, float, float]:
        """Return left, top, width and height of the box around it in pixels of a frame of ``size``."""
        if self.is_upright:
            return self.to_pixels(size)
        x, y = self.map_points(np.array([0, 1, 0, 1], np.float32), np.array([0, 0, 1, 1], np.float32), size)
        return float(x.min()), float(y.min()), float(x.max() - x.min()), float(y.max() - y.min())

    def to_pixels(self, size: Size) -> tuple[float, float, float, float]:
        """Return left, top, width and height of the rectangle in pixels of a frame of ``size``."""
        return self.left * size[0], self.top * size[1], self.width * size[0], self.height * size[1]


def extract_view(frame: Frame, view: ViewRect, size: Size) -> Frame:
    """Return the image as the frame shows it, resampled to ``size``. Outside the frame its edge is repeated."""
    frame = _shrink_for_sampling(frame, view, size)
    frame_size = frame.shape[1], frame.shape[0]
    rows, columns = find_view_slices(view, frame_size)
    # OpenCV warps four channels twice as fast as three, and counts from the middle of the first pixel.
    rgba = cv2.cvtColor(frame[rows, columns], cv2.COLOR_RGB2RGBA)
    to_middle = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    to_region = np.array([[1, 0, -columns.start - 0.5], [0, 1, -rows.start - 0.5], [0, 0, 1]])
    matrix = to_region @ view.compute_matrix(frame_size, size) @ to_middle
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    if view.is_upright:
        warped = cv2.warpAffine(rgba, matrix[:2], size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    else:
        warped = cv2.warpPerspective(rgba, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.cvtColor(warped, cv2.COLOR_RGBA2RGB), np.uint8)


def find_visible_mask(view: ViewRect, frame_size: Size, size: Size) -> Mask | None:
    """Return the pixels of the image at ``size`` that the frame shows; None means all."""
    if view.is_upright:
        slices = find_visible_slices(view, frame_size, size)
        if slices is None:
            return None
        mask = np.zeros((size[1], size[0]), np.bool_)
        mask[slices] = True
        return mask
    frame_corners = _find_frame_corners(view, frame_size, size)
    image_corners = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float32)
    inside = (cv2.pointPolygonTest(frame_corners, (float(x), float(y)), True) for x, y in image_corners)
    if min(inside) >= -_SLACK:
        return None
    drawn = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillConvexPoly(drawn, np.rint(frame_corners * 16 - 8).astype(np.int32), 1, cv2.LINE_8, 4)
    return drawn.astype(np.bool_)


def _find_frame_corners(view: ViewRect, frame_size: Size, size: Size) -> Floats:
    """Return the frame's corners in pixels of the image at ``size``, clockwise from the top left."""
    width, height = frame_size
    corners = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], np.float64)
    inverse = np.linalg.inv(view.compute_matrix(frame_size, size))
    return np.asarray(cv2.perspectiveTransform(corners, inverse)[0], np.float32)


def find_visible_slices(view: ViewRect, frame_size: Size, size: Size) -> tuple[slice, slice] | None:
    """Return the rows and columns of the image at ``size`` that the frame shows in full; None means all."""
    if not view.is_upright:
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = _find_frame_corners(view, frame_size, size)
        columns = slice(max(0, math.ceil(max(x0, x3) - _SLACK)), min(size[0], math.floor(min(x1, x2) + _SLACK)))
        rows = slice(max(0, math.ceil(max(y0, y1) - _SLACK)), min(size[1], math.floor(min(y2, y3) + _SLACK)))
        return None if columns == slice(0, size[0]) and rows == slice(0, size[1]) else (rows, columns)
    left, top, width, height = view.to_pixels(frame_size)
    columns = _find_visible_range(left, width, frame_size[0], size[0])
    rows = _find_visible_range(top, height, frame_size[1], size[1])
    return None if columns == slice(0, size[0]) and rows == slice(0, size[1]) else (rows, columns)


def find_view_slices(view: ViewRect, size: Size, margin: float = 0.0) -> tuple[slice, slice]:
    """Return the rows and columns of a frame of ``size`` that contain the view and a margin, in fractions of the view.

    They start at multiples of _ALIGNMENT, so that they can be halved.
    """
    left, top, width, height = view.compute_bounds(size)
    return _find_padded_range(top, height, size[1], margin), _find_padded_range(left, width, size[0], margin)


def _find_padded_range(start: float, length: float, frame: int, margin: float) -> slice:
    first = math.floor((start - margin * length - _MARGIN) / _ALIGNMENT) * _ALIGNMENT
    last = math.ceil((start + (1 + margin) * length + _MARGIN) / _ALIGNMENT) * _ALIGNMENT
    least = 2 * _ALIGNMENT
    return slice(min(max(0, frame - least) // _ALIGNMENT * _ALIGNMENT, max(0, first)), min(frame, max(least, last)))


def _find_visible_range(start: float, length: float, frame: int, count: int) -> slice:
    step = length / count
    first = math.ceil(-start / step - _SLACK)
    last = math.floor((frame - start) / step + _SLACK)
    return slice(min(count, max(0, first)), max(0, min(count, last)))


def halve_frame(frame: Frame, region: tuple[slice, slice] | None = None) -> Frame:
    """Return the frame at half its size, each two by two pixels averaged.

    An odd last row or column is dropped, so that coordinates are exactly halved. With ``region``, only these rows and
    columns of the half are computed, and the rest is black.
    """
    half = np.zeros((frame.shape[0] // 2, frame.shape[1] // 2, 3), np.uint8)
    region = region or (slice(0, half.shape[0]), slice(0, half.shape[1]))
    rows, columns = (slice(2 * each.start, 2 * each.stop) for each in region)
    target = half[region]
    cv2.resize(frame[rows, columns], target.shape[1::-1], dst=target, interpolation=cv2.INTER_AREA)
    return half


def _shrink_for_sampling(frame: Frame, view: ViewRect, size: Size) -> Frame:
    """Return the frame small enough for bilinear sampling at ``size`` to skip no pixels."""
    while True:
        _, _, width, height = view.to_pixels((frame.shape[1], frame.shape[0]))
        factor_x, factor_y = width / size[0], height / size[1]
        if max(factor_x, factor_y) <= 1.7 or min(frame.shape[:2]) < 16:
            return frame
        shape = (
            max(1, round(frame.shape[1] / min(2.0, max(1.0, factor_x)))),
            max(1, round(frame.shape[0] / min(2.0, max(1.0, factor_y)))),
        )
        exact = frame.shape[1] == 2 * shape[0] and frame.shape[0] == 2 * shape[1]
        frame = np.asarray(
            cv2.resize(frame, shape, interpolation=cv2.INTER_AREA if exact else cv2.INTER_LINEAR), np.uint8
        )
