"""Mirrors: turn mirrors until the laser's beam hits the target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, radians, sin
from random import Random

from vmevalkit.tasks.kit import PALETTE, Arrangement, Canvas, Part, Piece, TurnTask, Uncertified, UsageError

CELL, MARGIN = 70, 60


@dataclass(frozen=True, slots=True)
class MirrorsParams:
    """Params of the puzzles."""

    side: int = 4
    mirrors: int = 4
    least_turns: int = 2
    most_turns: int = 2

    def __post_init__(self) -> None:
        if not (3 <= self.side <= 6 and 2 <= self.mirrors <= 10 and 2 <= self.least_turns <= self.most_turns):
            raise UsageError(f"no mirrors puzzle with {self}; side is 3 to 6, mirrors 2 to 10, turns at least 2")


@dataclass(frozen=True, slots=True)
class Mirrors:
    """Mirrors on a grid. Cells are (row, column)."""

    side: int
    cells: tuple[tuple[int, int], ...]
    """Where the mirrors are."""
    start: tuple[int, ...]
    """0 for a mirror like a slash, 1 for one like a backslash."""
    laser: int
    """The row of the laser, at the left edge."""
    target: tuple[int, int]
    """The cell outside of the grid that the beam must reach."""


class MirrorsTask(TurnTask[Mirrors, MirrorsParams]):
    """A mirror turns by quarters; every arrangement that leads the beam to the target is right."""

    name = "mirrors"
    title = "Laser Mirrors"
    description = "Turn mirrors until the beam of a laser hits the target"
    group = "perception"
    puzzle_type = Mirrors
    params_type = MirrorsParams
    difficulties = {
        "easy": MirrorsParams(),
        "medium": MirrorsParams(5, 6, 3, 3),
        "hard": MirrorsParams(6, 9, 4, 5),
    }
    symmetry_deg = 180.0
    may_move_together = True

    def sample(self, rng: Random, params: MirrorsParams) -> Mirrors:
        cells = [(row, column) for row in range(params.side) for column in range(params.side)]
        chosen = tuple(sorted(rng.sample(cells, params.mirrors)))
        laser, start = rng.randrange(params.side), tuple(rng.randrange(2) for _ in chosen)
        goal = tuple(rng.randrange(2) for _ in chosen)
        end = _trace(params.side, chosen, goal, laser)
        puzzle = Mirrors(params.side, chosen, start, laser, end)
        if end == (laser, -1) or not params.least_turns <= len(self.path(puzzle)) - 1 <= params.most_turns:
            raise Uncertified("too easy, too hard, or back at the laser")
        return puzzle

    def check_puzzle(self, puzzle: Mirrors) -> None:
        if (
            len(puzzle.cells) != len(puzzle.start)
            or not 0 <= puzzle.laser < puzzle.side <= 8
            or not {*puzzle.start} <= {0, 1}
        ):
            raise ValueError("mirrors and their angles do not fit each other")

    def prompt(self, puzzle: Mirrors) -> str:
        return (
            "A laser at the red arrow shines into the grid in the arrow's direction. Each blue mirror reflects the "
            "beam by a right "
            "angle. Turn mirrors in place, by quarter turns, until the beam would leave the grid at the green ring. "
            "Mirrors keep "
            "their places, and nothing else changes. Stop when it is done. The camera does not move."
        )

    def size(self, puzzle: Mirrors) -> tuple[int, int]:
        return (2 * MARGIN + CELL * puzzle.side,) * 2

    def ground(self, puzzle: Mirrors, canvas: Canvas) -> None:
        span = CELL * puzzle.side
        canvas.rectangle(MARGIN, MARGIN, span, span, PALETTE.BOARD)
        for line in range(puzzle.side + 1):
            canvas.rectangle(MARGIN + CELL * line - 1, MARGIN - 1, 2, span + 2, PALETTE.SHADE)
            canvas.rectangle(MARGIN - 1, MARGIN + CELL * line - 1, span + 2, 2, PALETTE.SHADE)
        y = MARGIN + CELL * (puzzle.laser + 0.5)
        canvas.polygon([(16, y - 18), (MARGIN - 8, y), (16, y + 18)], PALETTE.RED, PALETTE.INK, PALETTE.LINE)
        row, column = puzzle.target
        x, y = (min(max(MARGIN + CELL * (i + 0.5), 32), span + 2 * MARGIN - 32) for i in (column, row))
        canvas.circle(x, y, 17, stroke=PALETTE.GREEN, width=9)

    def paint(self, canvas: Canvas, part: Part) -> None:
        turn = radians(part.angle - 45)  # like a slash at 0 degrees
        dx, dy = 30 * cos(turn), 30 * sin(turn)
        for width, colour in ((13, PALETTE.INK), (7, PALETTE.BLUE)):
            canvas.line([(part.x - dx, part.y - dy), (part.x + dx, part.y + dy)], colour, width)

    def pieces(self, puzzle: Mirrors) -> tuple[Piece, ...]:
        return tuple(Piece(f"r{row}c{column}", "mirror") for row, column in puzzle.cells)

    def centre(self, puzzle: Mirrors, piece: Piece) -> tuple[float, float]:
        row, column = (int(number) for number in piece.name[1:].split("c"))
        return MARGIN + CELL * (column + 0.5), MARGIN + CELL * (row + 0.5)

    def start(self, puzzle: Mirrors) -> Arrangement:
        return puzzle.start

    def is_goal(self, puzzle: Mirrors, at: Arrangement) -> bool:
        return _trace(puzzle.side, puzzle.cells, at, puzzle.laser) == puzzle.target

    def moves(self, puzzle: Mirrors, at: Arrangement) -> Iterator[Arrangement]:
        return ((*at[:i], 1 - turned, *at[i + 1 :]) for i, turned in enumerate(at))


def _trace(side: int, cells: tuple[tuple[int, int], ...], turned: Arrangement, laser: int) -> tuple[int, int]:
    """Return the cell outside of the grid in which the beam leaves it."""
    mirrors = dict(zip(cells, turned, strict=True))
    row, column, down, across = laser, 0, 0, 1
    while 0 <= row < side and 0 <= column < side:
        if (row, column) in mirrors:
            down, across = (across, down) if mirrors[row, column] else (-across, -down)
        row, column = row + down, column + across
    return row, column


TASK = MirrorsTask()
