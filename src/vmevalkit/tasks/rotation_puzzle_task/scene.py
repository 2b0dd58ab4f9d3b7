"""The visible scene: pipes on squares, as a puzzle defines them and as a video may show them.

Lengths are pixels of the drawn image. Angles are degrees clockwise from the orientation of the kind at 0 quarter turns.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from vmevalkit.tasks.rotation_puzzle_task.pipes import QUARTERS

SIZE = (768, 512)
"""Width and height of the drawn image."""
BACKGROUND = "#f8fafc"
BLUE = "#3b82f6"
SQUARE, SPACING = 140, 20
"""Side of a square and distance between squares in the specification. Larger grids have smaller squares."""
MARGIN = 10
"""Free pixels at the edge of the image."""
PIPE_WIDTH = 36
"""Width of a pipe in a square of 140 pixels."""

NEW = -1
"""The home of a pipe that does not belong to the puzzle."""
OTHER = "other"
"""The shape of something that is not L, I or T."""
MIN_VISIBLE_OPACITY = 0.25
"""A pipe that is less opaque does not count as visible."""
MIN_SOLID_OPACITY = 0.6
"""A pipe that is at least this opaque counts as intact."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class SquareLayout:
    """Positions of the squares in the image."""

    square: int
    """Side of a square."""
    centres: tuple[Point, ...]
    """Centres of the squares, row by row."""

    @property
    def scale(self) -> float:
        """Size of the squares relative to the specification's."""
        return self.square / SQUARE


@lru_cache(maxsize=64)
def get_layout(rows: int, cols: int) -> SquareLayout:
    """Return a centred grid of squares of 140 pixels, 20 apart, or smaller where they would not fit.

    Centres are on whole pixels.
    """
    width, height = SIZE
    square = SQUARE
    while True:
        spacing = 2 * round(square * SPACING / SQUARE / 2)
        grid_width, grid_height = (n * square + (n - 1) * spacing for n in (cols, rows))
        if grid_width <= width - 2 * MARGIN and grid_height <= height - 2 * MARGIN:
            break
        square -= 2
    left, top = (width - grid_width) // 2 + square // 2, (height - grid_height) // 2 + square // 2
    pitch = square + spacing
    centres = tuple((float(left + col * pitch), float(top + row * pitch)) for row in range(rows) for col in range(cols))
    return SquareLayout(square, centres)


@dataclass(frozen=True, slots=True)
class Pipe:
    """A pipe as one frame shows it."""

    home: int
    """The number of its square, or NEW."""
    shape: str
    """L, I or T, or OTHER."""
    angle_deg: float
    x: float
    """The centre of its square, about which it rotates."""
    y: float
    colour: str = BLUE
    opacity: float = 1.0
    is_visible: bool = True
    """False where something covers it; then the last known state is kept."""


@dataclass(frozen=True, slots=True)
class PipeCamera:
    """Camera motion: the image is zoomed about its middle, then shifted."""

    zoom: float = 1.0
    x: float = 0.0
    y: float = 0.0

    def project(self, point: Point) -> Point:
        """Return where a point of the scene appears in the image."""
        middle_x, middle_y = SIZE[0] / 2, SIZE[1] / 2
        return (
            middle_x + self.zoom * (point[0] - middle_x) + self.x,
            middle_y + self.zoom * (point[1] - middle_y) + self.y,
        )

    def unproject(self, point: Point) -> Point:
        """Return the point of the scene that appears at a point of the image."""
        middle_x, middle_y = SIZE[0] / 2, SIZE[1] / 2
        return (
            middle_x + (point[0] - self.x - middle_x) / self.zoom,
            middle_y + (point[1] - self.y - middle_y) / self.zoom,
        )

    def has_moved_from(self, camera: PipeCamera) -> bool:
        """Return whether the two cameras differ so much that the frame must be read again."""
        distance = max(abs(self.x - camera.x), abs(self.y - camera.y))
        return abs(self.zoom / camera.zoom - 1) > 0.01 or distance > 4


STILL_CAMERA = PipeCamera()


@dataclass(frozen=True, slots=True)
class PipeScene:
    """Everything that is visible at one time. While a pipe dissolves into another, both are present, half opaque."""

    pipes: tuple[Pipe, ...]
    """By home, the most opaque first; then the new ones, from left to right."""
    camera: PipeCamera = STILL_CAMERA
    """Positions of the pipes are those without it."""

    def pipes_at(self, home: int) -> tuple[Pipe, ...]:
        return tuple(pipe for pipe in self.pipes if pipe.home == home)

    @property
    def new_pipes(self) -> tuple[Pipe, ...]:
        return self.pipes_at(NEW)


def build_scene(pipes: Iterable[Pipe], camera: PipeCamera = STILL_CAMERA) -> PipeScene:
    """Return the scene with its pipes in order."""
    return PipeScene(tuple(sorted(pipes, key=lambda p: (p.home == NEW, p.home, -p.opacity, p.x, p.y))), camera)


def get_period_deg(shape: str) -> int:
    """Return the angle after which a shape looks the same again."""
    return 90 * QUARTERS.get(shape, 4)


def compute_turn_deg(shape: str, start_deg: float, end_deg: float) -> float:
    """Return the shortest turn from one angle to another that explains what is visible of the shape."""
    period = get_period_deg(shape)
    return (end_deg - start_deg + period / 2) % period - period / 2


def compute_quarter_offset_deg(angle_deg: float) -> float:
    """Return the signed distance of an angle from the nearest quarter turn."""
    return (angle_deg + 45) % 90 - 45


def find_nearest_quarter(shape: str, angle_deg: float) -> int:
    """Return the quarter turns of the nearest orientation of the shape."""
    return round(angle_deg / 90) % QUARTERS[shape]
