"""Symmetry: completed again by flipping arrays until nothing changes."""

from __future__ import annotations

import numpy as np
import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.symmetry import COLOURS, TASK, Symmetry


def complete(puzzle: Symmetry) -> dict[str, str]:
    """Return what the mirrored grids add to the grid."""
    given = np.array(puzzle.given, dtype="U8")
    whole = np.where(given == "", np.fliplr(given), given)
    if puzzle.axes == 2:
        whole = np.where(whole == "", np.flipud(whole), whole)
    return {f"r{r}c{c}": str(whole[r, c]) for r, c in np.argwhere((whole != "") & (given == ""))}


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_answer_is_what_flipping_adds(difficulty: str) -> None:
    for puzzle in plan(TASK, 20, 4, TASK.preset(difficulty)):
        assert [complete(puzzle)] == [dict(answer) for answer in TASK.answers(puzzle)]


def test_the_prompt_names_the_colours_of_the_picture() -> None:
    for puzzle in plan(TASK, 20, 4, TASK.preset("medium")):
        used = {colour for row in puzzle.given for colour in row if colour}
        assert {colour for colour in COLOURS if f" {colour} " in TASK.prompt(puzzle)} == used
