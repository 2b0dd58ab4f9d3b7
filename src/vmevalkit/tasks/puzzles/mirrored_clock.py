"""Mirrored clock: set a clock to the time that another clock shows in a mirror."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, pi, sin
from random import Random
from typing import Any

import numpy as np

from vmevalkit.tasks.kit import PALETTE, Arrangement, Canvas, MotionLimits, Part, Piece, TurnTask, UsageError

WIDTH, HEIGHT, FACE, Y = 640, 340, 130, 170
MIRROR_X, CLOCK_X = 165, 475
STEP = 5
"""Minutes of a step."""


@dataclass(frozen=True, slots=True)
class MirroredClockParams:
    """Params of the puzzles."""

    digits: bool = True
    """Whether the faces have numbers."""
    most_later: int = 0
    """Minutes that the time to be set may be later than that in the mirror, in steps of five."""
    most_turn: int = 90
    """Minutes by which the hands must turn at most, forward or backward."""

    def __post_init__(self) -> None:
        if not (0 <= self.most_later <= 90 and 20 <= self.most_turn <= 240):
            raise UsageError(f"no mirrored clock with {self}; most_later is 0 to 90 minutes, most_turn 20 to 240")


@dataclass(frozen=True, slots=True)
class MirroredClock:
    """Two clocks. Times are minutes since twelve, multiples of five."""

    shown: int
    """The time of the clock in the mirror."""
    later: int
    """Minutes that must be added to it."""
    start: int
    """What the clock to be set shows at first."""
    digits: bool


class MirroredClockTask(TurnTask[MirroredClock, MirroredClockParams]):
    """Both hands turn together, forward or backward."""

    name = "mirrored_clock"
    title = "Mirrored Clock"
    description = "Set a clock to the time that another clock shows in a mirror"
    group = "perception"
    puzzle_type = MirroredClock
    video_seconds = 6.0
    params_type = MirroredClockParams
    difficulties = {
        "easy": MirroredClockParams(),
        "medium": MirroredClockParams(False, 0, 120),
        "hard": MirroredClockParams(False, 90, 150),
    }
    step_deg = 30.0
    tolerance = 0.2
    min_moves = 4
    motion = MotionLimits(free_steps=0.85, max_steps=2.6, what="a hand", unit="degrees", scale=30)

    def sample(self, rng: Random, params: MirroredClockParams) -> MirroredClock:
        shown = rng.randrange(0, 720, STEP)
        later = rng.randrange(10, params.most_later + 1, STEP) if params.most_later else 0
        turn = rng.randrange(20, params.most_turn + 1, STEP) * rng.choice((1, -1))
        return MirroredClock(shown, later, (shown + later - turn) % 720, params.digits)

    def check_puzzle(self, puzzle: MirroredClock) -> None:
        times = (puzzle.shown, puzzle.later, puzzle.start)
        if any(not 0 <= time < 720 or time % STEP for time in times):
            raise ValueError(f"times are 0 to 715 minutes, in steps of {STEP}, not {times}")

    def prompt(self, puzzle: MirroredClock) -> str:
        hours, minutes = divmod(puzzle.later, 60)
        words = [f"{hours} hour"] * (hours > 0) + [f"{minutes} minutes"] * (minutes > 0)
        later = f"{' and '.join(words)} later than the time of" if words else "the same time as"
        return (
            "The left picture shows a clock in a mirror, so left and right are exchanged. Turn the hands of the right "
            f"clock, which is seen directly, until it shows {later} the clock in the mirror. The blue minute hand and "
            "the short red hour hand turn together, as on a real clock, forward or backward. The clock in the mirror "
            "stands still, and nothing else changes. Stop at the right time. The camera does not move."
        )

    def size(self, puzzle: MirroredClock) -> tuple[int, int]:
        return WIDTH, HEIGHT

    def ground(self, puzzle: MirroredClock, canvas: Canvas) -> None:
        glass = Canvas(WIDTH, HEIGHT)
        glass.rectangle(WIDTH - 320, 0, 320, HEIGHT, PALETTE.SHADE)
        glass.rectangle(WIDTH - 308, 12, 296, HEIGHT - 24, PALETTE.PAPER)
        _draw_face(glass, WIDTH - MIRROR_X, puzzle.digits)
        for look, place in zip(("hour", "minute"), _show(puzzle.shown), strict=True):
            self.paint(glass, Part("", WIDTH - MIRROR_X, Y, look, self.angle(puzzle, Piece(look, look), place)))
        canvas.paste(np.ascontiguousarray(glass.frame()[:, ::-1]), 0, 0)
        _draw_face(canvas, CLOCK_X, puzzle.digits)

    def paint(self, canvas: Canvas, part: Part) -> None:
        length, width, colour = {"hour": (56, 11, PALETTE.RED), "minute": (88, 7, PALETTE.BLUE)}[part.look]
        dx, dy = sin(part.angle * pi / 180), -cos(part.angle * pi / 180)
        canvas.line([(part.x - 14 * dx, part.y - 14 * dy), (part.x + length * dx, part.y + length * dy)], colour, width)

    def pieces(self, puzzle: MirroredClock) -> tuple[Piece, ...]:
        return Piece("hour", "hour"), Piece("minute", "minute")

    def centre(self, puzzle: MirroredClock, piece: Piece) -> tuple[float, float]:
        return CLOCK_X, Y

    def places(self, puzzle: MirroredClock, piece: Piece) -> range:
        return range(720 // STEP if piece.name == "hour" else 60 // STEP)

    def angle(self, puzzle: MirroredClock, piece: Piece, place: Any) -> float:
        return float(place * STEP / 2 if piece.name == "hour" else place * STEP * 6)

    def start(self, puzzle: MirroredClock) -> Arrangement:
        return _show(puzzle.start)

    def is_possible(self, puzzle: MirroredClock, at: Arrangement) -> bool:
        return at == _show(at[0] * STEP)

    def is_goal(self, puzzle: MirroredClock, at: Arrangement) -> bool:
        return at == _show(puzzle.shown + puzzle.later)

    def moves(self, puzzle: MirroredClock, at: Arrangement) -> Iterator[Arrangement]:
        return (_show((at[0] + step) * STEP) for step in (1, -1))


def _show(minutes: int) -> Arrangement:
    return minutes // STEP % (720 // STEP), minutes // STEP % (60 // STEP)


def _draw_face(canvas: Canvas, x: float, has_digits: bool) -> None:
    canvas.circle(x, Y, FACE, fill=PALETTE.BOARD, stroke=PALETTE.INK, width=5)
    for tick in range(60):
        dx, dy = sin(tick * pi / 30), -cos(tick * pi / 30)
        inner, width = (FACE - 15, 4.0) if tick % 5 == 0 else (FACE - 9, 1.2)
        canvas.line([(x + r * dx, Y + r * dy) for r in (inner, FACE - 5)], PALETTE.INK, width)
        if tick % 5 == 0 and has_digits:
            canvas.text(str(tick // 5 or 12), x + 0.77 * FACE * dx, Y + 0.77 * FACE * dy, 19, PALETTE.INK)
    if not has_digits:  # twelve o'clock alone is marked
        canvas.polygon([(x - 9, Y - FACE + 5), (x + 9, Y - FACE + 5), (x, Y - FACE + 24)], PALETTE.INK)


TASK = MirroredClockTask()
