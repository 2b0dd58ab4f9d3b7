"""Drawing a view of the sculpture: translucent shaded faces with black edges, on white."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas, rgba
from vmevalkit.media.picture import Frame
from vmevalkit.tasks.rotation_task.camera import camera_of, eye_of, far_to_near, solid_of
from vmevalkit.tasks.rotation_task.scene import RotationPuzzle, View
from vmevalkit.tasks.rotation_task.snakes import Voxels

SIDE = 400
"""Width and height of the picture."""
ALPHA = 0.8
EDGE_WIDTH = 1.2
SHADE = np.array([0.86, 0.96, 0.80, 0.91, 0.74, 1.06])
"""How bright a face is, by where it looks: a light that stays with the sculpture, from above."""


def draw(puzzle: RotationPuzzle, view: View) -> Frame:
    canvas = Canvas(SIDE, SIDE)
    if view.table:
        canvas.polygon(table_rim(puzzle, view) * SIDE, fill=view.table_top.colour)
    if view.voxels:
        draw_sculpture(canvas, puzzle, view, face_fills(view.voxels, view.paint))
    return canvas.frame()


@lru_cache(maxsize=64)
def face_fills(voxels: Voxels, paint: tuple[str, ...]) -> NDArray[np.float64]:
    """The colour of each face of a sculpture, with its translucency."""
    solid = solid_of(voxels)
    colours = np.array([rgba(colour) for colour in paint])
    of_face = colours[solid.owner % len(paint)]
    of_face[:, :3] = np.minimum(of_face[:, :3] * SHADE[solid.direction, None], 1.0)
    of_face[:, 3] = ALPHA
    return of_face


def draw_sculpture(
    canvas: Canvas,
    puzzle: RotationPuzzle,
    view: View,
    fills: NDArray[np.float64],
    edge: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> None:
    """The faces from far to near, in the given colours, at the canvas' own size."""
    solid = solid_of(view.voxels)
    order, _ = far_to_near(solid, eye_of(puzzle, view.azim_deg, view.elev_deg))
    points = camera_of(puzzle).project(solid.corners, view.azim_deg, view.elev_deg)
    points = (points * view.zoom + view.shift + 0.5) * canvas.width
    width = EDGE_WIDTH * view.zoom * canvas.width / SIDE
    canvas.polygons(points[solid.faces[order]], fills[order], edge, width)


def table_rim(puzzle: RotationPuzzle, view: View) -> NDArray[np.float64]:
    """The edge of a table top that touches the lowest voxels, in widths of the picture."""
    camera, top = camera_of(puzzle), view.table_top
    around = np.linspace(0, 2 * np.pi, top.corners, endpoint=False)
    rim = top.radius * camera.radius * np.stack([np.cos(around), np.sin(around), np.zeros(top.corners)], axis=1)
    rim += [camera.centre[0], camera.centre[1], min(z for _, _, z in puzzle.voxels) - 0.5]
    return np.asarray(camera.project(rim, view.azim_deg, view.elev_deg) * view.zoom + view.shift + 0.5)
