"""What there is to see: pipes on squares, as a puzzle has them and as a film may show them.

Lengths are pixels of the drawn picture. Angles are degrees clockwise from how the kind of pipe lies at 0 quarters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from vmevalkit.tasks.rotation_puzzle_task.pipes import QUARTERS

SIZE = (768, 512)
BACKGROUND = "#f8fafc"
BLUE = "#3b82f6"
SQUARE, SPACING = 140, 20
"""Of the specification. Larger grids have smaller squares, whose spacing shrinks with them."""
MARGIN = 10
PIPE = 36
"""Width of a pipe in a square of 140."""

NEW = -1
"""The home of a pipe that is not among the puzzle's."""
OTHER = "other"
"""The shape of what is no pipe of ours."""
GHOST = 0.25
"""A pipe that is less opaque than this is not there."""
WHOLE = 0.6
"""A pipe that is at least so opaque is there."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the squares lie."""

    square: int
    """Side of a square."""
    homes: tuple[Point, ...]
    """The centres of the squares, row by row."""

    @property
    def unit(self) -> float:
        """How large squares are, relative to the specification's."""
        return self.square / SQUARE


@lru_cache(maxsize=64)
def layout_of(rows: int, cols: int) -> Layout:
    """Squares of 140 with 20 between them, centred; smaller where they would not fit. Centres are on whole pixels."""
    width, height = SIZE
    square = SQUARE
    while True:
        spacing = 2 * round(square * SPACING / SQUARE / 2)
        wide, high = (n * square + (n - 1) * spacing for n in (cols, rows))
        if wide <= width - 2 * MARGIN and high <= height - 2 * MARGIN:
            break
        square -= 2
    left, top = (width - wide) // 2 + square // 2, (height - high) // 2 + square // 2
    pitch = square + spacing
    homes = tuple((float(left + col * pitch), float(top + row * pitch)) for row in range(rows) for col in range(cols))
    return Layout(square, homes)


@dataclass(frozen=True, slots=True)
class Pipe:
    """A pipe as one frame shows it."""

    home: int
    """The number of its square, or NEW."""
    shape: str
    """L, I or T, or OTHER."""
    angle_deg: float
    x: float
    """The point that it turns about: the centre of its square."""
    y: float
    colour: str = BLUE
    opacity: float = 1.0
    seen: bool = True
    """False where something hides it; then it is taken to be as it was."""


@dataclass(frozen=True, slots=True)
class Camera:
    """How the whole picture is shown: zoomed about its middle, then shifted by some pixels."""

    zoom: float = 1.0
    x: float = 0.0
    y: float = 0.0

    def shown(self, point: Point) -> Point:
        """Where a point appears."""
        middle_x, middle_y = SIZE[0] / 2, SIZE[1] / 2
        return (
            middle_x + self.zoom * (point[0] - middle_x) + self.x,
            middle_y + self.zoom * (point[1] - middle_y) + self.y,
        )

    def undone(self, point: Point) -> Point:
        """The inverse of ``shown``."""
        middle_x, middle_y = SIZE[0] / 2, SIZE[1] / 2
        return (
            middle_x + (point[0] - self.x - middle_x) / self.zoom,
            middle_y + (point[1] - self.y - middle_y) / self.zoom,
        )

    def is_other(self, camera: Camera) -> bool:
        """Whether another camera shows the squares so differently that it matters."""
        apart = max(abs(self.x - camera.x), abs(self.y - camera.y))
        return abs(self.zoom / camera.zoom - 1) > 0.01 or apart > 4


STILL = Camera()


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that is to be seen at one time. Where a pipe dissolves into another, both are there, half opaque."""

    pipes: tuple[Pipe, ...]
    """By home, the most opaque first; then what is new, from left to right."""
    camera: Camera = STILL
    """Places of the pipes are those without it."""

    def at(self, home: int) -> tuple[Pipe, ...]:
        return tuple(pipe for pipe in self.pipes if pipe.home == home)

    @property
    def new(self) -> tuple[Pipe, ...]:
        return self.at(NEW)


def scene_of(pipes: Iterable[Pipe], camera: Camera = STILL) -> Scene:
    """The pipes in order."""
    return Scene(tuple(sorted(pipes, key=lambda p: (p.home == NEW, p.home, -p.opacity, p.x, p.y))), camera)


def period_deg(shape: str) -> int:
    """After so many degrees a shape looks the same again."""
    return 90 * QUARTERS.get(shape, 4)


def between_deg(shape: str, start_deg: float, end_deg: float) -> float:
    """From one angle to another the short way, for what is seen of the shape."""
    period = period_deg(shape)
    return (end_deg - start_deg + period / 2) % period - period / 2


def off_quarter_deg(angle_deg: float) -> float:
    """How far an angle is from the nearest quarter turn, with its sign."""
    return (angle_deg + 45) % 90 - 45


def quarter_of(shape: str, angle_deg: float) -> int:
    """The nearest way in which the shape can lie."""
    return round(angle_deg / 90) % QUARTERS[shape]
