"""Changes of whole images: geometry, light, blur, and things drawn over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, radians, sin
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame

Plane = NDArray[np.float32]
"""Height x width, from 0 to 1."""


def to_frame(levels: NDArray[np.floating[Any]] | NDArray[np.uint8]) -> Frame:
    """Return an image from levels that may be outside of 0 to 255."""
    return np.asarray(np.clip(levels + 0.5, 0, 255), np.uint8)


def draw_over(frame: Frame, draw: Callable[[Canvas], None]) -> Frame:
    """Return the image with something drawn over it."""
    canvas = Canvas(frame.shape[1], frame.shape[0])
    canvas.paste(frame, 0, 0)
    draw(canvas)
    return canvas.frame()


def mix(below: Frame, above: Frame, share: float) -> Frame:
    """Return a mixture of two images of one size."""
    return np.asarray(cv2.addWeighted(above, share, below, 1 - share, 0.0), np.uint8)


def mix_by_mask(below: Frame, above: Frame, mask: Plane) -> Frame:
    """Return a mixture with a share of the upper image that differs from pixel to pixel."""
    return to_frame(below + mask[..., None] * (above.astype(np.float32) - below))


def fill_like(frame: Frame, colour: tuple[int, int, int]) -> Frame:
    """Return an image of one colour and the same size."""
    return np.full_like(frame, colour)


def move_camera(frame: Frame, angle_deg: float = 0.0, zoom: float = 1.0, x: float = 0.0, y: float = 0.0) -> Frame:
    """Return the image rotated and zoomed about its middle, then shifted by pixels. The border is extended."""
    height, width = frame.shape[:2]
    c, s = zoom * cos(radians(angle_deg)), zoom * sin(radians(angle_deg))
    middle_x, middle_y = (width - 1) / 2, (height - 1) / 2
    matrix = np.array(
        [
            [c, s, middle_x - c * middle_x - s * middle_y + x],
            [-s, c, middle_y + s * middle_x - c * middle_y + y],
        ]
    )
    flags = cv2.INTER_LINEAR
    moved = cv2.warpAffine(frame, matrix, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)


def tilt_perspective(frame: Frame, corners: Sequence[tuple[float, float]]) -> Frame:
    """Return the image with each corner shifted by a share of the width and height, clockwise from the top left."""
    height, width = frame.shape[:2]
    source = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    target = source + np.array(corners, np.float32) * [width, height]
    matrix = cv2.getPerspectiveTransform(source, target.astype(np.float32))
    moved = cv2.warpPerspective(frame, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)


def rotate_hue(frame: Frame, degrees: float) -> Frame:
    """Return the image with all hues rotated."""
    hsv = cv2.cvtColor(frame.astype(np.float32) / 255, cv2.COLOR_RGB2HSV)
    hsv[..., 0] = (hsv[..., 0] + degrees) % 360
    return to_frame(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB) * 255)


def change_saturation(frame: Frame, factor: float) -> Frame:
    """Return the image with stronger or weaker colours."""
    grey = cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY).astype(np.float32)[..., None]
    return to_frame(grey + factor * (frame - grey))


def scale_levels(frame: Frame, factors: float | Sequence[float], offset: float = 0.0) -> Frame:
    """Return the image with its levels multiplied, by one factor or one for each channel, and raised."""
    return to_frame(frame.astype(np.float32) * np.asarray(factors, np.float32) + offset)


def blur(frame: Frame, sigma_px: float) -> Frame:
    """Return the image out of focus."""
    return frame if sigma_px < 0.05 else np.asarray(cv2.GaussianBlur(frame, (0, 0), sigma_px), np.uint8)


def pixelate(frame: Frame, blocks: int) -> Frame:
    """Return the image in blocks of one colour, with this number of blocks along each side."""
    height, width = frame.shape[:2]
    small = cv2.resize(frame, (blocks, blocks), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_NEAREST), np.uint8)


def compress_jpeg(frame: Frame, quality: int) -> Frame:
    """Return the image after JPEG compression."""
    _, data = cv2.imencode(".jpg", cv2.cvtColor(frame, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.cvtColor(cv2.imdecode(data, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB), np.uint8)


def resize(frame: Frame, width: int, height: int) -> Frame:
    """Return the image at another size."""
    return np.asarray(cv2.resize(frame, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def pad(frame: Frame, x: int, y: int, colour: tuple[int, int, int] = (0, 0, 0)) -> Frame:
    """Return the image with bars of x pixels at the left and right, and y pixels at the top and bottom."""
    height, width = frame.shape[:2]
    padded = np.full((height + 2 * y, width + 2 * x, 3), colour, np.uint8)
    padded[y : y + height, x : x + width] = frame
    return padded


def make_even(pixels: float) -> int:
    """Return the nearest even number."""
    return 2 * round(pixels / 2)


def make_soft_disc(frame: Frame, x: float, y: float, radius: float, softness: float) -> Plane:
    """Return the mask of a disc with a soft edge; all lengths are pixels."""
    rows, columns = np.ogrid[: frame.shape[0], : frame.shape[1]]
    distance = np.sqrt((columns - x) ** 2 + (rows - y) ** 2)
    return np.asarray(np.clip((radius - distance) / max(softness, 1e-6) + 0.5, 0, 1), np.float32)


def cast_shadow(frame: Frame, x: float, y: float, radius: float, strength: float = 0.35) -> Frame:
    """Return the image with a soft round shadow."""
    return mix_by_mask(frame, fill_like(frame, (0, 0, 0)), strength * make_soft_disc(frame, x, y, radius, radius))


def find_busiest_window(frame: Frame, width: int, height: int) -> tuple[int, int]:
    """Return x and y of the top left corner of the window with the most edges."""
    grey = cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY)
    edges = np.abs(cv2.Laplacian(grey, cv2.CV_32F))
    sums = cv2.boxFilter(edges, -1, (width, height), anchor=(0, 0), normalize=False, borderType=cv2.BORDER_CONSTANT)
    valid = sums[: frame.shape[0] - height + 1, : frame.shape[1] - width + 1]
    y, x = np.unravel_index(int(valid.argmax()), valid.shape)
    return int(x), int(y)
