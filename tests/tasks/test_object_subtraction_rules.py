"""Verdicts on hand-made traces, without pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from vmevalkit.eval.verdict import judge
from vmevalkit.tasks.object_subtraction_task import TASK, ObjectScene, ObjectSubtraction
from vmevalkit.tasks.object_subtraction_task.camera_motion import ObjectMatch, estimate_camera
from vmevalkit.tasks.object_subtraction_task.puzzle import RemovalRule
from vmevalkit.tasks.object_subtraction_task.scene import (
    NEW,
    STILL_CAMERA,
    ObjectCamera,
    SceneObject,
    VisibleObject,
    build_scene,
    compute_coverage,
    make_visible,
)
from vmevalkit.tasks.object_subtraction_task.solution import find_exit, remove_objects
from vmevalkit.tasks.task import CheckResult, FrameReading

OBJECTS = (
    SceneObject(0, "red", "cube", 50, 50, 30),
    SceneObject(1, "red", "sphere", 120, 60, 30),
    SceneObject(2, "blue", "pyramid", 200, 60, 40),
    SceneObject(3, "green", "cone", 60, 180, 40),
    SceneObject(4, "yellow", "sphere", 180, 190, 36),
)
PUZZLE = ObjectSubtraction(256, OBJECTS, RemovalRule("L1", "color", "red", (), (0, 1)), "fade")
START = build_scene(map(make_visible, OBJECTS))
SOLVED = build_scene(map(make_visible, OBJECTS[2:]))


def make_trace(states: Sequence[ObjectScene | None], fps: float = 24.0) -> list[FrameReading[ObjectScene]]:
    return [FrameReading(i / fps, state) for i, state in enumerate(states)]


def check(states: Sequence[ObjectScene | None], fps: float = 24.0) -> CheckResult:
    return TASK.check(PUZZLE, make_trace(states, fps))


def list_findings(checked: CheckResult, gating: bool | None = None) -> list[str]:
    return [finding.name for finding in checked.findings if gating is None or finding.gating == gating]


def score_value(states: Sequence[ObjectScene | None], fps: float = 24.0) -> int | None:
    return judge(TASK, PUZZLE, make_trace(states, fps), "test").value


def make_video(frames: int = 60, animation: str = "fade", hold: int = 14) -> list[ObjectScene]:
    states = [remove_objects(PUZZLE, (0, 1), i / (frames - 1), animation) for i in range(frames)]  # type: ignore[arg-type]
    return states + [states[-1]] * hold


def change_object(scene: ObjectScene, thing_id: int, **fields: object) -> ObjectScene:
    return build_scene(replace(p, **fields) if p.id == thing_id else p for p in scene.objects)  # type: ignore[arg-type]


def remove_from(scene: ObjectScene, *ids: int) -> ObjectScene:
    return build_scene(piece for piece in scene.objects if piece.id not in ids)


def test_puzzle_of_these_tests_is_certified() -> None:
    TASK.certify(PUZZLE)
    assert TASK.accepted(PUZZLE, SOLVED) and not TASK.accepted(PUZZLE, START)


@pytest.mark.parametrize("animation", ["fade", "slide", "shrink"])
@pytest.mark.parametrize(("frames", "fps"), [(60, 24.0), (16, 8.0), (20, 12.0), (240, 30.0)])
def test_every_animation_gets_a_five(animation: str, frames: int, fps: float) -> None:
    states = make_video(frames, animation, hold=round(0.6 * fps))
    checked = check(states, fps)
    assert checked.findings == ()
    assert score_value(states, fps) == 5
    assert checked.metrics == {
        "final_object_match": 1.0,
        "removed_object_count": 2.0,
        "expected_removed_count": 2.0,
        "kept_object_stability": 0.0,
        "motion_continuity": 1.0,
        "rule_accuracy": 1.0,
        "readable_share": 1.0,
    }


@pytest.mark.parametrize("fps", [8.0, 12.0, 24.0, 30.0])
def test_cut_to_the_final_frame_gets_a_four(fps: float) -> None:
    cut = [START] * round(fps) + [SOLVED] * round(fps)
    checked = check(cut, fps)
    assert list_findings(checked) == ["vanished_at_once"] and not checked.findings[0].gating
    assert checked.metrics["motion_continuity"] < 1
    assert score_value(cut, fps) == 4


def test_vanishing_is_not_reported_at_a_very_low_rate() -> None:
    assert list_findings(check([START] * 5 + [SOLVED] * 5, 4.0)) == []


def test_dissolve_of_several_objects_gets_a_four_and_of_one_a_five() -> None:
    def dissolve(puzzle: ObjectSubtraction) -> list[ObjectScene]:
        return [
            build_scene(
                replace(make_visible(t), opacity=1 - min(1, i / 40) if t.id in puzzle.targets else 1.0)
                for t in OBJECTS
                if i < 36 or t.id not in puzzle.targets
            )
            for i in range(56)
        ]

    assert list_findings(check(dissolve(PUZZLE))) == ["dissolved_together"]
    assert score_value(dissolve(PUZZLE)) == 4
    one = replace(PUZZLE, rule=RemovalRule("L1", "shape", "cube", (), (0,)))
    assert judge(TASK, one, make_trace(dissolve(one)), "test").value == 5


def test_static_video_gets_a_one() -> None:
    score = judge(TASK, PUZZLE, make_trace([START] * 48), "test")
    assert (score.value, score.outcome, score.failure_mode, score.solved) == (1, 0.0, "static", False)


@pytest.mark.parametrize(
    ("final", "finding"),
    [
        (remove_from(SOLVED, 2), "kept_lost"),
        (change_object(SOLVED, 2, opacity=0.1), "kept_lost"),
        (change_object(SOLVED, 2, opacity=0.5), "kept_faded"),
        (change_object(SOLVED, 2, x=206.0), "kept_moved"),
        (change_object(SOLVED, 4, x=184.0, y=186.0), "kept_moved"),
        (change_object(SOLVED, 2, colour="purple"), "kept_recoloured"),
        (change_object(SOLVED, 2, colour="#808080"), "kept_recoloured"),
        (change_object(SOLVED, 2, shape="cube"), "kept_reshaped"),
        (change_object(SOLVED, 2, size=56.0), "kept_resized"),
        (change_object(SOLVED, 2, size=26.0), "kept_resized"),
        (build_scene([*SOLVED.objects, VisibleObject(NEW, "red", "cube", 120, 130, 30)]), "object_added"),
    ],
)
def test_damage_at_the_end_gates(final: ObjectScene, finding: str) -> None:
    states = make_video()[:-14] + [final] * 14
    checked = check(states)
    assert finding in list_findings(checked, gating=True)
    assert not TASK.accepted(PUZZLE, final)
    assert 0 < TASK.progress(PUZZLE, final) < 1
    score = judge(TASK, PUZZLE, make_trace(states), "test")
    assert not score.passed and score.value in (2, 3)


@pytest.mark.parametrize(
    "final",
    [
        change_object(SOLVED, 2, x=202.0),
        change_object(SOLVED, 2, x=202.5, y=62.5),
        change_object(SOLVED, 2, size=43.0),
        change_object(SOLVED, 2, opacity=0.85),
        ObjectScene(SOLVED.objects, ObjectCamera(0.75, 12.0, -9.0)),
        build_scene([*SOLVED.objects, replace(make_visible(OBJECTS[0]), opacity=0.1)]),
        build_scene([*SOLVED.objects, replace(make_visible(OBJECTS[0]), size=3.0)]),
    ],
)
def test_small_differences_are_accepted(final: ObjectScene) -> None:
    assert TASK.accepted(PUZZLE, final)
    assert list_findings(check(make_video()[:-14] + [final] * 14), gating=True) == []


@pytest.mark.parametrize(
    ("final", "outcome"),
    [
        (START, 0.0),
        (remove_from(START, 0), 0.5),
        (remove_from(START, 0, 1, 2), 2 / 3),
        (remove_from(START, 0, 2), 1 / 3),
        (remove_from(START, 2, 3), 0.0),
        (build_scene([]), 2 / 5),
        (change_object(START, 0, colour="green"), 0.0),
        (change_object(START, 0, opacity=0.97), 0.0),
        (build_scene([*SOLVED.objects, VisibleObject(NEW, "red", "cube", 120, 130, 30)]), 2 / 3),
    ],
)
def test_progress_counts_removed_against_damaged_objects(final: ObjectScene, outcome: float) -> None:
    assert TASK.progress(PUZZLE, final) == pytest.approx(outcome)


def test_half_faded_targets_are_not_gone() -> None:
    final = build_scene([*SOLVED.objects, *(replace(make_visible(t), opacity=0.5) for t in OBJECTS[:2])])
    assert not TASK.accepted(PUZZLE, final)
    assert 0 < TASK.progress(PUZZLE, final) < 0.5
    assert score_value(make_video()[:-14] + [final] * 14) == 2


def test_removed_objects_that_come_back_are_not_solved() -> None:
    there = make_video()
    score = judge(TASK, PUZZLE, make_trace(there + there[::-1] + [START] * 14), "test")
    assert score.ever_solved and not score.solved and score.failure_mode == "incorrect_termination"
    assert score.outcome == 0.0


def test_restored_damage_is_reported_and_does_not_gate() -> None:
    states = make_video()
    states[20:30] = [remove_from(state, 3) for state in states[20:30]]
    checked = check(states)
    assert list_findings(checked) == ["kept_disturbed"] and not checked.findings[0].gating
    assert checked.findings[0].seconds == pytest.approx(20 / 24)
    assert score_value(states) == 4
    blinked = make_video()
    blinked[20:22] = [remove_from(state, 3) for state in blinked[20:22]]
    assert check(blinked).findings == ()


def test_jump_is_reported() -> None:
    states = make_video()
    states[20:30] = [change_object(state, 3, x=160.0) for state in states[20:30]]
    checked = check(states)
    assert set(list_findings(checked)) == {"kept_disturbed", "teleport"}
    assert list_findings(checked, gating=True) == []


def test_single_wrong_reading_near_the_end_does_not_count() -> None:
    for wrong in (START, build_scene([*SOLVED.objects, VisibleObject(NEW, "red", "cube", 120, 130, 30)])):
        states = make_video()
        states[-3] = wrong
        assert judge(TASK, PUZZLE, make_trace(states), "test").passed


def test_last_reading_must_show_the_answer() -> None:
    states = make_video()
    states[-1] = START
    assert not judge(TASK, PUZZLE, make_trace(states), "test").solved


def test_consensus_is_found_for_each_object() -> None:
    states = [
        change_object(SOLVED, 2, x=200 + dx, colour=c) for dx, c in ((-1.5, "blue"), (0.5, "blue"), (1.5, "purple"))
    ]
    settled = TASK.consensus_state(PUZZLE, [*states, remove_from(SOLVED, 3)])
    piece = settled.get(2)
    assert piece is not None and piece.colour == "blue" and abs(piece.x - 200) <= 1
    assert settled.get(3) is not None and settled.get(0) is None
    assert TASK.state_key(PUZZLE, settled) == TASK.state_key(PUZZLE, SOLVED)
    assert TASK.state_key(PUZZLE, SOLVED) != TASK.state_key(PUZZLE, change_object(SOLVED, 2, x=230.0))


def test_metrics_of_a_wrong_answer() -> None:
    final = change_object(remove_from(START, 0, 2), 3, x=66.0)
    metrics = check([START] * 20 + [final] * 20).metrics
    assert metrics["removed_object_count"] == 2 and metrics["rule_accuracy"] == 0.5
    assert metrics["kept_object_stability"] == pytest.approx(3.0)
    assert 0.4 < metrics["final_object_match"] < 0.8
    nothing = check([START] * 20).metrics
    assert nothing["removed_object_count"] == nothing["rule_accuracy"] == 0


def test_unreadable_trace_has_no_findings() -> None:
    assert check([]).findings == () and check([None] * 5).findings == ()


def test_lengths_are_scaled_with_the_canvas() -> None:
    things = tuple(replace(t, x=2 * t.x, y=2 * t.y, size=2 * t.size) for t in OBJECTS)
    large = replace(PUZZLE, canvas=512, things=things)
    moved = build_scene([replace(make_visible(things[2]), x=407.0), *map(make_visible, things[3:])])
    assert TASK.accepted(large, moved)  # 7 pixels of 512 are 3.5 of 256
    assert not TASK.accepted(large, change_object(moved, 2, x=409.0))


def test_objects_slide_out_past_as_few_others_as_possible() -> None:
    assert find_exit(PUZZLE, OBJECTS[0]) in ((-65.0, 0.0), (0.0, -65.0))
    blocked = SceneObject(0, "red", "cube", 128, 128, 20)
    walls = (
        SceneObject(1, "red", "cube", 40, 128, 20),
        SceneObject(2, "red", "cube", 128, 40, 20),
        SceneObject(3, "red", "cube", 220, 128, 20),
    )
    assert find_exit(replace(PUZZLE, things=(blocked, *walls)), blocked) == (0.0, 138.0)


# -- the camera --------------------------------------------------------------------------------------------------------


def make_matches(camera: ObjectCamera, moved: dict[int, tuple[float, float]] | None = None) -> list[ObjectMatch]:
    found = []
    for thing in OBJECTS:
        x, y = thing.x - 128, thing.y - 128
        dx, dy = (moved or {}).get(thing.id, (0.0, 0.0))
        found.append(
            ObjectMatch(x, y, camera.zoom * (x + dx) + camera.x, camera.zoom * (y + dy) + camera.y, camera.zoom)
        )
    return found


@pytest.mark.parametrize("moved", [{}, {2: (6.0, 0.0)}, {2: (0.0, 40.0)}, {0: (3.0, 0.0), 1: (30.0, 0.0)}])
def test_camera_is_estimated_whatever_single_objects_do(moved: dict[int, tuple[float, float]]) -> None:
    for true in (STILL_CAMERA, ObjectCamera(0.99, 1.0, -1.0), ObjectCamera(1.01, -2.0, 0.5)):
        found = estimate_camera(make_matches(true, moved), STILL_CAMERA)
        assert found.zoom == pytest.approx(true.zoom, abs=0.004)
        assert (found.x, found.y) == pytest.approx((true.x, true.y), abs=0.6)


def test_camera_that_jumps_is_found_again() -> None:
    found = estimate_camera(make_matches(ObjectCamera(0.7, 20.0, -10.0)), STILL_CAMERA)
    assert (found.zoom, found.x, found.y) == pytest.approx((0.7, 20.0, -10.0), abs=0.05)
    assert estimate_camera([], ObjectCamera(0.8, 1.0, 2.0)) == ObjectCamera(0.8, 1.0, 2.0)


def test_unproject_inverts_project() -> None:
    camera = ObjectCamera(0.8, 5.0, -3.0)
    piece = make_visible(OBJECTS[3])
    back = camera.unproject(camera.project(piece, 256), 256)
    assert (back.x, back.y, back.size) == pytest.approx((piece.x, piece.y, piece.size))


def test_coverage_has_the_area_of_the_object() -> None:
    for thing in OBJECTS:
        assert compute_coverage([thing], 256).sum() == pytest.approx(thing.area, rel=0.03)
