"""Drawing a scene: flat shapes on white."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas, rgba
from vmevalkit.media.picture import Frame
from vmevalkit.tasks.object_subtraction_task.scene import CORNERS, STILL, Piece, Scene, colour_hex

_Outline: TypeAlias = NDArray[np.float64]
_STAMP_MARGIN = 2


def draw(canvas_px: int, scene: Scene) -> Frame:
    """The picture of a scene. What lies outside the canvas is cut off, and the later pieces lie over the earlier."""
    pieces = scene.pieces
    if scene.camera != STILL:
        pieces = tuple(scene.camera.shown(piece, canvas_px) for piece in pieces)
    frame = np.empty((canvas_px, canvas_px, 3), np.uint8)
    frame.fill(255)  # np.full spreads its value in three times the time
    crowded = _crowded(pieces)
    rest = [piece for piece, near in zip(pieces, crowded, strict=True) if near or not _stamped(frame, piece)]
    if not rest:
        return frame
    canvas = Canvas(canvas_px, canvas_px)
    canvas.paste(frame, 0, 0)
    for piece in rest:
        _paint(canvas, piece)
    return canvas.frame()


def _crowded(pieces: Sequence[Piece]) -> list[bool]:
    """Which pieces come so near to another one that their stamps might overlap."""
    crowded = [False] * len(pieces)
    places = [(i, piece.x, piece.y, piece.size / 2 + _STAMP_MARGIN / 2 + 1) for i, piece in enumerate(pieces)]
    for (i, x, y, reach), (j, other_x, other_y, other_reach) in combinations(places, 2):
        if abs(x - other_x) < reach + other_reach and abs(y - other_y) < reach + other_reach:
            crowded[i] = crowded[j] = True
    return crowded


def _stamped(frame: Frame, piece: Piece) -> bool:
    """Whether the piece could be drawn by copying: most objects stand still, whole, on whole pixels."""
    x, y, size = int(piece.x), int(piece.y), int(piece.size)
    if piece.opacity != 1.0 or x != piece.x or y != piece.y or size != piece.size:
        return False
    half = size // 2 + _STAMP_MARGIN
    if x < half or y < half or x + half > frame.shape[1] or y + half > frame.shape[0]:
        return False
    frame[y - half : y + half, x - half : x + half] = _stamp(piece.shape, piece.colour, size)
    return True


@lru_cache(maxsize=2048)
def _stamp(shape: str, colour: str, size: int) -> Frame:
    """An object alone, in the middle of a small picture."""
    half = size // 2 + _STAMP_MARGIN
    canvas = Canvas(2 * half, 2 * half)
    _paint(canvas, Piece(0, colour, shape, half, half, size))
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
