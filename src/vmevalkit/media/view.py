"""Where a film shows a picture, and undoing it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from vmevalkit.core.records import Placement
from vmevalkit.media.picture import Frame, Size

_SLACK = 0.75
"""Pixels of the picture that may stick out of the film and still count as seen."""
_SPARE, _STEP = 8, 16
"""Pixels around a part of a frame, and of which its begin and its end are multiples."""


@dataclass(frozen=True, slots=True)
class View:
    """The rectangle of a film frame in which the whole picture stands. It may reach beyond the frame.

    All four are shares of the frame's width and height, so a view holds for a film at any size.
    """

    left: float
    top: float
    width: float
    height: float

    @classmethod
    def of(cls, placement: Placement) -> View:
        left, top, width, height = placement.box
        canvas_width, canvas_height = placement.canvas
        return cls(left / canvas_width, top / canvas_height, width / canvas_width, height / canvas_height)

    @property
    def plausible(self) -> bool:
        """Whether a film could show a picture like this, and still be readable."""
        right, bottom = self.left + self.width, self.top + self.height
        shown_x = (min(1.0, right) - max(0.0, self.left)) / self.width if self.width > 0 else 0.0
        shown_y = (min(1.0, bottom) - max(0.0, self.top)) / self.height if self.height > 0 else 0.0
        return 0.1 < self.width < 5 and 0.1 < self.height < 5 and shown_x > 0.3 and shown_y > 0.3

    def moved(self, dx: float, grow_x: float, dy: float, grow_y: float) -> View:
        """Shifted by shares of its own size and grown about its centre."""
        width, height = self.width * (1 + grow_x), self.height * (1 + grow_y)
        return View(
            self.left + self.width * (dx - grow_x / 2), self.top + self.height * (dy - grow_y / 2), width, height
        )

    def onward(self, before: View) -> View:
        """Where the view will be if it goes on as it came from ``before``."""
        return View(
            2 * self.left - before.left, 2 * self.top - before.top,
            2 * self.width - before.width, 2 * self.height - before.height,
        )  # fmt: skip

    def towards(self, other: View, share: float) -> View:
        """A part of the way to another view; the whole of it for a share of 1 or more."""
        if share >= 1:
            return other
        return View(
            self.left + share * (other.left - self.left), self.top + share * (other.top - self.top),
            self.width + share * (other.width - self.width), self.height + share * (other.height - self.height),
        )  # fmt: skip

    def box(self, size: Size) -> tuple[float, float, float, float]:
        """Left, top, width and height in pixels of a frame of ``size``."""
        return self.left * size[0], self.top * size[1], self.width * size[0], self.height * size[1]


def undo(frame: Frame, view: View, size: Size) -> Frame:
    """The picture as the film shows it, at ``size``; what the film does not show repeats its edge."""
    frame = _reduced(frame, view, size)
    whole = frame.shape[1], frame.shape[0]
    rows, columns = part_of(view, whole)
    left, top, width, height = view.box(whole)
    x, y = width / size[0], height / size[1]
    matrix = np.array([[x, 0, left - columns.start + x / 2 - 0.5], [0, y, top - rows.start + y / 2 - 0.5]])
    # OpenCV warps four channels twice as fast as three.
    four = cv2.cvtColor(frame[rows, columns], cv2.COLOR_RGB2RGBA)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    warped = cv2.warpAffine(four, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.cvtColor(warped, cv2.COLOR_RGBA2RGB), np.uint8)


def seen(view: View, frame_size: Size, size: Size) -> tuple[slice, slice] | None:
    """The rows and columns of the picture at ``size`` that the film shows; None means all."""
    left, top, width, height = view.box(frame_size)
    columns, rows = _shown(left, width, frame_size[0], size[0]), _shown(top, height, frame_size[1], size[1])
    return None if columns == slice(0, size[0]) and rows == slice(0, size[1]) else (rows, columns)


def part_of(view: View, size: Size, margin: float = 0.0) -> tuple[slice, slice]:
    """The rows and columns of a frame of ``size`` in which the view lies, and a margin in shares of the view around
    it. They begin at whole multiples of _STEP, so that they can be halved."""
    left, top, width, height = view.box(size)
    return _around(top, height, size[1], margin), _around(left, width, size[0], margin)


def _around(start: float, length: float, frame: int, margin: float) -> slice:
    first = math.floor((start - margin * length - _SPARE) / _STEP) * _STEP
    last = math.ceil((start + (1 + margin) * length + _SPARE) / _STEP) * _STEP
    least = 2 * _STEP
    return slice(min(max(0, frame - least) // _STEP * _STEP, max(0, first)), min(frame, max(least, last)))


def _shown(start: float, length: float, frame: int, count: int) -> slice:
    step = length / count
    first = math.ceil(-start / step - _SLACK)
    last = math.floor((frame - start) / step + _SLACK)
    return slice(min(count, max(0, first)), max(0, min(count, last)))


def halved(frame: Frame, part: tuple[slice, slice] | None = None) -> Frame:
    """Each two by two pixels averaged. An odd last row or column is dropped, so coordinates are exactly halved.
    Of the half only these rows and columns are made, if they are given; the rest is black."""
    half = np.zeros((frame.shape[0] // 2, frame.shape[1] // 2, 3), np.uint8)
    part = part or (slice(0, half.shape[0]), slice(0, half.shape[1]))
    rows, columns = (slice(2 * each.start, 2 * each.stop) for each in part)
    made = half[part]
    cv2.resize(frame[rows, columns], made.shape[1::-1], dst=made, interpolation=cv2.INTER_AREA)
    return half


def _reduced(frame: Frame, view: View, size: Size) -> Frame:
    """Small enough for bilinear sampling not to pass over pixels."""
    while True:
        _, _, width, height = view.box((frame.shape[1], frame.shape[0]))
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
