"""Laying a picture on a canvas of another size, and keeping how, so that it can be undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import cv2
import numpy as np

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Placement
from vmevalkit.media.picture import Frame, Size

Mode = Literal["letterbox", "cover", "stretch"]


def resample(frame: Frame, size: Size) -> Frame:
    """The whole frame at another size, fast: averaged where it shrinks, Lanczos where it grows."""
    height, width = frame.shape[:2]
    if (width, height) == size:
        return frame.copy()
    narrower = (min(width, size[0]), min(height, size[1]))
    if narrower != (width, height):  # a stretch may shrink one axis and enlarge the other
        frame = np.asarray(cv2.resize(frame, narrower, interpolation=cv2.INTER_AREA), np.uint8)
    if narrower != size:
        frame = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_LANCZOS4), np.uint8)
    return frame


def lanczos(frame: Frame, size: Size) -> Frame:
    """The whole frame at another size by Lanczos's window as Pillow has it, which grows with the step from pixel to
    pixel where the frame shrinks. OpenCV's does not, and loses thin lines."""
    from PIL import Image

    return np.array(Image.fromarray(frame).resize(size, Image.Resampling.LANCZOS), np.uint8)


def fit(
    frame: Frame,
    size: Size,
    mode: Mode,
    colour: tuple[int, int, int] = (0, 0, 0),
    resample: Callable[[Frame, Size], Frame] = resample,
) -> tuple[Frame, Placement]:
    """The frame on a canvas of ``size``: whole with bars, filling it with a part cut off, or stretched.

    The picture lands on whole pixels, so bars have sharp edges; the placement says exactly where it is.
    """
    width, height = size
    if width < 1 or height < 1:
        raise UsageError(f"cannot fit a picture to {width}x{height}: both must be at least 1")
    old_height, old_width = frame.shape[:2]
    if mode == "stretch":
        return resample(frame, size), Placement(size, (0.0, 0.0, float(width), float(height)))
    if mode not in ("letterbox", "cover"):
        raise UsageError(f"no way of fitting called {mode!r}; known: cover, letterbox, stretch")
    ratios = width / old_width, height / old_height
    scale = min(ratios) if mode == "letterbox" else max(ratios)
    new_width, new_height = max(1, round(old_width * scale)), max(1, round(old_height * scale))
    left, top = (width - new_width) // 2, (height - new_height) // 2
    picture = resample(frame, (new_width, new_height))
    box = (float(left), float(top), float(new_width), float(new_height))
    if mode == "cover":
        return np.ascontiguousarray(picture[-top : height - top, -left : width - left]), Placement(size, box)
    canvas = np.empty((height, width, 3), np.uint8)
    canvas[:] = colour
    canvas[top : top + new_height, left : left + new_width] = picture
    bars = (new_width, new_height) != size
    return canvas, Placement(size, box, colour if bars else None)


def scaled(placement: Placement, size: Size) -> Placement:
    """The same placement on a canvas of another size, as when the film is larger than the picture given."""
    x, y = size[0] / placement.canvas[0], size[1] / placement.canvas[1]
    left, top, width, height = placement.box
    return Placement(size, (left * x, top * y, width * x, height * y), placement.colour)
