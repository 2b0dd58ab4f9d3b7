"""Videos that are drawn, read and judged without a video in between: perception and rules alone."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import cv2
import numpy as np

from vmevalkit.core.records import Score
from vmevalkit.eval.verdict import judge
from vmevalkit.media.image import Frame
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.tasks.task import AnyTask, FrameReading, StateTrajectory

HOLD_S = 0.6
"""So long the last state stands."""


def judged(task: AnyTask, puzzle: Any, video: StateTrajectory[Any], seconds: float = 3.0, fps: float = 12.0) -> Score:
    """The verdict on a video of the task's own making."""
    return judged_pictures(task, puzzle, lambda t: task.draw(puzzle, video.state_at(t)), seconds, fps)


def judged_pictures(
    task: AnyTask, puzzle: Any, picture_at: Callable[[float], Frame], seconds: float = 3.0, fps: float = 12.0
) -> Score:
    """The verdict on images from t = 0 to 1, shrunk as a registered video would be."""
    reader = task.reader(puzzle)
    moving = round(seconds * fps)
    before: Any = None
    trace: list[FrameReading[Any]] = []
    for i in range(moving + round(HOLD_S * fps)):
        image = picture_at(min(1.0, i / (moving - 1)))
        small = np.asarray(cv2.resize(image, task.reading_size(puzzle), interpolation=cv2.INTER_AREA), np.uint8)
        state = reader.read(RegisteredFrame(small, i / fps), before)
        before = before if state is None else state
        trace.append(FrameReading(i / fps, state))
    return judge(task, puzzle, trace, "rules")


def check_verdicts(task: AnyTask, difficulty: str, puzzles: int, failing_below: float) -> None:
    """Every video of some puzzles gets the verdict it deserves; one that fails is not solved, and its outcome is low.
    The reference solution is worth a 5, also when it is short."""
    for seed in range(puzzles):
        puzzle = task.sample(Random(seed), task.preset(difficulty))
        for name, video in task.cheats(puzzle, Random(seed)).items():
            found = judged(task, puzzle, video)
            assert found.passed == (video.expected == "pass"), (name, seed, puzzle, found.explanation)
            if video.expected == "fail":
                assert not found.solved and found.outcome < failing_below
        assert judged(task, puzzle, gold(task, puzzle), seconds=1.2, fps=8.0).value == 5


def gold(task: AnyTask, puzzle: Any) -> StateTrajectory[Any]:
    return StateTrajectory(lambda t: task.solution(puzzle, t), "pass", "the reference solution")


def still(task: AnyTask, puzzle: Any) -> StateTrajectory[Any]:
    return StateTrajectory(lambda _: task.solution(puzzle, 0.0), "fail", "the first frame, for ever")
