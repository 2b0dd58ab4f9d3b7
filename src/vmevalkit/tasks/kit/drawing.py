"""Drawings that several puzzles share: a grid of cells, and simple shapes of one size."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Final

from vmevalkit.media.canvas import Canvas
from vmevalkit.tasks.kit.palette import PALETTE

_Corners = tuple[tuple[float, float], ...]


def _list_corners(count: int, turn: float, inner: float | None = None, size: float = 1.0) -> _Corners:
    """Return the corners of a regular polygon around (0, 0), or of a star with an inner radius."""
    radii = [1.0] if inner is None else [1.0, inner]
    steps = count * len(radii)
    angles = [turn + 2 * pi * step / steps for step in range(steps)]
    return tuple(
        (size * radii[step % len(radii)] * cos(angle), size * radii[step % len(radii)] * sin(angle))
        for step, angle in enumerate(angles)
    )


_POLYGONS: dict[str, _Corners] = {
    "square": ((-0.86, -0.86), (0.86, -0.86), (0.86, 0.86), (-0.86, 0.86)),
    "triangle": ((0.0, -1.0), (1.02, 0.8), (-1.02, 0.8)),
    "star": _list_corners(5, -pi / 2, 0.45, 1.12),
    "diamond": ((0.0, -1.1), (0.8, 0.0), (0.0, 1.1), (-0.8, 0.0)),
    "cross": (
        (-0.34, -1.0), (0.34, -1.0), (0.34, -0.34), (1.0, -0.34), (1.0, 0.34), (0.34, 0.34),
        (0.34, 1.0), (-0.34, 1.0), (-0.34, 0.34), (-1.0, 0.34), (-1.0, -0.34), (-0.34, -0.34),
    ),
}  # fmt: skip
SHAPES: Final = ("circle", *_POLYGONS)
"""Names of the shapes of ``draw_shape``."""


def draw_shape(canvas: Canvas, shape: str, x: float, y: float, radius: float, fill: str) -> None:
    """Draw a shape with an outline. A square, a circle and a star of one radius look about equally large."""
    if shape == "circle":
        canvas.circle(x, y, radius, fill=fill, stroke=PALETTE.INK, width=PALETTE.LINE)
        return
    corners = [(x + radius * dx, y + radius * dy) for dx, dy in _POLYGONS[shape]]
    canvas.polygon(corners, fill, PALETTE.INK, PALETTE.LINE)


def draw_grid(
    canvas: Canvas, left: int, top: int, columns: int, rows: int, cell: int, fill: str = PALETTE.PAPER
) -> None:
    """Draw a framed grid of square cells; the frame is outside of them."""
    width, height = columns * cell, rows * cell
    canvas.rectangle(left - 4, top - 4, width + 8, height + 8, PALETTE.INK)
    canvas.rectangle(left, top, width, height, fill)
    for column in range(1, columns):
        canvas.rectangle(left + cell * column - 1, top, 2, height, PALETTE.SHADE)
    for row in range(1, rows):
        canvas.rectangle(left, top + cell * row - 1, width, 2, PALETTE.SHADE)
