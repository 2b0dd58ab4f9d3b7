"""Drawing a view of the sculpture: translucent shaded faces with black edges, on white."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas, rgba
from vmevalkit.media.image import Frame
from vmevalkit.tasks.rotation_task.camera import camera_of, locate_eye
from vmevalkit.tasks.rotation_task.mesh import build_mesh, order_faces
from vmevalkit.tasks.rotation_task.scene import View, VoxelPuzzle
from vmevalkit.tasks.rotation_task.snakes import Voxels

SIDE = 400
"""Width and height of the image."""
ALPHA = 0.8
"""Opacity of a face."""
SHADE = np.array([0.86, 0.96, 0.80, 0.91, 0.74, 1.06])
"""Brightness of a face by its direction: the light comes from above and stays with the sculpture."""


def draw_view(puzzle: VoxelPuzzle, state: View) -> Frame:
    """Return the image of a view."""
    canvas = Canvas(SIDE, SIDE)
    if state.has_table:
        canvas.polygon(project_table_rim(puzzle, state) * SIDE, fill=state.table_top.colour)
    if state.voxels:
        draw_sculpture(canvas, puzzle, state, shade_faces(state.voxels, state.paint, puzzle.look.is_shaded))
    return canvas.frame()


@lru_cache(maxsize=64)
def shade_faces(voxels: Voxels, paint: tuple[str, ...], is_shaded: bool = True) -> NDArray[np.float64]:
    """Return the colour and opacity of each face of a sculpture."""
    mesh = build_mesh(voxels)
    colours = np.array([rgba(colour) for colour in paint])
    fills = colours[mesh.owner % len(paint)]
    if is_shaded:
        fills[:, :3] = np.minimum(fills[:, :3] * SHADE[mesh.direction, None], 1.0)
    fills[:, 3] = ALPHA
    return fills


def draw_sculpture(
    canvas: Canvas,
    puzzle: VoxelPuzzle,
    view: View,
    fills: NDArray[np.float64],
    edge: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> None:
    """Draw the faces from far to near, in the given colours, at the size of the canvas."""
    mesh = build_mesh(view.voxels)
    order = order_faces(mesh, locate_eye(puzzle, view.azim_deg, view.elev_deg))
    points = project_view(puzzle, view, mesh.corners) * canvas.width
    width = puzzle.look.edge_width * view.zoom * canvas.width / SIDE
    canvas.polygons(points[mesh.faces[order]], fills[order], edge, width)


def project_view(puzzle: VoxelPuzzle, view: View, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where a view shows points, in widths of the image from its top left corner."""
    places = camera_of(puzzle).project(points, view.azim_deg, view.elev_deg)
    return np.asarray(places * view.zoom + view.shift + 0.5)


def project_table_rim(puzzle: VoxelPuzzle, view: View) -> NDArray[np.float64]:
    """Return the edge of a table top that touches the lowest voxels, in widths of the image."""
    camera, top = camera_of(puzzle), view.table_top
    around = np.linspace(0, 2 * np.pi, top.corners, endpoint=False)
    rim = top.radius * camera.radius * np.stack([np.cos(around), np.sin(around), np.zeros(top.corners)], axis=1)
    rim += [camera.centre[0], camera.centre[1], min(z for _, _, z in puzzle.voxels) - 0.5]
    return project_view(puzzle, view, rim)
