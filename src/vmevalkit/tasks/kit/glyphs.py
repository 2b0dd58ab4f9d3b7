"""Digits and numbers in the ink of a cell, in any typeface: connected parts of the ink, and what they form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np

from vmevalkit.tasks.kit.digit_network import NO_DIGIT, Floats, InkBox, Plane, classify, normalise_ink

SPECK = 0.03
"""A part whose box has less than this share of the largest one's area is ignored."""
MIN_PART_PX = 6
"""If no part is this wide or tall, at reading size, there are only specks."""
TALL = 0.6
"""Parts that are this tall relative to all of them together, and side by side, are separate digits."""
MIN_PROBABILITY = 0.5
"""Probability that a digit must have to be read."""
INK_EDGE = 0.45
"""Share of a cell's strongest ink at which the edge of a digit is."""
_THIN_EDGE = 0.3
"""The same for a second look."""
_SAME_GLYPH = 0.4
"""Parts that overlap sideways by this share of the narrower one are of one digit."""
_TALL_HOLE, _OFF_MIDDLE = 0.5, 0.1
"""Height of the hole of a zero, at least, and how far it may be off its middle, as shares of its height."""
_FILLED = 0.6
"""Share of its box that the outline of a zero has, at least."""
_FAINT_INK, _FAINT_SHARE = 0.22, 0.04
"""Share of the strongest ink from which on there is some, and how much of it may be beside a number."""
_AROUND = np.ones((5, 5), np.uint8)


class InkPart(NamedTuple):
    """The box around connected ink."""

    left: int
    top: int
    width: int
    height: int

    def touches_edge(self, rows: slice, columns: slice) -> bool:
        """Return whether it reaches an edge of a window."""
        touches_side = self.left <= columns.start or self.left + self.width >= columns.stop
        return bool(touches_side or self.top <= rows.start or self.top + self.height >= rows.stop)


