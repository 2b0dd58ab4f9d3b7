"""Odd one out: found again in the picture, by comparing cells in all turns."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.odd_one_out import CELL, MARGIN, TASK, OddOneOut


def measure_difference(one: np.ndarray, other: np.ndarray, angles: range) -> float:
    """Return how much two cells differ, in the turn in which they are most alike."""
    off = []
    for angle in angles:
        turn = cv2.getRotationMatrix2D((CELL / 2 - 0.5, CELL / 2 - 0.5), angle, 1)
        turned = cv2.warpAffine(one, turn, (CELL, CELL), borderMode=cv2.BORDER_REPLICATE)
        off.append(float(np.abs(turned.astype(float) - other).mean()))
    return min(off)


def find_odd(puzzle: OddOneOut) -> str:
    frame, places = TASK.first_frame(puzzle), range(len(puzzle.things))
    corners = [(MARGIN + CELL * (i // puzzle.columns), MARGIN + CELL * (i % puzzle.columns)) for i in places]
    cells = [frame[y : y + CELL, x : x + CELL] for y, x in corners]
    angles = range(0, 360, 45) if puzzle.ask == "mirror" else range(1)
    nearest = [min(measure_difference(cells[i], cells[j], angles) for j in places if j != i) for i in places]
    odd = int(np.argmax(nearest))
    assert sorted(nearest)[-2] < 0.6 * nearest[odd]  # of all others, each is like another one
    return f"thing{odd}"


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_one_thing_of_the_picture_is_unlike_all_others(difficulty: str) -> None:
    for puzzle in plan(TASK, 6, 4, TASK.preset(difficulty)):
        assert [{find_odd(puzzle): "ring"}] == [dict(answer) for answer in TASK.answers(puzzle)]
