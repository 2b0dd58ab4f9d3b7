"""What a tile can show: one to four equal shapes of one colour at one angle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeAlias

Attribute = Literal["shape", "number", "rotation", "colour"]
Value: TypeAlias = str | int

ATTRIBUTES: tuple[Attribute, ...] = ("shape", "number", "rotation", "colour")
ORIENTED = ("triangle", "arrow", "half_disc", "tee", "corner")
"""Shapes that look different after each quarter turn."""
SYMMETRIC = ("square", "circle", "plus", "star", "ring")
"""Shapes whose angle is not used: they are always drawn at 0 degrees."""
SHAPES = (*ORIENTED, *SYMMETRIC)
NUMBERS = (1, 2, 3, 4)
ANGLES_DEG = (0, 90, 180, 270)
"""Quarter turns, clockwise."""
COLOURS: dict[str, tuple[int, int, int]] = {
    "red": (214, 36, 40),
    "blue": (0, 84, 200),
    "green": (0, 165, 80),
    "orange": (246, 166, 0),
    "purple": (164, 64, 196),
    "black": (32, 32, 32),
}
"""They differ in brightness too, so that most of them can be distinguished with colour blindness."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One cell of a matrix."""

    shape: str
    number: int
    """How many of the shape."""
    angle_deg: int
    """Clockwise rotation of the shapes; 0 for symmetric shapes."""
    colour: str

    def value(self, attribute: Attribute) -> Value:
        """Return the value of one attribute."""
        value: Value = getattr(self, "angle_deg" if attribute == "rotation" else attribute)
        return value


VALUES: dict[Attribute, tuple[Value, ...]] = {
    "shape": SHAPES,
    "number": NUMBERS,
    "rotation": ANGLES_DEG,
    "colour": tuple(COLOURS),
}
POSES: tuple[tuple[str, int], ...] = (*product(ORIENTED, ANGLES_DEG), *product(SYMMETRIC, (0,)))
"""Every shape with every angle that is visible."""


def make_tile(values: Sequence[Value]) -> Tile:
    """Return the tile with these values, in the order of ATTRIBUTES. A symmetric shape gets the angle 0."""
    shape, number, angle_deg, colour = values
    return Tile(str(shape), int(number), int(angle_deg) if shape in ORIENTED else 0, str(colour))


def is_known(tile: Tile) -> bool:
    """Return whether the tile can be drawn and distinguished from all others."""
    return (
        tile.number in NUMBERS
        and tile.colour in COLOURS
        and (tile.shape in SYMMETRIC or tile.shape in ORIENTED)
        and (tile.angle_deg in ANGLES_DEG if tile.shape in ORIENTED else tile.angle_deg == 0)
    )
