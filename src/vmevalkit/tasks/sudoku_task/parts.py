"""The ink of a cell in parts that hang together, and what digits they make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np

from vmevalkit.tasks.sudoku_task.digits import NOTHING, Box, Floats, Plane

SPECK = 0.03
"""A part whose box has less than this share of the largest one's area is not looked at."""
SMALLEST_PX = 6
"""Where no part is as large as this one way at least, at reading size, there are but specks."""
TALL = 0.6
"""Parts that are this tall beside the whole, and stand side by side, are digits of their own."""
SURE = 0.5
"""How likely a digit must be to be read."""


class Part(NamedTuple):
    """The box around ink that hangs together."""

    left: int
    top: int
    width: int
    height: int

    def touches(self, rows: slice, columns: slice) -> bool:
        """Whether it reaches an edge of a window."""
        across = self.left <= columns.start or self.left + self.width >= columns.stop
        return bool(across or self.top <= rows.start or self.top + self.height >= rows.stop)


def parts_of(mask: Plane, left: int = 0, top: int = 0) -> list[Part]:
    """The parts of a mask whose corner lies at (left, top); not those inside another one."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE, offset=(left, top))
    return [Part(*cv2.boundingRect(contour)) for contour in contours]


def sizeable(parts: Sequence[Part]) -> list[Part]:
    """Without specks, from left to right."""
    if all(max(part.width, part.height) < SMALLEST_PX for part in parts):
        return []
    least = SPECK * max(part.width * part.height for part in parts)
    return sorted(part for part in parts if part.width * part.height >= least)


def around(parts: Sequence[Part]) -> Box:
    """The box around all parts."""
    if len(parts) == 1:
        return parts[0]
    left, top = min(p.left for p in parts), min(p.top for p in parts)
    right, bottom = max(p.left + p.width for p in parts), max(p.top + p.height for p in parts)
    return left, top, right - left, bottom - top


def side_by_side(parts: Sequence[Part]) -> bool:
    """Whether several parts stand beside each other like digits, rather than make one together."""
    if len(parts) == 1:
        return False
    height = around(parts)[3]
    tall = [part for part in parts if part.height >= TALL * height]
    return any(one.left + one.width <= other.left for one in tall for other in tall)


def told(beliefs: Floats) -> list[int]:
    """The digit that each sample shows, or NOTHING."""
    digits = np.where(beliefs.max(axis=1) >= SURE, beliefs.argmax(axis=1), NOTHING)
    return [int(digit) for digit in digits]
