"""A tiny task to test machinery with: a red dot shall travel along a line into a blue ring."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import cv2
import numpy as np

from vmevalkit.core.errors import Uncertified
from vmevalkit.core.records import Finding, Placement, Score
from vmevalkit.eval.verdict import judge
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.picture import Frame
from vmevalkit.media.sighting import Sighting
from vmevalkit.media.video import read_frames
from vmevalkit.tasks.task import Checked, Film, Glimpse, Reader, Task, Trace, readable

WIDTH, HEIGHT = 192, 112
LEFT, RIGHT = 32.0, 160.0


@dataclass(frozen=True, slots=True)
class DotKnobs:
    margin: int = 30


@dataclass(frozen=True, slots=True)
class Dot:
    """The line's height above the lower edge, and marks beside it."""

    level: int
    marks: tuple[int, ...]


class DotReader:
    def read(self, sighting: Sighting, before: float | None) -> float | None:
        return where(sighting.picture)


class DotTask(Task[Dot, float, DotKnobs]):
    """A state is how far the dot has come, from 0 to 1."""

    name = "dot"
    title = "Dot"
    category = "Dot"
    description = "A dot travels along a line."
    version = "3"
    puzzle_type = Dot
    knobs_type = DotKnobs
    difficulties: ClassVar = {"easy": DotKnobs(), "medium": DotKnobs(24), "hard": DotKnobs(18)}
    tricks: ClassVar = {
        **dict.fromkeys(("oracle", "slower", "faster", "eased", "paused", "fps8"), "pass"),
        **dict.fromkeys(("static", "cut_to_final", "crossfade", "noise", "halfway", "solved_then_destroyed"), "fail"),
        "reversed": "n/a",
    }

    def sample(self, rng: Random, knobs: DotKnobs) -> Dot:
        return Dot(rng.randint(knobs.margin, HEIGHT - knobs.margin), tuple(rng.sample(range(40, 150), 5)))

    def key(self, puzzle: Dot) -> Hashable:
        return puzzle

    def certify(self, puzzle: Dot) -> None:
        if not puzzle.marks:
            raise Uncertified("no marks")

    def prompt(self, puzzle: Dot) -> str:
        return "Move the red dot into the blue ring."

    def metadata(self, puzzle: Dot) -> dict[str, Any]:
        return {}

    def size(self, puzzle: Dot) -> tuple[int, int]:
        return WIDTH, HEIGHT

    def solution(self, puzzle: Dot, t: float) -> float:
        return t

    def draw(self, puzzle: Dot, state: float) -> Frame:
        canvas = Canvas(WIDTH, HEIGHT, "#e8e8e8")
        y = HEIGHT - puzzle.level
        canvas.line([(LEFT, y), (RIGHT, y)], "#909090", 2)
        for mark in puzzle.marks:
            canvas.line([(mark, y - 10), (mark, y + 10)], "#606060", 2)
        canvas.circle(RIGHT, y, 11, fill="#2030ff")
        canvas.circle(LEFT + state * (RIGHT - LEFT), y, 7, fill="#f01010")
        return canvas.frame()

    def reader(self, puzzle: Dot) -> Reader[float]:
        return DotReader()

    def accepted(self, puzzle: Dot, state: float) -> bool:
        return state > 0.95

    def progress(self, puzzle: Dot, state: float) -> float:
        return max(0.0, (state - 0.1) / 0.9)  # the toy reader errs by a few per cent

    def identity(self, puzzle: Dot, state: float) -> Hashable:
        return round(state * 10)

    def check(self, puzzle: Dot, trace: Trace[float]) -> Checked:
        read = readable(trace)
        steps = pairwise(read)
        jumps = [now_s for (was_s, was), (now_s, now) in steps if abs(now - was) > 0.25 + 1.2 * (now_s - was_s)]
        return Checked(tuple(Finding("jump", True, "The dot jumps.", seconds) for seconds in jumps[:1]))

    def films(self, puzzle: Dot, rng: Random) -> dict[str, Film[float]]:
        films = {
            "jumped": Film(lambda t: 0.4 * t if t < 0.5 else 0.6 + 0.4 * t, "fail", "a leap over the middle"),
            "wavering": Film(lambda t: t - 0.1 * float(np.sin(2 * np.pi * t)), "pass", "at a changing speed"),
        }
        if puzzle.level % 2:  # not every puzzle has every film
            films["odd"] = Film(lambda t: 0.3 * t, "fail", "only a little of the way")
        return films


TASK = DotTask()


def where(frame: Frame) -> float | None:
    """How far the dot has come, measured against the ring: it needs no registration. None where there is no dot."""
    levels = frame.astype(np.int16)
    red, green, blue = levels[..., 0], levels[..., 1], levels[..., 2]
    dot = _blob((red - np.maximum(green, blue)) > 90)
    ring = _blob((blue - np.maximum(red, green)) > 90)
    if dot is None or not dot[2]:
        return None
    if ring is None:
        return 1.0  # the dot covers it
    (x, dot_area, _), (goal_x, *_) = dot, ring
    unit = float(np.sqrt(dot_area / (49 * np.pi)))
    return float(np.clip(1 - (goal_x - x) / unit / (RIGHT - LEFT), 0.0, 1.0))


def _blob(mask: np.ndarray) -> tuple[float, float, bool] | None:
    """Where the largest patch lies from the left, its area, and whether it is round: what is partly hidden is not.
    None where there is no patch, or only specks of noise."""
    count, _, stats, centres = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    areas = stats[1:, cv2.CC_STAT_AREA]
    if count == 1 or areas.max() < 40 or count > 6:
        return None
    largest = 1 + int(areas.argmax())
    width, height = stats[largest, cv2.CC_STAT_WIDTH], stats[largest, cv2.CC_STAT_HEIGHT]
    round_ = 0.7 < width / height < 1.43 and areas.max() > 0.5 * width * height
    return float(centres[largest][0]), float(areas.max()), bool(round_)


def careful(task: Any, puzzle: Any, film: Path, placement: Placement | None) -> Score:
    """A scorer that follows the dot through the whole film."""
    trace = [Glimpse(timed.seconds, where(timed.frame)) for timed in read_frames(film)]
    return judge(task, puzzle, trace, "careful")


def fooled(task: Any, puzzle: Any, film: Path, placement: Placement | None) -> Score:
    """A scorer that looks at the end alone."""
    seen = [where(timed.frame) for timed in read_frames(film)]
    last = next((x for x in reversed(seen) if x is not None), 0.0)
    return Score("fooled", "1", 5 if last > 0.95 else 1, last > 0.95, last > 0.95, last)


def lost(task: Any, puzzle: Any, film: Path, placement: Placement | None) -> Score:
    """A scorer that now and then fails or has no verdict."""
    score = careful(task, puzzle, film, placement)
    if score.failure_mode == "static":
        raise RuntimeError("the scorer lost its way")
    return score if score.passed else Score.unscored("lost", "1", "no idea")
