"""The camera's path through a film: an unwound azimuth, without the odd misreading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from vmevalkit.tasks.rotation_task.scene import RotationPuzzle, View, angle_between

EXPLAINED = 0.03
"""The misfit up to which a frame counts as explained."""
_ODD_DEG = 25.0  # a reading this far from both its neighbours, which agree, is a misreading
_ODD_RUN = 2
_DEAD_DEG = 1.0  # a smaller turn is the reader's own noise


@dataclass(frozen=True, slots=True)
class Path:
    """Where the camera was."""

    turns: list[tuple[float, float]]
    """Seconds, and degrees turned since the first view, beyond 180 too."""
    elevations: list[tuple[float, float]]
    """Seconds and degrees, each the median of three readings."""
    odd: int
    """How many readings were left out."""

    def corners(self) -> list[float]:
        """The turns without noise: one for each time that the camera has moved by a degree or more."""
        kept = [self.turns[0][1]]
        for _, turn in self.turns[1:]:
            if abs(turn - kept[-1]) >= _DEAD_DEG:
                kept.append(turn)
        return kept

    def total_deg(self) -> float:
        """All turning, forth and back."""
        return float(sum(abs(b - a) for a, b in pairwise(self.corners())))

    def net_deg(self) -> float:
        return self.turns[-1][1] - self.turns[0][1]

    def backward_deg(self) -> float:
        """Turning against the way that the film goes on the whole."""
        return (self.total_deg() - abs(self.net_deg())) / 2


def path_of(puzzle: RotationPuzzle, read: Sequence[tuple[float, View]], covered: bool = False) -> Path:
    """``covered`` takes every reading, also of a sculpture that cannot be made out: a hand hides voxels, not the
    view."""
    seen = list(read) if covered else _telling(read)
    kept = _without_odd(seen)
    turn = angle_between(puzzle.azim_deg, kept[0][1].azim_deg)
    turns = [(kept[0][0], turn)]
    for (_, a), (seconds, b) in pairwise(kept):
        turn += angle_between(a.azim_deg, b.azim_deg)
        turns.append((seconds, turn))
    tilt = np.array([view.elev_deg for _, view in kept])
    padded = np.concatenate([tilt[:1], tilt, tilt[-1:]])
    smooth = np.median(np.stack([padded[:-2], padded[1:-1], padded[2:]]), axis=0)
    elevations = [(seconds, float(elev)) for (seconds, _), elev in zip(kept, smooth, strict=True)]
    return Path(turns, elevations, len(seen) - len(kept))


def _telling(read: Sequence[tuple[float, View]]) -> list[tuple[float, View]]:
    """The readings whose pose can be relied on, as far as there are enough of them."""
    known = [(seconds, view) for seconds, view in read if view.voxels] or list(read)
    sure = [(seconds, view) for seconds, view in known if view.track is None or view.track.misfit <= EXPLAINED]
    return sure if 2 * len(sure) >= len(known) else known


def _without_odd(read: list[tuple[float, View]]) -> list[tuple[float, View]]:
    """Leave out one or two readings in a row that are far from those on both sides, which agree."""
    kept: list[tuple[float, View]] = []
    i = 0
    while i < len(read):
        if kept:
            for run in range(1, _ODD_RUN + 1):
                if i + run < len(read) and _odd(kept[-1][1], [v for _, v in read[i : i + run]], read[i + run][1]):
                    i += run
                    break
        kept.append(read[i])
        i += 1
    return kept


def _odd(before: View, run: Sequence[View], after: View) -> bool:
    def gap(a: View, b: View) -> float:
        return abs(angle_between(a.azim_deg, b.azim_deg))

    return gap(before, after) < _ODD_DEG and all(
        min(gap(before, view), gap(view, after)) > _ODD_DEG + gap(before, after) for view in run
    )
