"""What every fill puzzle has: a board, cells with contents of their own, and tricks that are wrong for sure."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from vmevalkit.core.jsonable import to_json
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.kit import FillTask
from vmevalkit.tasks.planning import plan

FILLS = [name for name in TASKS if isinstance(TASKS[name], FillTask)]


@pytest.mark.parametrize("name", FILLS)
def test_the_board_is_all_that_is_drawn(name: str) -> None:
    task = TASKS[name]
    for puzzle in plan(task, 2, 1, task.preset("hard")):
        frame = task.first_frame(puzzle)
        height, width = frame.shape[:2]
        left, top, right, bottom = task.board_box(puzzle)
        inside = np.zeros((height, width), bool)
        inside[round(top * height) : round(bottom * height), round(left * width) : round(right * width)] = True
        assert (frame[~inside] == frame[0, 0]).all()
        for box in task.highlight_boxes(puzzle):
            assert left < (box[0] + box[2]) / 2 < right and top < (box[1] + box[3]) / 2 < bottom


def test_whole_cells_may_be_lit() -> None:
    task = TASKS["magic_square"]
    [puzzle] = plan(task, 1, 1, task.preset("easy"))
    cell = (28 / 416, 28 / 416, 148 / 416, 148 / 416)
    assert task.size(puzzle) == (416, 416)
    assert any(np.allclose(box, cell) for box in task.highlight_boxes(puzzle))


@pytest.mark.parametrize("name", FILLS)
def test_a_trick_that_deserves_to_fail_ends_in_no_answer(name: str) -> None:
    task = TASKS[name]
    for puzzle in plan(task, 2, 1, task.preset("easy")):
        for trick, video in task.cheats(puzzle, Random(3)).items():
            assert task.accepted(puzzle, video.state_at(1.0)) == (video.expected == "pass"), trick


@pytest.mark.parametrize("name", FILLS)
def test_half_of_the_solution_is_no_answer(name: str) -> None:
    task = TASKS[name]
    for puzzle in plan(task, 2, 1, task.preset("easy")):
        assert not task.accepted(puzzle, task.solution(puzzle, 0.55))
        assert task.accepted(puzzle, task.solution(puzzle, 1.0))


@pytest.mark.parametrize("name", FILLS)
def test_what_is_measured_hides_no_field_of_the_puzzle(name: str) -> None:
    task = TASKS[name]
    for puzzle in plan(task, 2, 1, task.preset("hard")):
        record, measured = to_json(puzzle), task.measure_difficulty(puzzle)
        assert {key: record[key] for key in record if key in measured} == {
            key: value for key, value in measured.items() if key in record
        }
