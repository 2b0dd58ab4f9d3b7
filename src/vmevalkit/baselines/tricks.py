"""Trick films: what a scorer must not be fooled by, and what it must not mistake for a trick.

A generic trick needs nothing but a task's reference solution. A task's own films become tricks too, by ``own_tricks``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import cv2
import numpy as np

from vmevalkit.media.canvas import blend
from vmevalkit.media.picture import Frame
from vmevalkit.tasks.task import AnyTask, Expected, Film

LEAD_S = 0.2
"""Films begin with the first frame for a moment."""
TAIL_S = 0.6
"""Films end on their last state, which stands for longer than the half second over which a scorer reads it."""
NOISE_LASTS = 0.1
"""The share of a noise film after which its grains change: noise is dear to encode."""

Shot = Callable[[float], Frame]
"""The picture at a position in the moving part of a film, from 0 to 1. It is asked in order of time."""
Timing = Callable[[float], float]
"""From a position in the moving part of a film to the time of the reference solution, both from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Reel:
    """A film before any artefact and any encoding. Its frames can be taken once."""

    frames: Iterator[Frame]
    fps: float
    count: int
    """How many frames there are."""

    @property
    def seconds(self) -> float:
        return self.count / self.fps


@dataclass(frozen=True, slots=True)
class Trick:
    """A way to film a puzzle."""

    name: str
    description: str
    prepare: Callable[[AnyTask, Any, Random], Shot]
    pace: float = 1.0
    """Length of the moving part, relative to the length that was asked for."""
    fps: float | None = None
    """Frames per second, where the trick lies in them."""

    def reel(self, task: AnyTask, puzzle: Any, rng: Random, seconds: float, fps: float) -> Reel:
        """The film. It holds its first picture for a moment and its last for a while."""
        lead_s, tail_s = min(LEAD_S, 0.1 * seconds), min(TAIL_S, 0.3 * seconds)
        moving_s = (seconds - lead_s - tail_s) * self.pace
        rate = self.fps or fps
        count = max(2, round((lead_s + moving_s + tail_s) * rate))
        shot = self.prepare(task, puzzle, rng)
        frames = (shot(min(max((i / rate - lead_s) / moving_s, 0.0), 1.0)) for i in range(count))
        return Reel(frames, rate, count)


class Stage:
    """Draws the states of one puzzle. A scene that stands still is drawn once."""

    def __init__(self, task: AnyTask, puzzle: Any) -> None:
        self._task, self._puzzle = task, puzzle
        self._state: Any = None
        self._frame: Frame | None = None

    def draw(self, state: Any) -> Frame:
        if self._frame is None or state != self._state:
            self._state, self._frame = state, self._task.draw(self._puzzle, state)
        return self._frame


def own_tricks(task: AnyTask, puzzle: Any, rng: Random) -> dict[str, tuple[Trick, Expected]]:
    """The task's own films of this puzzle as tricks, each with the verdict that it deserves."""
    return {name: (_of_film(name, film), film.expected) for name, film in task.films(puzzle, rng).items()}


def _of_film(name: str, film: Film[Any]) -> Trick:
    def prepare(task: AnyTask, puzzle: Any, _rng: Random) -> Shot:
        stage = Stage(task, puzzle)
        return lambda x: stage.draw(film.state_at(x))

    return Trick(name, film.why, prepare)


def _timed(timing: Timing) -> Callable[[AnyTask, Any, Random], Shot]:
    """The reference solution, played by a timing of its own."""
    return _solution(lambda _: timing)


def _solution(timing: Callable[[Random], Timing]) -> Callable[[AnyTask, Any, Random], Shot]:
    """The same for a timing in which something is random."""

    def prepare(task: AnyTask, puzzle: Any, rng: Random) -> Shot:
        stage, time_at = Stage(task, puzzle), timing(rng)
        return lambda x: stage.draw(task.solution(puzzle, time_at(x)))

    return prepare


def _steady(x: float) -> float:
    return x


def _eased(x: float) -> float:
    return x * x * (3 - 2 * x)


def _paused(rng: Random) -> Timing:
    where, length = rng.uniform(0.3, 0.7), rng.uniform(0.25, 0.4)
    start = where * (1 - length)

    def time_at(x: float) -> float:
        if x <= start:
            return x / (1 - length)
        return max(where, (x - length) / (1 - length))

    return time_at


def _standing(_x: float) -> float:
    return 0.0


def _cut(rng: Random) -> Timing:
    where = rng.uniform(0.25, 0.75)
    return lambda x: float(x >= where)


def _backwards(x: float) -> float:
    return 1 - x


def _halfway(rng: Random) -> Timing:
    until = rng.uniform(0.5, 1.0)
    return lambda x: 0.5 * min(x / until, 1.0)


def _destroyed(rng: Random) -> Timing:
    left = rng.uniform(0.1, 0.3)
    points = [0.0, 0.45, 0.6, 1.0], [0.0, 1.0, 1.0, left]
    return lambda x: float(np.interp(x, *points))


def _crossfade(task: AnyTask, puzzle: Any, _rng: Random) -> Shot:
    first, final = task.first_frame(puzzle), task.final_frame(puzzle)

    def shot(x: float) -> Frame:
        return first if x == 0 else final if x == 1 else blend(first, final, x)

    return shot


def _noise(task: AnyTask, puzzle: Any, rng: Random) -> Shot:
    """Coloured grains of some pixels. Half of these films begin with the first frame."""
    width, height = task.size(puzzle)
    grain = rng.randint(2, 12)
    first = task.first_frame(puzzle) if rng.random() < 0.5 else None
    dice = np.random.default_rng(rng.getrandbits(64))

    def grains() -> Frame:
        small = dice.integers(0, 256, (-(-height // grain), -(-width // grain), 3), np.uint8)
        return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_NEAREST), np.uint8)

    shown, since = grains(), 0.0

    def shot(x: float) -> Frame:
        nonlocal shown, since
        if x == 0 and first is not None:
            return first
        if x - since > NOISE_LASTS:
            shown, since = grains(), x
        return shown

    return shot


TRICKS: Mapping[str, Trick] = {
    trick.name: trick
    for trick in (
        Trick("oracle", "the reference solution", _timed(_steady)),
        Trick("slower", "the reference solution in a longer film", _timed(_steady), pace=1.6),
        Trick("faster", "the reference solution in a shorter film", _timed(_steady), pace=0.6),
        Trick("eased", "the reference solution, easing in and out", _timed(_eased)),
        Trick("paused", "the reference solution with a pause on the way", _solution(_paused)),
        Trick("fps8", "the reference solution at 8 frames per second", _timed(_steady), fps=8.0),
        Trick("static", "the first frame, and nothing happens", _timed(_standing)),
        Trick("cut_to_final", "the first frame, then a hard cut to the final frame", _solution(_cut)),
        Trick("crossfade", "the first frame dissolves into the final frame", _crossfade),
        Trick("noise", "coloured noise", _noise),
        Trick("reversed", "the reference solution backwards", _timed(_backwards)),
        Trick("halfway", "the reference solution, stopped in the middle", _solution(_halfway)),
        Trick("solved_then_destroyed", "the solution is reached, then mostly undone", _solution(_destroyed)),
    )
}
"""The generic tricks. A task says in ``Task.tricks`` which verdict each deserves."""
