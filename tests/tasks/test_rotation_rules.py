"""Acceptance, progress, findings and metrics of hand-made traces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.core.records import Finding
from vmevalkit.tasks.evidence import check_motion
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.rotation_task import TASK, RotationParams, View, VoxelPuzzle
from vmevalkit.tasks.rotation_task.acceptance import classify_structure
from vmevalkit.tasks.rotation_task.scene import Track, angle_between
from vmevalkit.tasks.rotation_task.snakes import Voxels, mirror_voxels
from vmevalkit.tasks.task import CheckResult, FrameReading

PUZZLE = plan(TASK, 1, 77, TASK.preset())[0]
LOST = PUZZLE.voxels[:-1]
METRICS = {
    "final_azimuth_error_deg",
    "final_elevation_error_deg",
    "elevation_within_2_deg",
    "vertical_drift_deg",
    "total_angle_deg",
    "smoothness",
    "monotony",
    "speed_consistency",
    "circular_path_error",
    "distance_drift",
    "structure_intact",
    "structure_connected",
    "occlusion",
    "flicker",
    "lighting",
    "understanding",
    "planning",
    "goal",
}


def at(angle_deg: float, puzzle: VoxelPuzzle = PUZZLE) -> View:
    return View((puzzle.azim_deg + angle_deg) % 360, puzzle.elev_deg, puzzle.voxels, puzzle.paint)


def trace(
    state_at: Callable[[float], View | None], seconds: float = 4.0, fps: float = 24.0
) -> list[FrameReading[View]]:
    count = round(seconds * fps)
    return [FrameReading(i / fps, state_at(i / (count - 1))) for i in range(count)]


def even(t: float) -> View:
    return at(180 * t)


def names(checked: CheckResult, gating: bool | None = None) -> list[str]:
    return [f.name for f in checked.findings if gating is None or f.gating == gating]


def finding(checked: CheckResult, name: str) -> Finding:
    return next(f for f in checked.findings if f.name == name)


def test_an_even_rotation_has_no_finding_and_the_best_metrics() -> None:
    checked = TASK.check(PUZZLE, trace(even))
    assert checked.findings == ()
    metrics = checked.metrics
    assert set(metrics) == METRICS
    assert metrics["final_azimuth_error_deg"] < 1 and metrics["final_elevation_error_deg"] == 0
    assert metrics["total_angle_deg"] == pytest.approx(180)
    for name in ("elevation_within_2_deg", "structure_intact", "structure_connected", "occlusion", "lighting"):
        assert metrics[name] == 1
    for name in ("smoothness", "monotony", "speed_consistency", "understanding", "planning", "goal"):
        assert metrics[name] == pytest.approx(1, abs=0.02)
    for name in ("vertical_drift_deg", "circular_path_error", "distance_drift", "flicker"):
        assert metrics[name] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("seconds", "fps"), [(2.0, 8.0), (1.0, 8.0), (10.0, 30.0)])
@pytest.mark.parametrize("way", [1, -1])
def test_a_low_frame_rate_or_a_fast_rotation_is_not_a_jump(seconds: float, fps: float, way: int) -> None:
    checked = TASK.check(PUZZLE, trace(lambda t: at(way * 180 * t), seconds, fps))
    assert checked.findings == ()
    assert checked.metrics["total_angle_deg"] == pytest.approx(180)


def find_jumps(readings: list[FrameReading[View]]) -> list[str]:
    return [found.name for found in check_motion(TASK, PUZZLE, readings)]


@pytest.mark.parametrize("by_deg", [60, 90, 180])
def test_a_cut_is_a_jump(by_deg: float) -> None:
    [jump] = check_motion(TASK, PUZZLE, trace(lambda t: at(by_deg * (t > 0.6))))
    assert jump.name == "jump" and jump.gating
    assert jump.seconds == pytest.approx(0.6 * 4, abs=0.1)
    assert find_jumps(trace(lambda t: at((180 - by_deg) * t + by_deg * (t > 0.4)))) == ["jump"]


def test_a_rotation_of_which_more_than_a_moment_is_hidden_is_not_shown() -> None:
    assert find_jumps(trace(even)) == []
    assert find_jumps(trace(lambda t: None if 0.47 < t < 0.53 else even(t))) == []
    assert find_jumps(trace(lambda t: at(0) if t < 0.4 else None if t < 0.6 else at(180))) == ["not_shown"]


def test_a_single_misreading_is_left_out_of_the_path() -> None:
    readings = trace(even)
    for i in (20, 50, 51):
        readings[i] = FrameReading(readings[i].seconds, at(180 * i / 95 + 140))
    checked = TASK.check(PUZZLE, readings)
    assert names(checked, gating=True) == []
    assert checked.metrics["flicker"] == pytest.approx(3 / 96)


@pytest.mark.parametrize(
    ("voxels", "name"),
    [(mirror_voxels(PUZZLE.voxels), "structure_mirrored"), (LOST, "structure_changed"), ((), "structure_lost")],
)
def test_another_structure_gates_when_it_lasts(voxels: tuple[tuple[int, int, int], ...], name: str) -> None:
    lasting = TASK.check(PUZZLE, trace(lambda t: replace(even(t), voxels=voxels if t > 0.5 else PUZZLE.voxels)))
    assert names(lasting, gating=True) == [name]
    assert finding(lasting, name).seconds == pytest.approx(2.0, abs=0.1)
    assert lasting.metrics["structure_intact"] == pytest.approx(0.5, abs=0.02)
    passing = TASK.check(PUZZLE, trace(lambda t: replace(even(t), voxels=voxels if 0.5 < t < 0.53 else PUZZLE.voxels)))
    assert names(passing, gating=True) == []


@pytest.mark.parametrize(
    ("voxels", "from_t", "to_t", "clutter_to_t", "found"),
    [
        pytest.param(LOST, 0.4, 0.6, 0.7, [], id="hidden by a caption"),
        pytest.param(LOST, 0.4, 0.6, 0.0, ["structure_changed"], id="nothing hides it"),
        pytest.param(LOST, 0.4, 0.6, 2.0, ["structure_changed"], id="a table comes and stays"),
        pytest.param(LOST, 0.4, 2.0, 0.7, ["structure_changed"], id="still gone when the caption is"),
        pytest.param((*LOST, (9, 9, 9)), 0.4, 0.6, 0.7, ["structure_changed"], id="a voxel elsewhere"),
    ],
)
def test_a_voxel_that_is_hidden_for_a_while_is_not_lost(
    voxels: Voxels, from_t: float, to_t: float, clutter_to_t: float, found: list[str]
) -> None:
    def seen(t: float) -> View:
        clutter = 0.05 if 0.3 < t < clutter_to_t else 0
        track = Track(turn_deg=0, misfit=0, checked_s=0, checked_misfit=0, clutter=clutter)
        return replace(even(t), voxels=voxels if from_t < t < to_t else PUZZLE.voxels, track=track)

    checked = TASK.check(PUZZLE, trace(seen))
    assert names(checked, gating=True) == found
    assert (checked.metrics["structure_intact"] == 1) == (not found)


def test_disconnected_pieces_are_measured() -> None:
    apart = (*LOST[:-1], (9, 9, 9))
    checked = TASK.check(PUZZLE, trace(lambda t: replace(even(t), voxels=apart if t > 0.5 else PUZZLE.voxels)))
    assert checked.metrics["structure_connected"] == pytest.approx(0.5, abs=0.02)


def test_an_unexplained_reading_lowers_occlusion() -> None:
    doubtful = Track(turn_deg=0, misfit=0.08, checked_s=0, checked_misfit=0)
    checked = TASK.check(PUZZLE, trace(lambda t: replace(even(t), track=doubtful if t > 0.75 else None)))
    assert checked.metrics["occlusion"] == pytest.approx(0.75, abs=0.02)
    assert checked.metrics["structure_intact"] == 1


@pytest.mark.parametrize(
    ("name", "state_at"),
    [
        ("elevation_drift", lambda t: replace(even(t), elev_deg=PUZZLE.elev_deg + 8 * t)),
        ("reversal", lambda t: at(float(np.interp(t, [0, 0.3, 1], [0, -40, 180])))),
        ("reversal", lambda t: at(float(np.interp(t, [0, 0.7, 1], [0, 205, 180])))),
        ("uneven_speed", lambda t: at(180 * t**6)),
        ("distance_change", lambda t: replace(even(t), zoom=1 - 0.25 * t)),
        ("flicker", lambda t: None if round(t * 95) % 8 == 3 else even(t)),
        ("lighting_change", lambda t: replace(even(t), paint=("#d8d8ff" if t > 0.5 else "#a8a8d8",))),
        ("recoloured", lambda t: replace(even(t), paint=("#e6a070",))),
    ],
)
def test_remarks_do_not_gate(name: str, state_at: Callable[[float], View | None]) -> None:
    checked = TASK.check(PUZZLE, trace(state_at))
    assert name in names(checked, gating=False)
    assert names(checked, gating=True) == []


def test_metrics_of_a_camera_that_leaves_its_circle() -> None:
    risen = TASK.check(PUZZLE, trace(lambda t: replace(even(t), elev_deg=PUZZLE.elev_deg + 20 * t))).metrics
    assert risen["vertical_drift_deg"] == pytest.approx(16, abs=1)
    assert risen["final_elevation_error_deg"] == pytest.approx(20, abs=0.5)
    assert risen["elevation_within_2_deg"] == pytest.approx(0.1, abs=0.02)
    assert risen["circular_path_error"] == pytest.approx(np.radians(20) / np.sqrt(3), rel=0.05)
    away = TASK.check(PUZZLE, trace(lambda t: replace(even(t), zoom=1 - 0.25 * t))).metrics
    assert away["distance_drift"] == pytest.approx(0.2, abs=0.02)


def test_metrics_of_a_jerky_rotation() -> None:
    jerky = TASK.check(PUZZLE, trace(lambda t: at(180 * round(t * 12) / 12))).metrics
    assert jerky["smoothness"] < 0.2
    back = TASK.check(PUZZLE, trace(lambda t: at(float(np.interp(t, [0, 0.3, 1], [0, -40, 180]))))).metrics
    assert back["monotony"] == pytest.approx(180 / 260, abs=0.01)


def test_a_still_video_has_no_motion_metrics() -> None:
    checked = TASK.check(PUZZLE, trace(lambda _: at(0)))
    assert checked.findings == ()
    metrics = checked.metrics
    for name in ("total_angle_deg", "smoothness", "monotony", "speed_consistency", "planning", "goal"):
        assert metrics[name] == 0


def test_an_unreadable_video_has_no_metrics() -> None:
    assert TASK.check(PUZZLE, trace(lambda _: None)) == CheckResult()


@pytest.mark.parametrize(
    ("view", "good"),
    [
        (at(180), True),
        (at(-180), True),
        (at(194), True),
        (at(166), True),
        (at(196), False),
        (at(164), False),
        (at(0), False),
        (replace(at(180), elev_deg=PUZZLE.elev_deg + 9), True),
        (replace(at(180), elev_deg=PUZZLE.elev_deg - 11), False),
        (replace(at(180), zoom=0.7, shift=(0.1, 0.1), has_table=True, paint=("#ff0000",)), True),
        (replace(at(180), zoom=0.3), False),
        (replace(at(180), voxels=mirror_voxels(PUZZLE.voxels)), False),
        (replace(at(180), voxels=LOST), False),
        (replace(at(180), voxels=()), False),
        (replace(at(180), voxels=PUZZLE.voxels[::-1]), True),
    ],
)
def test_only_the_sculpture_from_the_other_side_is_accepted(view: View, good: bool) -> None:
    assert TASK.accepted(PUZZLE, view) is good
    if good:
        assert TASK.progress(PUZZLE, view) == 1


def test_structures_are_classified() -> None:
    assert classify_structure(PUZZLE, at(0)) == "kept"
    assert classify_structure(PUZZLE, replace(at(0), voxels=mirror_voxels(PUZZLE.voxels))) == "mirrored"
    assert (
        classify_structure(PUZZLE, replace(at(0), voxels=tuple((y, x, z) for x, y, z in PUZZLE.voxels))) == "mirrored"
    )
    assert classify_structure(PUZZLE, replace(at(0), voxels=LOST)) == "changed"
    assert classify_structure(PUZZLE, replace(at(0), voxels=())) == "unknown"


def test_progress_grows_with_the_rotation_in_either_direction() -> None:
    assert TASK.progress(PUZZLE, at(1.5)) == 0 == TASK.progress(PUZZLE, at(-1.5))
    for way in (1, -1):
        done = [TASK.progress(PUZZLE, at(way * angle)) for angle in range(0, 181, 15)]
        assert done == sorted(done) and done[0] == 0 and done[-1] == 1
        assert TASK.progress(PUZZLE, at(way * 90)) == pytest.approx(0.54, abs=0.01)
    assert TASK.progress(PUZZLE, replace(at(90), voxels=LOST)) == 0
    assert TASK.progress(PUZZLE, replace(at(180), elev_deg=PUZZLE.elev_deg + 25)) == pytest.approx(0.5)


@pytest.mark.parametrize("angle_deg", [90, 270, 45])
def test_other_angles_have_their_own_goal(angle_deg: int) -> None:
    puzzle = plan(TASK, 1, 3, RotationParams(angles=(angle_deg,)))[0]
    assert TASK.accepted(puzzle, at(angle_deg, puzzle)) and not TASK.accepted(puzzle, at(180, puzzle))
    assert TASK.progress(puzzle, at(0, puzzle)) == 0
    checked = TASK.check(puzzle, trace(lambda t: at(angle_deg * t, puzzle)))
    assert checked.findings == () and checked.metrics["planning"] == pytest.approx(1, abs=0.02)


@settings(max_examples=100)
@given(
    start=st.floats(0, 360),
    slope=st.floats(-12, 12),
    count=st.integers(1, 14),
    noise=st.lists(st.floats(-0.4, 0.4), min_size=14, max_size=14),
)
def test_the_consensus_is_where_the_readings_end(start: float, slope: float, count: int, noise: list[float]) -> None:
    """It is the median of a still view and the end of a moving one; one or two misreadings do not matter."""
    views = [at(start + slope * i + noise[i]) for i in range(count)]
    if count >= 8:
        views[2] = replace(views[2], azim_deg=(views[2].azim_deg + 120) % 360)
        views[5] = replace(views[5], voxels=LOST)
    consensus = TASK.consensus_state(PUZZLE, views)
    assert consensus.voxels == PUZZLE.voxels
    assert abs(angle_between(at(start + slope * (count - 1)).azim_deg, consensus.azim_deg)) < 2.5


def test_readings_of_one_scene_have_the_same_key() -> None:
    first = TASK.state_key(PUZZLE, at(0))
    assert TASK.state_key(PUZZLE, replace(at(1.5), elev_deg=PUZZLE.elev_deg - 1, paint=("#ffffff",), zoom=1.1)) == first
    assert TASK.state_key(PUZZLE, at(10)) != first
    assert TASK.state_key(PUZZLE, replace(at(0), voxels=LOST)) != first
