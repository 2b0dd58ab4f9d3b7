"""Clock: turn the hands forward to a later time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from random import Random
from typing import Any

from vmevalkit.tasks.kit import PALETTE, Arrangement, Canvas, MotionLimits, Part, Piece, TurnTask, UsageError

SIDE, MIDDLE, FACE = 440, 220, 185
STEP = 5
"""Minutes of a step."""


@dataclass(frozen=True, slots=True)
class ClockParams:
    """Params of the puzzles."""

    least: int = 20
    """Minutes to go on, a multiple of five."""
    most: int = 55

    def __post_init__(self) -> None:
        if not 20 <= self.least <= self.most <= 240 or self.least % STEP or self.most % STEP:
            raise UsageError(f"no clock puzzle with {self}; minutes are 20 to 240, in steps of {STEP}")


@dataclass(frozen=True, slots=True)
class Clock:
    """A time, and how far the clock must go on."""

    start: int
    """Minutes since twelve, a multiple of five."""
    later: int
    """Minutes to go on."""


class ClockTask(TurnTask[Clock, ClockParams]):
    """Both hands turn together."""

    name = "clock"
    title = "Clock"
    description = "Turn the hands of a clock forward to a later time"
    group = "perception"
    puzzle_type = Clock
    video_seconds = 6.0
    params_type = ClockParams
    difficulties = {"easy": ClockParams(), "medium": ClockParams(60, 115), "hard": ClockParams(120, 180)}
    step_deg = 30.0
    tolerance = 0.2
    min_moves = 4
    motion = MotionLimits(free_steps=0.85, max_steps=2.6, what="a hand", unit="degrees", scale=30)

    def sample(self, rng: Random, params: ClockParams) -> Clock:
        return rng.choice(self.catalogue(params))

    def catalogue(self, params: ClockParams) -> Sequence[Clock]:
        return [
            Clock(start, later) for start in range(0, 720, STEP) for later in range(params.least, params.most + 1, STEP)
        ]

    def check_puzzle(self, puzzle: Clock) -> None:
        if not (0 <= puzzle.start < 720 and 20 <= puzzle.later <= 240) or puzzle.start % STEP or puzzle.later % STEP:
            raise ValueError(f"no clock: {puzzle}")

    def prompt(self, puzzle: Clock) -> str:
        hours, minutes = divmod(puzzle.later, 60)
        parts = [f"{hours} hour{'s' * (hours > 1)}"] * (hours > 0) + [f"{minutes} minutes"] * (minutes > 0)
        return (
            f"Turn the hands of the clock forward (clockwise) by {' and '.join(parts)}. The blue minute hand and the "
            f"short red "
            "hour hand turn together, as on a real clock. Nothing else changes. Stop at the new time. The camera does "
            "not move."
        )

    def size(self, puzzle: Clock) -> tuple[int, int]:
        return SIDE, SIDE

    def ground(self, puzzle: Clock, canvas: Canvas) -> None:
        canvas.circle(MIDDLE, MIDDLE, FACE, fill=PALETTE.BOARD, stroke=PALETTE.INK, width=6)
        for tick in range(60):
            dx, dy = sin(tick * pi / 30), -cos(tick * pi / 30)
            inner, width = (FACE - 20, 4) if tick % 5 == 0 else (FACE - 11, 1.5)
            ends = [(MIDDLE + inner * dx, MIDDLE + inner * dy), (MIDDLE + (FACE - 5) * dx, MIDDLE + (FACE - 5) * dy)]
            canvas.line(ends, PALETTE.INK, width)
            if tick % 5 == 0:
                canvas.text(str(tick // 5 or 12), MIDDLE + 0.78 * FACE * dx, MIDDLE + 0.78 * FACE * dy, 24, PALETTE.INK)

    def paint(self, canvas: Canvas, part: Part) -> None:
        length, width, colour = {"hour": (78, 13, PALETTE.RED), "minute": (118, 8, PALETTE.BLUE)}[part.look]
        dx, dy = sin(part.angle * pi / 180), -cos(part.angle * pi / 180)
        canvas.line([(part.x - 18 * dx, part.y - 18 * dy), (part.x + length * dx, part.y + length * dy)], colour, width)

    def pieces(self, puzzle: Clock) -> tuple[Piece, ...]:
        return Piece("hour", "hour"), Piece("minute", "minute")

    def centre(self, puzzle: Clock, piece: Piece) -> tuple[float, float]:
        return MIDDLE, MIDDLE

    def places(self, puzzle: Clock, piece: Piece) -> range:
        return range(720 // STEP if piece.name == "hour" else 60 // STEP)

    def angle(self, puzzle: Clock, piece: Piece, place: Any) -> float:
        return float(place * STEP / 2 if piece.name == "hour" else place * STEP * 6)

    def start(self, puzzle: Clock) -> Arrangement:
        return _show(puzzle.start)

    def is_possible(self, puzzle: Clock, at: Arrangement) -> bool:
        return at == _show(at[0] * STEP)

    def is_goal(self, puzzle: Clock, at: Arrangement) -> bool:
        return at == _show(puzzle.start + puzzle.later)

    def moves(self, puzzle: Clock, at: Arrangement) -> Iterator[Arrangement]:
        yield _show((at[0] + 1) * STEP)


def _show(minutes: int) -> Arrangement:
    return minutes // STEP % (720 // STEP), minutes // STEP % (60 // STEP)


TASK = ClockTask()
