"""Gears: turn meshed gears until pointers point to their marks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import cos, hypot, lcm, pi, radians, sin
from random import Random

from vmevalkit.tasks.kit import (
    PALETTE,
    Arrangement,
    Canvas,
    MotionLimits,
    Part,
    Piece,
    TurnTask,
    Uncertified,
    UsageError,
)

PITCH, TOOTH, MARGIN = 5.4, 7, 40
"""In pixels: radius for each tooth, half the height of a tooth, space around the gears."""
COLOURS = {8: PALETTE.ORANGE, 10: PALETTE.TEAL, 12: PALETTE.BLUE, 14: PALETTE.GREEN, 16: PALETTE.PURPLE}  # by teeth


@dataclass(frozen=True, slots=True)
class GearsParams:
    """Params of the puzzles."""

    gears: int = 2  # how many there are in the chain
    marks: int = 1  # how many gears have a mark, the last ones
    least_teeth: int = 3  # by how many the gears must turn, at least
    most_teeth: int = 6  # the same, at most

    def __post_init__(self) -> None:
        if not (2 <= self.gears <= 5 and 1 <= self.marks < self.gears and 3 <= self.least_teeth <= self.most_teeth):
            raise UsageError(f"no gears with {self}; gears are 2 to 5, marks are fewer, teeth to turn by at least 3")


@dataclass(frozen=True, slots=True)
class Gears:
    """A chain of gears, each meshed with the next."""

    teeth: tuple[int, ...]
    bends: tuple[int, ...]
    """Direction from each gear to the next, in degrees clockwise from the right."""
    start: tuple[int, ...]
    """To which of its teeth's places each pointer points at first, clockwise from the top."""
    marks: tuple[int, ...]
    """To which it must point; -1 for a gear without a mark."""


class GearsTask(TurnTask[Gears, GearsParams]):
    """Meshed gears turn together, neighbours in opposite directions, tooth by tooth."""

    name = "gears"
    title = "Gears"
    description = "Turn meshed gears until pointers point to their marks"
    group = "perception"
    puzzle_type = Gears
    video_seconds = 6.0
    params_type = GearsParams
    difficulties = {"easy": GearsParams(), "medium": GearsParams(4, 1, 4, 8), "hard": GearsParams(4, 2, 6, 14)}
    step_deg = 30.0
    tolerance = 0.2
    min_moves = 3
    motion = MotionLimits(free_steps=0.85, max_steps=2.6, what="a gear", unit="degrees", scale=30)

    def sample(self, rng: Random, params: GearsParams) -> Gears:
        teeth = tuple(rng.choice(tuple(COLOURS)) for _ in range(params.gears))
        bends = tuple(rng.randrange(-60, 61, 10) for _ in range(params.gears - 1))
        start = tuple(rng.randrange(count) for count in teeth)
        end = _turn(teeth, start, rng.randint(params.least_teeth, params.most_teeth) * rng.choice((1, -1)))
        first = params.gears - params.marks
        puzzle = Gears(teeth, bends, start, tuple(at if i >= first else -1 for i, at in enumerate(end)))
        if len({*teeth[first:]}) < params.marks or len(self.path(puzzle)) - 1 < params.least_teeth:
            raise Uncertified("a shorter turn will do")
        _check_room(puzzle)
        return puzzle

    def check_puzzle(self, puzzle: Gears) -> None:
        n = len(puzzle.teeth)
        if not ({*puzzle.teeth} <= {*COLOURS} and n == len(puzzle.bends) + 1 == len(puzzle.start) == len(puzzle.marks)):
            raise ValueError(f"gears, directions and marks do not fit each other: {puzzle}")

    def prompt(self, puzzle: Gears) -> str:
        marks = sum(mark >= 0 for mark in puzzle.marks)
        one = "the white pointer of the gear with the red mark points at the mark"
        both = f"the white pointers of the {marks} gears with red marks point at their marks at the same time"
        return (
            f"The {len(puzzle.teeth)} gears are meshed: when one turns, all turn, tooth by tooth, and neighbours turn "
            f"in opposite directions. Turn the gears in place, in either direction, until {one if marks == 1 else both}"
            ". Gears and marks keep their places; nothing else changes. Stop when it is done. The camera does not move."
        )

    def size(self, puzzle: Gears) -> tuple[int, int]:
        return _lay_out(puzzle)[0]

    def ground(self, puzzle: Gears, canvas: Canvas) -> None:
        for piece, teeth, mark in zip(self.pieces(puzzle), puzzle.teeth, puzzle.marks, strict=True):
            (x, y), radius = self.centre(puzzle, piece), PITCH * teeth
            canvas.circle(x, y, radius - TOOTH, COLOURS[teeth], PALETTE.INK, PALETTE.LINE)
            if mark >= 0:
                tip, (ex, ey) = _find_tip(puzzle, int(piece.name), mark)
                base = [(tip[0] + 22 * ex - s * ey, tip[1] + 22 * ey + s * ex) for s in (-12, 12)]
                canvas.polygon([tip, *base], PALETTE.RED, PALETTE.INK, 2)

    def paint(self, canvas: Canvas, part: Part) -> None:
        teeth, turn, radius = int(part.look), radians(part.angle), PITCH * int(part.look)

        def place(share: float, out: float, aside: float = 0.0) -> tuple[float, float]:
            way = turn + 2 * pi * share  # a share of a turn from the pointer
            return part.x + out * sin(way) + aside * cos(way), part.y - out * cos(way) + aside * sin(way)

        for tooth in range(teeth):
            sides = [(-0.25, -TOOTH), (-0.13, TOOTH - 1), (0.13, TOOTH - 1), (0.25, -TOOTH)]
            outline = [place((tooth + aside) / teeth, radius + out) for aside, out in sides]
            canvas.polygon(outline, PALETTE.SHADE, PALETTE.INK, 1)
        neck, tip = radius * 0.45, radius - TOOTH - 4
        arrow = [(-8, 0), (-8, neck), (-17, neck), (0, tip), (17, neck), (8, neck), (8, 0)]
        canvas.polygon([place(0, out, aside) for aside, out in arrow], PALETTE.PAPER, PALETTE.INK, 2)
        canvas.circle(part.x, part.y, 8, PALETTE.INK)

    def pieces(self, puzzle: Gears) -> tuple[Piece, ...]:
        return tuple(Piece(str(index), str(teeth)) for index, teeth in enumerate(puzzle.teeth))

    def centre(self, puzzle: Gears, piece: Piece) -> tuple[float, float]:
        return _lay_out(puzzle)[1][int(piece.name)]

    def places(self, puzzle: Gears, piece: Piece) -> range:
        return range(int(piece.look))

    def angle(self, puzzle: Gears, piece: Piece, place: int) -> float:
        return (_lay_out(puzzle)[2][int(piece.name)] + place * 360 / int(piece.look)) % 360

    def start(self, puzzle: Gears) -> Arrangement:
        return puzzle.start

    def is_possible(self, puzzle: Gears, at: Arrangement) -> bool:
        return at in _list_reachable(puzzle.teeth, puzzle.start)

    def is_goal(self, puzzle: Gears, at: Arrangement) -> bool:
        return all(mark in (-1, place) for mark, place in zip(puzzle.marks, at, strict=True))

    def moves(self, puzzle: Gears, at: Arrangement) -> Iterator[Arrangement]:
        return (_turn(puzzle.teeth, at, step) for step in (1, -1))


