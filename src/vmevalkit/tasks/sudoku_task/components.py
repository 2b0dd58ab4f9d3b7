"""Connected parts of a cell's ink, and the digits that they form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np

from vmevalkit.tasks.sudoku_task.digits import NO_DIGIT, Floats, InkBox, Plane

SPECK = 0.03
"""A part whose box has less than this share of the largest one's area is ignored."""
MIN_PART_PX = 6
"""If no part is this wide or tall, at reading size, there are only specks."""
TALL = 0.6
"""Parts that are this tall relative to all of them together, and side by side, are separate digits."""
MIN_PROBABILITY = 0.5
"""Probability that a digit must have to be read."""


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
