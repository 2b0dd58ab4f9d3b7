"""The pieces and coordinates of ``chess.svg``, drawn on a canvas at any position and size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas, Colour
from vmevalkit.tasks.chess_task.svg_path import parse_path

UNIT = 45
"""Side of the square in which ``chess.svg`` draws a piece."""
SYMBOLS = "PNBRQKpnbrqk"


@dataclass(frozen=True, slots=True)
class Stroke:
    """One outline with its colours; coordinates from 0 to UNIT."""

    vertices: NDArray[np.float64]
    codes: NDArray[np.uint8]
    fill: Colour | None
    stroke: Colour | None
    width: float

    def draw(self, canvas: Canvas, x: float, y: float, scale: float) -> None:
        canvas.shape(self.vertices * scale + (x, y), self.codes, self.fill, self.stroke, self.width * scale)


def draw_piece(canvas: Canvas, symbol: str, x: float, y: float, side: float) -> None:
    """Draw a piece in the square whose top left corner is (x, y)."""
    for stroke in _load_piece(symbol):
        stroke.draw(canvas, x, y, side / UNIT)


def draw_coordinate(canvas: Canvas, letter: str, x: float, y: float, scale: float) -> None:
    """Draw the letter of a file or the number of a rank. ``scale`` is pixels per unit of ``chess.svg``."""
    import chess.svg

    for stroke in _parse_strokes(ElementTree.fromstring(chess.svg.COORDS[letter]), _COORDINATE):
        stroke.draw(canvas, x, y, scale)


_COORDINATE = {"fill": "#e5e5e5", "stroke": "#e5e5e5"}


@lru_cache(maxsize=16)
def _load_piece(symbol: str) -> tuple[Stroke, ...]:
    import chess.svg  # imported at use: it loads an XML library, and most callers draw nothing

    return tuple(_parse_strokes(ElementTree.fromstring(chess.svg.PIECES[symbol]), {}))


def _parse_strokes(element: ElementTree.Element, inherited: Mapping[str, str]) -> Iterator[Stroke]:
    """Yield the outlines of an SVG element and of its children, each with its inherited style."""
    style = {**inherited, **element.attrib, **_parse_style(element.get("style", ""))}
    if element.tag == "path":
        vertices, codes = parse_path(element.attrib["d"])
        if "transform" in element.attrib:
            vertices = _apply_transform(vertices, element.attrib["transform"])
        yield _make_stroke(vertices, codes, style)
    elif element.tag == "circle":
        cx, cy, r = (float(element.attrib[name]) for name in ("cx", "cy", "r"))
        vertices, codes = parse_path(f"M {cx + r} {cy} A {r} {r} 0 1 1 {cx - r} {cy} A {r} {r} 0 1 1 {cx + r} {cy} z")
        yield _make_stroke(vertices, codes, style)
    inherited_style = {name: value for name, value in style.items() if name in ("fill", "stroke", "stroke-width")}
    for child in element:
        yield from _parse_strokes(child, inherited_style)


def _make_stroke(vertices: NDArray[np.float64], codes: NDArray[np.uint8], style: Mapping[str, str]) -> Stroke:
    fill, stroke = _parse_colour(style.get("fill", "#000")), _parse_colour(style.get("stroke", "none"))
    return Stroke(vertices, codes, fill, stroke, float(style.get("stroke-width", "1")))


def _parse_style(style: str) -> dict[str, str]:
    pairs = (part.split(":") for part in style.split(";") if ":" in part)
    return {name.strip(): value.strip() for name, value in pairs}


def _parse_colour(text: str) -> str | None:
    if text == "none":
        return None
    return "#" + "".join(2 * digit for digit in text[1:]) if len(text) == 4 else text


def _apply_transform(vertices: NDArray[np.float64], text: str) -> NDArray[np.float64]:
    """Apply ``matrix(a,b,c,d,e,f)``, the only transform that the pieces use."""
    a, b, c, d, e, f = (float(part) for part in text.removeprefix("matrix(").removesuffix(")").split(","))
    return np.asarray(vertices @ np.array([[a, b], [c, d]]) + (e, f))
