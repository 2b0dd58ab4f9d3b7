"""The visible scene: coloured shapes on white, as a puzzle defines them and as a video may show them.

Lengths are pixels of the drawn image. The specification's image is 256 pixels wide; on a larger canvas all lengths are
scaled alike, and ``compute_scale`` returns the factor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import cos, pi, radians, sin, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

SPECIFIED_CANVAS = 256

COLOURS: Mapping[str, str] = {
    "red": "#dc143c",
    "green": "#1e9b3c",
    "blue": "#1e50e6",
    "yellow": "#ffe600",
    "orange": "#ff7800",
    "purple": "#9628c8",
}
"""As distinct as the six names allow, by the direction of white minus colour, which fading does not change."""

OTHER = "other"
"""The shape of something that is none of SHAPES."""
NEW = -1
"""The id of an object that does not belong to the puzzle."""

CONE_TOP = 0.36
"""Width of a cone's top, where its base is 1."""
_TRIANGLE_HEIGHT = sqrt(3) / 2

HEIGHTS: Mapping[str, float] = {"cube": 1.0, "sphere": 1.0, "pyramid": _TRIANGLE_HEIGHT, "cone": 1.0, OTHER: 1.0}
"""Height of the bounding box of a shape whose width is 1."""
SHAPES: tuple[str, ...] = ("cube", "sphere", "pyramid", "cone")
AREAS: Mapping[str, float] = {
    "cube": 1.0,
    "sphere": pi / 4,
    "pyramid": _TRIANGLE_HEIGHT / 2,
    "cone": (1 + CONE_TOP) / 2,
    OTHER: pi / 4,
}
"""Area of a shape whose width is 1."""
CENTROIDS: Mapping[str, float] = {
    "cube": 0.0,
    "sphere": 0.0,
    "pyramid": _TRIANGLE_HEIGHT / 6,
    "cone": 0.5 - (1 + 2 * CONE_TOP) / (3 * (1 + CONE_TOP)),
    OTHER: 0.0,
}
"""Distance from the middle of the bounding box down to the centre of mass, where the width is 1."""
CORNERS: Mapping[str, tuple[tuple[float, float], ...]] = {
    "cube": ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)),
    "pyramid": ((0.0, -_TRIANGLE_HEIGHT / 2), (0.5, _TRIANGLE_HEIGHT / 2), (-0.5, _TRIANGLE_HEIGHT / 2)),
    "cone": ((-CONE_TOP / 2, -0.5), (CONE_TOP / 2, -0.5), (0.5, 0.5), (-0.5, 0.5)),
}
"""Corners from the middle of the bounding box, where the width is 1. A shape without corners is a circle."""

Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right and bottom."""


@dataclass(frozen=True, slots=True)
class SceneObject:
    """An object of a puzzle."""

    id: int
    colour: str
    shape: str
    x: int
    """The middle of its bounding box."""
    y: int
    size: int
    """Its width: side, diameter or base."""

    @property
    def area(self) -> float:
        return AREAS[self.shape] * self.size**2

    @property
    def box(self) -> Box:
        return compute_box(self.shape, self.x, self.y, self.size)


@dataclass(frozen=True, slots=True)
class VisibleObject:
    """An object as one frame shows it."""

    id: int
    """The id of the puzzle's object, or NEW."""
    colour: str
    """One of COLOURS, or #rrggbb."""
    shape: str
    """One of SHAPES, or OTHER."""
    x: float
    """The middle of its bounding box."""
    y: float
    size: float
    """Its width."""
    opacity: float = 1.0

    @property
    def area(self) -> float:
        return AREAS[self.shape] * self.size**2

    @property
    def box(self) -> Box:
        return compute_box(self.shape, self.x, self.y, self.size)


