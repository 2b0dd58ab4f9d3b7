"""SVG paths converted to the vertices and codes that a canvas draws. Arcs become cubic curves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import acos, ceil, copysign, cos, hypot, pi, radians, sin, sqrt, tan
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Point: TypeAlias = tuple[float, float]

_MOVE, _LINE, _CURVE3, _CURVE4, _CLOSE = 1, 2, 3, 4, 79
_NUMBERS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}
"""How many numbers each command takes at a time."""
_TOKEN = re.compile(r"[MmLlHhVvCcSsQqTtAaZz]|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass(slots=True)
class _PathBuilder:
    """The vertices and codes so far."""

    vertices: list[Point] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    at: Point = (0.0, 0.0)
    begin: Point = (0.0, 0.0)
    control: Point | None = None
    """The last curve's last control point, which ``S`` and ``T`` mirror."""

    def add(self, code: int, *points: Point) -> None:
        self.vertices += points
        self.codes += [code] * len(points)
        self.at = points[-1]


def parse_path(text: str) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Return the vertices (n x 2) and matplotlib's codes of an SVG path."""
    path = _PathBuilder()
    for command, numbers in _split_commands(text):
        _apply_command(path, command, numbers)
    return np.array(path.vertices, np.float64), np.array(path.codes, np.uint8)


def _split_commands(text: str) -> Iterator[tuple[str, list[float]]]:
    """Yield each command with its numbers; a command with several sets of numbers is repeated."""
    tokens = _TOKEN.findall(text)
    index = 0
    command = ""
    while index < len(tokens):
        if tokens[index].isalpha():
            command = tokens[index]
            index += 1
        count = _NUMBERS[command.upper()]
        yield command, [float(token) for token in tokens[index : index + count]]
        index += count
        # Further pairs after a move are lines.
        command = {"M": "L", "m": "l"}.get(command, command)


def _apply_command(path: _PathBuilder, command: str, numbers: list[float]) -> None:
    kind, (x, y) = command.upper(), path.at
    dx, dy = (x, y) if command.islower() else (0.0, 0.0)
    if kind == "Z":
        path.add(_CLOSE, path.begin)
    elif kind == "H":
        path.add(_LINE, (numbers[0] + dx, y))
    elif kind == "V":
        path.add(_LINE, (x, numbers[0] + dy))
    elif kind == "A":
        end = (numbers[5] + dx, numbers[6] + dy)
        for curve in _convert_arc(
            path.at, end, numbers[0], numbers[1], radians(numbers[2]), bool(numbers[3]), bool(numbers[4])
        ):
            path.add(_CURVE4, *curve)
    else:
        points = [(numbers[i] + dx, numbers[i + 1] + dy) for i in range(0, len(numbers), 2)]
        if kind in "ST":
            mirrored = path.control or path.at
            points.insert(0, (2 * x - mirrored[0], 2 * y - mirrored[1]))
        path.add({"M": _MOVE, "L": _LINE, "Q": _CURVE3, "T": _CURVE3}.get(kind, _CURVE4), *points)
        if kind == "M":
            path.begin = path.at
        path.control = points[-2] if kind in "CSQT" else None
        return
    path.control = None


def _convert_arc(
    start: Point, end: Point, rx: float, ry: float, tilt: float, large: bool, sweep: bool
) -> Iterator[tuple[Point, Point, Point]]:
    """Yield an elliptical arc as cubic curves of at most a quarter turn, by the SVG standard's notes (B.2.4)."""
    half_x, half_y = (start[0] - end[0]) / 2, (start[1] - end[1]) / 2
    x, y = cos(tilt) * half_x + sin(tilt) * half_y, -sin(tilt) * half_x + cos(tilt) * half_y
    enlargement = max(1.0, hypot(x / rx, y / ry))
    rx, ry = rx * enlargement, ry * enlargement
    ratio = (rx * ry) ** 2 / ((rx * y) ** 2 + (ry * x) ** 2) - 1
    factor = copysign(sqrt(max(0.0, ratio)), 1 if large != sweep else -1)
    cx, cy = factor * rx * y / ry, -factor * ry * x / rx
    begin = _signed_angle((1, 0), ((x - cx) / rx, (y - cy) / ry))
    turn = _signed_angle(((x - cx) / rx, (y - cy) / ry), ((-x - cx) / rx, (-y - cy) / ry)) % (2 * pi)
    if not sweep:
        turn -= 2 * pi
    middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2

    def place_point(u: float, v: float) -> Point:
        """Return a point of the unit circle, scaled, rotated and moved onto the ellipse."""
        u, v = rx * u + cx, ry * v + cy
        return (cos(tilt) * u - sin(tilt) * v + middle[0], sin(tilt) * u + cos(tilt) * v + middle[1])

    pieces = ceil(abs(turn) / (pi / 2) - 1e-9)
    step = turn / pieces
    handle = 4 / 3 * tan(step / 4)
    for i in range(pieces):
        a, b = begin + i * step, begin + (i + 1) * step
        yield (
            place_point(cos(a) - handle * sin(a), sin(a) + handle * cos(a)),
            place_point(cos(b) + handle * sin(b), sin(b) - handle * cos(b)),
            end if i == pieces - 1 else place_point(cos(b), sin(b)),
        )


def _signed_angle(one: Point, other: Point) -> float:
    """Return the angle from one direction to the other."""
    cosine = (one[0] * other[0] + one[1] * other[1]) / (hypot(*one) * hypot(*other))
    return copysign(acos(min(1.0, max(-1.0, cosine))), one[0] * other[1] - one[1] * other[0])
