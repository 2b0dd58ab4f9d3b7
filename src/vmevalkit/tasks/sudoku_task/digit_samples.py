"""Pictures to train and to test the reading of digits with: typefaces and pens, bent, blurred and coded; and what is
no digit. Nothing else needs it."""

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
from vmevalkit.tasks.sudoku_task.digits import Box, Floats, Plane, normalised
from vmevalkit.tasks.sudoku_task.strokes import begun, by_hand

Dice = np.random.Generator
Source = Path | str
"""A font file, ``hand`` for strokes of a pen, ``hershey`` or ``hershey held out``."""

_SIDE = 96
"""Of a glyph before it is bent, blurred and brought to its size."""
_TALL = 57
_NO_DIGITS = "0AEFHKMNQRTWXkmwx?#*+=&@%<>-"
"""Marks that are no digit, nor easily taken for one."""
_HERSHEY = {
    "hershey": (
        cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_PLAIN, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_SCRIPT_SIMPLEX,
    ),
    "hershey held out": (cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_SCRIPT_COMPLEX),
}  # fmt: skip


@lru_cache(maxsize=100_000)
def glyph(path: Path, letter: str) -> Plane | None:
    """A letter of a font in the middle of a square; None where the font lacks it."""
    font: Any = FT2Font(str(path))
    if not font.get_char_index(ord(letter)):
        return None
    font.set_size(64.0, 72.0)
    font.load_char(ord(letter), flags=LoadFlags.NO_HINTING)
    vertices, codes = font.get_path()
    points = np.asarray(vertices, np.float64) * [1, -1]
    kinds = np.asarray(codes).astype(np.uint8)
    ink = points[kinds != 79]
    if len(ink) < 3 or (ink.max(axis=0) - ink.min(axis=0)).max() < 1e-6:
        return None
    low, high = ink.min(axis=0), ink.max(axis=0)
    scale = _TALL / max(high - low)
    canvas = Canvas(_SIDE, _SIDE, (0.0, 0.0, 0.0))
    canvas.shape((points - (low + high) / 2) * scale + _SIDE / 2, kinds, fill=(1.0, 1.0, 1.0))
    return np.ascontiguousarray(canvas.frame()[..., 0])


def pen(dice: Dice, digit: int, share: float = 1.0) -> Plane:
    """A digit by hand."""
    strokes = by_hand(digit, int(dice.integers(1 << 30)), float(dice.uniform(0.5, 3.2)))
    return _lines(dice, begun(strokes, share))


def hershey(dice: Dice, letter: str, faces: str = "hershey") -> Plane:
    plane = np.zeros((_SIDE, _SIDE), np.uint8)
    face, thick = int(dice.choice(_HERSHEY[faces])), int(dice.integers(2, 8))
    (width, height), _ = cv2.getTextSize(letter, face, 1.0, thick)
    size = _TALL / max(width, height)
    cv2.putText(
        plane, letter, (int((_SIDE - width * size) / 2), int((_SIDE + height * size) / 2)), face, size, 255, thick,
        cv2.LINE_AA,
    )  # fmt: skip
    return plane


def drawn(dice: Dice, source: Source, letter: str) -> Plane | None:
    if source == "hand":
        return pen(dice, int(letter)) if letter in "123456789" else None
    if source in _HERSHEY:
        return hershey(dice, letter, str(source))
    return glyph(Path(source), letter)


def digit_sample(dice: Dice, source: Source, digit: int, harsh: float = 1.0) -> Floats | None:
    plane = drawn(dice, source, str(digit))
    return None if plane is None else filmed(dice, bent(dice, plane, by_pen=source == "hand"), harsh)


def no_digit_sample(dice: Dice, sources: Sequence[Source]) -> Floats | None:
    """Letters, scribbles, several digits at once, digits struck out, mirrored ones, rings and blots."""
    kind = int(dice.integers(7)) if dice.random() < 0.9 else 7
    source = sources[int(dice.integers(len(sources)))]
    if kind <= 1:
        letters = drawn(dice, "hershey" if source == "hand" else source, _NO_DIGITS[dice.integers(len(_NO_DIGITS))])
        plane = letters
    elif kind == 2:
        plane = _several(dice, source)
    elif kind == 3:
        plane = _overprinted(dice, source)
    elif kind == 4:
        plane = scribble(dice)
    elif kind == 5:
        plane = _struck(dice, source)
    elif kind == 6:
        plane = _shape(dice)
    else:
        mirrored = drawn(dice, "hershey" if source == "hand" else source, str(dice.choice([3, 4, 7])))
        plane = None if mirrored is None else np.ascontiguousarray(mirrored[:, ::-1])
    return None if plane is None else filmed(dice, bent(dice, plane, by_pen=kind == 4), 1.0)


