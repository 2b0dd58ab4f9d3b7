"""Shape sorter: which shape goes where again, from the drawn pictures alone."""

from __future__ import annotations

import numpy as np
import pytest

from vmevalkit.tasks.kit import PALETTE, Canvas
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.shape_sorter import SLOT, TASK, Sorter


def cut_places(puzzle: Sorter, row: int) -> list[np.ndarray]:
    """Return which pixels around each place differ from its background, which has one colour; a line is not inside."""
    image = TASK.first_frame(puzzle).astype(int)
    cuts = []
    for index in range(len(puzzle.shapes)):
        x, y = (round(value) for value in TASK.position(puzzle, TASK.pieces(puzzle)[0], (row, index)))
        cut = image[y - SLOT // 2 + 2 : y + SLOT // 2 - 4, x - SLOT // 2 + 1 : x + SLOT // 2 - 1]
        cuts.append(np.abs(cut - cut[0, 0]).sum(axis=2) > 9)
    return cuts


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_shapes_end_in_the_outlines_that_cover_the_same_pixels(difficulty: str) -> None:
    for puzzle in plan(TASK, 6, 4, TASK.preset(difficulty)):
        outlines, shapes = cut_places(puzzle, 0), cut_places(puzzle, 1)
        end = TASK.path(puzzle)[-1]
        for index, shape in enumerate(shapes):
            same = [place for place, outline in enumerate(outlines) if (shape != outline).sum() < 0.04 * shape.sum()]
            assert end[index] == ((0, same[0]) if same else (1, index))
        assert len(TASK.path(puzzle)) - 1 == sum(row == 0 for row, _ in end) >= 4


def test_no_two_looks_are_nearly_the_same() -> None:
    for puzzle in plan(TASK, 6, 4, TASK.preset("hard")):
        pictures = []
        for part in TASK.stage(puzzle).start.parts:
            canvas = Canvas(100, 100, PALETTE.PAPER)
            TASK.paint(canvas, type(part)("", 50, 50, part.look))
            pictures.append(canvas.frame().min(axis=2) < 200)
        for i, one in enumerate(pictures):
            assert all((one != other).sum() > 0.05 * one.sum() for other in pictures[i + 1 :])
