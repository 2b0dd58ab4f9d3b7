"""Drawing a scene: flat shapes on white."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas, rgba
from vmevalkit.media.picture import Frame
from vmevalkit.tasks.object_subtraction_task.scene import CORNERS, STILL, Piece, Scene, colour_hex

_Outline: TypeAlias = NDArray[np.float64]


def draw(canvas_px: int, scene: Scene) -> Frame:
    """The picture of a scene. What lies outside the canvas is cut off."""
    canvas = Canvas(canvas_px, canvas_px)
    still = scene.camera == STILL
    for piece in scene.pieces:
        _paint(canvas, piece if still else scene.camera.shown(piece, canvas_px))
    return canvas.frame()


def _paint(canvas: Canvas, piece: Piece) -> None:
    red, green, blue, _ = rgba(colour_hex(piece.colour))
    fill = (red, green, blue, min(max(piece.opacity, 0.0), 1.0))
    outline = _outline(piece.shape)
    if outline is None:
        canvas.circle(piece.x, piece.y, piece.size / 2, fill=fill)
    else:
        canvas.polygon(outline * piece.size + (piece.x, piece.y), fill=fill)


@lru_cache(maxsize=8)
def _outline(shape: str) -> _Outline | None:
    return np.array(CORNERS[shape]) if shape in CORNERS else None
