"""The specification's six temporal metrics of a video, from 0 to 1. docs/STATISTICS.md has their definitions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np

from vmevalkit.eval.picture_quality import PictureMonitor
from vmevalkit.tasks.task import AnyTask, FrameReading

TEMPORAL_METRICS = (
    "consistency", "demonstration_clarity", "final_accuracy", "resolution_stability", "temporal_smoothness",
    "object_persistence",
)  # fmt: skip

_FALL = 0.06
"""A smaller fall of the progress is reading jitter. So is one that the reference solution has: a rook passes squares on
which its move would be a wrong one."""
_UNSEEN_S = 0.25
"""A change across a longer time without a reading was not shown."""
_STEP, _SLACK, _REFERENCE_STEPS = 0.2, 1.05, 96
"""A step of progress is clear up to this size, or up to that of the reference, sampled at this many moments."""
_AROUND_S, _SPIKE = 0.3, 4.0
"""A change is a jolt when it is this many times the mean of those around it."""
_SAME_SHARPNESS = 0.85
"""Share of the best sharpness that counts as the same."""
_BELIEVED = 2
"""Readings in a row before something counts as damaged."""

Trace = Sequence[FrameReading[Any]]


def measure_temporal(
    task: AnyTask, puzzle: Any, trace: Trace, monitor: PictureMonitor, outcome: float | None
) -> dict[str, float]:
    """Return the six metrics; none where no frame could be read."""
    read = [(reading.seconds, reading.state) for reading in trace if reading.state is not None]
    if not read:
        return {}
    intact = _find_intact(task, puzzle, [state for _, state in read])
    progress = _measure_progress(task, puzzle, read)
    clear_step, jitter = _measure_reference(task, puzzle)
    sound = [point for point, is_intact in zip(progress, intact, strict=True) if is_intact]
    values = {
        "consistency": _measure_consistency([value for _, value in sound], jitter),
        "demonstration_clarity": _measure_clarity(progress, intact, clear_step),
        "final_accuracy": outcome or 0.0,
        "resolution_stability": _measure_stability([value for _, value in monitor.sharpness]),
        "temporal_smoothness": _measure_smoothness(trace, monitor),
        "object_persistence": sum(intact) / len(intact),
    }
    return {name: round(float(values[name]), 4) for name in TEMPORAL_METRICS}


def _measure_progress(task: AnyTask, puzzle: Any, read: Sequence[tuple[float, Any]]) -> list[tuple[float, float]]:
    points: list[tuple[float, float]] = []
    before: Any = None
    for seconds, state in read:
        is_same = before is state and points
        points.append((seconds, points[-1][1] if is_same else float(task.progress(puzzle, state))))
        before = state
    return points


def _find_intact(task: AnyTask, puzzle: Any, states: Sequence[Any]) -> list[bool]:
    """Return for each reading whether everything that must stay is as it was. A single odd one is a misreading."""
    flags: list[bool] = []
    before: Any = None
    for state in states:
        flags.append(flags[-1] if before is state and flags else bool(task.is_intact(puzzle, state)))
        before = state
    runs: list[list[bool]] = []
    for flag in flags:
        if runs and runs[-1][0] == flag:
            runs[-1].append(flag)
        else:
            runs.append([flag])
    return [flag or len(run) < _BELIEVED for run in runs for flag in run]


def _measure_consistency(progress: Sequence[float], jitter: float = _FALL) -> float:
    """Return the share of all progress and regress that is progress. A fall counts once it is larger than jitter."""
    rises = falls = 0.0
    turning = progress[0] if progress else 0.0
    extreme, is_rising = turning, True
    for value in progress:
        if (value >= extreme) == is_rising:
            extreme = value
        elif abs(value - extreme) > jitter:
            rises, falls = (rises + extreme - turning, falls) if is_rising else (rises, falls + turning - extreme)
            turning, extreme, is_rising = extreme, value, not is_rising
    rises, falls = (rises + extreme - turning, falls) if is_rising else (rises, falls + turning - extreme)
    return 1.0 if falls <= 0 else max(0.0, rises) / (max(0.0, rises) + falls)


def _measure_reference(task: AnyTask, puzzle: Any) -> tuple[float, float]:
    """Return the largest step of progress that is a clear one, since some puzzles are solved in few steps, and the
    largest fall that is none."""
    try:
        return _measure_known_reference(task, puzzle)
    except TypeError:  # a puzzle that cannot be hashed
        return _measure_known_reference.__wrapped__(task, puzzle)


@lru_cache(maxsize=256)
def _measure_known_reference(task: AnyTask, puzzle: Any) -> tuple[float, float]:
    times = np.linspace(0, 1, _REFERENCE_STEPS)
    reference = np.array([float(task.progress(puzzle, task.solution(puzzle, float(t)))) for t in times])
    fall = float((np.maximum.accumulate(reference) - reference).max())
    return max(_STEP, _SLACK * float(np.diff(reference).max())), max(_FALL, _SLACK * fall)


def _measure_clarity(progress: Sequence[tuple[float, float]], intact: Sequence[bool], clear_step: float) -> float:
    """Return the share of the progress that is shown: in steps, and not across a time in which nothing was seen.

    What damage takes and repair gives back is not part of it."""
    if len(progress) < 2:
        return 0.0
    frame_s = median(after - before for (before, _), (after, _) in pairwise(progress))
    gap_s = max(_UNSEEN_S, 1.5 * frame_s)
    shown = whole = 0.0
    for ((before_s, before), was_intact), ((after_s, after), is_intact) in pairwise(zip(progress, intact, strict=True)):
        rise = max(0.0, after - before) if was_intact and is_intact else 0.0
        whole += rise
        if after_s - before_s <= gap_s and rise <= clear_step + 1e-9:
            shown += rise
    if whole <= 0 and not all(intact):  # the only step came while something was damaged
        return _measure_clarity(progress, [True] * len(intact), clear_step)
    return shown / whole if whole > 0 else 0.0


def _measure_stability(sharpness: Sequence[float]) -> float:
    if not sharpness:
        return 1.0
    best = float(np.percentile(sharpness, 90))
    shares = np.minimum(1.0, np.asarray(sharpness) / max(best * _SAME_SHARPNESS, 1e-9))
    return float(shares.mean())


def _measure_smoothness(trace: Trace, monitor: PictureMonitor) -> float:
    """Return the share of the visible change that is not in jolts. Frames beside unreadable ones do not count."""
    seen = [
        (after.seconds, change)
        for (before, after), change in zip(pairwise(trace), monitor.changes[1:], strict=False)
        if before.state is not None and after.state is not None
    ]
    if not seen:
        return 1.0
    times, changes = np.array([seconds for seconds, _ in seen]), np.array([change for _, change in seen])
    first = np.searchsorted(times, times - _AROUND_S)
    last = np.searchsorted(times, times + _AROUND_S, side="right")
    sums = np.concatenate([[0.0], np.cumsum(changes)])
    around = (sums[last] - sums[first] - changes) / np.maximum(1, last - first - 1)
    jolts = np.where(changes > _SPIKE * around, changes - around, 0.0)
    whole = max(float(changes.sum()), monitor.whole_change)
    return 1.0 - min(1.0, float(jolts.sum()) / whole) if whole > 0 else 1.0
