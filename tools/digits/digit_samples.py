"""Images to train and test digit recognition: typefaces and handwriting, distorted, blurred and compressed; and marks
that are not a digit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from matplotlib.ft2font import FT2Font, LoadFlags
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas
from vmevalkit.tasks.kit.digit_network import Floats, InkBox, Plane, normalise_ink
from vmevalkit.tasks.sudoku_task.strokes import cut_strokes, write_digit

Source = Path | str
"""A font file, ``hand`` for strokes of a pen, ``hershey`` or ``hershey held out`` for the strokes of OpenCV."""

_SIDE = 96
"""Side of a glyph's image before it is distorted, blurred and resized."""
_GLYPH_PX = 57
"""The longer side of a glyph in that image."""
_OTHER_MARKS = "0AEFHKMNQRTWXkmwx?#*+=&@%<>-"
"""Marks that are not a digit and do not look like one."""
_HERSHEY = {
    "hershey": (
        cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_PLAIN, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_SCRIPT_SIMPLEX,
    ),
    "hershey held out": (cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_SCRIPT_COMPLEX),
}  # fmt: skip


def make_digit_sample(rng: np.random.Generator, source: Source, digit: int, degradation: float = 1.0) -> Floats | None:
    """Return a digit as the network's input; None if the source lacks it or nothing of it is left."""
    plane = draw_letter(rng, source, str(digit))
    if plane is None:
        return None
    return _degrade(rng, _distort(rng, plane, is_handwritten=source == "hand"), degradation)


def make_other_sample(rng: np.random.Generator, sources: Sequence[Source]) -> Floats | None:
    """Return a letter, a scribble, several digits, a digit struck out or mirrored, or a shape."""
    kind = int(rng.integers(7)) if rng.random() < 0.9 else 7
    source = sources[int(rng.integers(len(sources)))]
    printed_source = "hershey" if source == "hand" else source
    plane: Plane | None
    if kind <= 1:
        plane = draw_letter(rng, printed_source, _OTHER_MARKS[rng.integers(len(_OTHER_MARKS))])
    elif kind == 2:
        plane = _draw_digits_in_a_row(rng, source)
    elif kind == 3:
        plane = _draw_overlapping_digits(rng, source)
    elif kind == 4:
        plane = _draw_scribble(rng)
    elif kind == 5:
        plane = _draw_struck_digit(rng, source)
    elif kind == 6:
        plane = _draw_shape(rng)
    else:
        digit = draw_letter(rng, printed_source, str(rng.choice([3, 4, 7])))
        plane = None if digit is None else np.ascontiguousarray(digit[:, ::-1])
    return None if plane is None else _degrade(rng, _distort(rng, plane, is_handwritten=kind == 4), 1.0)


def draw_letter(rng: np.random.Generator, source: Source, letter: str) -> Plane | None:
    """Return the image of a letter or digit; None if the source lacks it."""
    if source == "hand":
        return _draw_by_hand(rng, int(letter)) if letter in "123456789" else None
    if source in _HERSHEY:
        return _draw_hershey(rng, letter, str(source))
    return _draw_glyph(Path(source), letter)


@lru_cache(maxsize=100_000)
def _draw_glyph(path: Path, letter: str) -> Plane | None:
    """Return a letter of a font at the centre of a square; None if the font lacks it."""
    font: Any = FT2Font(str(path))
    if not font.get_char_index(ord(letter)):
        return None
    font.set_size(64.0, 72.0)
    font.load_char(ord(letter), flags=LoadFlags.NO_HINTING)
    vertices, codes = font.get_path()
    points = np.asarray(vertices, np.float64) * [1, -1]
    kinds = np.asarray(codes).astype(np.uint8)
    outline = points[kinds != 79]  # 79 closes a path and has no point of its own
    if len(outline) < 3 or (outline.max(axis=0) - outline.min(axis=0)).max() < 1e-6:
        return None
    low, high = outline.min(axis=0), outline.max(axis=0)
    scale = _GLYPH_PX / max(high - low)
    canvas = Canvas(_SIDE, _SIDE, (0.0, 0.0, 0.0))
    canvas.shape((points - (low + high) / 2) * scale + _SIDE / 2, kinds, fill=(1.0, 1.0, 1.0))
    return np.ascontiguousarray(canvas.frame()[..., 0])


def _draw_by_hand(rng: np.random.Generator, digit: int, share: float = 1.0) -> Plane:
    strokes = write_digit(digit, int(rng.integers(1 << 30)), float(rng.uniform(0.5, 3.2)))
    return _draw_strokes(rng, cut_strokes(strokes, share))


def _draw_hershey(rng: np.random.Generator, letter: str, faces: str) -> Plane:
    plane = np.zeros((_SIDE, _SIDE), np.uint8)
    face, thickness = int(rng.choice(_HERSHEY[faces])), int(rng.integers(2, 8))
    (width, height), _ = cv2.getTextSize(letter, face, 1.0, thickness)
    size = _GLYPH_PX / max(width, height)
    origin = (int((_SIDE - width * size) / 2), int((_SIDE + height * size) / 2))
    cv2.putText(plane, letter, origin, face, size, 255, thickness, cv2.LINE_AA)
    return plane


