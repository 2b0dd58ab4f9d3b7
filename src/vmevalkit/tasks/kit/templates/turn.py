"""Set the dials: turn each pointer to its mark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, radians, sin
from random import Random

from vmevalkit.tasks.kit import PALETTE, Arrangement, Canvas, MotionLimits, Part, Piece, TurnTask

SPACE, MIDDLE = 150, 90


@dataclass(frozen=True, slots=True)
class DialsParams:
    """What can be chosen with ``--set``."""

    dials: int = 2


@dataclass(frozen=True, slots=True)
class Dials:
    """All that defines one question. It is written to question_metadata.json."""

    pointers: tuple[int, ...]
    """Where each pointer is at first, in steps of 45 degrees, clockwise from the top."""
    marks: tuple[int, ...]


class DialsTask(TurnTask[Dials, DialsParams]):
    """Parts turn in place, and every turn must be visible."""

    name = "dials"
    title = "Dials"
    description = "Turn each pointer to its mark"
    group = "perception"
    puzzle_type = Dials
    params_type = DialsParams
    difficulties = {"easy": DialsParams(), "medium": DialsParams(3), "hard": DialsParams(4)}
    step_deg = 45.0
    tolerance = 0.25
    may_move_together = True
    motion = MotionLimits(free_steps=0.8, max_steps=1.6, what="a pointer", unit="degrees", scale=45)

    def sample(self, rng: Random, params: DialsParams) -> Dials:
        pointers = tuple(rng.randrange(8) for _ in range(params.dials))
        return Dials(pointers, tuple((start + rng.randrange(2, 7)) % 8 for start in pointers))

    def prompt(self, puzzle: Dials) -> str:
        return (
            "Turn the blue pointer of each dial, in either direction, until it points to the red mark on the rim. "
            "Dials and marks stay as they are. The camera does not move."
        )

    # -- the picture ---------------------------------------------------------------------------------------------

    def size(self, puzzle: Dials) -> tuple[int, int]:
        return 30 + SPACE * len(puzzle.pointers), 2 * MIDDLE

    def ground(self, puzzle: Dials, canvas: Canvas) -> None:
        for dial, mark in zip(self.pieces(puzzle), puzzle.marks, strict=True):
            x, y = self.centre(puzzle, dial)
            canvas.circle(x, y, 62, fill=PALETTE.BOARD, stroke=PALETTE.INK, width=PALETTE.LINE)
            turn = radians(45 * mark)
            canvas.circle(x + 70 * sin(turn), y - 70 * cos(turn), 8, fill=PALETTE.RED)

    def paint(self, canvas: Canvas, part: Part) -> None:
        turn = radians(part.angle)
        tip = part.x + 48 * sin(turn), part.y - 48 * cos(turn)
        canvas.line([(part.x, part.y), tip], PALETTE.BLUE, 10)
        canvas.circle(part.x, part.y, 11, fill=PALETTE.INK)

    # -- the rules -----------------------------------------------------------------------------------------------

    def pieces(self, puzzle: Dials) -> tuple[Piece, ...]:
        return tuple(Piece(f"dial{i}", "pointer") for i in range(len(puzzle.pointers)))

    def centre(self, puzzle: Dials, piece: Piece) -> tuple[float, float]:
        return 90 + SPACE * int(piece.name.removeprefix("dial")), MIDDLE

    def start(self, puzzle: Dials) -> Arrangement:
        return puzzle.pointers

    def is_goal(self, puzzle: Dials, at: Arrangement) -> bool:
        return at == puzzle.marks

    def moves(self, puzzle: Dials, at: Arrangement) -> Iterator[Arrangement]:
        for i, pointer in enumerate(at):
            for step in (1, -1):
                yield (*at[:i], (pointer + step) % 8, *at[i + 1 :])


TASK = DialsTask()
