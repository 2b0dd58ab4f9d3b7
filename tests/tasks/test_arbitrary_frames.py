"""A reader never raises, whatever the pixels: tasks whose own tests do not read arbitrary frames."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from arbitrary_frames import read_arbitrary_frames

from vmevalkit.eval.pipeline import score_timed_frames
from vmevalkit.media.video import TimedFrame
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", ["chess", "raven"])
def test_a_reader_reads_arbitrary_frames(name: str, seed: int) -> None:
    task = TASKS[name]
    [puzzle] = plan(task, 1, seed, task.preset())
    assert len(read_arbitrary_frames(task, puzzle, seed)) == 8


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_the_rotation_reader_reads_arbitrary_frames(seed: int) -> None:
    task = TASKS["rotation"]
    [puzzle] = plan(task, 1, seed, task.preset())
    assert len(read_arbitrary_frames(task, puzzle, seed, frames=5)) == 5


@pytest.mark.parametrize("side", [1, -1])
def test_a_tile_that_slides_in_is_an_answer(side: int) -> None:
    task = TASKS["raven"]
    [puzzle] = plan(task, 1, 3, task.preset())
    first, final = task.first_frame(puzzle), task.final_frame(puzzle)
    cell = np.ascontiguousarray(final[304:446, 304:446])
    frames = []
    for index in range(42):
        shown = first.copy()
        shift = round(max(0.0, 1 - index / 28) * 160)
        shown[304:446, 304:446] = 255
        matrix = np.array([[1, 0, side * shift], [0, 1, 0]], np.float32)
        moved = cv2.warpAffine(cell, matrix, (142, 142), borderValue=(255, 255, 255))
        shown[304:446, 304:446] = first[304:446, 304:446] if index == 0 else moved
        frames.append(TimedFrame(index / 12, shown))
    assert score_timed_frames(task, puzzle, frames).passed
