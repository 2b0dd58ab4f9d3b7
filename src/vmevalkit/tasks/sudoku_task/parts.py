"""The ink of a cell in parts that hang together, and what digits they make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np

from vmevalkit.tasks.sudoku_task.digits import NOTHING, Box, Floats, Plane

SPECK = 0.06
"""A part with less than this share of the largest one's area is not looked at."""
SMALLEST_PX = 6
"""Nor is one that is smaller than this both ways, at reading size."""
TALL = 0.6
"""Parts that are this tall beside the whole, and stand side by side, are digits of their own."""
SURE = 0.5
"""How likely a digit must be to be read."""


class Part(NamedTuple):
    """Ink that hangs together."""

    left: int
    top: int
    width: int
    height: int
    area: int

    @property
    def box(self) -> Box:
        return self[:4]

    def touches(self, rows: slice, columns: slice) -> bool:
        """Whether it reaches an edge of a window."""
        across = self.left <= columns.start or self.left + self.width >= columns.stop
        return bool(across or self.top <= rows.start or self.top + self.height >= rows.stop)


def parts_of(mask: Plane, left: int = 0, top: int = 0) -> list[Part]:
    """The parts of a mask whose corner lies at (left, top)."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    return [Part(x + left, y + top, width, height, area) for x, y, width, height, area in stats[1:].tolist()]


def sizeable(parts: Sequence[Part]) -> list[Part]:
    """Without specks, from left to right."""
    least = SPECK * max((part.area for part in parts), default=0)
    return sorted(p for p in parts if p.area >= least and max(p.width, p.height) >= SMALLEST_PX)


def around(parts: Sequence[Part]) -> Box:
    """The box around all parts."""
    left, top = min(p.left for p in parts), min(p.top for p in parts)
    right, bottom = max(p.left + p.width for p in parts), max(p.top + p.height for p in parts)
    return left, top, right - left, bottom - top


def side_by_side(parts: Sequence[Part]) -> bool:
    """Whether several parts stand beside each other like digits, rather than make one together."""
    height = around(parts)[3]
    tall = [part for part in parts if part.height >= TALL * height]
    return any(one.left + one.width <= other.left for one in tall for other in tall)


def told(beliefs: Floats) -> int:
    """The digit that a sample shows, or NOTHING."""
    digit = int(np.argmax(beliefs))
    return digit if beliefs[digit] >= SURE else NOTHING
