"""What there is to see: coloured shapes on white, as a puzzle has them and as a film may show them.

Lengths are pixels of the drawn picture. The specification's picture is 256 pixels wide; on a larger canvas all its
lengths grow alike, and ``unit`` says how much.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import pi, sqrt
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
"""As far from each other as six names allow, seen as what they take from white: a fading object keeps its direction."""

OTHER = "other"
"""The shape of what is none of ours."""
NEW = -1
"""The id of what is not among the puzzle's objects."""

CONE_TOP = 0.36
"""Width of a cone's top, where its base is 1."""
_TRIANGLE_HEIGHT = sqrt(3) / 2

HEIGHTS: Mapping[str, float] = {"cube": 1.0, "sphere": 1.0, "pyramid": _TRIANGLE_HEIGHT, "cone": 1.0, OTHER: 1.0}
"""Height of the box around a shape whose width is 1."""
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
"""How far a shape's centre of mass lies below the middle of its box, where its width is 1."""
CORNERS: Mapping[str, tuple[tuple[float, float], ...]] = {
    "cube": ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)),
    "pyramid": ((0.0, -_TRIANGLE_HEIGHT / 2), (0.5, _TRIANGLE_HEIGHT / 2), (-0.5, _TRIANGLE_HEIGHT / 2)),
    "cone": ((-CONE_TOP / 2, -0.5), (CONE_TOP / 2, -0.5), (0.5, 0.5), (-0.5, 0.5)),
}
"""From the middle of the box, where the width is 1. What has no corners is a circle."""

Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right and bottom."""


@dataclass(frozen=True, slots=True)
class Thing:
    """An object of a puzzle."""

    id: int
    colour: str
    shape: str
    x: int
    """The middle of the box around it."""
    y: int
    size: int
    """Its width: side, diameter or base."""

    @property
    def area(self) -> float:
        return AREAS[self.shape] * self.size**2

    @property
    def box(self) -> Box:
        return box_of(self.shape, self.x, self.y, self.size)


@dataclass(frozen=True, slots=True)
class Piece:
    """An object as one frame shows it."""

    id: int
    """Of the puzzle's object that it is, or NEW."""
    colour: str
    """One of COLOURS, or #rrggbb."""
    shape: str
    """One of SHAPES, or OTHER."""
    x: float
    y: float
    size: float
    opacity: float = 1.0

    @property
    def area(self) -> float:
        return AREAS[self.shape] * self.size**2

    @property
    def box(self) -> Box:
        return box_of(self.shape, self.x, self.y, self.size)


@dataclass(frozen=True, slots=True)
class Camera:
    """How the whole picture is shown: zoomed about its middle, then shifted by some pixels."""

    zoom: float = 1.0
    x: float = 0.0
    y: float = 0.0

    def shown(self, piece: Piece, canvas: int) -> Piece:
        """A piece as it appears."""
        middle = canvas / 2
        x, y = middle + self.zoom * (piece.x - middle) + self.x, middle + self.zoom * (piece.y - middle) + self.y
        return Piece(piece.id, piece.colour, piece.shape, x, y, self.zoom * piece.size, piece.opacity)

    def undone(self, piece: Piece, canvas: int) -> Piece:
        """The inverse of ``shown``."""
        middle = canvas / 2
        x, y = middle + (piece.x - self.x - middle) / self.zoom, middle + (piece.y - self.y - middle) / self.zoom
        return Piece(piece.id, piece.colour, piece.shape, x, y, piece.size / self.zoom, piece.opacity)


STILL = Camera()


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that is to be seen at one time. An object that is gone is not among the pieces."""

    pieces: tuple[Piece, ...]
    """The puzzle's objects by id, then what is new from left to right. The later lie over the earlier."""
    camera: Camera = STILL
    """Places and sizes of the pieces are those without it."""

    def get(self, thing_id: int) -> Piece | None:
        return next((piece for piece in self.pieces if piece.id == thing_id), None)

    @property
    def new(self) -> tuple[Piece, ...]:
        return tuple(piece for piece in self.pieces if piece.id == NEW)


def scene_of(pieces: Iterable[Piece], camera: Camera = STILL) -> Scene:
    """The pieces in order."""
    return Scene(tuple(sorted(pieces, key=lambda piece: (piece.id == NEW, piece.id, piece.x, piece.y))), camera)


def piece_of(thing: Thing) -> Piece:
    """The object as it stands in the first frame."""
    return Piece(thing.id, thing.colour, thing.shape, float(thing.x), float(thing.y), float(thing.size))


def box_of(shape: str, x: float, y: float, size: float) -> Box:
    half_width, half_height = size / 2, size * HEIGHTS[shape] / 2
    return (x - half_width, y - half_height, x + half_width, y + half_height)


def colour_hex(colour: str) -> str:
    return COLOURS.get(colour, colour)


def unit(canvas: int) -> float:
    """How much longer lengths are than in the specification's picture."""
    return canvas / SPECIFIED_CANVAS


def gap(one: Box, other: Box) -> float:
    """The free stripe between two boxes; below 0 where they overlap."""
    across = max(one[0], other[0]) - min(one[2], other[2])
    down = max(one[1], other[1]) - min(one[3], other[3])
    return max(across, down)


def covered(pieces: Iterable[Thing | Piece], canvas: int, step: int = 1) -> NDArray[np.bool_]:
    """Which points of the picture, ``step`` pixels apart, lie within an object."""
    axis = np.arange(step / 2, canvas, step)
    mask = np.zeros((len(axis), len(axis)), np.bool_)
    for piece in pieces:
        across, down = (axis - piece.x) / piece.size, (axis - piece.y) / piece.size
        mask |= _inside(piece.shape, across[None, :], down[:, None])
    return mask


def _inside(shape: str, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
    if shape in ("sphere", OTHER):
        return np.asarray(x * x + y * y <= 0.25)
    half = HEIGHTS[shape] / 2
    depth = (y + half) / (2 * half)  # 0 at the top, 1 at the base
    top = {"cube": 1.0, "pyramid": 0.0, "cone": CONE_TOP}[shape]
    return np.asarray((depth >= 0) & (depth <= 1) & (np.abs(x) <= (top + (1 - top) * depth) / 2))