@dataclass(frozen=True, slots=True)
class ObjectCamera:
    """Camera motion: the image is turned and zoomed about its middle, then shifted."""

    zoom: float = 1.0
    x: float = 0.0
    y: float = 0.0
    roll_deg: float = 0.0
    """Clockwise turn of the image. The objects themselves are drawn upright: it is small."""

    def project(self, visible: VisibleObject, canvas: int) -> VisibleObject:
        """Return an object of the scene as it appears in the image."""
        middle = canvas / 2
        x, y = turn_point(visible.x - middle, visible.y - middle, self.roll_deg)
        x, y, size = middle + self.zoom * x + self.x, middle + self.zoom * y + self.y, self.zoom * visible.size
        return VisibleObject(visible.id, visible.colour, visible.shape, x, y, size, visible.opacity)

    def unproject(self, visible: VisibleObject, canvas: int) -> VisibleObject:
        """Return the object of the scene that appears like this in the image."""
        middle = canvas / 2
        x, y = (visible.x - self.x - middle) / self.zoom, (visible.y - self.y - middle) / self.zoom
        x, y = turn_point(x, y, -self.roll_deg)
        size = visible.size / self.zoom
        return VisibleObject(visible.id, visible.colour, visible.shape, middle + x, middle + y, size, visible.opacity)


def turn_point(x: float, y: float, degrees: float) -> tuple[float, float]:
    """Return a point turned clockwise about the origin; y points down."""
    if not degrees:
        return x, y
    c, s = cos(radians(degrees)), sin(radians(degrees))
    return c * x - s * y, s * x + c * y


STILL_CAMERA = ObjectCamera()


@dataclass(frozen=True, slots=True)
class ObjectScene:
    """Everything that is visible at one time. A removed object is not among the objects."""

    objects: tuple[VisibleObject, ...]
    """The puzzle's objects by id, then new ones from left to right. Later ones cover earlier ones."""
    camera: ObjectCamera = STILL_CAMERA
    """Places and sizes of the objects are those without it."""
    unseen: frozenset[int] = field(default=frozenset(), compare=False)
    """Ids of objects that something hides. They are taken to be as they were last seen."""

    def get(self, object_id: int) -> VisibleObject | None:
        return next((visible for visible in self.objects if visible.id == object_id), None)

    @property
    def new_objects(self) -> tuple[VisibleObject, ...]:
        return tuple(visible for visible in self.objects if visible.id == NEW)


def build_scene(
    objects: Iterable[VisibleObject], camera: ObjectCamera = STILL_CAMERA, unseen: Iterable[int] = ()
) -> ObjectScene:
    """Return the scene with its objects in order."""
    ordered = sorted(objects, key=lambda visible: (visible.id == NEW, visible.id, visible.x, visible.y))
    return ObjectScene(tuple(ordered), camera, frozenset(unseen))


def make_visible(thing: SceneObject) -> VisibleObject:
    """Return an object as the first frame shows it."""
    return VisibleObject(thing.id, thing.colour, thing.shape, float(thing.x), float(thing.y), float(thing.size))


def compute_box(shape: str, x: float, y: float, size: float) -> Box:
    """Return the bounding box of a shape."""
    half_width, half_height = size / 2, size * HEIGHTS[shape] / 2
    return (x - half_width, y - half_height, x + half_width, y + half_height)


def get_colour_hex(colour: str) -> str:
    return COLOURS.get(colour, colour)


def compute_scale(canvas: int) -> float:
    """Return the factor of lengths relative to the specification's image."""
    return canvas / SPECIFIED_CANVAS


def measure_gap(one: Box, other: Box) -> float:
    """Return the distance between two boxes along the better axis; below 0 where they overlap."""
    horizontal = max(one[0], other[0]) - min(one[2], other[2])
    vertical = max(one[1], other[1]) - min(one[3], other[3])
    return max(horizontal, vertical)


def compute_coverage(objects: Iterable[SceneObject | VisibleObject], canvas: int, step: int = 1) -> NDArray[np.bool_]:
    """Return which points of the image, ``step`` pixels apart, are inside an object."""
    axis = np.arange(step / 2, canvas, step)
    mask = np.zeros((len(axis), len(axis)), np.bool_)
    for visible in objects:
        x, y = (axis - visible.x) / visible.size, (axis - visible.y) / visible.size
        mask |= _is_inside(visible.shape, x[None, :], y[:, None])
    return mask


def _is_inside(shape: str, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
    if shape in ("sphere", OTHER):
        return np.asarray(x * x + y * y <= 0.25)
    half = HEIGHTS[shape] / 2
    depth = (y + half) / (2 * half)  # 0 at the top, 1 at the base
    top = {"cube": 1.0, "pyramid": 0.0, "cone": CONE_TOP}[shape]
    return np.asarray((depth >= 0) & (depth <= 1) & (np.abs(x) <= (top + (1 - top) * depth) / 2))