def _draw_random_digit(rng: np.random.Generator, source: Source) -> Plane | None:
    return draw_letter(rng, source, str(rng.integers(1, 10)))


def _draw_digits_in_a_row(rng: np.random.Generator, source: Source) -> Plane | None:
    drawn = [_draw_random_digit(rng, source) for _ in range(int(rng.integers(2, 4)))]
    digits = [digit for digit in drawn if digit is not None]
    if len(digits) < len(drawn):
        return None
    gap = float(rng.uniform(0.0, 0.25)) * _GLYPH_PX
    row = np.zeros((_SIDE, 3 * _SIDE), np.uint8)
    x = 20.0
    for digit in digits:
        columns = np.flatnonzero(digit.any(axis=0))
        part = digit[:, columns[0] : columns[-1] + 1]
        place = row[:, int(x) : int(x) + part.shape[1]]
        np.maximum(place, part[:, : place.shape[1]], out=place)
        x += part.shape[1] + gap
    return np.asarray(cv2.resize(row, (_SIDE, _SIDE // 2), interpolation=cv2.INTER_AREA), np.uint8)


def _draw_overlapping_digits(rng: np.random.Generator, source: Source) -> Plane | None:
    one, other = _draw_random_digit(rng, source), _draw_random_digit(rng, source)
    if one is None or other is None:
        return None
    shift = rng.uniform(-0.35, 0.35, 2) * _GLYPH_PX
    moved = cv2.warpAffine(other, np.array([[1, 0, shift[0]], [0, 1, shift[1]]]), (_SIDE, _SIDE))
    both = np.maximum(one, np.asarray(moved, np.uint8))
    ink_ratio = float((both > 127).sum()) / max(1.0, float((one > 127).sum()))
    return both if ink_ratio > 1.4 else None


def _draw_scribble(rng: np.random.Generator) -> Plane:
    """Return a zigzag or a tangled line."""
    count = int(rng.integers(5, 14))
    if rng.random() < 0.5:
        points = rng.uniform(0, 1, (count, 2))
    else:
        y = np.linspace(0, 1, count) + rng.normal(0, 0.03, count)
        x = np.where(np.arange(count) % 2, 1.0, 0.0) + rng.normal(0, 0.1, count)
        points = np.stack([x, y], axis=1)[:, :: int(rng.choice([-1, 1]))]
    return _draw_strokes(rng, [points])


def _draw_struck_digit(rng: np.random.Generator, source: Source) -> Plane | None:
    """Return a digit with one or two lines across it."""
    plane = _draw_random_digit(rng, source)
    if plane is None:
        return None
    rows, columns = np.flatnonzero(plane.any(axis=1)), np.flatnonzero(plane.any(axis=0))
    left, right = int(columns[0] - 12), int(columns[-1] + 12)
    top, bottom = int(rows[0] - 6), int(rows[-1] + 6)
    struck = plane.copy()
    thickness = int(rng.integers(4, 12))
    diagonals = (((left, top), (right, bottom)), ((left, bottom), (right, top)))
    for start, end in diagonals[: int(rng.integers(1, 3))]:
        cv2.line(struck, start, end, 255, thickness, cv2.LINE_AA)
    return struck


def _draw_shape(rng: np.random.Generator) -> Plane:
    """Return a ring, a blot, a bar, a tick, a cross or an arrow."""
    plane = np.zeros((_SIDE, _SIDE), np.uint8)
    thickness = int(rng.integers(4, 16))
    middle, half = _SIDE // 2, _GLYPH_PX // 2
    kind = int(rng.integers(6))
    if kind == 0:
        axes = (half, int(half * rng.uniform(0.6, 1.6)))
        cv2.ellipse(plane, (middle, middle), axes, 0, 0, 360, 255, thickness, cv2.LINE_AA)
    elif kind == 1:
        axes = (half, int(half * rng.uniform(0.65, 1.0)))
        cv2.ellipse(plane, (middle, middle), axes, float(rng.uniform(0, 180)), 0, 360, 255, -1, cv2.LINE_AA)
    elif kind == 2:
        slope = int(rng.uniform(-0.5, 0.5) * half)
        cv2.line(plane, (middle - half, middle - slope), (middle + half, middle + slope), 255, thickness, cv2.LINE_AA)
    else:
        strokes = {
            3: [[(0.0, 0.55), (0.35, 1.0), (1.0, 0.0)]],
            4: [[(0.0, 0.0), (1.0, 1.0)], [(1.0, 0.0), (0.0, 1.0)]],
            5: [[(0.0, 0.5), (1.0, 0.5)], [(0.6, 0.2), (1.0, 0.5), (0.6, 0.8)]],
        }
        return _draw_strokes(rng, [np.array(stroke) for stroke in strokes[kind]])
    return plane


def _draw_strokes(rng: np.random.Generator, strokes: Sequence[NDArray[np.float64]]) -> Plane:
    canvas = Canvas(_SIDE, _SIDE, (0.0, 0.0, 0.0))
    width = float(rng.uniform(0.06, 0.25)) * _GLYPH_PX
    points = np.concatenate(strokes)
    low, high = points.min(axis=0), points.max(axis=0)
    scale = _GLYPH_PX / max(float((high - low).max()), 0.1)
    for stroke in strokes:
        canvas.line((stroke - (low + high) / 2) * scale + _SIDE / 2, (1.0, 1.0, 1.0), width)
    return np.ascontiguousarray(canvas.frame()[..., 0])


def _distort(rng: np.random.Generator, plane: Plane, is_handwritten: bool) -> Plane:
    """Return the plane slanted, rotated, stretched, bolder or lighter, and warped a little."""
    strength = 1.5 if is_handwritten else 0.6
    angle, slant = np.radians(rng.normal(0, 6 * strength)), rng.normal(0, 0.16 * strength)
    x_scale, y_scale = np.exp(rng.normal(0, 0.15, 2))
    rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    inverse = np.linalg.inv(rotation @ np.array([[x_scale, slant], [0, y_scale]]))
    height, width = plane.shape
    middle = np.array([width, height]) / 2
    y, x = np.ogrid[0:height, 0:width]
    if rng.random() < 0.6:
        warp = np.array(
            [cv2.resize(rng.normal(0, 1, (4, 4)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
             for _ in range(2)]
        ) * np.float32(rng.uniform(0, 3 * strength))  # fmt: skip
    else:
        warp = np.zeros((2, 1, 1), np.float32)
    across, down = (x - middle[0]).astype(np.float32), (y - middle[1]).astype(np.float32)
    from_x = np.float32(inverse[0, 0]) * across + (np.float32(inverse[0, 1]) * down + np.float32(middle[0])) + warp[0]
    from_y = np.float32(inverse[1, 0]) * across + (np.float32(inverse[1, 1]) * down + np.float32(middle[1])) + warp[1]
    warped = cv2.remap(plane, from_x, from_y, cv2.INTER_LINEAR)
    weight = int(rng.integers(-3, 5))
    if weight > 0:
        warped = cv2.dilate(warped, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (weight + 1, weight + 1)))
    elif weight < -1:
        lighter = cv2.erode(warped, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (-weight, -weight)))
        warped = lighter if (lighter > 127).sum() > 0.45 * (warped > 127).sum() else warped
    return np.asarray(warped, np.uint8)


def _degrade(rng: np.random.Generator, plane: Plane, degradation: float) -> Floats | None:
    """Return the ink as in a video, cut out and normalised as the reader does it.

    ``degradation`` scales blur, noise and compression. The result is None if nothing is left.
    """
    height_px = float(np.exp(rng.uniform(np.log(13), np.log(44))))
    scale = height_px / _GLYPH_PX
    shift = rng.uniform(-0.5, 0.5, 2)
    width, height = max(12, round(plane.shape[1] * scale)), max(12, round(plane.shape[0] * scale))
    small = cv2.resize(plane, (width, height), interpolation=cv2.INTER_AREA)
    shifted = cv2.warpAffine(small, np.array([[1, 0, shift[0]], [0, 1, shift[1]]]), (width, height))
    blur = degradation * float(rng.uniform(0, 0.12)) * min(height_px, 20)
    ink = shifted.astype(np.float32) * float(rng.uniform(0.35, 1.0))
    if blur > 0.3:
        ink = cv2.GaussianBlur(ink, (0, 0), blur)
    ink += degradation * float(rng.uniform(0, 10)) * rng.standard_normal(ink.shape, np.float32)
    pixels = np.clip(ink, 0, 255).astype(np.uint8)
    if rng.random() < 0.4 * degradation:
        quality = int(rng.integers(15, 60))
        jpeg = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        pixels = cv2.imdecode(jpeg, cv2.IMREAD_GRAYSCALE)
    found = _find_ink(np.asarray(pixels, np.uint8))
    return None if found is None else normalise_ink(pixels, [found[0]], [found[1]])[0]


def _find_ink(ink: Plane) -> tuple[InkBox, float] | None:
    """Return the box around all ink above about half its peak, without specks; and the peak."""
    peak = float(ink.max())
    if peak < 30:
        return None
    _, _, stats, _ = cv2.connectedComponentsWithStats((ink > 0.45 * peak).astype(np.uint8), connectivity=8)
    parts = [s for s in stats[1:] if s[cv2.CC_STAT_AREA] >= 0.06 * stats[1:, cv2.CC_STAT_AREA].max()]
    if not parts:
        return None
    left, top = min(s[0] for s in parts), min(s[1] for s in parts)
    right, bottom = max(s[0] + s[2] for s in parts), max(s[1] + s[3] for s in parts)
    return (int(left), int(top), int(right - left), int(bottom - top)), peak
