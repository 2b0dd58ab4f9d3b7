"""Laying objects out without overlap: at random places, or on a grid where those do not suffice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, sqrt
from random import Random

from vmevalkit.tasks.object_subtraction_task.scene import Box, box_of, unit

MARGIN = 16.0
"""Free stripe at the picture's edge: a film that crops a tenth still shows all objects."""
GAP = 10.0
"""The least distance between two objects' boxes."""
_TRIES = 40

Allowed = Callable[[Box], bool]
"""Whether an object may lie in a box."""


def anywhere(_box: Box) -> bool:
    return True


def place(
    rng: Random, canvas: int, looks: Sequence[tuple[str, int]], allowed: Allowed = anywhere
) -> list[tuple[int, int]] | None:
    """The middle of each object, given its shape and size; None where they do not fit."""
    return _scattered(rng, canvas, looks, allowed) or on_grid(rng, canvas, looks, allowed)


def _scattered(
    rng: Random, canvas: int, looks: Sequence[tuple[str, int]], allowed: Allowed
) -> list[tuple[int, int]] | None:
    """One object after the other where there is room, the largest first."""
    scale = unit(canvas)
    margin, least = MARGIN * scale, GAP * scale
    centres: dict[int, tuple[int, int]] = {}
    boxes: list[Box] = []
    chance = rng.random
    for index in sorted(range(len(looks)), key=lambda i: -looks[i][1]):
        shape, size = looks[index]
        low = ceil(margin + size / 2)
        room = int(canvas - margin - size / 2) - low + 1
        for _ in range(_TRIES):
            x, y = low + int(room * chance()), low + int(room * chance())
            left, top, right, bottom = box = box_of(shape, x, y, size)
            left, top, right, bottom = left - least, top - least, right + least, bottom + least
            # Written out: this loop is most of the time that a question takes to plan.
            for other in boxes:
                if other[0] < right and other[2] > left and other[1] < bottom and other[3] > top:
                    break
            else:
                if allowed(box):
                    centres[index] = (x, y)
                    boxes.append(box)
                    break
        else:
            return None
    return [centres[index] for index in range(len(looks))]


def on_grid(
    rng: Random, canvas: int, looks: Sequence[tuple[str, int]], allowed: Allowed = anywhere
) -> list[tuple[int, int]] | None:
    """Each object in a cell of its own, as far off the cell's middle as there is room."""
    scale = unit(canvas)
    margin, least = MARGIN * scale, GAP * scale
    columns = ceil(sqrt(len(looks)))
    rows = ceil(len(looks) / columns)
    width, height = (canvas - 2 * margin) / columns, (canvas - 2 * margin) / rows
    cells = rng.sample(range(columns * rows), len(looks))
    centres = []
    for (shape, size), cell in zip(looks, cells, strict=True):
        row, column = divmod(cell, columns)
        slack_x, slack_y = width - least - size, height - least - size
        if slack_x < 0 or slack_y < 0:
            return None
        middle_x, middle_y = margin + (column + 0.5) * width, margin + (row + 0.5) * height
        for _ in range(_TRIES):
            x = int(middle_x + slack_x * (rng.random() - 0.5))
            y = int(middle_y + slack_y * (rng.random() - 0.5))
            if allowed(box_of(shape, x, y, size)):
                centres.append((x, y))
                break
        else:
            return None
    return centres
