"""Verdicts over hand-made traces: no pixels here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from vmevalkit.eval.verdict import judge
from vmevalkit.tasks.object_subtraction_task import TASK, ObjectSubtraction, Scene
from vmevalkit.tasks.object_subtraction_task.following import Mark, follow
from vmevalkit.tasks.object_subtraction_task.object_subtraction_reasoning import Rule, removal, way_out
from vmevalkit.tasks.object_subtraction_task.scene import NEW, STILL, Camera, Piece, Thing, covered, piece_of, scene_of
from vmevalkit.tasks.task import Checked, Glimpse

THINGS = (
    Thing(0, "red", "cube", 50, 50, 30),
    Thing(1, "red", "sphere", 120, 60, 30),
    Thing(2, "blue", "pyramid", 200, 60, 40),
    Thing(3, "green", "cone", 60, 180, 40),
    Thing(4, "yellow", "sphere", 180, 190, 36),
)
PUZZLE = ObjectSubtraction(256, THINGS, Rule("L1", "color", "red", (), (0, 1)), "fade")
START = scene_of(map(piece_of, THINGS))
DONE = scene_of(map(piece_of, THINGS[2:]))


def trace(states: Sequence[Scene | None], fps: float = 24.0) -> list[Glimpse[Scene]]:
    return [Glimpse(i / fps, state) for i, state in enumerate(states)]


def check(states: Sequence[Scene | None], fps: float = 24.0) -> Checked:
    return TASK.check(PUZZLE, trace(states, fps))


def names(checked: Checked, gating: bool | None = None) -> list[str]:
    return [finding.name for finding in checked.findings if gating is None or finding.gating == gating]


def value(states: Sequence[Scene | None], fps: float = 24.0) -> int | None:
    return judge(TASK, PUZZLE, trace(states, fps), "test").value


def film(frames: int = 60, animation: str = "fade", hold: int = 14) -> list[Scene]:
    states = [removal(PUZZLE, (0, 1), i / (frames - 1), animation) for i in range(frames)]  # type: ignore[arg-type]
    return states + [states[-1]] * hold


def with_piece(scene: Scene, thing_id: int, **fields: object) -> Scene:
    return scene_of(replace(p, **fields) if p.id == thing_id else p for p in scene.pieces)  # type: ignore[arg-type]


def without(scene: Scene, *ids: int) -> Scene:
    return scene_of(piece for piece in scene.pieces if piece.id not in ids)


def test_the_puzzle_is_sound() -> None:
    TASK.certify(PUZZLE)
    assert TASK.accepted(PUZZLE, DONE) and not TASK.accepted(PUZZLE, START)


@pytest.mark.parametrize("animation", ["fade", "slide", "shrink"])
@pytest.mark.parametrize(("frames", "fps"), [(60, 24.0), (16, 8.0), (20, 12.0), (240, 30.0)])
def test_every_way_to_go_is_right(animation: str, frames: int, fps: float) -> None:
    states = film(frames, animation, hold=round(0.6 * fps))
    checked = check(states, fps)
    assert checked.findings == ()
    assert value(states, fps) == 5
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
def test_a_cut_to_the_final_frame_is_a_four(fps: float) -> None:
    cut = [START] * round(fps) + [DONE] * round(fps)
    checked = check(cut, fps)
    assert names(checked) == ["vanished_at_once"] and not checked.findings[0].gating
    assert checked.metrics["motion_continuity"] < 1
    assert value(cut, fps) == 4


def test_at_a_very_low_rate_nobody_can_say_that_it_happened_at_once() -> None:
    assert names(check([START] * 5 + [DONE] * 5, 4.0)) == []


def test_a_dissolve_of_several_objects_is_a_four_and_of_one_is_its_fading() -> None:
    def dissolve(puzzle: ObjectSubtraction) -> list[Scene]:
        return [
            scene_of(
                replace(piece_of(t), opacity=1 - min(1, i / 40) if t.id in puzzle.targets else 1.0)
                for t in THINGS
                if i < 36 or t.id not in puzzle.targets
            )
            for i in range(56)
        ]

    assert names(check(dissolve(PUZZLE))) == ["dissolved_together"]
    assert value(dissolve(PUZZLE)) == 4
    one = replace(PUZZLE, rule=Rule("L1", "shape", "cube", (), (0,)))
    assert judge(TASK, one, trace(dissolve(one)), "test").value == 5


def test_the_first_frame_alone_is_nothing() -> None:
    score = judge(TASK, PUZZLE, trace([START] * 48), "test")
    assert (score.value, score.outcome, score.failure_mode, score.solved) == (1, 0.0, "static", False)


@pytest.mark.parametrize(
    ("final", "finding"),
    [
        (without(DONE, 2), "kept_lost"),
        (with_piece(DONE, 2, opacity=0.1), "kept_lost"),
        (with_piece(DONE, 2, opacity=0.5), "kept_faded"),
        (with_piece(DONE, 2, x=206.0), "kept_moved"),
        (with_piece(DONE, 4, x=184.0, y=186.0), "kept_moved"),
        (with_piece(DONE, 2, colour="purple"), "kept_recoloured"),
        (with_piece(DONE, 2, colour="#808080"), "kept_recoloured"),
        (with_piece(DONE, 2, shape="cube"), "kept_reshaped"),
        (with_piece(DONE, 2, size=56.0), "kept_resized"),
        (with_piece(DONE, 2, size=26.0), "kept_resized"),
        (scene_of([*DONE.pieces, Piece(NEW, "red", "cube", 120, 130, 30)]), "object_added"),
    ],
)
def test_damage_at_the_end_gates(final: Scene, finding: str) -> None:
    states = film()[:-14] + [final] * 14
    checked = check(states)
    assert finding in names(checked, gating=True)
    assert not TASK.accepted(PUZZLE, final)
    assert 0 < TASK.progress(PUZZLE, final) < 1
    score = judge(TASK, PUZZLE, trace(states), "test")
    assert not score.passed and score.value in (2, 3)


@pytest.mark.parametrize(
    "final",
    [
        with_piece(DONE, 2, x=202.0),
        with_piece(DONE, 2, x=202.5, y=62.5),
        with_piece(DONE, 2, size=43.0),
        with_piece(DONE, 2, opacity=0.85),
        Scene(DONE.pieces, Camera(0.75, 12.0, -9.0)),
        scene_of([*DONE.pieces, replace(piece_of(THINGS[0]), opacity=0.1)]),
        scene_of([*DONE.pieces, replace(piece_of(THINGS[0]), size=3.0)]),
    ],
)
def test_small_differences_are_none(final: Scene) -> None:
    assert TASK.accepted(PUZZLE, final)
    assert names(check(film()[:-14] + [final] * 14), gating=True) == []


@pytest.mark.parametrize(
    ("final", "outcome"),
    [
        (START, 0.0),
        (without(START, 0), 0.5),
        (without(START, 0, 1, 2), 2 / 3),
        (without(START, 0, 2), 1 / 3),
        (without(START, 2, 3), 0.0),
        (scene_of([]), 2 / 5),
        (with_piece(START, 0, colour="green"), 0.0),
        (with_piece(START, 0, opacity=0.97), 0.0),
        (scene_of([*DONE.pieces, Piece(NEW, "red", "cube", 120, 130, 30)]), 2 / 3),
    ],
)
def test_the_outcome_counts_what_is_right_against_what_is_wrong(final: Scene, outcome: float) -> None:
    assert TASK.progress(PUZZLE, final) == pytest.approx(outcome)


def test_half_faded_is_not_gone() -> None:
    final = scene_of([*DONE.pieces, *(replace(piece_of(t), opacity=0.5) for t in THINGS[:2])])
    assert not TASK.accepted(PUZZLE, final)
    assert 0 < TASK.progress(PUZZLE, final) < 0.5
    assert value(film()[:-14] + [final] * 14) == 2


def test_removed_objects_that_come_back() -> None:
    there = film()
    score = judge(TASK, PUZZLE, trace(there + there[::-1] + [START] * 14), "test")
    assert score.ever_solved and not score.solved and score.failure_mode == "incorrect_termination"
    assert score.outcome == 0.0


def test_what_is_restored_is_told_and_does_not_gate() -> None:
    states = film()
    states[20:30] = [without(state, 3) for state in states[20:30]]
    checked = check(states)
    assert names(checked) == ["kept_disturbed"] and not checked.findings[0].gating
    assert checked.findings[0].seconds == pytest.approx(20 / 24)
    assert value(states) == 4
    blinked = film()
    blinked[20:22] = [without(state, 3) for state in blinked[20:22]]
    assert check(blinked).findings == ()


def test_a_jump_is_told() -> None:
    states = film()
    states[20:30] = [with_piece(state, 3, x=160.0) for state in states[20:30]]
    checked = check(states)
    assert set(names(checked)) == {"kept_disturbed", "teleport"}
    assert names(checked, gating=True) == []


def test_one_stray_reading_at_the_end_does_not_count() -> None:
    states = film()
    states[-1] = START
    states[-5] = scene_of([*DONE.pieces, Piece(NEW, "red", "cube", 120, 130, 30)])
    score = judge(TASK, PUZZLE, trace(states), "test")
    assert score.passed


def test_readings_settle_object_by_object() -> None:
    states = [with_piece(DONE, 2, x=200 + dx, colour=c) for dx, c in ((-1.5, "blue"), (0.5, "blue"), (1.5, "purple"))]
    settled = TASK.settle(PUZZLE, [*states, without(DONE, 3)])
    piece = settled.get(2)
    assert piece is not None and piece.colour == "blue" and abs(piece.x - 200) <= 1
    assert settled.get(3) is not None and settled.get(0) is None
    assert TASK.identity(PUZZLE, settled) == TASK.identity(PUZZLE, DONE)
    assert TASK.identity(PUZZLE, DONE) != TASK.identity(PUZZLE, with_piece(DONE, 2, x=230.0))


def test_metrics_of_a_wrong_answer() -> None:
    final = with_piece(without(START, 0, 2), 3, x=66.0)
    metrics = check([START] * 20 + [final] * 20).metrics
    assert metrics["removed_object_count"] == 2 and metrics["rule_accuracy"] == 0.5
    assert metrics["kept_object_stability"] == pytest.approx(3.0)
    assert 0.4 < metrics["final_object_match"] < 0.8
    nothing = check([START] * 20).metrics
    assert nothing["removed_object_count"] == nothing["rule_accuracy"] == 0


def test_nothing_readable_is_no_finding() -> None:
    assert check([]).findings == () and check([None] * 5).findings == ()


def test_lengths_grow_with_the_canvas() -> None:
    things = tuple(replace(t, x=2 * t.x, y=2 * t.y, size=2 * t.size) for t in THINGS)
    large = replace(PUZZLE, canvas=512, things=things)
    moved = scene_of([replace(piece_of(things[2]), x=407.0), *map(piece_of, things[3:])])
    assert TASK.accepted(large, moved)  # 7 pixels of 512 are 3.5 of 256
    assert not TASK.accepted(large, with_piece(moved, 2, x=409.0))


def test_objects_slide_out_past_as_few_others_as_can_be() -> None:
    assert way_out(PUZZLE, THINGS[0]) in ((-65.0, 0.0), (0.0, -65.0))
    blocked = Thing(0, "red", "cube", 128, 128, 20)
    walls = (
        Thing(1, "red", "cube", 40, 128, 20),
        Thing(2, "red", "cube", 128, 40, 20),
        Thing(3, "red", "cube", 220, 128, 20),
    )
    assert way_out(replace(PUZZLE, things=(blocked, *walls)), blocked) == (0.0, 138.0)


# -- the camera --------------------------------------------------------------------------------------------------------


def marks(camera: Camera, moved: dict[int, tuple[float, float]] | None = None) -> list[Mark]:
    found = []
    for thing in THINGS:
        x, y = thing.x - 128, thing.y - 128
        dx, dy = (moved or {}).get(thing.id, (0.0, 0.0))
        found.append(Mark(x, y, camera.zoom * (x + dx) + camera.x, camera.zoom * (y + dy) + camera.y, camera.zoom))
    return found


@pytest.mark.parametrize("moved", [{}, {2: (6.0, 0.0)}, {2: (0.0, 40.0)}, {0: (3.0, 0.0), 1: (30.0, 0.0)}])
def test_the_camera_is_followed_whatever_single_objects_do(moved: dict[int, tuple[float, float]]) -> None:
    for true in (STILL, Camera(0.99, 1.0, -1.0), Camera(1.01, -2.0, 0.5)):
        found = follow(marks(true, moved), STILL)
        assert found.zoom == pytest.approx(true.zoom, abs=0.004)
        assert (found.x, found.y) == pytest.approx((true.x, true.y), abs=0.6)


def test_a_camera_that_leaps_is_found_again() -> None:
    found = follow(marks(Camera(0.7, 20.0, -10.0)), STILL)
    assert (found.zoom, found.x, found.y) == pytest.approx((0.7, 20.0, -10.0), abs=0.05)
    assert follow([], Camera(0.8, 1.0, 2.0)) == Camera(0.8, 1.0, 2.0)


def test_a_camera_is_undone() -> None:
    camera = Camera(0.8, 5.0, -3.0)
    piece = piece_of(THINGS[3])
    back = camera.undone(camera.shown(piece, 256), 256)
    assert (back.x, back.y, back.size) == pytest.approx((piece.x, piece.y, piece.size))


def test_covered_areas_are_the_objects_areas() -> None:
    for thing in THINGS:
        assert covered([thing], 256).sum() == pytest.approx(thing.area, rel=0.03)
