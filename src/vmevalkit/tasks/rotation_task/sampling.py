"""Sampling rotation puzzles, and the proof that a puzzle is sound."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache
from random import Random

import numpy as np
from numpy.typing import NDArray

from vmevalkit.core.errors import Uncertified
from vmevalkit.tasks.rotation_task.camera import FIRST_VIEW_SIDES, camera_of, locate_eye
from vmevalkit.tasks.rotation_task.mesh import build_mesh, count_visible_spots
from vmevalkit.tasks.rotation_task.params import PALETTE, RotationParams
from vmevalkit.tasks.rotation_task.scene import VoxelPuzzle
from vmevalkit.tasks.rotation_task.snakes import (
    Shape,
    Voxels,
    describe_shape,
    grow_snake,
    is_connected,
    spans_all_axes,
)

CameraView = tuple[int, int]
"""Elevation and azimuth in whole degrees."""

_VIEWS_PER_SNAKE = 3  # other views are tried before the snake is given up


def sample_puzzle(rng: Random, params: RotationParams) -> VoxelPuzzle:
    """Return a puzzle that can be certified. Raises Uncertified when the params give none within their tries."""
    for _ in range(params.tries):
        voxels = grow_snake(
            rng,
            N=rng.randint(*params.voxels),
            Lmin=params.segments[0],
            Lmax=params.segments[1],
            p_branch=params.p_branch,
            max_deg=params.max_neighbours,
            tries=params.tries,
        )
        if voxels is None:
            break
        colours = _sample_colours(rng, len(voxels), params.colours)
        if not _is_distinctive(describe_shape(voxels, colours)):
            continue
        for _ in range(_VIEWS_PER_SNAKE):
            puzzle = _sample_view(rng, params, voxels, colours)
            if _is_well_visible(puzzle, params.visible) and is_well_framed(puzzle):
                return puzzle
    raise Uncertified(
        f"no sound rotation puzzle within {params.tries} tries of {params}; allow more tries, or other segments"
    )


def _sample_view(rng: Random, params: RotationParams, voxels: Voxels, colours: tuple[str, ...]) -> VoxelPuzzle:
    (elev_deg, first_deg), (_, final_deg) = generate_horizontal_rotation(rng, params.elevations, params.angles)
    return VoxelPuzzle(
        voxels=voxels,
        elev_deg=float(elev_deg),
        azim_deg=float(first_deg),
        angle_deg=float((final_deg - first_deg) % 360),
        colours=colours,
    )


def generate_horizontal_rotation(
    rng: Random | None = None, elevations: tuple[int, int] = (20, 40), angles: Sequence[int] = (180,)
) -> tuple[CameraView, CameraView]:
    """Return a random first view and the final view: the same elevation, and an azimuth that is one of ``angles`` more.

    Without ``rng`` every call gives other views.
    """
    rng = Random() if rng is None else rng
    elev_deg, azim_deg = rng.randint(*elevations), rng.randint(0, 359)
    return (elev_deg, azim_deg), (elev_deg, (azim_deg + rng.choice(angles)) % 360)


def _sample_colours(rng: Random, voxels: int, count: int) -> tuple[str, ...]:
    """Return a colour for each voxel, with each of ``count`` colours in use where there are enough voxels."""
    if count == 1:
        return ()
    chosen = rng.sample(PALETTE, count)
    colours = chosen[:voxels] + [rng.choice(chosen) for _ in range(voxels - count)]
    rng.shuffle(colours)
    return tuple(colours)


def _is_distinctive(shape: Shape) -> bool:
    """Return whether the sculpture differs visibly from its rotations and from its mirror image."""
    return not (shape.is_symmetric or shape.is_achiral or shape.has_lookalike)


def _is_well_visible(puzzle: VoxelPuzzle, shares: tuple[float, float]) -> bool:
    """Return whether the first view shows such a share of the voxels, and each voxel is in the first or final view."""
    first = find_visible_voxels(puzzle, 0.0)
    share = np.count_nonzero(first) / len(first)
    return bool(shares[0] <= share <= shares[1]) and bool((first | find_visible_voxels(puzzle, 1.0)).all())


def is_well_framed(puzzle: VoxelPuzzle) -> bool:
    """Return whether the first view shows the sculpture large enough.

    A view along a long sculpture is small where the views from its sides fill the image.
    """
    return camera_of(puzzle).first_view_side >= FIRST_VIEW_SIDES[0]


@lru_cache(maxsize=16)
def find_visible_voxels(puzzle: VoxelPuzzle, t: float) -> NDArray[np.bool_]:
    """Return for each voxel whether the camera sees it at time t of the solution: two spots or more on its faces."""
    eye = locate_eye(puzzle, puzzle.azim_deg + puzzle.angle_deg * t, puzzle.elev_deg)
    return count_visible_spots(build_mesh(puzzle.voxels), eye) >= 2


def certify_puzzle(puzzle: VoxelPuzzle) -> None:
    """Raise Uncertified unless the sculpture is sound and its rotation can be seen."""
    voxels = puzzle.voxels
    if len(voxels) < 4 or len(set(voxels)) < len(voxels):
        raise Uncertified(f"{len(voxels)} voxels, {len(set(voxels))} of them distinct; 4 or more are needed, each once")
    if not is_connected(voxels):
        raise Uncertified(f"the sculpture is not connected: {voxels}; let each voxel share a face with another")
    if not spans_all_axes(voxels):
        raise Uncertified(f"the sculpture is flat: {voxels}; use more than one layer along each axis")
    if puzzle.colours and len(puzzle.colours) != len(voxels):
        raise Uncertified(f"{len(puzzle.colours)} colours for {len(voxels)} voxels; give one for each, or none")
    if puzzle.angle_deg % 360 == 0:
        raise Uncertified(f"a rotation by {puzzle.angle_deg:g} degrees ends at the first view; choose another angle")
    if describe_shape(voxels, puzzle.colours).is_symmetric:
        raise Uncertified(f"{voxels}: a rotation maps the sculpture onto itself; move a voxel")
    first, final = find_visible_voxels(puzzle, 0.0), find_visible_voxels(puzzle, 1.0)
    in_first, in_both = np.count_nonzero(first), np.count_nonzero(first | final)
    if in_first < 0.5 * len(voxels) or in_both < 0.75 * len(voxels):
        raise Uncertified(
            f"{voxels}: the first view shows {in_first} of {len(voxels)} voxels, both views together {in_both}; at "
            "least half and three quarters must be visible"
        )


def puzzle_key(puzzle: VoxelPuzzle) -> Hashable:
    """Return a key that is equal for two sculptures that a rotation maps onto each other."""
    return describe_shape(puzzle.voxels, puzzle.colours).key
