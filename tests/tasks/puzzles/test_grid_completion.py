"""Grid completion: mirrored again; what must not change is refused."""

from __future__ import annotations

import pytest

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzle_loading import load_puzzle
from vmevalkit.tasks.puzzles.grid_completion import TASK, Grid, GridCompletion


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_answer_is_the_mirror_image(difficulty: str) -> None:
    params = TASK.preset(difficulty)
    for puzzle in plan(TASK, 5, 3, params):
        [grid] = puzzle.grids
        assert all(row == row[::-1] for row in grid.answer)
        assert all(row.endswith("_" * params.half) for row in grid.start)
        [answer] = TASK.answers(puzzle)
        assert len(answer) == params.coloured
        assert set(answer.values()) <= set(TASK.contents(puzzle))


def test_only_blank_cells_may_change() -> None:
    with pytest.raises(Uncertified, match="only blank cells may change"):
        TASK.certify(GridCompletion((Grid(("R_",), ("BR",)),)))
    TASK.certify(GridCompletion((Grid(("R.",), ("RB",)),), blank="."))


def test_rows_of_different_lengths_are_refused() -> None:
    with pytest.raises(UsageError, match="equally long"):
        load_puzzle(TASK, {"grids": [{"start": ["R_", "R"], "answer": ["RR", "R"]}]}, "a test")
