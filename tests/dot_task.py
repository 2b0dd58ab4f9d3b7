"""A tiny task for tests: a red dot must move along a line into a blue ring."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import cv2
import numpy as np

from vmevalkit.core.errors import Uncertified
from vmevalkit.core.jsonable import from_json
from vmevalkit.core.records import Finding, Placement, Question, Score
from vmevalkit.eval.verdict import judge
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.video import read_frames
from vmevalkit.tasks.evidence import MotionLimits
from vmevalkit.tasks.task import CheckResult, FrameReading, Reader, StateTrajectory, Task, Trace, readable

WIDTH, HEIGHT = 192, 112
LEFT, RIGHT = 32.0, 160.0


@dataclass(frozen=True, slots=True)
class DotParams:
    margin: int = 30


@dataclass(frozen=True, slots=True)
class Dot:
    """A puzzle: the line's height above the lower edge, and marks on it."""

    level: int
    marks: tuple[int, ...]


class DotReader:
    def read(self, frame: RegisteredFrame, before: float | None) -> float | None:
        return where(frame.image)


class DotTask(Task[Dot, float, DotParams]):
    """The task. A state is the position of the dot, from 0 to 1."""

    name = "dot"
    title = "Dot"
    category = "Dot"
    description = "A dot moves along a line."
    version = "3"
    puzzle_type = Dot
    params_type = DotParams
    difficulties: ClassVar = {"easy": DotParams(), "medium": DotParams(24), "hard": DotParams(18)}
    tricks: ClassVar = {
        **dict.fromkeys(("oracle", "slower", "faster", "eased", "paused", "fps8"), "pass"),
        **dict.fromkeys(("static", "cut_to_final", "crossfade", "noise", "halfway", "solved_then_destroyed"), "fail"),
        "reversed": "n/a",
    }
    motion = MotionLimits(free_steps=1.0, max_steps=1.0, what="the dot", unit="tenths")
    """A step is as long as ten lines: ``check`` judges the motion, and sees the dot nowhere behind a hand."""

    def sample(self, rng: Random, params: DotParams) -> Dot:
        return Dot(rng.randint(params.margin, HEIGHT - params.margin), tuple(rng.sample(range(40, 150), 5)))

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
        return max(0.0, (state - 0.1) / 0.9)  # this simple reader is off by a few per cent

    def moving_parts(self, puzzle: Dot, state: float) -> dict[Hashable, Any]:
        return {"dot": state}

    def count_steps(self, puzzle: Dot, part: Hashable, before: float, after: float) -> float:
        return abs(after - before) / 10

    def state_key(self, puzzle: Dot, state: float) -> Hashable:
        return round(state * 10)

    def check(self, puzzle: Dot, trace: Trace[float]) -> CheckResult:
        read = readable(trace)
        steps = pairwise(read)
        jumps = [now_s for (was_s, was), (now_s, now) in steps if abs(now - was) > 0.25 + 1.2 * (now_s - was_s)]
        return CheckResult(tuple(Finding("jump", True, "The dot jumps.", seconds) for seconds in jumps[:1]))

    def cheats(self, puzzle: Dot, rng: Random) -> dict[str, StateTrajectory[float]]:
        cheats = {
            "jumped": StateTrajectory(
                lambda t: 0.4 * t if t < 0.5 else 0.6 + 0.4 * t, "fail", "a jump over the middle"
            ),
            "wavering": StateTrajectory(
                lambda t: t - 0.1 * float(np.sin(2 * np.pi * t)), "pass", "at a changing speed"
            ),
        }
        if puzzle.level % 2:  # not every puzzle has every trick
            cheats["odd"] = StateTrajectory(lambda t: 0.3 * t, "fail", "only a little of the way")
        return cheats


TASK = DotTask()


def where(frame: Frame) -> float | None:
    """Return the position of the dot relative to the ring, which needs no registration; None without a dot."""
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
    """Return the x of the largest patch, its area, and whether it is round: a partly hidden one is not.

    None where there is no patch, or only noise.
    """
    count, _, stats, centres = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    areas = stats[1:, cv2.CC_STAT_AREA]
    if count == 1 or areas.max() < 40 or count > 6:
        return None
    largest = 1 + int(areas.argmax())
    width, height = stats[largest, cv2.CC_STAT_WIDTH], stats[largest, cv2.CC_STAT_HEIGHT]
    round_ = 0.7 < width / height < 1.43 and areas.max() > 0.5 * width * height
    return float(centres[largest][0]), float(areas.max()), bool(round_)


@dataclass(frozen=True)
class DotScorer:
    """A scorer of the dot task made from a function of puzzle and video."""

    function: Callable[[Dot, Path], Score]
    evaluator: str

    def version(self, question: Question) -> str:
        return TASK.version

    def score(self, question: Question, video: Path, placement: Placement | None, own_run: bool) -> Score:
        return self.function(from_json(Dot, question.metadata["puzzle"]), video)


def follow_the_dot(puzzle: Dot, video: Path) -> Score:
    trace = [FrameReading(timed.seconds, where(timed.frame), is_card=True) for timed in read_frames(video)]
    return judge(TASK, puzzle, trace, "careful")


def look_at_the_end(puzzle: Dot, video: Path) -> Score:
    seen = [where(timed.frame) for timed in read_frames(video)]
    last = next((x for x in reversed(seen) if x is not None), 0.0)
    return Score("fooled", "1", 5 if last > 0.95 else 1, last > 0.95, last > 0.95, last)


def fail_now_and_then(puzzle: Dot, video: Path) -> Score:
    score = follow_the_dot(puzzle, video)
    if score.failure_mode == "static":
        raise RuntimeError("the scorer lost its way")
    return score if score.passed else Score.unscored("lost", "1", "no idea")


careful = DotScorer(follow_the_dot, "careful")
"""A scorer that follows the dot through the whole video."""
fooled = DotScorer(look_at_the_end, "fooled")
"""A scorer that reads only the end of the video."""
lost = DotScorer(fail_now_and_then, "lost")
"""A scorer that sometimes fails or has no verdict."""
