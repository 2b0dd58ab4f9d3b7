"""Placement of objects without overlap: at random places, or on a grid where that fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, sqrt
from random import Random

from vmevalkit.tasks.object_subtraction_task.scene import Box, compute_box, compute_scale

MARGIN = 16.0
"""Free pixels at the edge of the image: a video that crops a tenth still shows all objects."""
GAP = 10.0
"""The least distance between the boxes of two objects."""
_ATTEMPTS = 40

BoxFilter = Callable[[Box], bool]
"""Whether an object may be placed in a box."""


def allow_any_box(_box: Box) -> bool:
    return True


def place_objects(
    rng: Random, canvas: int, shapes: Sequence[tuple[str, int]], is_allowed: BoxFilter = allow_any_box
) -> list[tuple[int, int]] | None:
    """Return the middle of each object, given its shape and size; None where they do not fit."""
    return _scatter_objects(rng, canvas, shapes, is_allowed) or place_on_grid(rng, canvas, shapes, is_allowed)


def _scatter_objects(
    rng: Random, canvas: int, shapes: Sequence[tuple[str, int]], is_allowed: BoxFilter
) -> list[tuple[int, int]] | None:
    """Place one object after the other at a free random place, the largest first; None where one does not fit."""
    scale = compute_scale(canvas)
    margin, min_gap = MARGIN * scale, GAP * scale
    centres: dict[int, tuple[int, int]] = {}
    boxes: list[Box] = []
    random = rng.random
    for index in sorted(range(len(shapes)), key=lambda i: -shapes[i][1]):
        shape, size = shapes[index]
        low = ceil(margin + size / 2)
        room = int(canvas - margin - size / 2) - low + 1
        for _ in range(_ATTEMPTS):
            x, y = low + int(room * random()), low + int(room * random())
            left, top, right, bottom = box = compute_box(shape, x, y, size)
            left, top, right, bottom = left - min_gap, top - min_gap, right + min_gap, bottom + min_gap
            # Inlined: planning a question spends most of its time in this loop.
            for other in boxes:
                if other[0] < right and other[2] > left and other[1] < bottom and other[3] > top:
                    break
            else:
                if is_allowed(box):
                    centres[index] = (x, y)
                    boxes.append(box)
                    break
        else:
            return None
    return [centres[index] for index in range(len(shapes))]


def place_on_grid(
    rng: Random, canvas: int, shapes: Sequence[tuple[str, int]], is_allowed: BoxFilter = allow_any_box
) -> list[tuple[int, int]] | None:
    """Place each object in a cell of its own, at a random offset from its middle; None where one does not fit."""
    scale = compute_scale(canvas)
    margin, min_gap = MARGIN * scale, GAP * scale
    columns = ceil(sqrt(len(shapes)))
    rows = ceil(len(shapes) / columns)
    width, height = (canvas - 2 * margin) / columns, (canvas - 2 * margin) / rows
    cells = rng.sample(range(columns * rows), len(shapes))
    centres = []
    for (shape, size), cell in zip(shapes, cells, strict=True):
        row, column = divmod(cell, columns)
        slack_x, slack_y = width - min_gap - size, height - min_gap - size
        if slack_x < 0 or slack_y < 0:
            return None
        middle_x, middle_y = margin + (column + 0.5) * width, margin + (row + 0.5) * height
        for _ in range(_ATTEMPTS):
            x = int(middle_x + slack_x * (rng.random() - 0.5))
            y = int(middle_y + slack_y * (rng.random() - 0.5))
            if is_allowed(compute_box(shape, x, y, size)):
                centres.append((x, y))
                break
        else:
            return None
    return centres
