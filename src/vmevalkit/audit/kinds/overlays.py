"""Things that are drawn over a video and do not belong to the puzzle: a cursor, a hand, a watermark, a title."""

from __future__ import annotations

import numpy as np

from vmevalkit.audit.kinds.effects import draw_over
from vmevalkit.media.canvas import Canvas, Colour
from vmevalkit.media.image import Frame

_ARROW = np.array([(0, 0), (0, 1), (0.23, 0.78), (0.4, 1.15), (0.55, 1.08), (0.39, 0.72), (0.7, 0.7)])
"""Outline of a mouse cursor whose tip is at (0, 0)."""


def draw_cursor(frame: Frame, x: float, y: float) -> Frame:
    """Return the image with a mouse cursor whose tip is at (x, y), in shares of width and height."""
    height, width = frame.shape[:2]
    points = _ARROW * 0.045 * min(width, height) + [x * width, y * height]
    return draw_over(frame, lambda canvas: canvas.polygon(points, fill="#ffffff", stroke="#000000", width=1.0))


def draw_hand(frame: Frame, reach: float) -> Frame:
    """Return the image with a hand that reaches in from the left edge by this share of the width."""
    height, width = frame.shape[:2]
    if reach <= 0:
        return frame
    tip, size = reach * width, 0.12 * height
    skin, edge = "#e0ac8a", "#9c6b4f"

    def draw(canvas: Canvas) -> None:
        middle = 0.55 * height
        arm = [(tip - 6 * size, middle - 0.5 * size), (tip - size, middle - 0.55 * size)]
        arm += [(tip - size, middle + 0.55 * size), (tip - 6 * size, middle + 0.5 * size)]
        canvas.polygon(arm, fill=skin, stroke=edge, width=1.0)
        canvas.ellipse(tip - 0.9 * size, middle, 0.7 * size, 0.6 * size, fill=skin, stroke=edge, width=1.0)
        for place in (-0.36, -0.12, 0.12, 0.36):
            y = middle + place * size
            canvas.line([(tip - 0.7 * size, y), (tip - 0.12 * size - 0.3 * abs(place) * size, y)], skin, 0.2 * size)

    return draw_over(frame, draw)


def draw_watermark(frame: Frame, text: str) -> Frame:
    """Return the image with a small translucent text in the lower left corner, inside the margin of most images."""
    height, width = frame.shape[:2]
    size = 0.032 * min(width, height)

    def draw(canvas: Canvas) -> None:
        canvas.text(text, 0.012 * width, height - 0.6 * size, size, fill=(0.5, 0.5, 0.5, 0.7), anchor="left")

    return draw_over(frame, draw)


def draw_caption(frame: Frame, text: str, y: float, size: float, fill: Colour, bold: bool = True) -> Frame:
    """Return the image with a centred line of text; ``y`` and ``size`` are shares of the height."""
    height, width = frame.shape[:2]
    em = min(size * height, 1.5 * width / max(len(text), 1))
    return draw_over(frame, lambda canvas: canvas.text(text, width / 2, y * height, em, fill=fill, bold=bold))
