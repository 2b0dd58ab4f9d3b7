"""The measurements of a film, each by the name that ROTATION.md explains."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from vmevalkit.tasks.rotation_task.path import EXPLAINED, Path
from vmevalkit.tasks.rotation_task.scene import RotationPuzzle, View, angle_between
from vmevalkit.tasks.rotation_task.snakes import connected
from vmevalkit.tasks.task import Trace

_MOVING_DEG = 5.0  # a film that turns less is still
_VIEWPOINTS = 12


def measure(
    puzzle: RotationPuzzle,
    trace: Trace[View],
    read: Sequence[tuple[float, View]],
    kept: Sequence[bool],
    path: Path,
    end: View,
) -> dict[str, float]:
    views = [view for _, view in read]
    elevations = np.array([elev for _, elev in path.elevations])
    zooms = np.array([view.zoom for view in views])
    intact = float(np.mean(kept))
    motion = _motion(path)
    tilt = np.radians(elevations - puzzle.elev_deg)
    away = np.log(zooms / np.median(zooms))
    first = views[0]
    right_start = (
        abs(angle_between(puzzle.azim_deg, first.azim_deg)) <= 15 and abs(first.elev_deg - puzzle.elev_deg) <= 10
    )
    return {
        "final_azimuth_error_deg": abs(angle_between(puzzle.final_azim_deg, end.azim_deg)),
        "final_elevation_error_deg": abs(end.elev_deg - puzzle.elev_deg),
        "elevation_within_2_deg": float(np.mean(np.abs(elevations - puzzle.elev_deg) <= 2)),
        "vertical_drift_deg": abs(_late(elevations) - _early(elevations)),
        "total_angle_deg": abs(path.net_deg()),
        **motion,
        "circular_path_error": float(np.sqrt(np.mean(tilt**2) + np.mean(away**2))),
        "distance_drift": abs(_late(zooms) / _early(zooms) - 1),
        "structure_intact": intact,
        "structure_connected": float(np.mean([connected(view.voxels) for view in views])),
        "occlusion": float(np.mean([ok and _explained(view) for ok, view in zip(kept, views, strict=True)])),
        "flicker": _flicker(trace, kept, path),
        "lighting": _lighting(views),
        "understanding": intact if right_start else 0.0,
        "planning": motion["monotony"] * _viewpoints(puzzle, path),
    }


def _motion(path: Path) -> dict[str, float]:
    """Smoothness, monotony and speed consistency from 0 to 1; a film that does not turn has none of them."""
    total = path.total_deg()
    if total < _MOVING_DEG:
        return {"smoothness": 0.0, "monotony": 0.0, "speed_consistency": 0.0}
    seconds = np.array([s for s, _ in path.turns])
    turns = np.array([turn for _, turn in path.turns])
    speeds = np.diff(turns) / np.maximum(np.diff(seconds), 1e-6)
    jerks = float(np.abs(np.diff(speeds)).sum())
    moving = np.abs(speeds)[np.abs(np.diff(turns)) > 0.3]
    uneven = float(moving.std() / moving.mean()) if len(moving) else 1.0
    return {
        "smoothness": max(1 - jerks / max(2 * float(np.abs(speeds).sum()), 1e-6), 0.0),
        "monotony": min(abs(path.net_deg()) / total, 1.0),
        "speed_consistency": max(1 - uneven, 0.0),
    }


def _viewpoints(puzzle: RotationPuzzle, path: Path) -> float:
    """The share of the viewpoints on the way to the goal that the camera passes, on the side that it takes."""
    net = path.net_deg()
    whole = puzzle.angle_deg if net >= 0 else puzzle.angle_deg - 360
    wanted = whole * (np.arange(_VIEWPOINTS) + 0.5) / _VIEWPOINTS
    reach = abs(whole) / _VIEWPOINTS
    turns = np.array([turn for _, turn in path.turns])
    return float(np.mean([np.abs(turns - viewpoint).min() <= reach for viewpoint in wanted]))


def _flicker(trace: Trace[View], kept: Sequence[bool], path: Path) -> float:
    """The share of the frames that break with those around them: unreadable, misread, or another structure."""
    blank = sum(a.state is not None and b.state is None for a, b in pairwise(trace))
    breaks = sum(a and not b for a, b in pairwise(kept))
    return (blank + breaks + path.odd) / max(len(trace), 1)


def _lighting(views: Sequence[View]) -> float:
    """1 for a light that stays the same, less for one that changes."""
    levels = [np.mean([int(colour[i : i + 2], 16) for colour in view.paint for i in (1, 3, 5)]) for view in views]
    return max(1 - float(np.std(levels)) / 64, 0.0)


def _explained(view: View) -> bool:
    return view.track is None or view.track.misfit <= EXPLAINED


def _early(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    return float(np.median(values[: max(len(values) // 5, 1)]))


def _late(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    return float(np.median(values[-max(len(values) // 5, 1) :]))
