"""Trick videos: some must not pass a scorer, and some must pass although they look unusual.

A generic trick works for every task: it needs only the task's reference solution, or only the first frame. A task's own
trick videos come from ``Task.cheats``; ``build_task_tricks`` turns them into tricks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import cv2
import numpy as np

from vmevalkit.media.canvas import blend
from vmevalkit.media.image import Frame
from vmevalkit.tasks.task import AnyTask, Expected, StateTrajectory

LEAD_S = 0.2
"""Seconds for which a video shows its first image before the motion starts."""
TAIL_S = 0.6
"""Seconds for which a video holds its last state: longer than the half second over which a scorer reads it."""
NOISE_INTERVAL = 0.1
"""Fraction of a noise video after which its grains change: noise is slow to encode."""

FrameAt = Callable[[float], Frame]
"""Returns the image at a position in the moving part of a video, from 0 to 1. Positions are requested in order."""
Timing = Callable[[float], float]
"""Maps a position in the moving part of a video to the time of the reference solution, both from 0 to 1."""
PuzzleRenderer = Callable[[AnyTask, Any, Random], FrameAt]
"""Makes the images of a video from a puzzle."""
ImageRenderer = Callable[[Frame, Random], FrameAt]
"""Makes the images of a video from the first frame alone."""


@dataclass(frozen=True, slots=True)
class FrameStream:
    """A video before degradation and encoding. Its frames can be read once."""

    frames: Iterator[Frame]
    fps: float
    count: int
    """Number of frames."""

    @property
    def seconds(self) -> float:
        return self.count / self.fps


@dataclass(frozen=True, slots=True)
class Trick:
    """A kind of video of a puzzle."""

    name: str
    description: str
    make_from_puzzle: PuzzleRenderer
    make_from_image: ImageRenderer | None = None
    """For a trick that needs the first frame only: it works on any question with an image."""
    pace: float = 1.0
    """Length of the moving part, relative to the requested length."""
    fps: float | None = None
    """Frames per second, where they are part of the trick."""

    @property
    def needs_puzzle(self) -> bool:
        return self.make_from_image is None

    def render(self, task: AnyTask, puzzle: Any, rng: Random, seconds: float, fps: float) -> FrameStream:
        """Return the video of a puzzle."""
        return self._stream(self.make_from_puzzle(task, puzzle, rng), seconds, fps)

    def render_image(self, first_frame: Frame, rng: Random, seconds: float, fps: float) -> FrameStream:
        """Return the video of an image, for a trick that needs no puzzle."""
        assert self.make_from_image is not None, f"the trick {self.name!r} needs a puzzle"
        return self._stream(self.make_from_image(first_frame, rng), seconds, fps)

    def _stream(self, frame_at: FrameAt, seconds: float, fps: float) -> FrameStream:
        lead_s, tail_s = min(LEAD_S, 0.1 * seconds), min(TAIL_S, 0.3 * seconds)
        moving_s = (seconds - lead_s - tail_s) * self.pace
        rate = self.fps or fps
        count = max(2, round((lead_s + moving_s + tail_s) * rate))
        frames = (frame_at(min(max((i / rate - lead_s) / moving_s, 0.0), 1.0)) for i in range(count))
        return FrameStream(frames, rate, count)


class StateRenderer:
    """Draws the states of one puzzle. A state that does not change is drawn once."""

    def __init__(self, task: AnyTask, puzzle: Any) -> None:
        self._task, self._puzzle = task, puzzle
        self._state: Any = None
        self._frame: Frame | None = None

    def draw(self, state: Any) -> Frame:
        if self._frame is None or state != self._state:
            self._state, self._frame = state, self._task.draw(self._puzzle, state)
        return self._frame


def build_task_tricks(task: AnyTask, puzzle: Any, rng: Random) -> dict[str, tuple[Trick, Expected]]:
    """Return the task's own trick videos of this puzzle, each with the verdict that it deserves."""
    cheats = task.cheats(puzzle, rng)
    return {name: (_make_trajectory_trick(name, cheat), cheat.expected) for name, cheat in cheats.items()}


def _make_trajectory_trick(name: str, trajectory: StateTrajectory[Any]) -> Trick:
    def make_from_puzzle(task: AnyTask, puzzle: Any, _rng: Random) -> FrameAt:
        renderer = StateRenderer(task, puzzle)
        return lambda x: renderer.draw(trajectory.state_at(x))

    return Trick(name, trajectory.why, make_from_puzzle)


def _play_solution(timing: Timing) -> PuzzleRenderer:
    """Play the reference solution with a timing."""
    return _play_random_solution(lambda _: timing)


