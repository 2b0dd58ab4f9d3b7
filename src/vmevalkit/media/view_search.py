"""First guesses at where a video shows an image: from the sizes, from bars, and from a search of the whole frame."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame, Size
from vmevalkit.media.view import ViewRect

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, as fractions of the image."""

_WHOLE: Box = (0.0, 0.0, 1.0, 1.0)
_BAR_TOLERANCE = 20
"""Levels by which the pixels of a bar may differ from its colour."""
_SEARCH_SIDE = 72
_SCALES = tuple(0.36 * 1.09**i for i in range(21))
_ASPECTS = (1.0, 0.9, 1.11, 0.8, 1.25)


def guess_from_sizes(image: Size, video: Size) -> list[ViewRect]:
    """Return the views of an image that was stretched to the video, letterboxed, or cropped to cover it."""
    ratio = (image[0] / image[1]) / (video[0] / video[1])
    wide, high = min(1.0, ratio), min(1.0, 1 / ratio)
    cover_wide, cover_high = max(1.0, ratio), max(1.0, 1 / ratio)
    views = [ViewRect(0, 0, 1, 1), _make_centred_view(wide, high), _make_centred_view(cover_wide, cover_high)]
    return drop_near_duplicates(views)


def guess_from_bars(image: Frame, frame: Frame) -> list[ViewRect]:
    """Return the views where the image, or its content without margins, fills the frame without its bars."""
    views = []
    inner_boxes = _strip_margins(image)[:2]
    for outer in _strip_margins(frame):
        for inner in inner_boxes:
            width = (outer[2] - outer[0]) / (inner[2] - inner[0])
            height = (outer[3] - outer[1]) / (inner[3] - inner[1])
            views.append(ViewRect(outer[0] - inner[0] * width, outer[1] - inner[1] * height, width, height))
    return drop_near_duplicates(view for view in views if view.is_plausible)


def search_whole_frame(image: Frame, frame: Frame, keep: int = 6) -> list[ViewRect]:
    """Search all positions and many scales by the correlation of edges at a small size. The best view is first."""
    height, width = frame.shape[:2]
    shrink = _SEARCH_SIDE / max(width, height)
    video_size = max(8, round(width * shrink)), max(8, round(height * shrink))
    video = _compute_edges(frame, video_size)
    pad_x, pad_y = video_size[0] // 2, video_size[1] // 2
    video = cv2.copyMakeBorder(video, pad_y, pad_y, pad_x, pad_x, cv2.BORDER_CONSTANT, value=0)
    image_height, image_width = image.shape[:2]
    base = min(video_size[0] / image_width, video_size[1] / image_height)
    found: list[tuple[float, ViewRect]] = []
    for aspect in _ASPECTS:
        for scale in _SCALES:
            size = (
                round(image_width * base * scale * aspect**0.5),
                round(image_height * base * scale / aspect**0.5),
            )
            if min(size) < 10 or size[0] > video.shape[1] or size[1] > video.shape[0]:
                continue
            scores = cv2.matchTemplate(video, _compute_edges(image, size), cv2.TM_CCORR_NORMED)
            _, best, _, (x, y) = cv2.minMaxLoc(scores)
            view = ViewRect(
                (x - pad_x) / video_size[0],
                (y - pad_y) / video_size[1],
                size[0] / video_size[0],
                size[1] / video_size[1],
            )
            if view.is_plausible:
                found.append((best, view))
    found.sort(key=lambda pair: -pair[0])
    return drop_near_duplicates((view for _, view in found), 0.04)[:keep]


def drop_near_duplicates(views: Iterable[ViewRect], distance: float = 0.004) -> list[ViewRect]:
    """Return the views whose corners are more than ``distance`` apart; of near ones the first."""
    unique: list[ViewRect] = []
    for view in views:
        corners = np.array([view.left, view.top, view.left + view.width, view.top + view.height])
        if all(np.abs(corners - [u.left, u.top, u.left + u.width, u.top + u.height]).max() > distance for u in unique):
            unique.append(view)
    return unique


def _make_centred_view(width: float, height: float) -> ViewRect:
    return ViewRect((1 - width) / 2, (1 - height) / 2, width, height)


def _compute_edges(image: Frame, size: Size) -> NDArray[np.float32]:
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA).astype(np.float32).mean(axis=2)
    across = cv2.Sobel(small, cv2.CV_32F, 1, 0, ksize=3)
    down = cv2.Sobel(small, cv2.CV_32F, 0, 1, ksize=3)
    return np.asarray(np.sqrt(np.hypot(across, down)), np.float32)


def _strip_margins(image: Frame) -> list[Box]:
    """Return the whole image, then the box inside its margin of one colour, then the box inside the next margin."""
    height, width = image.shape[:2]
    smooth = cv2.blur(image, (3, 3))
    boxes = [_WHOLE]
    left, top, right, bottom = 0, 0, width, height
    for _ in range(3):
        across, down = _find_content_box(smooth[top:bottom, left:right])
        if right - left == across[1] - across[0] and bottom - top == down[1] - down[0]:
            break
        left, right = left + across[0], left + across[1]
        top, bottom = top + down[0], top + down[1]
        if right - left < 0.1 * width or bottom - top < 0.1 * height:
            break
        boxes.append((left / width, top / height, right / width, bottom / height))
    return boxes


def _find_content_box(image: Frame) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the range of columns and of rows that contain more than the margin's colour."""
    columns = _find_content_range(image.transpose(1, 0, 2))
    rows = _find_content_range(image[:, columns[0] : columns[1]])
    return columns, rows


def _find_content_range(lines: NDArray[np.uint8]) -> tuple[int, int]:
    first, last = _count_margin_lines(lines), len(lines) - _count_margin_lines(lines[::-1])
    return (first, last) if first < last else (0, len(lines))


def _count_margin_lines(lines: NDArray[np.uint8]) -> int:
    """Return how many lines from the first have one colour."""
    colour = np.median(lines[0], axis=0)
    low, high = np.clip(colour - _BAR_TOLERANCE, 0, 255), np.clip(colour + _BAR_TOLERANCE, 0, 255)
    is_bar = cv2.inRange(lines, low, high)
    content = np.flatnonzero(is_bar.mean(axis=1) < 0.99 * 255)
    return int(content[0]) if len(content) else 0