def _turn(teeth: tuple[int, ...], at: Arrangement, count: int) -> Arrangement:
    """Return where the pointers point after the first gear turned clockwise by some teeth."""
    return tuple((at[i] + (-1) ** i * count) % teeth[i] for i in range(len(teeth)))


@lru_cache(maxsize=64)
def _list_reachable(teeth: tuple[int, ...], start: Arrangement) -> frozenset[Arrangement]:
    return frozenset(_turn(teeth, start, count) for count in range(lcm(*teeth)))


@lru_cache(maxsize=64)
def _lay_out(puzzle: Gears) -> tuple[tuple[int, int], list[tuple[float, float]], list[float]]:
    """Return the size of the picture, the middles of the gears, and the angles of their first teeth after the top."""
    middles, firsts = [(0.0, 0.0)], [0.0]
    for index, bend in enumerate(puzzle.bends):
        one, other = puzzle.teeth[index : index + 2]
        (x, y), reach = middles[-1], PITCH * (one + other) + 1
        middles.append((x + reach * cos(radians(bend)), y + reach * sin(radians(bend))))
        # A tooth of one gear is in a gap of the other one.
        share = (bend + 90 - firsts[-1]) * one / 360
        firsts.append((bend + 270 - (0.5 - share) * 360 / other) % (360 / other))
    around = [(m, PITCH * teeth + MARGIN) for m, teeth in zip(middles, puzzle.teeth, strict=True)]
    left, top = (min(m[axis] - edge for m, edge in around) for axis in (0, 1))
    right, bottom = (max(m[axis] + edge for m, edge in around) for axis in (0, 1))
    size = round((right - left) / 2) * 2, round((bottom - top) / 2) * 2
    return size, [(x - left, y - top) for x, y in middles], firsts


def _find_tip(puzzle: Gears, index: int, mark: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the tip of a mark, and the direction to it from the middle of its gear."""
    (x, y), first, teeth = _lay_out(puzzle)[1][index], _lay_out(puzzle)[2][index], puzzle.teeth[index]
    turn, reach = radians(first + mark * 360 / teeth), PITCH * teeth + TOOTH + 4
    return (x + reach * sin(turn), y - reach * cos(turn)), (sin(turn), -cos(turn))


def _check_room(puzzle: Gears) -> None:
    """Raise Uncertified where gears or marks would overlap."""
    middles = _lay_out(puzzle)[1]
    gears = [(x, y, PITCH * teeth + TOOTH + 4) for (x, y), teeth in zip(middles, puzzle.teeth, strict=True)]
    far = [pair for pair in combinations(range(len(gears)), 2) if pair[1] - pair[0] > 1]
    if any(hypot(gears[i][0] - gears[j][0], gears[i][1] - gears[j][1]) < gears[i][2] + gears[j][2] for i, j in far):
        raise Uncertified("gears that are not neighbours overlap")
    for i, mark in enumerate(puzzle.marks):
        x, y = _find_tip(puzzle, i, mark)[0]
        if mark >= 0 and any(i != j and hypot(x - u, y - v) < r + 26 for j, (u, v, r) in enumerate(gears)):
            raise Uncertified("a mark has no room beside its gear")


TASK = GearsTask()