def _play_random_solution(make_timing: Callable[[Random], Timing]) -> PuzzleRenderer:
    """Play the reference solution with a random timing."""

    def make_from_puzzle(task: AnyTask, puzzle: Any, rng: Random) -> FrameAt:
        renderer, time_at = StateRenderer(task, puzzle), make_timing(rng)
        return lambda x: renderer.draw(task.solution(puzzle, time_at(x)))

    return make_from_puzzle


def _use_first_frame(make_from_image: ImageRenderer) -> PuzzleRenderer:
    """Make a video of a puzzle from its first frame alone."""
    return lambda task, puzzle, rng: make_from_image(task.first_frame(puzzle), rng)


def _play_steadily(x: float) -> float:
    return x


def _ease(x: float) -> float:
    return x * x * (3 - 2 * x)


def _pause(rng: Random) -> Timing:
    where, length = rng.uniform(0.3, 0.7), rng.uniform(0.25, 0.4)
    start = where * (1 - length)

    def time_at(x: float) -> float:
        if x <= start:
            return x / (1 - length)
        return max(where, (x - length) / (1 - length))

    return time_at


def _cut(rng: Random) -> Timing:
    where = rng.uniform(0.25, 0.75)
    return lambda x: float(x >= where)


def _reverse(x: float) -> float:
    return 1 - x


def _stop_halfway(rng: Random) -> Timing:
    until = rng.uniform(0.5, 1.0)
    return lambda x: 0.5 * min(x / until, 1.0)


def _solve_then_destroy(rng: Random) -> Timing:
    left = rng.uniform(0.1, 0.3)
    points = [0.0, 0.45, 0.6, 1.0], [0.0, 1.0, 1.0, left]
    return lambda x: float(np.interp(x, *points))


def _crossfade(task: AnyTask, puzzle: Any, _rng: Random) -> FrameAt:
    first, final = task.first_frame(puzzle), task.final_frame(puzzle)

    def frame_at(x: float) -> Frame:
        return first if x == 0 else final if x == 1 else blend(first, final, x)

    return frame_at


def _stand_still(first_frame: Frame, _rng: Random) -> FrameAt:
    return lambda _: first_frame


def _make_noise(first_frame: Frame, rng: Random) -> FrameAt:
    """Coloured grains of some pixels. Half of these videos start with the first frame."""
    height, width = first_frame.shape[:2]
    grain = rng.randint(2, 12)
    starts_with_frame = rng.random() < 0.5
    noise_rng = np.random.default_rng(rng.getrandbits(64))

    def make_grains() -> Frame:
        small = noise_rng.integers(0, 256, (-(-height // grain), -(-width // grain), 3), np.uint8)
        return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_NEAREST), np.uint8)

    grains, since = make_grains(), 0.0

    def frame_at(x: float) -> Frame:
        nonlocal grains, since
        if x == 0 and starts_with_frame:
            return first_frame
        if x - since > NOISE_INTERVAL:
            grains, since = make_grains(), x
        return grains

    return frame_at


def _make_image_trick(name: str, description: str, make_from_image: ImageRenderer) -> Trick:
    return Trick(name, description, _use_first_frame(make_from_image), make_from_image)


TRICKS: Mapping[str, Trick] = {
    trick.name: trick
    for trick in (
        Trick("oracle", "the reference solution", _play_solution(_play_steadily)),
        Trick("slower", "the reference solution in a longer video", _play_solution(_play_steadily), pace=1.6),
        Trick("faster", "the reference solution in a shorter video", _play_solution(_play_steadily), pace=0.6),
        Trick("eased", "the reference solution, easing in and out", _play_solution(_ease)),
        Trick("paused", "the reference solution with a pause on the way", _play_random_solution(_pause)),
        Trick("fps8", "the reference solution at 8 frames per second", _play_solution(_play_steadily), fps=8.0),
        _make_image_trick("static", "the first frame, without any motion", _stand_still),
        Trick("cut_to_final", "the first frame, then a hard cut to the final frame", _play_random_solution(_cut)),
        Trick("crossfade", "the first frame dissolves into the final frame", _crossfade),
        _make_image_trick("noise", "coloured noise", _make_noise),
        Trick("reversed", "the reference solution backwards", _play_solution(_reverse)),
        Trick("halfway", "the reference solution, stopped in the middle", _play_random_solution(_stop_halfway)),
        Trick(
            "solved_then_destroyed",
            "the solution is reached, then mostly undone",
            _play_random_solution(_solve_then_destroy),
        ),
    )
}
"""The generic tricks. ``Task.tricks`` says which verdict each deserves."""

SOLVED_TRICKS = frozenset({"oracle", "slower", "faster", "eased", "paused", "fps8", "cut_to_final", "crossfade"})
"""The generic tricks that end with the solved state, however they got there."""
