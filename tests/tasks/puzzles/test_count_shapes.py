"""Counting: counted again in the picture, as areas of one colour and by how much of their box they fill."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.count_shapes import COLOURS, TASK, CountShapes

SHARES = {"triangle": (0.5, 0.6), "star": (0.4, 0.5), "circle": (0.7, 0.87), "square": (0.9, 1.01)}
"""Share of its bounding box that a shape fills."""


def count(puzzle: CountShapes, wanted: str) -> int:
    """Return how many shapes, such as ``star`` or ``red star``, the first frame shows."""
    picture, found = TASK.first_frame(puzzle).astype(int), []
    for colour, code in COLOURS.items():
        near = np.abs(picture - np.round(np.array(to_rgb(code)) * 255)).max(axis=2) < 30
        _, _, stats, _ = cv2.connectedComponentsWithStats(near.astype(np.uint8), connectivity=4)
        for _, _, width, height, area in stats[1:]:
            if area > 40:
                share = area / (width * height)
                found += [f"{colour} {shape}" for shape, (low, high) in SHARES.items() if low <= share < high]
    assert len(found) == len(puzzle.things)
    return sum(look == wanted or look.split()[1] == wanted for look in found)


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_number_is_what_the_picture_shows(difficulty: str) -> None:
    for puzzle in plan(TASK, 12, 4, TASK.preset(difficulty)):
        number = count(puzzle, puzzle.wanted) - (count(puzzle, puzzle.less) if puzzle.less else 0)
        assert [{"box": str(number)}] == [dict(answer) for answer in TASK.answers(puzzle)]
        assert f"{puzzle.wanted}s" in TASK.prompt(puzzle)
