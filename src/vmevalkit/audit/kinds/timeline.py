"""The timeline of a video: when the motion begins and ends, and how its frames are painted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from vmevalkit.media.image import Frame
from vmevalkit.tasks.task import AnyTask


@dataclass(frozen=True, slots=True)
class Moment:
    """The time of one frame."""

    index: int
    """Number of the frame, from 0."""
    fps: int
    seconds: float
    """Time since the start of the video."""
    total_s: float
    """Length of the video."""
    t: float
    """Share of the motion that is done: 0 before it, 1 after it."""

    @property
    def share(self) -> float:
        """Share of the video that has passed, from 0 to nearly 1."""
        return self.seconds / self.total_s

    @property
    def remaining_s(self) -> float:
        """Time from this frame to the end of the video."""
        return self.total_s - self.seconds


@dataclass(frozen=True, slots=True)
class Timing:
    """Lengths of the three parts of a video."""

    lead_s: float = 0.25
    """Time for which the first frame is shown."""
    move_s: float = 3.0
    """Time of the motion."""
    hold_s: float = 0.7
    """Time for which the end is shown."""

    def iterate_moments(self, fps: int) -> Iterator[Moment]:
        """Yield the time of each frame."""
        total_s = self.lead_s + self.move_s + self.hold_s
        for index in range(round(total_s * fps)):
            seconds = index / fps
            yield Moment(index, fps, seconds, total_s, clamp((seconds - self.lead_s) / self.move_s))


STANDARD = Timing()
LONG_END = Timing(0.25, 2.3, 1.4)
"""For videos in which something happens after the motion."""

Painter: TypeAlias = Callable[[Moment], Frame]
Filter: TypeAlias = Callable[[Frame, Moment], Frame]
"""Changes the frames of another video."""
BuildPainter: TypeAlias = Callable[[AnyTask, Any, Random], Painter]
StateAt: TypeAlias = Callable[[float], Any]
"""Returns the state of a scene at time t of the motion, from 0 to 1."""


def clamp(value: float) -> float:
    """Return the value, at least 0 and at most 1."""
    return min(max(value, 0.0), 1.0)


def ease(share: float) -> float:
    """Return a share that changes slowly at both ends."""
    share = clamp(share)
    return share * share * (3 - 2 * share)


def rise(value: float, start: float, end: float) -> float:
    """Return 0 up to the start, 1 from the end on, and the share between them in between."""
    return clamp((value - start) / (end - start))


def paint_video(painter: Painter, timing: Timing, fps: int) -> Iterator[Frame]:
    """Yield the frames of a video."""
    for moment in timing.iterate_moments(fps):
        yield painter(moment)


def paint_states(task: AnyTask, puzzle: Any, state_at: StateAt) -> Painter:
    """Return a painter of the states."""
    return lambda moment: task.draw(puzzle, state_at(moment.t))


def paint_solution(task: AnyTask, puzzle: Any) -> Painter:
    """Return a painter of the reference solution."""
    return paint_states(task, puzzle, lambda t: task.solution(puzzle, t))


def filter_solution(make_filter: Callable[[Random], Filter]) -> BuildPainter:
    """Return a builder of videos in which all frames of the reference solution are changed by a filter."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        solution, change = paint_solution(task, puzzle), make_filter(rng)
        return lambda moment: change(solution(moment), moment)

    return build


def apply_filter(change: Filter) -> BuildPainter:
    """Return a builder of videos of the reference solution that are changed by a filter without random choices."""
    return filter_solution(lambda _: change)


def repace_solution(pace: Callable[[float], float]) -> BuildPainter:
    """Return a builder of videos that show the reference solution at another pace."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        return paint_states(task, puzzle, lambda t: task.solution(puzzle, clamp(pace(t))))

    return build


def change_ending(make_filter: Callable[[Random], Filter], seconds: float) -> BuildPainter:
    """Return a builder of videos of the reference solution whose last seconds are changed by a filter."""

    def make_late_filter(rng: Random) -> Filter:
        change = make_filter(rng)
        return lambda frame, moment: change(frame, moment) if moment.remaining_s <= seconds else frame

    return filter_solution(make_late_filter)