def find_parts(mask: Plane, left: int = 0, top: int = 0) -> list[InkPart]:
    """Return the parts of a mask whose corner is at (left, top), without those inside another one."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE, offset=(left, top))
    return [InkPart(*cv2.boundingRect(contour)) for contour in contours]


def drop_specks(parts: Sequence[InkPart]) -> list[InkPart]:
    """Return the parts that are not specks, from left to right."""
    if all(max(part.width, part.height) < MIN_PART_PX for part in parts):
        return []
    min_area = SPECK * max(part.width * part.height for part in parts)
    return sorted(part for part in parts if part.width * part.height >= min_area)


def bounding_box(parts: Sequence[InkPart]) -> InkBox:
    """Return the box around all parts."""
    if len(parts) == 1:
        return parts[0]
    left, top = min(p.left for p in parts), min(p.top for p in parts)
    right, bottom = max(p.left + p.width for p in parts), max(p.top + p.height for p in parts)
    return left, top, right - left, bottom - top


def are_side_by_side(parts: Sequence[InkPart]) -> bool:
    """Return whether several parts are beside each other like digits, rather than parts of one digit."""
    if len(parts) == 1:
        return False
    height = bounding_box(parts)[3]
    tall = [part for part in parts if part.height >= TALL * height]
    return any(one.left + one.width <= other.left for one in tall for other in tall)


def pick_digits(probabilities: Floats) -> list[int]:
    """Return the digit of each sample, or NO_DIGIT if none is probable enough."""
    digits = np.where(probabilities.max(axis=1) >= MIN_PROBABILITY, probabilities.argmax(axis=1), NO_DIGIT)
    return [int(digit) for digit in digits]


def read_digit(ink: Plane) -> int | None:
    """Return the digit that the ink of a cell is; None where it is not exactly one."""
    peak = float(ink.max())
    parts = drop_specks(find_parts(_cut_out(ink, INK_EDGE)))
    if not parts or are_side_by_side(parts):
        return None
    digit = pick_digits(classify(normalise_ink(ink, [bounding_box(parts)], [peak])))[0]
    return None if digit == NO_DIGIT else digit


def read_number(ink: Plane) -> tuple[str, InkBox]:
    """Return the number that the ink of a cell is, digit by digit, and its box; an empty text where it is none, is cut
    off, or shows through another mark."""
    mask = _cut_out(ink, INK_EDGE)
    parts = drop_specks(find_parts(mask))
    height, width = ink.shape
    if not parts or any(part.touches_edge(slice(0, height), slice(0, width)) for part in parts):
        return "", (0, 0, 0, 0)
    whole = bounding_box(parts)
    if _has_faint_ink(ink, mask, whole):
        return "", whole
    number = _read_digits(ink, mask, parts)
    if not number:  # the thinnest strokes of some typefaces are weaker
        mask = _cut_out(ink, _THIN_EDGE)
        number = _read_digits(ink, mask, drop_specks(find_parts(mask)))
    return number, whole


def _read_digits(ink: Plane, mask: Plane, parts: Sequence[InkPart]) -> str:
    boxes = [bounding_box(glyph) for glyph in _group_parts(parts)]
    digits = pick_digits(classify(normalise_ink(ink, boxes, [float(ink.max())] * len(boxes))))
    texts = [
        "0" if _is_zero(mask, box) else "" if digit == NO_DIGIT else str(digit)
        for digit, box in zip(digits, boxes, strict=True)
    ]
    return "".join(texts) if all(texts) else ""


def _has_faint_ink(ink: Plane, mask: Plane, box: InkBox) -> bool:
    """Return whether another mark shows between strokes; the ground there may have a colour of its own."""
    left, top, width, height = box
    window = slice(top, top + height), slice(left, left + width)
    between = ink[window][cv2.dilate(mask, _AROUND)[window] == 0]
    if not between.size:
        return False
    limit = float(np.median(between)) + _FAINT_INK * float(ink.max())
    return int(np.count_nonzero(between > limit)) > _FAINT_SHARE * cv2.countNonZero(mask)


def _group_parts(parts: Sequence[InkPart]) -> list[list[InkPart]]:
    """Return the parts of each digit, from left to right: thin strokes may be broken, so small parts belong to the tall
    one nearest to them."""
    height = bounding_box(parts)[3]
    glyphs: list[list[InkPart]] = []
    for part in parts:
        if part.height < TALL * height:
            continue
        last = bounding_box(glyphs[-1]) if glyphs else part
        shared = min(last[0] + last[2], part.left + part.width) - max(last[0], part.left)
        if glyphs and shared > _SAME_GLYPH * min(last[2], part.width):
            glyphs[-1].append(part)
        else:
            glyphs.append([part])
    if not glyphs:
        return [list(parts)]
    middles = [glyph[0].left + glyph[0].width / 2 for glyph in glyphs]
    for part in parts:
        if part.height < TALL * height:
            distances = [abs(part.left + part.width / 2 - middle) for middle in middles]
            glyphs[distances.index(min(distances))].append(part)
    return glyphs


def _cut_out(ink: Plane, edge: float) -> Plane:
    return np.asarray(cv2.compare(ink, edge * float(ink.max()), cv2.CMP_GT), np.uint8)


def _is_zero(mask: Plane, box: InkBox) -> bool:
    """Return whether a part is an upright ring with a tall hole: the network knows the digits 1 to 9."""
    left, top, width, height = box
    part = np.ascontiguousarray(mask[top : top + height, left : left + width])
    contours, levels = cv2.findContours(part, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    outer = [contour for contour, level in zip(contours, levels[0], strict=True) if level[3] < 0]
    holes = [contour for contour, level in zip(contours, levels[0], strict=True) if level[3] >= 0]
    if len(outer) != 1 or len(holes) != 1 or height <= width:
        return False
    _, hole_top, _, hole_height = cv2.boundingRect(holes[0])
    is_middle = abs(hole_top + hole_height / 2 - height / 2) < _OFF_MIDDLE * height
    return is_middle and hole_height > _TALL_HOLE * height and cv2.contourArea(outer[0]) > _FILLED * width * height
