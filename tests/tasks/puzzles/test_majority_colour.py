"""Majority colour: found again in the picture, by the colour in the middle of each place."""

from __future__ import annotations

from statistics import multimode

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.majority_colour import CELL, COLOURS, MARGIN, TASK, Majority


def list_colours(puzzle: Majority) -> dict[int, str]:
    """Return the colour that the first frame shows at each place where there is one."""
    frame = TASK.first_frame(puzzle)
    codes = {tuple(np.round(np.array(to_rgb(code)) * 255).astype(int)): colour for colour, code in COLOURS.items()}
    found = {}
    for place in range(puzzle.columns * puzzle.rows):
        row, column = divmod(place, puzzle.columns)
        level = tuple(frame[MARGIN + CELL * row + CELL // 2, MARGIN + CELL * column + CELL // 2].astype(int))
        if level in codes:
            found[place] = codes[level]
    return found


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_box_takes_the_colour_that_the_picture_shows_most(difficulty: str) -> None:
    for puzzle in plan(TASK, 20, 4, TASK.preset(difficulty)):
        colours = list_colours(puzzle)
        assert len(colours) == len(puzzle.things)
        counted = [colours[place] for place, look in puzzle.things if puzzle.shape in look]
        [colour] = multimode(counted)
        assert [{"box": colour}] == [dict(answer) for answer in TASK.answers(puzzle)]
        if puzzle.shape:
            assert colour not in multimode(colours.values())[:1]
            assert f"the {puzzle.shape}s" in TASK.prompt(puzzle)
        assert all((name in TASK.prompt(puzzle)) == (name in colours.values()) for name in COLOURS)
