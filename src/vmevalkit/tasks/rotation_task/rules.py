"""What happened on the way to the final view, but for jumps, which all tasks share. No pixels here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from vmevalkit.core.records import Finding
from vmevalkit.tasks.evidence import MIN_READINGS, find_spans
from vmevalkit.tasks.rotation_task.acceptance import (
    Structure,
    classify_structure,
    find_consensus,
    is_accepted,
    measure_progress,
)
from vmevalkit.tasks.rotation_task.camera_path import CameraPath, trace_camera_path
from vmevalkit.tasks.rotation_task.metrics import measure_video
from vmevalkit.tasks.rotation_task.scene import View, VoxelPuzzle
from vmevalkit.tasks.task import CheckResult, Trace, readable

TimedView = tuple[float, View]
"""Seconds, and the view that was read then."""

STEADY_ELEVATION_DEG = 2.0
MAX_ELEVATION_CHANGE_DEG = 20.0
"""The prompt asks to keep the elevation. A camera that leaves it by more on the way goes another way."""
_MIN_SHARE = 0.08  # ... and this share of all readings
_CLUTTER = 0.003  # what is beside the sculpture and may hide it
_LOST_SHARE = 0.5  # of the readings without a recognised structure; a hand or a caption covers it for less
_END_S = 0.5
_MISFIT, _MISFIT_COLOURED = 0.018, 0.045
"""What the sculpture may leave unexplained at the end. Correct videos left 0.007 at most, with a table, in 210 videos.
A sculpture that is none of those that were tried leaves more, even where no other one explains the frame better."""
_MISFIT_GROWTH = 4.0  # ... or this many times its initial value: a bad image is bad in all frames
_COLOUR_CHANGE = 40.0  # levels
_HUE_CHANGE = 0.6  # of the strength of a colour: a change of hue, not of the light
_LIGHT_CHANGE = 25.0  # levels
_ZOOM_CHANGE = 0.1
_MIN_REVERSAL_DEG = 8.0
_FLICKER_SHARE = 0.05


def check_trace(puzzle: VoxelPuzzle, trace: Trace[View]) -> CheckResult:
    """Return the findings and metrics of a trace. Unreadable frames are skipped."""
    readings = readable(trace)
    if not readings:
        return CheckResult()
    structures = _classify_structures(puzzle, [view for _, view in readings])
    path = trace_camera_path(puzzle, readings)
    end = find_consensus(puzzle, [view for seconds, view in readings if seconds > readings[-1][0] - _END_S])
    metrics = measure_video(puzzle, trace, readings, [structure == "kept" for structure in structures], path, end)
    metrics["goal"] = 1.0 if is_accepted(puzzle, end) else measure_progress(puzzle, end)
    findings = [
        *_find_structure_changes(readings, structures),
        *_find_misfit_at_end(puzzle, readings),
        *_find_recolouring(readings),
        *_find_climb(puzzle, readings),
    ]
    findings += _find_remarks(puzzle, readings, path, metrics)
    return CheckResult(tuple(findings), metrics)


def _find_misfit_at_end(puzzle: VoxelPuzzle, readings: Sequence[TimedView]) -> list[Finding]:
    misfits = [(seconds, view.track.misfit) for seconds, view in readings if view.track is not None]
    if not misfits:
        return []
    first = float(np.median([misfit for seconds, misfit in misfits if seconds <= misfits[0][0] + _END_S / 2]))
    last = float(np.median([misfit for seconds, misfit in misfits if seconds >= misfits[-1][0] - _END_S]))
    most = max(_MISFIT_COLOURED if puzzle.colours else _MISFIT, _MISFIT_GROWTH * first)
    if last <= most:
        return []
    detail = (
        f"The sculpture does not match at the end: it differs {last / max(first, 1e-4):.0f} times as much as at the "
        "beginning."
    )
    since_s = _find_last_start([(seconds, misfit > most) for seconds, misfit in misfits])
    return [Finding("structure_misfit", True, detail, since_s)]


def _find_last_start(flags: Sequence[tuple[float, bool]]) -> float:
    """Return since when the flag holds until the end of the video."""
    since_s = flags[-1][0]
    for seconds, flag in reversed(flags):
        if not flag:
            break
        since_s = seconds
    return since_s


def _find_climb(puzzle: VoxelPuzzle, readings: Sequence[TimedView]) -> list[Finding]:
    spans = find_spans(readings, lambda view: abs(view.elev_deg - puzzle.elev_deg) > MAX_ELEVATION_CHANGE_DEG)
    if not spans:
        return []
    detail = f"The camera leaves its elevation by more than {MAX_ELEVATION_CHANGE_DEG:.0f} degrees on the way."
    return [Finding("elevation_left", True, detail, spans[0].start_s)]


def _find_recolouring(readings: Sequence[TimedView]) -> list[Finding]:
    """Return a finding where the sculpture has other hues at the end than at the beginning of the video."""
    first = _measure_hues([view for seconds, view in readings if seconds <= readings[0][0] + _END_S / 2])
    last = _measure_hues([view for seconds, view in readings if seconds > readings[-1][0] - _END_S])
    if first is None or last is None or first.shape != last.shape:
        return []
    strength = max(np.linalg.norm(hues, axis=1).mean() for hues in (first, last))
    most = max(_COLOUR_CHANGE, _HUE_CHANGE * strength)
    if np.linalg.norm(last - first, axis=1).mean() <= most:
        return []

    def has_changed(view: View) -> bool:
        hues = _measure_hues([view])
        return hues is None or hues.shape != first.shape or bool(np.linalg.norm(hues - first, axis=1).mean() > most)

    since_s = _find_last_start([(seconds, has_changed(view)) for seconds, view in readings])
    return [Finding("colour_changed", True, "The sculpture changes its colour.", since_s)]


def _measure_hues(views: Sequence[View]) -> NDArray[np.float64] | None:
    """Return the colours of the sculpture without their brightness, by the median of the views."""
    counts = Counter(len(view.paint) for view in views if view.voxels)
    if not counts:
        return None
    usual = counts.most_common(1)[0][0]
    paints = np.array([_parse_paint(view.paint) for view in views if view.voxels and len(view.paint) == usual])
    colours = np.median(paints, axis=0)
    return np.asarray(colours - colours.mean(axis=1, keepdims=True))


def _find_structure_changes(readings: Sequence[TimedView], structures: Sequence[Structure]) -> list[Finding]:
    findings = []
    for structure, name, detail in (
        ("mirrored", "structure_mirrored", "The sculpture becomes its mirror image."),
        ("changed", "structure_changed", "A voxel of the sculpture is moved, lost or added."),
    ):
        runs = _find_runs(structures, structure)
        long_runs = [start for start, length in runs if length >= MIN_READINGS]
        if long_runs and sum(length for _, length in runs) >= _MIN_SHARE * len(structures):
            findings.append(Finding(name, True, detail, readings[long_runs[0]][0]))
    runs = _find_runs(structures, "unknown")
    share = sum(length for _, length in runs) / len(structures)
    if share >= _LOST_SHARE:
        detail = f"The sculpture cannot be recognised in {share:.0%} of the video: it became something else."
        findings.append(Finding("structure_lost", True, detail, readings[runs[0][0]][0]))
    return findings


def _classify_structures(puzzle: VoxelPuzzle, views: Sequence[View]) -> list[Structure]:
    """Return the structure of each view. Voxels that something hides while it passes are not lost."""
    structures = [classify_structure(puzzle, view) for view in views]
    clutter = [view.track.clutter if view.track is not None else 0.0 for view in views]
    for start, length in _find_runs(structures, "changed"):
        stop = start + length
        if start == 0 or "kept" not in structures[stop:]:
            continue
        usual = max(min(clutter[:start]), min(clutter[stop:]))
        is_passing = min(clutter[start:stop]) > 2 * usual + _CLUTTER
        if is_passing and all(set(view.voxels) < set(puzzle.voxels) for view in views[start:stop]):
            structures[start:stop] = ["kept"] * length
    return structures


def _find_runs(structures: Sequence[Structure], wanted: str) -> list[tuple[int, int]]:
    """Return start and length of each unbroken run of a structure."""
    runs, start = [], 0
    for structure, group in groupby(structures):
        length = len(list(group))
        if structure == wanted:
            runs.append((start, length))
        start += length
    return runs


def _find_remarks(
    puzzle: VoxelPuzzle, readings: Sequence[TimedView], path: CameraPath, metrics: dict[str, float]
) -> list[Finding]:
    """Return findings that are worth a remark and do not fail the video."""
    findings = []
    off = [seconds for seconds, elev in path.elevations if abs(elev - puzzle.elev_deg) > STEADY_ELEVATION_DEG]
    if len(off) > 0.1 * len(path.elevations):
        largest = max(abs(elev - puzzle.elev_deg) for _, elev in path.elevations)
        detail = f"The elevation of the camera changes by {largest:.0f} degrees."
        findings.append(Finding("elevation_drift", False, detail, off[0]))
    backward = path.backward_deg()
    if backward > _MIN_REVERSAL_DEG:
        findings.append(Finding("reversal", False, f"The camera goes back by {backward:.0f} degrees.", None))
    if path.total_deg() > 20 and metrics["speed_consistency"] < 0.15:
        findings.append(Finding("uneven_speed", False, "The camera rotates at a very uneven speed.", None))
    if metrics["distance_drift"] > _ZOOM_CHANGE:
        detail = f"The sculpture changes its size by {metrics['distance_drift']:.0%}."
        findings.append(Finding("distance_change", False, detail, None))
    if metrics["flicker"] > _FLICKER_SHARE:
        detail = f"{metrics['flicker']:.0%} of the frames do not match their neighbours."
        findings.append(Finding("flicker", False, detail, None))
    return findings + _find_colour_changes(puzzle, readings)


def _find_colour_changes(puzzle: VoxelPuzzle, readings: Sequence[TimedView]) -> list[Finding]:
    own = _mean_colour(puzzle.paint)
    colours = np.array([_mean_colour(view.paint) for _, view in readings if view.voxels] or [own])
    tint = np.median(colours - colours.mean(axis=1, keepdims=True), axis=0) - (own - own.mean())
    findings = []
    if np.abs(np.median(colours, axis=0) - own).max() > _COLOUR_CHANGE or np.abs(tint).max() > _COLOUR_CHANGE / 2:
        findings.append(Finding("recoloured", False, "The sculpture has another colour.", None))
    light = colours.mean(axis=1)
    if np.percentile(light, 95) - np.percentile(light, 5) > _LIGHT_CHANGE:
        findings.append(Finding("lighting_change", False, "The light changes during the video.", None))
    return findings


def _mean_colour(paint: tuple[str, ...]) -> NDArray[np.float64]:
    return np.asarray(_parse_paint(paint).mean(axis=0))


def _parse_paint(paint: tuple[str, ...]) -> NDArray[np.float64]:
    return np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in paint], np.float64)
