"""First guesses at where a film shows a picture: from sizes, from bars, and from looking everywhere."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.picture import Frame, Size
from vmevalkit.media.view import View

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, as shares of the picture."""

_WHOLE: Box = (0.0, 0.0, 1.0, 1.0)
_NEAR = 20
"""Levels within which a bar is of one colour."""
_SEARCH_SIDE = 72
_SCALES = tuple(0.36 * 1.09**i for i in range(21))
_ASPECTS = (1.0, 0.9, 1.11, 0.8, 1.25)


def size_guesses(picture: Size, film: Size) -> list[View]:
    """Stretched to the film, whole with bars, filling it with a part cut off."""
    ratio = (picture[0] / picture[1]) / (film[0] / film[1])
    wide, high = min(1.0, ratio), min(1.0, 1 / ratio)
    cover_wide, cover_high = max(1.0, ratio), max(1.0, 1 / ratio)
    views = [View(0, 0, 1, 1), _centred(wide, high), _centred(cover_wide, cover_high)]
    return distinct(views)


def bar_guesses(picture: Frame, frame: Frame) -> list[View]:
    """The picture, or its ink alone, laid upon what is left of the frame without its bars."""
    views = []
    inner_boxes = _peeled(picture)[:2]
    for outer in _peeled(frame):
        for inner in inner_boxes:
            width = (outer[2] - outer[0]) / (inner[2] - inner[0])
            height = (outer[3] - outer[1]) / (inner[3] - inner[1])
            views.append(View(outer[0] - inner[0] * width, outer[1] - inner[1] * height, width, height))
    return distinct(view for view in views if view.plausible)


def searched(picture: Frame, frame: Frame, keep: int = 6) -> list[View]:
    """Everywhere and at many scales, by the correlation of edges at a small size; the best first."""
    height, width = frame.shape[:2]
    shrink = _SEARCH_SIDE / max(width, height)
    film_size = max(8, round(width * shrink)), max(8, round(height * shrink))
    film = _edges(frame, film_size)
    pad_x, pad_y = film_size[0] // 2, film_size[1] // 2
    film = cv2.copyMakeBorder(film, pad_y, pad_y, pad_x, pad_x, cv2.BORDER_CONSTANT, value=0)
    picture_height, picture_width = picture.shape[:2]
    base = min(film_size[0] / picture_width, film_size[1] / picture_height)
    found: list[tuple[float, View]] = []
    for aspect in _ASPECTS:
        for scale in _SCALES:
            size = (
                round(picture_width * base * scale * aspect**0.5),
                round(picture_height * base * scale / aspect**0.5),
            )
            if min(size) < 10 or size[0] > film.shape[1] or size[1] > film.shape[0]:
                continue
            likely = cv2.matchTemplate(film, _edges(picture, size), cv2.TM_CCORR_NORMED)
            _, best, _, (x, y) = cv2.minMaxLoc(likely)
            view = View(
                (x - pad_x) / film_size[0], (y - pad_y) / film_size[1], size[0] / film_size[0], size[1] / film_size[1]
            )
            if view.plausible:
                found.append((best, view))
    found.sort(key=lambda pair: -pair[0])
    return distinct((view for _, view in found), 0.04)[:keep]


def distinct(views: Iterable[View], apart: float = 0.004) -> list[View]:
    """Without near repetitions; the first of each stays."""
    kept: list[View] = []
    for view in views:
        corners = np.array([view.left, view.top, view.left + view.width, view.top + view.height])
        if all(np.abs(corners - [k.left, k.top, k.left + k.width, k.top + k.height]).max() > apart for k in kept):
            kept.append(view)
    return kept


def _centred(width: float, height: float) -> View:
    return View((1 - width) / 2, (1 - height) / 2, width, height)


def _edges(picture: Frame, size: Size) -> NDArray[np.float32]:
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype(np.float32).mean(axis=2)
    across = cv2.Sobel(small, cv2.CV_32F, 1, 0, ksize=3)
    down = cv2.Sobel(small, cv2.CV_32F, 0, 1, ksize=3)
    return np.asarray(np.sqrt(np.hypot(across, down)), np.float32)


def _peeled(picture: Frame) -> list[Box]:
    """The whole, then what remains when the margin of one colour is taken off, then once more."""
    height, width = picture.shape[:2]
    calm = cv2.blur(picture, (3, 3))
    boxes = [_WHOLE]
    left, top, right, bottom = 0, 0, width, height
    for _ in range(3):
        across, down = _busy(calm[top:bottom, left:right])
        if right - left == across[1] - across[0] and bottom - top == down[1] - down[0]:
            break
        left, right = left + across[0], left + across[1]
        top, bottom = top + down[0], top + down[1]
        if right - left < 0.1 * width or bottom - top < 0.1 * height:
            break
        boxes.append((left / width, top / height, right / width, bottom / height))
    return boxes


def _busy(picture: Frame) -> tuple[tuple[int, int], tuple[int, int]]:
    """From and to which column, and row, there is more than the margin's colour."""
    columns = _between(picture.transpose(1, 0, 2))
    rows = _between(picture[:, columns[0] : columns[1]])
    return columns, rows


def _between(lines: NDArray[np.uint8]) -> tuple[int, int]:
    first, last = _margin(lines), len(lines) - _margin(lines[::-1])
    return (first, last) if first < last else (0, len(lines))


def _margin(lines: NDArray[np.uint8]) -> int:
    """How many lines from the first are of one colour."""
    colour = np.median(lines[0], axis=0)
    low, high = np.clip(colour - _NEAR, 0, 255), np.clip(colour + _NEAR, 0, 255)
    near = cv2.inRange(lines, low, high)
    busy = np.flatnonzero(near.mean(axis=1) < 0.99 * 255)
    return int(busy[0]) if len(busy) else 0
