"""The metrics of a video. ROTATION.md explains each name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vmevalkit.tasks.rotation_task.camera_path import MAX_EXPLAINED_MISFIT, CameraPath
from vmevalkit.tasks.rotation_task.scene import View, VoxelPuzzle, angle_between
from vmevalkit.tasks.rotation_task.snakes import is_connected
from vmevalkit.tasks.task import Trace

_MIN_MOTION_DEG = 5.0  # a video that rotates less is still
_VIEWPOINTS = 12
_START_AZIMUTH_DEG, _START_ELEVATION_DEG = 15.0, 10.0  # how near to the first view a video must start


def measure_video(
    puzzle: VoxelPuzzle,
    trace: Trace[View],
    readings: Sequence[tuple[float, View]],
    is_kept: Sequence[bool],
    path: CameraPath,
    end: View,
) -> dict[str, float]:
    """Return the metrics of a video, from its readings, whether each shows the sculpture itself, and its end."""
    views = [view for _, view in readings]
    elevations = np.array([elev for _, elev in path.elevations])
    zooms = np.array([view.zoom for view in views])
    intact = float(np.mean(is_kept))
    motion = _measure_motion(path)
    tilt = np.radians(elevations - puzzle.elev_deg)
    distance = np.log(zooms / np.median(zooms))
    return {
        "final_azimuth_error_deg": abs(angle_between(puzzle.final_azim_deg, end.azim_deg)),
        "final_elevation_error_deg": abs(end.elev_deg - puzzle.elev_deg),
        "elevation_within_2_deg": float(np.mean(np.abs(elevations - puzzle.elev_deg) <= 2)),
        "vertical_drift_deg": abs(_last_median(elevations) - _first_median(elevations)),
        "total_angle_deg": abs(path.net_deg()),
        **motion,
        "circular_path_error": float(np.sqrt(np.mean(tilt**2) + np.mean(distance**2))),
        "distance_drift": abs(_last_median(zooms) / _first_median(zooms) - 1),
        "structure_intact": intact,
        "structure_connected": float(np.mean([is_connected(view.voxels) for view in views])),
        "occlusion": float(np.mean([kept and _is_explained(view) for kept, view in zip(is_kept, views, strict=True)])),
        "flicker": _measure_flicker(trace, is_kept, path),
        "lighting": _measure_lighting(views),
        "understanding": intact if _starts_right(puzzle, views[0]) else 0.0,
        "planning": motion["monotony"] * _measure_viewpoints(puzzle, path),
    }


def _measure_motion(path: CameraPath) -> dict[str, float]:
    """Return smoothness, monotony and speed consistency from 0 to 1; all are 0 where the video does not rotate."""
    total = path.total_deg()
    if total < _MIN_MOTION_DEG:
        return {"smoothness": 0.0, "monotony": 0.0, "speed_consistency": 0.0}
    seconds = np.array([s for s, _ in path.turns])
    turns = np.array([turn for _, turn in path.turns])
    speeds = np.diff(turns) / np.maximum(np.diff(seconds), 1e-6)
    jerks = float(np.abs(np.diff(speeds)).sum())
    moving = np.abs(speeds)[np.abs(np.diff(turns)) > 0.3]
    variation = float(moving.std() / moving.mean()) if len(moving) else 1.0
    return {
        "smoothness": max(1 - jerks / max(2 * float(np.abs(speeds).sum()), 1e-6), 0.0),
        "monotony": min(abs(path.net_deg()) / total, 1.0),
        "speed_consistency": max(1 - variation, 0.0),
    }


def _measure_viewpoints(puzzle: VoxelPuzzle, path: CameraPath) -> float:
    """Return the share of the viewpoints on the way to the goal that the camera passes, in its own direction."""
    whole = puzzle.angle_deg if path.net_deg() >= 0 else puzzle.angle_deg - 360
    viewpoints = whole * (np.arange(_VIEWPOINTS) + 0.5) / _VIEWPOINTS
    reach = abs(whole) / _VIEWPOINTS
    turns = np.array([turn for _, turn in path.turns])
    return float(np.mean([np.abs(turns - viewpoint).min() <= reach for viewpoint in viewpoints]))


def _measure_flicker(trace: Trace[View], is_kept: Sequence[bool], path: CameraPath) -> float:
    """Return the share of the frames that do not match their neighbours: unreadable, misread, or another structure."""
    unreadable = sum(a.state is not None and b.state is None for a, b in pairwise(trace))
    changes = sum(a and not b for a, b in pairwise(is_kept))
    return (unreadable + changes + path.misreadings) / max(len(trace), 1)


def _measure_lighting(views: Sequence[View]) -> float:
    """Return 1 for a light that stays the same, less for one that changes."""
    levels = [np.mean([int(colour[i : i + 2], 16) for colour in view.paint for i in (1, 3, 5)]) for view in views]
    return max(1 - float(np.std(levels)) / 64, 0.0)


def _starts_right(puzzle: VoxelPuzzle, first: View) -> bool:
    """Return whether a video starts near the first view."""
    azimuth_error = abs(angle_between(puzzle.azim_deg, first.azim_deg))
    return azimuth_error <= _START_AZIMUTH_DEG and abs(first.elev_deg - puzzle.elev_deg) <= _START_ELEVATION_DEG


def _is_explained(view: View) -> bool:
    return view.track is None or view.track.misfit <= MAX_EXPLAINED_MISFIT


def _first_median(values: NDArray[np.float64]) -> float:
    """Return the median of the first fifth."""
    return float(np.median(values[: max(len(values) // 5, 1)]))


def _last_median(values: NDArray[np.float64]) -> float:
    """Return the median of the last fifth."""
    return float(np.median(values[-max(len(values) // 5, 1) :]))
