"""Trails, highlights, shadows and other styles pass with a remark; things that were added do not."""

from __future__ import annotations

import pytest

from eval.leftover_videos import list_videos, score_video
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan

VIDEOS = {(task, name): (expected, build) for name, task, expected, build in list_videos()}
CHECKED = [
    *(("maze", name) for name in ("trail_blue", "trail_green", "trail_thin", "trail_faint", "path_then_walk")),
    *(("maze", name) for name in ("thick_walls", "dot_large", "shaded_ball", "dot_shadow", "progress_bar", "vignette")),
    *(("maze", name) for name in ("maze_second_dot", "maze_blue_disc", "maze_star")),
    *(("chess", name) for name in ("progress_bar", "tint_yellow", "disc", "star", "smeared_piece", "ninth_file")),
    *(("raven", name) for name in ("random_tiles", "answer_highlighted")),
    *(("sudoku", name) for name in ("vignette", "slot_machine", "half_digit")),
    *(("rotation_puzzle", name) for name in ("shaded_pipes", "hinge")),
    *(("object_subtraction", name) for name in ("vignette", "shaded_objects", "blurred_addition")),
]


@pytest.mark.parametrize(("task_name", "name"), CHECKED)
def test_a_leftover_gates_by_what_it_is(task_name: str, name: str) -> None:
    task, (expected, build) = TASKS[task_name], VIDEOS[task_name, name]
    [puzzle] = plan(task, 1, 11, task.preset())
    score = score_video(task, puzzle, build)
    assert score.passed == (expected == "pass"), score.explanation
    if expected == "pass":
        assert score.value in (4, 5)
