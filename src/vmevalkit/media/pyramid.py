"""Image pyramids of video frames."""

from __future__ import annotations

from math import log2

import cv2
import numpy as np

from vmevalkit.media.image import Frame, Size
from vmevalkit.media.view import ViewRect, find_view_slices, halve_frame

BLUR_SIGMA = 0.75
"""Standard deviation, in pixels of the template, of the blur on image and video. It is the same for both, so that no
difference is left where they are aligned."""
_SEARCH_MARGIN = 0.1
"""Margin around a view, as a fraction of it, that a frame's pyramid covers: more than all rounds together can move
the view."""


class Pyramid:
    """An image pyramid of a frame. Levels are computed at first use, and only around ``near`` where that is given."""

    def __init__(self, frame: Frame, near: ViewRect | None = None) -> None:
        self._levels = [frame]
        self._blurred: dict[tuple[float, Size], Frame] = {}
        whole = slice(0, frame.shape[0]), slice(0, frame.shape[1])
        self._region = whole if near is None else find_view_slices(near, self.size, _SEARCH_MARGIN)

    @property
    def size(self) -> Size:
        return self._levels[0].shape[1], self._levels[0].shape[0]

    @property
    def frame(self) -> Frame:
        return self._levels[0]

    def select_level(self, view: ViewRect, size: Size) -> tuple[Frame, float]:
        """Return the level at which the view is little larger than ``size``, and its scale. Bilinear sampling at that
        size then skips no pixels."""
        k = 0
        while (
            min(view.width * self.size[0] / size[0], view.height * self.size[1] / size[1]) >= 1.7 * 2**k
            and min(self._levels[k].shape[:2]) >= 24
        ):
            k += 1
            if len(self._levels) == k:
                self._levels.append(halve_frame(self._levels[-1], self._region_at(k)))
        return self._levels[k], 0.5**k

    def select_blurred_level(self, view: ViewRect, size: Size) -> tuple[Frame, float]:
        """Return the same level with the blur that a template of ``size`` has. Views of one frame that are compared
        have nearly the same size, so the first one's blur is good for all."""
        frame, scale = self.select_level(view, size)
        if (scale, size) in self._blurred:
            return self._blurred[scale, size], scale
        ratio_x = view.width * self.size[0] * scale / size[0]
        ratio_y = view.height * self.size[1] * scale / size[1]
        sigma_x, sigma_y = (min(1.4, max(0.3, BLUR_SIGMA * ratio)) for ratio in (ratio_x, ratio_y))
        blurred = np.zeros_like(frame)
        region = self._region_at(round(log2(1 / scale)))
        cv2.GaussianBlur(frame[region], (5, 5), sigma_x, dst=blurred[region], sigmaY=sigma_y)
        self._blurred[scale, size] = blurred
        return blurred, scale

    def _region_at(self, level: int) -> tuple[slice, slice]:
        """Return the rows and columns of a level that are computed."""
        rows, columns = (slice(each.start >> level, each.stop >> level) for each in self._region)
        return rows, columns
