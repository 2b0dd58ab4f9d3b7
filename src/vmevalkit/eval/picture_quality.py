"""What the pixels of a video say beside its states: how much changes from frame to frame, and how sharp it stays."""

from __future__ import annotations

import cv2
import numpy as np

from vmevalkit.media.image import Frame
from vmevalkit.media.video import TimedFrame

_SPARSE = 4
"""One pixel of this many in each direction is compared with the frame before."""
_CODING_LEVELS = 8
"""Differences up to this are coding noise."""


class PictureMonitor:
    """Measures each frame once, while the video is read. It keeps numbers, and two small frames."""

    def __init__(self) -> None:
        self.changes: list[float] = []
        """How much each frame differs from the one before, in levels averaged over the image; 0 for the first."""
        self.sharpness: list[tuple[float, float]] = []
        """Seconds, and the steepness of edges relative to the redrawn scene."""
        self._first: Frame | None = None
        self._last: Frame | None = None
        self._redrawn: tuple[Frame, float] | None = None
        """The scene that was compared last, and its steepness: it changes less often than the frame."""

    def see(self, timed: TimedFrame) -> None:
        """Measure the next frame of the video."""
        height, width = timed.frame.shape[:2]
        size = -(-width // _SPARSE), -(-height // _SPARSE)
        small = np.asarray(cv2.resize(timed.frame, size, interpolation=cv2.INTER_NEAREST), np.uint8)
        if self._first is None:
            self._first = small
        self.changes.append(0.0 if self._last is None else _measure_change(self._last, small))
        self._last = small

    def compare(self, seconds: float, image: Frame, redrawn: Frame | None) -> None:
        """Measure how sharp a registered frame is. Without a redrawn scene, steepness counts as it is."""
        if redrawn is not None and (self._redrawn is None or self._redrawn[0] is not redrawn):
            self._redrawn = redrawn, _measure_steepness(redrawn)
        expected = 1.0 if redrawn is None or self._redrawn is None else self._redrawn[1]
        if expected > 0:
            self.sharpness.append((seconds, _measure_steepness(image) / expected))

    @property
    def whole_change(self) -> float:
        """How much the last frame differs from the first one."""
        if self._first is None or self._last is None:
            return 0.0
        return _measure_change(self._first, self._last)


def _measure_change(before: Frame, after: Frame) -> float:
    if before.shape != after.shape:
        return 0.0
    difference = cv2.absdiff(before, after)
    _, clear = cv2.threshold(difference, _CODING_LEVELS, 255, cv2.THRESH_TOZERO)
    return float(cv2.norm(clear, cv2.NORM_L1) / clear.size)


def _measure_steepness(image: Frame) -> float:
    """Return the mean steepness of edges: blur spreads an edge and keeps its height, so the number of edges does not
    count."""
    green = cv2.extractChannel(image, 1)
    total = squares = 0.0
    for difference in (cv2.absdiff(green[1:], green[:-1]), cv2.absdiff(green[:, 1:], green[:, :-1])):
        total += cv2.norm(difference, cv2.NORM_L1)
        squares += cv2.norm(difference, cv2.NORM_L2SQR)
    return squares / total if total else 0.0
