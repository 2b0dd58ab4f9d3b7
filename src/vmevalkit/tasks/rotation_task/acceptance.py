"""What a view shows and how far it is from the answer. No pixels here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np

from vmevalkit.tasks.rotation_task.scene import View, VoxelPuzzle, angle_between
from vmevalkit.tasks.rotation_task.snakes import describe_shape, mirror_voxels

Structure = Literal["kept", "mirrored", "changed", "unknown"]
"""The sculpture of a view, compared with the puzzle's."""

AZIMUTH_TOLERANCE_DEG = 15.0
ELEVATION_TOLERANCE_DEG = 10.0
_ZOOM_RANGE = (0.5, 1.6)
_MAX_SHIFT = 0.4
_FIRST_VIEW_DEG = 2.0  # a reading this near to the first view is the first view
_BIN_DEG = 6.0
_MAX_TILT_DEG = 30.0  # beyond the tolerance; no progress counts from here on


def classify_structure(puzzle: VoxelPuzzle, view: View) -> Structure:
    """Return how the sculpture of a view differs from the puzzle's."""
    if not view.voxels:
        return "unknown"
    if view.voxels == puzzle.voxels or set(view.voxels) == set(puzzle.voxels):
        return "kept"
    if describe_shape(view.voxels).key == describe_shape(mirror_voxels(puzzle.voxels)).key:
        return "mirrored"
    return "changed"


def is_structure_kept(puzzle: VoxelPuzzle, state: View) -> bool:
    """Return whether the sculpture is the puzzle's. One that something hides is not known to be damaged."""
    return classify_structure(puzzle, state) in ("kept", "unknown")


def is_accepted(puzzle: VoxelPuzzle, state: View) -> bool:
    """Return whether the view shows the puzzle's sculpture from the final direction."""
    return (
        classify_structure(puzzle, state) == "kept"
        and abs(angle_between(puzzle.final_azim_deg, state.azim_deg)) <= AZIMUTH_TOLERANCE_DEG
        and abs(state.elev_deg - puzzle.elev_deg) <= ELEVATION_TOLERANCE_DEG
        and _ZOOM_RANGE[0] <= state.zoom <= _ZOOM_RANGE[1]
        and max(map(abs, state.shift)) <= _MAX_SHIFT
    )


def measure_progress(puzzle: VoxelPuzzle, state: View) -> float:
    """Return the finished share of the rotation in either direction; less for a camera that left its elevation."""
    if classify_structure(puzzle, state) != "kept":
        return 0.0
    whole = abs(angle_between(puzzle.azim_deg, puzzle.final_azim_deg))
    remaining = abs(angle_between(puzzle.final_azim_deg, state.azim_deg))
    share = (whole - remaining - _FIRST_VIEW_DEG) / (whole - AZIMUTH_TOLERANCE_DEG - _FIRST_VIEW_DEG)
    tilt = max(abs(state.elev_deg - puzzle.elev_deg) - ELEVATION_TOLERANCE_DEG, 0.0)
    return min(max(share, 0.0), 1.0) * max(1 - tilt / _MAX_TILT_DEG, 0.0)


def view_key(puzzle: VoxelPuzzle, state: View) -> Hashable:
    """Return the pose in steps of some degrees, with the first view in the middle of a step, and the structure."""
    azimuth_step = round(angle_between(puzzle.azim_deg, state.azim_deg) / _BIN_DEG)
    elevation_step = round((state.elev_deg - puzzle.elev_deg) / _BIN_DEG)
    is_kept = classify_structure(puzzle, state) == "kept"
    return azimuth_step, elevation_step, "kept" if is_kept else tuple(sorted(state.voxels))


def find_consensus(puzzle: VoxelPuzzle, states: Sequence[View]) -> View:
    """Return the view at the end of the line through the readings: a camera may move until its last frame."""
    structures = [classify_structure(puzzle, view) for view in states]
    most_common = Counter(structures).most_common(1)[0][0]
    numbers = [i for i, structure in enumerate(structures) if structure == most_common]
    views = [states[i] for i in numbers]
    last = views[-1]
    azimuths = [angle_between(last.azim_deg, view.azim_deg) for view in views]
    return View(
        azim_deg=(last.azim_deg + _extrapolate_end(numbers, azimuths)) % 360,
        elev_deg=_extrapolate_end(numbers, [view.elev_deg for view in views]),
        voxels=last.voxels,
        paint=last.paint,
        zoom=float(np.median([view.zoom for view in views])),
        shift=(float(np.median([v.shift[0] for v in views])), float(np.median([v.shift[1] for v in views]))),
        has_table=sum(view.has_table for view in views) * 2 > len(views),
    )


def _extrapolate_end(numbers: Sequence[int], values: Sequence[float]) -> float:
    """Return the last value of the line through most of the values: the median slope, then the median offset."""
    if len(values) < 3:
        return values[-1]
    x, y = np.array(numbers, np.float64), np.array(values)
    i, j = np.triu_indices(len(x), 1)
    slope = np.median((y[j] - y[i]) / (x[j] - x[i]))
    return float(np.median(y + slope * (x[-1] - x)))
