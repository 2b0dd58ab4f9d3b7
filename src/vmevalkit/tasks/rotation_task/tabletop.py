"""Detection of a table: the prompt mentions one, so a video may show one under the sculpture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame
from vmevalkit.tasks.rotation_task.mesh import build_mesh
from vmevalkit.tasks.rotation_task.parts import SIDE, make_view
from vmevalkit.tasks.rotation_task.pose import ObservedFrame, PoseFit
from vmevalkit.tasks.rotation_task.render import project_table_rim, project_view
from vmevalkit.tasks.rotation_task.scene import VoxelPuzzle

_MIN_DIFFERENCE = 8.0  # levels between the table and what is beyond it
_PLAIN_STRAY = 0.002
_STRIDE = 2  # every second pixel is enough
_MIN_PIXELS = 20
_MAX_COLOURS = 6
_MIN_COLOUR_SHARE = 0.04  # of the image; less is not a table
WHITE = 255
_BEYOND, _TABLE, _OTHER = 0, 1, 2


def paint_backdrops(drawn: Frame, image: Frame) -> list[Frame]:
    """Return a drawn view on each of the colours that an image has beside the sculpture: a table, its side, a floor.

    The last one has them where the image has them, so that the edge of a table is explained too."""
    is_beside = (drawn == WHITE).all(axis=2)
    fitted = cv2.resize(image, (drawn.shape[1], drawn.shape[0]), interpolation=cv2.INTER_NEAREST)
    pixels = fitted[is_beside]
    if not len(pixels):
        return []
    codes = (pixels >> 4).astype(np.int64) @ np.array([256, 16, 1])
    counts = np.bincount(codes)
    common = [code for code in np.argsort(-counts)[:_MAX_COLOURS] if counts[code] >= _MIN_COLOUR_SHARE * is_beside.size]
    if not common:
        return []
    colours = np.array([np.median(pixels[codes == code], axis=0) for code in common], np.float32)
    nearest = np.abs(pixels[:, None].astype(np.float32) - colours).sum(axis=2).argmin(axis=1)
    painted = []
    for levels in (*colours, colours[nearest]):
        other = drawn.copy()
        other[is_beside] = levels.astype(np.uint8)
        painted.append(other)
    return painted


def has_table(puzzle: VoxelPuzzle, frame: ObservedFrame, fit: PoseFit, background: NDArray[np.float64]) -> bool:
    """Return whether the image has another colour in the place of a table than beyond its edge."""
    if fit.backdrop is None and fit.stray < _PLAIN_STRAY:
        edge = np.median(frame.pixels[:, ::2, :2], axis=(1, 2))
        if np.abs(edge - background).max() < _MIN_DIFFERENCE / 2:
            return False  # a plain background, the usual case
    view = make_view(fit.voxels, fit.pose)
    areas = np.full((SIDE, SIDE), _BEYOND, np.uint8)
    cv2.fillPoly(areas, [np.round(project_table_rim(puzzle, view) * SIDE).astype(np.int32)], (_TABLE,))
    corners = project_view(puzzle, view, build_mesh(puzzle.voxels).corners)
    hull = cv2.convexHull(np.round(corners * SIDE).astype(np.int32))
    cv2.fillConvexPoly(areas, hull, (_OTHER,))
    cv2.polylines(areas, [hull], True, (_OTHER,), 3)
    if frame.visible is not None:
        areas[frame.visible < 0.5] = _OTHER
    areas, pixels = areas[::_STRIDE, ::_STRIDE], frame.pixels[:, ::_STRIDE, ::_STRIDE]
    on, beyond = pixels[:, areas == _TABLE], pixels[:, areas == _BEYOND]
    if on.shape[1] < _MIN_PIXELS or beyond.shape[1] < _MIN_PIXELS:
        return False
    return bool(np.abs(np.median(on, axis=1) - np.median(beyond, axis=1)).max() > _MIN_DIFFERENCE)