def _random_digit(dice: Dice, source: Source) -> Plane | None:
    return drawn(dice, source, str(dice.integers(1, 10)))


def _several(dice: Dice, source: Source) -> Plane | None:
    digits = [_random_digit(dice, source) for _ in range(int(dice.integers(2, 4)))]
    if any(digit is None for digit in digits):
        return None
    gap = float(dice.uniform(0.0, 0.25)) * _TALL
    whole = np.zeros((_SIDE, 3 * _SIDE), np.uint8)
    x = 20.0
    for digit in digits:
        assert digit is not None
        columns = np.flatnonzero(digit.any(axis=0))
        part = digit[:, columns[0] : columns[-1] + 1]
        place = whole[:, int(x) : int(x) + part.shape[1]]
        np.maximum(place, part[:, : place.shape[1]], out=place)
        x += part.shape[1] + gap
    return np.asarray(cv2.resize(whole, (_SIDE, _SIDE // 2), interpolation=cv2.INTER_AREA), np.uint8)


def _overprinted(dice: Dice, source: Source) -> Plane | None:
    one, other = _random_digit(dice, source), _random_digit(dice, source)
    if one is None or other is None:
        return None
    shift = dice.uniform(-0.35, 0.35, 2) * _TALL
    moved = cv2.warpAffine(other, np.array([[1, 0, shift[0]], [0, 1, shift[1]]]), (_SIDE, _SIDE))
    both = np.maximum(one, np.asarray(moved, np.uint8))
    new = float((both > 127).sum()) / max(1.0, float((one > 127).sum()))
    return both if new > 1.4 else None


def scribble(dice: Dice) -> Plane:
    """A line back and forth, or tangled."""
    count = int(dice.integers(5, 14))
    if dice.random() < 0.5:
        points = dice.uniform(0, 1, (count, 2))
    else:
        y = np.linspace(0, 1, count) + dice.normal(0, 0.03, count)
        x = np.where(np.arange(count) % 2, 1.0, 0.0) + dice.normal(0, 0.1, count)
        points = np.stack([x, y], axis=1)[:, :: int(dice.choice([-1, 1]))]
    return _lines(dice, [points])


def _struck(dice: Dice, source: Source) -> Plane | None:
    """A digit struck out or crossed."""
    plane = _random_digit(dice, source)
    if plane is None:
        return None
    rows, columns = np.flatnonzero(plane.any(axis=1)), np.flatnonzero(plane.any(axis=0))
    corners = [(columns[0] - 12, rows[0] - 6), (columns[-1] + 12, rows[-1] + 6)]
    crossed = plane.copy()
    thick = int(dice.integers(4, 12))
    for turned in (False, True)[: int(dice.integers(1, 3))]:
        (x, y), (end_x, end_y) = corners
        ends = ((x, end_y), (end_x, y)) if turned else ((x, y), (end_x, end_y))
        start, end = ((int(a), int(b)) for a, b in ends)
        cv2.line(crossed, start, end, 255, thick, cv2.LINE_AA)
    return crossed


def _shape(dice: Dice) -> Plane:
    """A ring, a blot, a bar, a tick, a cross or an arrow."""
    plane = np.zeros((_SIDE, _SIDE), np.uint8)
    thick = int(dice.integers(4, 16))
    middle, reach = _SIDE // 2, _TALL // 2
    kind = int(dice.integers(6))
    if kind == 0:
        axes = (reach, int(reach * dice.uniform(0.6, 1.6)))
        cv2.ellipse(plane, (middle, middle), axes, 0, 0, 360, 255, thick, cv2.LINE_AA)
    elif kind == 1:
        axes = (reach, int(reach * dice.uniform(0.65, 1.0)))
        cv2.ellipse(plane, (middle, middle), axes, float(dice.uniform(0, 180)), 0, 360, 255, -1, cv2.LINE_AA)
    elif kind == 2:
        slope = int(dice.uniform(-0.5, 0.5) * reach)
        cv2.line(plane, (middle - reach, middle - slope), (middle + reach, middle + slope), 255, thick, cv2.LINE_AA)
    else:
        ways = {
            3: [[(0.0, 0.55), (0.35, 1.0), (1.0, 0.0)]],
            4: [[(0.0, 0.0), (1.0, 1.0)], [(1.0, 0.0), (0.0, 1.0)]],
            5: [[(0.0, 0.5), (1.0, 0.5)], [(0.6, 0.2), (1.0, 0.5), (0.6, 0.8)]],
        }
        return _lines(dice, [np.array(way) for way in ways[kind]])
    return plane


def _lines(dice: Dice, strokes: Sequence[NDArray[np.float64]]) -> Plane:
    canvas = Canvas(_SIDE, _SIDE, (0.0, 0.0, 0.0))
    width = float(dice.uniform(0.06, 0.25)) * _TALL
    points = np.concatenate(strokes)
    low, high = points.min(axis=0), points.max(axis=0)
    scale = _TALL / max(float((high - low).max()), 0.1)
    for stroke in strokes:
        canvas.line((stroke - (low + high) / 2) * scale + _SIDE / 2, (1.0, 1.0, 1.0), width)
    return np.ascontiguousarray(canvas.frame()[..., 0])


def bent(dice: Dice, plane: Plane, by_pen: bool) -> Plane:
    """Slanted, turned, stretched, bolder or lighter, and a little out of shape."""
    strong = 1.5 if by_pen else 0.6
    angle, slant = np.radians(dice.normal(0, 6 * strong)), dice.normal(0, 0.16 * strong)
    wide, tall = np.exp(dice.normal(0, 0.15, 2))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    matrix = turn @ np.array([[wide, slant], [0, tall]])
    height, width = plane.shape
    middle = np.array([width, height]) / 2
    y, x = np.ogrid[0:height, 0:width]
    inverse = np.linalg.inv(matrix)
    if dice.random() < 0.6:
        warp = np.array(
            [cv2.resize(dice.normal(0, 1, (4, 4)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
             for _ in range(2)]
        ) * np.float32(dice.uniform(0, 3 * strong))  # fmt: skip
    else:
        warp = np.zeros((2, 1, 1), np.float32)
    across, down = (x - middle[0]).astype(np.float32), (y - middle[1]).astype(np.float32)
    from_x = np.float32(inverse[0, 0]) * across + (np.float32(inverse[0, 1]) * down + np.float32(middle[0])) + warp[0]
    from_y = np.float32(inverse[1, 0]) * across + (np.float32(inverse[1, 1]) * down + np.float32(middle[1])) + warp[1]
    moved = cv2.remap(plane, from_x, from_y, cv2.INTER_LINEAR)
    weight = int(dice.integers(-3, 5))
    if weight > 0:
        moved = cv2.dilate(moved, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (weight + 1, weight + 1)))
    elif weight < -1:
        lighter = cv2.erode(moved, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (-weight, -weight)))
        moved = lighter if (lighter > 127).sum() > 0.45 * (moved > 127).sum() else moved
    return np.asarray(moved, np.uint8)


def filmed(dice: Dice, plane: Plane, harsh: float) -> Floats | None:
    """The ink as a film shows it, segmented and normalised as a reader does it. ``harsh`` scales blur and noise."""
    tall = float(np.exp(dice.uniform(np.log(13), np.log(44))))
    scale = tall / _TALL
    shift = dice.uniform(-0.5, 0.5, 2)
    small = cv2.resize(plane, (max(12, round(plane.shape[1] * scale)), max(12, round(plane.shape[0] * scale))),
                       interpolation=cv2.INTER_AREA)  # fmt: skip
    shown = cv2.warpAffine(small, np.array([[1, 0, shift[0]], [0, 1, shift[1]]]), (small.shape[1], small.shape[0]))
    blur = harsh * float(dice.uniform(0, 0.12)) * min(tall, 20)
    ink = shown.astype(np.float32) * float(dice.uniform(0.35, 1.0))
    if blur > 0.3:
        ink = cv2.GaussianBlur(ink, (0, 0), blur)
    ink += harsh * float(dice.uniform(0, 10)) * dice.standard_normal(ink.shape, np.float32)
    coded = np.clip(ink, 0, 255).astype(np.uint8)
    if dice.random() < 0.4 * harsh:
        quality = int(dice.integers(15, 60))
        coded = cv2.imdecode(cv2.imencode(".jpg", coded, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_GRAYSCALE)
    found = segmented(np.asarray(coded, np.uint8))
    return None if found is None else normalised(coded, [found[0]], [found[1]])[0]


def segmented(ink: Plane) -> tuple[Box, float] | None:
    """The box around all that is as strong as half the peak, but specks; and the peak."""
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
