"""Fit an image to a canvas of another size. The Placement says where it is, so that the fit can be reversed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import cv2
import numpy as np

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Placement
from vmevalkit.media.image import Frame, Size

FitMode = Literal["letterbox", "cover", "stretch"]


def resample(frame: Frame, size: Size) -> Frame:
    """Return the frame at another size, fast: averaged where it shrinks, Lanczos where it grows."""
    height, width = frame.shape[:2]
    if (width, height) == size:
        return frame.copy()
    narrower = (min(width, size[0]), min(height, size[1]))
    if narrower != (width, height):  # a stretch may shrink one axis and enlarge the other
        frame = np.asarray(cv2.resize(frame, narrower, interpolation=cv2.INTER_AREA), np.uint8)
    if narrower != size:
        frame = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_LANCZOS4), np.uint8)
    return frame


def resample_lanczos(frame: Frame, size: Size) -> Frame:
    """Return the frame at another size by Pillow's Lanczos filter, whose window grows with the scale where the frame
    shrinks. OpenCV's does not, and loses thin lines."""
    from PIL import Image

    return np.array(Image.fromarray(frame).resize(size, Image.Resampling.LANCZOS), np.uint8)


def fit(
    frame: Frame,
    size: Size,
    mode: FitMode,
    colour: tuple[int, int, int] = (0, 0, 0),
    resample: Callable[[Frame, Size], Frame] = resample,
) -> tuple[Frame, Placement]:
    """Return the frame on a canvas of ``size``, and its placement: letterboxed with bars, cropped to cover, or
    stretched.

    The image is placed at whole pixels, so bars have sharp edges.
    """
    width, height = size
    if width < 1 or height < 1:
        raise UsageError(f"cannot fit an image to {width}x{height}: both must be at least 1")
    old_height, old_width = frame.shape[:2]
    if mode == "stretch":
        return resample(frame, size), Placement(size, (0.0, 0.0, float(width), float(height)))
    if mode not in ("letterbox", "cover"):
        raise UsageError(f"unknown fit mode {mode!r}; known: cover, letterbox, stretch")
    ratios = width / old_width, height / old_height
    scale = min(ratios) if mode == "letterbox" else max(ratios)
    new_width, new_height = max(1, round(old_width * scale)), max(1, round(old_height * scale))
    left, top = (width - new_width) // 2, (height - new_height) // 2
    image = resample(frame, (new_width, new_height))
    box = (float(left), float(top), float(new_width), float(new_height))
    if mode == "cover":
        return np.ascontiguousarray(image[-top : height - top, -left : width - left]), Placement(size, box)
    canvas = np.empty((height, width, 3), np.uint8)
    canvas[:] = colour
    canvas[top : top + new_height, left : left + new_width] = image
    bars = (new_width, new_height) != size
    return canvas, Placement(size, box, colour if bars else None)
