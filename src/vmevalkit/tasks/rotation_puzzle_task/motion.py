"""How the squares rotate from reading to reading, and which steps are jumps instead of turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

from vmevalkit.tasks.rotation_puzzle_task.scene import PipeScene, compute_quarter_offset_deg, compute_turn_deg
from vmevalkit.tasks.task import Trace

IN_BETWEEN_DEG = 5.0
"""A pipe that is farther than this from all quarter turns is rotating."""
REST_DEG = 2.0
"""Smaller steps are reading noise of a pipe at rest."""
MAX_TURN_STEP_DEG = 55.0
"""A step up to this size is always a turn, unless it is too fast."""
FAST_STEP_DEG, MAX_SPEED_DEG_S = 30.0, 1000.0
"""A larger step at a higher speed than this is a jump at any frame rate."""
MAX_SPEED_RATIO = 2.8
"""How much faster than the fastest of the other turns a step may be."""
_MIN_GHOST_OPACITY = 0.2
"""A second pipe in the same square counts from this opacity on."""
_FADING_OPACITY = 0.75
"""A pipe that is less opaque is fading."""
_MAX_BLUR_S = 0.25
"""An unknown shape may be a pipe that rotates too fast to be recognised, for this long."""
_SAME_ANGLE_DEG, _MAX_HOLD_S = 0.5, 0.2

ReadingKind = Literal["clear", "ghost", "gone", "other", "hidden"]


@dataclass(frozen=True, slots=True)
class SquareReading:
    """One reading of one square."""

    seconds: float
    kind: ReadingKind
    angle_deg: float = 0.0
    is_fading: bool = False

    @property
    def is_rotating(self) -> bool:
        return self.kind == "clear" and abs(compute_quarter_offset_deg(self.angle_deg)) > IN_BETWEEN_DEG


@dataclass(frozen=True, slots=True)
class TurnStep:
    """The change of a square's angle from one reading to the next."""

    home: int
    seconds: float
    """Time of the second reading."""
    gap_s: float
    """Time that the square had for the step."""
    turn_deg: float
    """The shorter direction, clockwise if positive."""
    is_rotating: bool
    """Whether one of the two readings shows the pipe between two quarter turns."""
    is_ghost: bool
    """Whether one of the two readings shows two pipes in the square."""
    is_fading: bool
    """Whether the pipe was fading in one of the two readings, or gone in between."""

    @property
    def speed_deg_s(self) -> float:
        return abs(self.turn_deg) / self.gap_s


def read_squares(kinds: Sequence[str], trace: Trace[PipeScene]) -> list[list[SquareReading]]:
    """Return for each square its readings. In an unreadable frame all squares are hidden."""
    return [
        [_read_square(reading.seconds, reading.state, home, kind) for reading in trace]
        for home, kind in enumerate(kinds)
    ]


def _read_square(seconds: float, scene: PipeScene | None, home: int, kind: str) -> SquareReading:
    if scene is None:
        return SquareReading(seconds, "hidden")
    pipes = scene.pipes_at(home)
    if not pipes:
        return SquareReading(seconds, "gone")
    if not pipes[0].is_visible:
        return SquareReading(seconds, "hidden")
    if pipes[0].shape != kind:
        return SquareReading(seconds, "other")
    is_double = len(pipes) > 1 and pipes[1].opacity >= _MIN_GHOST_OPACITY
    is_fading = not is_double and pipes[0].opacity < _FADING_OPACITY
    return SquareReading(seconds, "ghost" if is_double else "clear", pipes[0].angle_deg, is_fading)


def find_steps(kinds: Sequence[str], squares: Sequence[Sequence[SquareReading]]) -> list[TurnStep]:
    """Return the steps of all squares, by time.

    A hidden square may rotate. A square whose pipe is gone, or that shows two pipes, has no time to rotate.
    """
    steps = [step for home, kind in enumerate(kinds) for step in _find_square_steps(home, kind, squares[home])]
    hold_s = _measure_hold(kinds, squares)
    return sorted((replace(step, gap_s=max(step.gap_s, hold_s)) for step in steps), key=lambda step: step.seconds)


def _find_square_steps(home: int, kind: str, readings: Sequence[SquareReading]) -> list[TurnStep]:
    steps = []
    last: SquareReading | None = None
    gone_s = blurred_s = 0.0
    was_gone = False
    for place, reading in enumerate(readings):
        duration_s = readings[place + 1].seconds - reading.seconds if place + 1 < len(readings) else 0.0
        if reading.kind == "gone":
            gone_s += duration_s
            was_gone = True
        elif reading.kind == "other":
            blurred_s += duration_s
        if reading.kind not in ("clear", "ghost"):
            continue
        if last is not None:
            gap_s = reading.seconds - last.seconds - gone_s - max(0.0, blurred_s - _MAX_BLUR_S)
            turn = compute_turn_deg(kind, last.angle_deg, reading.angle_deg)
            is_rotating = reading.is_rotating or last.is_rotating
            is_ghost = "ghost" in (reading.kind, last.kind)
            is_fading = was_gone or reading.is_fading or last.is_fading
            steps.append(TurnStep(home, reading.seconds, max(gap_s, 1e-3), turn, is_rotating, is_ghost, is_fading))
        last, gone_s, blurred_s, was_gone = reading, 0.0, 0.0, False
    return steps


def _measure_hold(kinds: Sequence[str], squares: Sequence[Sequence[SquareReading]]) -> float:
    """Return how long an image is repeated while something rotates: a video may show each image several times."""
    holds = []
    for home, kind in enumerate(kinds):
        since: SquareReading | None = None
        for reading in squares[home]:
            if since is not None and reading.kind == "clear":
                if abs(compute_turn_deg(kind, since.angle_deg, reading.angle_deg)) < _SAME_ANGLE_DEG:
                    continue
                holds.append(reading.seconds - since.seconds)
            since = reading if reading.is_rotating else None
    return min(median(holds), _MAX_HOLD_S) if holds else 0.0


def find_jumps(steps: Sequence[TurnStep]) -> list[TurnStep]:
    """Return the steps that no turn explains: through two pipes or none, or faster than the video ever rotates."""
    return [step for step in steps if _is_jump(step, steps)]


def _is_jump(step: TurnStep, steps: Sequence[TurnStep]) -> bool:
    size = abs(step.turn_deg)
    if size > FAST_STEP_DEG and step.speed_deg_s > MAX_SPEED_DEG_S:
        return True
    if size <= MAX_TURN_STEP_DEG:
        return False
    if step.is_ghost or step.is_fading:
        return True
    speeds = (other.speed_deg_s for other in steps if other is not step and other.is_rotating and not other.is_ghost)
    return size > MAX_SPEED_RATIO * max(speeds, default=0.0) * step.gap_s


def sum_turning_deg(kinds: Sequence[str], squares: Sequence[Sequence[SquareReading]]) -> float:
    """Return the total rotation of all squares, without the reading noise of squares at rest."""
    total = 0.0
    for kind, readings in zip(kinds, squares, strict=True):
        angles = [reading.angle_deg for reading in readings if reading.kind == "clear"]
        anchor = angles[0] if angles else 0.0
        for angle in angles:
            turn = abs(compute_turn_deg(kind, anchor, angle))
            if turn > REST_DEG:
                total, anchor = total + turn, angle
    return total
