"""Small renders of a sculpture, split into the parts whose colours are fitted to a frame.

Colours are never assumed. A render gives for each pixel how much of it is background, face and edge. Where voxels have
colours of their own, it gives red, green, blue and a constant, for a linear change of all colours.
"""

from __future__ import annotations

from math import exp
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas
from vmevalkit.tasks.rotation_task.backdrop import Floats
from vmevalkit.tasks.rotation_task.mesh import build_mesh
from vmevalkit.tasks.rotation_task.render import ALPHA, SHADE, draw_sculpture, shade_faces
from vmevalkit.tasks.rotation_task.scene import BASE_COLOUR, View, VoxelPuzzle
from vmevalkit.tasks.rotation_task.snakes import Voxels

Pose = NDArray[np.float64]
"""Azimuth and elevation in degrees, the logarithm of the zoom, and the shift to the right and down."""

Window = tuple[slice, slice]
"""Rows and columns."""

SIDE = 100
"""Width and height of the small renders, in pixels."""
FINE, COARSE = 0.8, 2.2
"""Blur of a frame for the comparison: fine, or so much that lines a few pixels apart still overlap."""
_MIN_OWN_COLOUR = 30.0  # levels by which a table differs in other colours than the sculpture does


class PartRenderer:
    """Renders the parts of one puzzle's sculpture, or of another one in its place."""

    def __init__(self, puzzle: VoxelPuzzle) -> None:
        self.puzzle = puzzle
        self._fills: dict[Voxels, NDArray[np.float64]] = {}

    def render_parts(self, voxels: Voxels, pose: Pose, blur: float = FINE) -> Floats:
        """Return how much of each pixel is background, face (more where it is brighter) and edge.

        Where voxels have colours of their own, the parts are red, green, blue and a constant.
        """
        if voxels not in self._fills:
            self._fills[voxels] = self._choose_fills(voxels)
        has_colours = bool(self.puzzle.colours)
        canvas = Canvas(SIDE, SIDE, (1.0, 1.0, 1.0) if has_colours else (1.0, 0.0, 0.0))
        edge = (0.0, 0.0, 0.0) if has_colours else (0.0, 0.0, 1.0)
        draw_sculpture(canvas, self.puzzle, make_view(voxels, pose), self._fills[voxels], edge)
        blurred = cv2.split(cv2.GaussianBlur(canvas.frame().astype(np.float32), (0, 0), blur))
        if has_colours:
            blurred = (*blurred, np.full((SIDE, SIDE), 255, np.float32))
        return np.array(blurred) * np.float32(1 / 255)

    def render_layers(self, voxels: Voxels, pose: Pose, blur: float, window: Window, backdrop: Floats | None) -> Floats:
        """Return the parts within a window as parts x pixels, with those of the backdrop if it has several colours."""
        parts = self.render_parts(voxels, pose, blur)[:, *window]
        parts = parts.reshape(len(parts), -1)
        return parts if backdrop is None else self.add_backdrop(backdrop, parts, voxels, pose, blur, window)

    def add_backdrop(
        self, backdrop: Floats, parts: Floats, voxels: Voxels, pose: Pose, blur: float, window: Window
    ) -> Floats:
        """Return the parts and those of the backdrop: the difference of each of its colours from the main one.

        Where voxels have colours of their own, the main colour is such a part too: the difference from what the white
        of the first frame became.
        """
        if self.puzzle.colours:
            behind = self._render_background(voxels, pose, blur)[window].ravel()
        else:
            behind, backdrop = parts[0], backdrop[1:]
        return np.concatenate([parts, behind * backdrop.reshape(len(backdrop), -1)])

    def measure_cover(self, parts: Floats) -> Floats:
        """Return how much of each pixel the sculpture covers."""
        if self.puzzle.colours:
            return np.asarray(np.clip((1 - parts[:3].min(axis=0)) * 8, 0, 1))
        return np.asarray(1 - parts[0])

    def choose_axes(self, palette: Floats) -> Floats:
        """Return the directions in colour space to compare along, as rows.

        A sculpture of one colour needs a single direction, in which faces and edges differ most from the background,
        and another one where a table has a colour of its own.
        """
        if self.puzzle.colours:
            return np.eye(3, dtype=np.float32)
        first = 2 * palette[:, 0] - palette[:, 1] - palette[:, 2]
        axes = [first / max(float(np.linalg.norm(first)), 1e-6)]
        for difference in palette[:, 3:].T:
            direction = palette[:, 1] - palette[:, 0] - difference
            for axis in axes:
                direction = direction - (direction @ axis) * axis
            size = float(np.linalg.norm(direction))
            if size > _MIN_OWN_COLOUR:
                axes.append(direction / size)
        return np.asarray(axes)

    def find_background(self, palette: NDArray[Any]) -> NDArray[Any]:
        """Return the main colour around the sculpture."""
        return np.asarray(palette[:, :4].sum(axis=1) if self.puzzle.colours else palette[:, 0])

    def find_differences(self, palette: NDArray[Any]) -> NDArray[Any]:
        """Return the differences of the backdrop's other colours, as columns."""
        return palette[:, 4:] if self.puzzle.colours else palette[:, 3:]

    def _render_background(self, voxels: Voxels, pose: Pose, blur: float) -> Floats:
        """Return how much of each pixel is background."""
        canvas = Canvas(SIDE, SIDE, (1.0, 1.0, 1.0))
        fills = np.zeros((len(build_mesh(voxels).faces), 4))
        fills[:, 3] = ALPHA
        draw_sculpture(canvas, self.puzzle, make_view(voxels, pose), fills, (0.0, 0.0, 0.0))
        share = canvas.frame()[:, :, 0].astype(np.float32) * np.float32(1 / 255)
        return np.asarray(cv2.GaussianBlur(share, (0, 0), blur))

    def _choose_fills(self, voxels: Voxels) -> NDArray[np.float64]:
        if self.puzzle.colours:
            return shade_faces(voxels, assign_colours(self.puzzle, voxels), self.puzzle.look.is_shaded)
        mesh = build_mesh(voxels)
        fills = np.zeros((len(mesh.faces), 4))
        fills[:, 1] = SHADE[mesh.direction] / SHADE.max() if self.puzzle.look.is_shaded else 1.0
        fills[:, 3] = ALPHA
        return fills


def assign_colours(puzzle: VoxelPuzzle, voxels: Voxels) -> tuple[str, ...]:
    """Return the colours of an edited sculpture: a voxel keeps its own, a new one has the base colour."""
    if not puzzle.colours:
        return puzzle.paint
    own = dict(zip(puzzle.voxels, puzzle.colours, strict=True))
    return tuple(own.get(voxel, BASE_COLOUR) for voxel in voxels)


def make_view(voxels: Voxels, pose: Pose) -> View:
    """Return the view of a sculpture from a pose."""
    azim_deg, elev_deg, zoom, across, down = pose.tolist()
    return View(azim_deg, elev_deg, voxels, zoom=exp(zoom), shift=(across, down))
