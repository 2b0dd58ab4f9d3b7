"""One video for each temporal metric: it lowers that metric and leaves the others nearly alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import cv2
import numpy as np

from vmevalkit.media.image import Frame
from vmevalkit.media.video import TimedFrame
from vmevalkit.tasks.task import AnyTask

SECONDS, FPS, LEAD_S, TAIL_S = 4.0, 24.0, 0.3, 0.8
FrameAt = Callable[[float], Frame]
"""The frame at a time from 0 to 1 of the moving part; less and more are before and after it."""


def play(frame_at: FrameAt) -> Iterator[TimedFrame]:
    moving_s = SECONDS - LEAD_S - TAIL_S
    for index in range(round(SECONDS * FPS)):
        seconds = index / FPS
        yield TimedFrame(seconds, frame_at((seconds - LEAD_S) / moving_s))


def _clip(x: float) -> float:
    return min(max(x, 0.0), 1.0)


def play_solution(task: AnyTask, puzzle: Any, time_at: Callable[[float], float] = lambda x: x) -> FrameAt:
    return lambda x: task.draw(puzzle, task.solution(puzzle, _clip(time_at(_clip(x)))))


def make_oracle(task: AnyTask, puzzle: Any) -> FrameAt:
    return play_solution(task, puzzle)


def go_back_and_forth(task: AnyTask, puzzle: Any) -> FrameAt:
    """The solution goes back half of the way before it comes to its end."""
    return play_solution(task, puzzle, lambda x: float(np.interp(x, [0, 0.4, 0.6, 1], [0, 0.85, 0.25, 1])))


def hide_the_middle(task: AnyTask, puzzle: Any) -> FrameAt:
    """A plain card covers most of the way."""
    solution = play_solution(task, puzzle)
    card = np.full_like(task.first_frame(puzzle), 128)
    return lambda x: card if 0.1 < x < 0.9 else solution(x)


def stop_halfway(task: AnyTask, puzzle: Any) -> FrameAt:
    return play_solution(task, puzzle, lambda x: 0.55 * x)


def blur_more_and_more(task: AnyTask, puzzle: Any) -> FrameAt:
    solution = play_solution(task, puzzle)

    def frame_at(x: float) -> Frame:
        sigma = 0.05 + 0.0035 * _clip(1.5 * x) * max(task.size(puzzle))
        return np.asarray(cv2.GaussianBlur(solution(x), (0, 0), sigma), np.uint8)

    return frame_at


def stutter(task: AnyTask, puzzle: Any) -> FrameAt:
    """The motion stops for a moment, again and again, and then jumps ahead."""
    return play_solution(task, puzzle, lambda x: round(x * 14) / 14)


def damage_for_a_while(task: AnyTask, puzzle: Any) -> FrameAt:
    """A part of the scene that must stay vanishes or changes, and comes back."""
    name = {"sudoku": "given_restored", "raven": "given_restored", "object_subtraction": "restored",
            "maze": "walls_open_and_close"}[task.name]  # fmt: skip
    trajectory = task.cheats(puzzle, Random(1))[name]
    return lambda x: task.draw(puzzle, trajectory.state_at(_clip(x)))


LOWERS: dict[str, Callable[[AnyTask, Any], FrameAt]] = {
    "consistency": go_back_and_forth,
    "demonstration_clarity": hide_the_middle,
    "final_accuracy": stop_halfway,
    "resolution_stability": blur_more_and_more,
    "temporal_smoothness": stutter,
    "object_persistence": damage_for_a_while,
}
"""The video that lowers each metric."""
