"""The path of the camera through a video: the azimuth without wrap-around and without single misreadings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from vmevalkit.tasks.rotation_task.scene import View, VoxelPuzzle, angle_between

MAX_EXPLAINED_MISFIT = 0.03
"""The misfit up to which a frame counts as explained."""
_MISREADING_DEG = 25.0  # a reading this far from both its neighbours, which agree, is a misreading
_MAX_MISREADINGS = 2  # in a row
_NOISE_DEG = 1.0  # a smaller rotation is noise of the reader


@dataclass(frozen=True, slots=True)
class CameraPath:
    """The path of the camera."""

    turns: list[tuple[float, float]]
    """Seconds, and degrees of rotation since the first view, also beyond 180."""
    elevations: list[tuple[float, float]]
    """Seconds and degrees, each the median of three readings."""
    misreadings: int
    """Number of readings that were left out."""

    def turns_without_noise(self) -> list[float]:
        """Return the rotation each time that the camera has moved by a degree or more."""
        turns = [self.turns[0][1]]
        for _, turn in self.turns[1:]:
            if abs(turn - turns[-1]) >= _NOISE_DEG:
                turns.append(turn)
        return turns

    def total_deg(self) -> float:
        """Return the sum of all rotation, forward and backward."""
        return float(sum(abs(b - a) for a, b in pairwise(self.turns_without_noise())))

    def net_deg(self) -> float:
        """Return the rotation from the first to the last reading."""
        return self.turns[-1][1] - self.turns[0][1]

    def backward_deg(self) -> float:
        """Return the rotation against the direction of the whole video."""
        return (self.total_deg() - abs(self.net_deg())) / 2


def trace_camera_path(puzzle: VoxelPuzzle, readings: Sequence[tuple[float, View]]) -> CameraPath:
    """Return the path through the readings of a video."""
    used = _select_reliable(readings)
    path = _drop_misreadings(used)
    turn = angle_between(puzzle.azim_deg, path[0][1].azim_deg)
    turns = [(path[0][0], turn)]
    for (_, a), (seconds, b) in pairwise(path):
        turn += angle_between(a.azim_deg, b.azim_deg)
        turns.append((seconds, turn))
    tilt = np.array([view.elev_deg for _, view in path])
    padded = np.concatenate([tilt[:1], tilt, tilt[-1:]])
    smooth = np.median(np.stack([padded[:-2], padded[1:-1], padded[2:]]), axis=0)
    elevations = [(seconds, float(elev)) for (seconds, _), elev in zip(path, smooth, strict=True)]
    return CameraPath(turns, elevations, len(used) - len(path))


def _select_reliable(readings: Sequence[tuple[float, View]]) -> list[tuple[float, View]]:
    """Return the readings with a reliable pose, if they are at least half of those with a sculpture."""
    recognised = [(seconds, view) for seconds, view in readings if view.voxels] or list(readings)
    explained = [(s, view) for s, view in recognised if view.track is None or view.track.misfit <= MAX_EXPLAINED_MISFIT]
    return explained if 2 * len(explained) >= len(recognised) else recognised


def _drop_misreadings(readings: list[tuple[float, View]]) -> list[tuple[float, View]]:
    """Leave out one or two readings in a row that are far from those on both sides, which agree."""
    path: list[tuple[float, View]] = []
    i = 0
    while i < len(readings):
        if path:
            for run in range(1, _MAX_MISREADINGS + 1):
                views = [view for _, view in readings[i : i + run]]
                if i + run < len(readings) and _are_misreadings(path[-1][1], views, readings[i + run][1]):
                    i += run
                    break
        path.append(readings[i])
        i += 1
    return path


def _are_misreadings(before: View, views: Sequence[View], after: View) -> bool:
    def gap(a: View, b: View) -> float:
        return abs(angle_between(a.azim_deg, b.azim_deg))

    return gap(before, after) < _MISREADING_DEG and all(
        min(gap(before, view), gap(view, after)) > _MISREADING_DEG + gap(before, after) for view in views
    )
