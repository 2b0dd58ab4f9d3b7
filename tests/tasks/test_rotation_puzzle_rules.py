"""Rules on hand-made traces: what is accepted, how far a video got, and what gates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.rotation_puzzle_task import TASK, Pipe, PipeScene, RotationPuzzle, RotationPuzzleParams, Square
from vmevalkit.tasks.rotation_puzzle_task.scene import NEW, OTHER, build_scene
from vmevalkit.tasks.rotation_puzzle_task.solution import arrange_squares
from vmevalkit.tasks.rotation_puzzle_task.solving import find_cheapest_layout
from vmevalkit.tasks.task import FrameReading

PATH = (("right", "bottom"), ("bottom", "left"), ("right", "bottom"), ("left", "top"))
"""A path from the first square to the right, down, and to the left."""
PUZZLE = RotationPuzzle(2, 2, tuple(Square(s, a) for s, a in zip(PATH, (90, 0, 0, 180), strict=True)))
"""Two squares to rotate: by a quarter turn, and by half a turn."""


def make_trace(
    angles_at: Callable[[float], Sequence[float]], seconds: float = 3.0, fps: float = 24.0, hold_s: float = 0.6
) -> list[FrameReading[PipeScene]]:
    count = round(seconds * fps)
    whole = count + round(hold_s * fps)
    return [FrameReading(i / fps, arrange_squares(PUZZLE, angles_at(min(i / (count - 1), 1.0)))) for i in range(whole)]


def solve_angles(t: float) -> list[float]:
    return [90 - 90 * min(2 * t, 1.0), 0, 0, 180 - 180 * max(2 * t - 1, 0.0)]


def list_gating(trace: Sequence[FrameReading[PipeScene]]) -> set[str]:
    return {finding.name for finding in TASK.check(PUZZLE, trace).findings if finding.gating}


def list_remarks(trace: Sequence[FrameReading[PipeScene]]) -> set[str]:
    return {finding.name for finding in TASK.check(PUZZLE, trace).findings if not finding.gating}


def change_pipe(scene: PipeScene, number: int, **fields: object) -> PipeScene:
    return build_scene(replace(p, **fields) if p.home == number else p for p in scene.pipes)  # type: ignore[arg-type]


def change_readings(
    trace: Sequence[FrameReading[PipeScene]], change: Callable[[float, PipeScene], PipeScene | None]
) -> list[FrameReading[PipeScene]]:
    return [FrameReading(g.seconds, change(g.seconds, g.state)) for g in trace if g.state is not None]


def test_puzzle_of_these_tests_is_certified() -> None:
    TASK.certify(PUZZLE)
    assert [len(PUZZLE.squares_to_turn), TASK.progress(PUZZLE, arrange_squares(PUZZLE, solve_angles(0)))] == [2, 0.0]


def test_exactly_the_connected_layouts_are_accepted() -> None:
    accepted = []
    for a in range(4):
        for b in range(4):
            for c in range(4):
                for d in range(4):
                    scene = arrange_squares(PUZZLE, [90.0 * a, 90.0 * b, 90.0 * c, 90.0 * d])
                    assert (TASK.progress(PUZZLE, scene) == 1.0) == TASK.accepted(PUZZLE, scene)
                    if TASK.accepted(PUZZLE, scene):
                        accepted.append((a, b, c, d))
    assert len(accepted) == 13
    assert (0, 0, 0, 0) in accepted and (0, 0, 3, 0) in accepted


@pytest.mark.parametrize(
    ("offset_deg", "is_right"), [(0, True), (11, True), (-11, True), (13, False), (45, False), (-20, False)]
)
def test_angle_near_a_quarter_turn_is_accepted(offset_deg: float, is_right: bool) -> None:
    assert TASK.accepted(PUZZLE, arrange_squares(PUZZLE, [0, offset_deg, 0, 0])) == is_right
    assert TASK.accepted(PUZZLE, arrange_squares(PUZZLE, [0, 360 + offset_deg, 0, 0])) == is_right


def test_damage_is_not_accepted_and_lowers_progress() -> None:
    end = arrange_squares(PUZZLE, [0, 0, 0, 0])
    extra = Pipe(NEW, "L", 0.0, 100.0, 100.0)
    wrong = [
        change_pipe(end, 1, x=end.pipes[1].x + 20),
        change_pipe(end, 1, y=end.pipes[1].y - 13),
        change_pipe(end, 1, colour="#ef4444"),
        change_pipe(end, 1, shape="T"),
        change_pipe(end, 1, shape=OTHER),
        change_pipe(end, 1, opacity=0.5),
        build_scene(end.pipes[1:]),
        build_scene([*end.pipes, extra]),
        build_scene([*end.pipes, replace(end.pipes[2], angle_deg=0.0, opacity=0.4)]),
    ]
    for scene in wrong:
        assert not TASK.accepted(PUZZLE, scene)
        assert TASK.progress(PUZZLE, scene) <= 0.75
    for scene in (
        change_pipe(end, 1, x=end.pipes[1].x + 8),
        change_pipe(end, 1, is_visible=False),
        change_pipe(end, 1, opacity=0.8),
    ):
        assert TASK.accepted(PUZZLE, scene)


def test_progress_is_the_share_of_quarter_turns() -> None:
    first = TASK.progress(PUZZLE, arrange_squares(PUZZLE, [0, 0, 0, 180]))
    assert first == pytest.approx(1 / 3)
    steps = [TASK.progress(PUZZLE, arrange_squares(PUZZLE, solve_angles(t / 20))) for t in range(21)]
    assert steps == sorted(steps) and steps[0] == 0 and steps[-1] == 1
    assert TASK.progress(PUZZLE, arrange_squares(PUZZLE, [88, 2, -2, 178])) == 0
    assert TASK.progress(PUZZLE, arrange_squares(PUZZLE, [90, 90, 180, 180])) == 0


@pytest.mark.parametrize("fps", [8.0, 12.0, 24.0, 30.0])
@pytest.mark.parametrize("seconds", [1.6, 3.0, 8.0])
def test_rotation_at_any_speed_is_not_a_jump(fps: float, seconds: float) -> None:
    trace = make_trace(solve_angles, seconds, fps)
    assert list_gating(trace) == set()
    checked = TASK.check(PUZZLE, trace)
    assert checked.findings == ()
    assert checked.metrics["squares_turned"] == checked.metrics["fewest_turns"] == 2
    assert checked.metrics["connected_share"] == 1
    assert checked.metrics["turned_deg"] == pytest.approx(270, abs=8)
    assert checked.metrics["angle_error_deg"] < 1
    assert checked.metrics["turning_efficiency"] > 0.95


@pytest.mark.parametrize("fps", [8.0, 24.0])
def test_cut_is_a_jump(fps: float) -> None:
    trace = make_trace(lambda t: solve_angles(float(t > 0.5)), 3.0, fps)
    assert list_gating(trace) == {"jump"}
    assert TASK.check(PUZZLE, trace).metrics["jumps"] == 2


@pytest.mark.parametrize("fps", [8.0, 12.0, 24.0])
def test_squares_that_snap_one_by_one_are_jumps(fps: float) -> None:
    trace = make_trace(lambda t: [90 * (t < 0.3), 0, 0, 180 * (t < 0.6)], 3.0, fps)
    assert list_gating(trace) == {"jump"}


def test_square_that_snaps_while_another_rotates_is_a_jump() -> None:
    trace = make_trace(lambda t: [90 - 90 * t, 0, 0, 180 * (t < 0.6)])
    assert list_gating(trace) == {"jump"}
    skips = make_trace(lambda t: [90 - 90 * t, 0, 0, 180 - 100 * t if t < 0.5 else max(60 - 120 * (t - 0.5), 0.0)])
    assert list_gating(skips) == {"jump"}


def test_repeated_frames_are_not_a_jump() -> None:
    """12 images a second in a video of 30 frames a second: each step happens within one frame."""
    slow = make_trace(solve_angles, 1.2, 12.0)
    trace = [FrameReading(i / 30, slow[min(int(i / 30 * 12), len(slow) - 1)].state) for i in range(54)]
    assert list_gating(trace) == set()


def test_rotation_behind_a_hand_is_not_a_jump() -> None:
    hidden = change_readings(
        make_trace(solve_angles), lambda s, scene: change_pipe(scene, 3, is_visible=False) if 1.6 < s < 2.9 else scene
    )
    assert list_gating(hidden) == set()
    unreadable = change_readings(make_trace(solve_angles), lambda s, scene: None if 1.6 < s < 2.4 else scene)
    assert list_gating(unreadable) == set()


def test_mostly_covered_rotation_is_not_a_jump() -> None:
    """One square rotates throughout; it is visible for ten degrees at the beginning and at the end."""
    trace = make_trace(lambda t: [0, 0, 0, 90 - 90 * t])
    hidden = change_readings(
        trace, lambda s, scene: change_pipe(scene, 3, is_visible=False) if 0.35 < s < 2.65 else scene
    )
    assert list_gating(hidden) == set()


@pytest.mark.parametrize("fps", [8.0, 24.0])
@pytest.mark.parametrize("seen_again_s", [2.0, 2.3])
def test_fade_behind_a_hand_is_a_jump_although_others_rotate_fast(fps: float, seen_again_s: float) -> None:
    """Only the beginning or the end of the fade is visible."""

    def fading(seconds: float, scene: PipeScene) -> PipeScene:
        opacity = min(max(abs(seconds - 2.0) / 0.5, 0.0), 1.0)
        if seconds < seen_again_s and opacity < 0.5:
            return change_pipe(scene, 3, is_visible=False)
        return change_pipe(scene, 3, opacity=opacity) if opacity >= 0.3 else build_scene(scene.pipes[:3])

    trace = make_trace(lambda t: [90 - 90 * min(8 * t, 1.0), 0, 0, 180 * (t < 0.667)], 3.0, fps)
    assert list_gating(change_readings(trace, fading)) == {"jump"}


def test_cut_behind_a_hand_is_a_jump_where_nothing_rotates() -> None:
    trace = make_trace(lambda t: solve_angles(float(t > 0.5)))
    hidden = change_readings(
        trace, lambda s, scene: change_pipe(scene, 3, is_visible=False) if 1.2 < s < 1.8 else scene
    )
    assert list_gating(hidden) == {"jump"}


@pytest.mark.parametrize("fps", [8.0, 24.0])
def test_repainting_is_not_a_rotation(fps: float) -> None:
    def dissolving(seconds: float, scene: PipeScene) -> PipeScene:
        share = min(max((seconds - 1.5) / 1.0, 0.0), 1.0)
        own, end = scene.pipes[3], arrange_squares(PUZZLE, [0, 0, 0, 0]).pipes[3]
        if not 0 < share < 1:
            return change_pipe(scene, 3, angle_deg=(own if share == 0 else end).angle_deg)
        both = [replace(own, opacity=1 - share), replace(end, opacity=share)]
        return build_scene([*(p for p in scene.pipes if p.home != 3), *both])

    trace = change_readings(make_trace(lambda t: [90 - 90 * min(3 * t, 1.0), 0, 0, 180], 3.0, fps), dissolving)
    assert list_gating(trace) == {"repainted"}


def test_pipe_that_vanishes_and_returns_rotated_is_a_jump() -> None:
    trace = change_readings(
        make_trace(lambda t: [90 - 90 * min(3 * t, 1.0), 0, 0, 180 * (t < 0.7)]),
        lambda s, scene: build_scene(p for p in scene.pipes if p.home != 3 or not 1.8 < s < 2.4),
    )
    assert list_gating(trace) == {"jump"}
    assert list_remarks(trace) == {"pipe_vanished"}


def test_unknown_shape_bridges_a_fast_rotation_but_not_a_long_time() -> None:
    fast = make_trace(lambda t: [90 - 90 * min(1.2 * t, 1.0), 0, 0, 180 - 180 * (t > 0.93)])
    smeared = change_readings(fast, lambda s, scene: change_pipe(scene, 3, shape=OTHER) if 2.6 < s < 2.9 else scene)
    assert "jump" in list_gating(smeared)  # the other square rotates too slowly for such a step
    both = make_trace(lambda t: [90 - 90 * min(4 * t, 1.0), 0, 0, 180 - 180 * (t > 0.6)])
    quick = change_readings(both, lambda s, scene: change_pipe(scene, 3, shape=OTHER) if 1.2 < s < 2.0 else scene)
    assert "jump" not in list_gating(
        change_readings(both, lambda s, scene: change_pipe(scene, 3, is_visible=False) if 1.2 < s < 2.0 else scene)
    )
    assert "jump" in list_gating(quick)


def test_overshoot_and_longer_direction_do_not_gate() -> None:
    swings = make_trace(
        lambda t: [90 - 110 * min(t / 0.4, 1.0) + 20 * min(max(t - 0.4, 0) / 0.1, 1.0), 0, 0, solve_angles(t)[3]]
    )
    assert list_gating(swings) == set()
    around = make_trace(lambda t: [90 + 270 * min(2 * t, 1.0), 0, 0, solve_angles(t)[3]])
    assert list_gating(around) == set()
    assert TASK.check(PUZZLE, around).metrics["turning_efficiency"] == pytest.approx(270 / 450, abs=0.03)


def test_travelling_square_gates_and_trembling_one_does_not() -> None:
    away = change_readings(
        make_trace(solve_angles), lambda s, scene: change_pipe(scene, 2, x=304.0 + (25.0 if 1 < s < 1.5 else 0.0))
    )
    assert list_gating(away) == {"square_moved"}
    trembling = change_readings(
        make_trace(solve_angles), lambda s, scene: change_pipe(scene, 2, x=304.0 + (5.0 if int(10 * s) % 2 else -5.0))
    )
    assert list_gating(trembling) == set()
    blink = change_readings(
        make_trace(solve_angles), lambda s, scene: change_pipe(scene, 2, x=344.0) if 1.0 <= s < 1.05 else scene
    )
    assert list_gating(blink) == set()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("pipe_vanished", lambda scene: build_scene(scene.pipes[:1] + scene.pipes[2:])),
        ("pipe_changed", lambda scene: change_pipe(scene, 1, shape="T")),
        ("recoloured", lambda scene: change_pipe(scene, 1, colour="#22c55e")),
        ("pipe_added", lambda scene: build_scene([*scene.pipes, Pipe(NEW, "L", 0.0, 100.0, 100.0)])),
    ],
)
def test_restored_damage_does_not_gate(name: str, change: Callable[[PipeScene], PipeScene]) -> None:
    for_a_while = change_readings(make_trace(solve_angles), lambda s, scene: change(scene) if 1 < s < 1.5 else scene)
    assert list_gating(for_a_while) == set() and list_remarks(for_a_while) == {name}
    to_the_end = change_readings(make_trace(solve_angles), lambda s, scene: change(scene) if s > 1 else scene)
    assert name in list_gating(to_the_end)
    once = change_readings(make_trace(solve_angles), lambda s, scene: change(scene) if 1.0 <= s < 1.04 else scene)
    assert list_gating(once) == set() and list_remarks(once) == set()


def test_consensus_takes_latest_angle_and_majority_of_pipes() -> None:
    turning = [arrange_squares(PUZZLE, [angle, 0, 0, 0]) for angle in (40, 30, 20, 10, 5, 2, 0)]
    settled = TASK.consensus_state(PUZZLE, turning)
    assert TASK.accepted(PUZZLE, settled)
    assert settled.pipes[0].angle_deg == arrange_squares(PUZZLE, [2, 0, 0, 0]).pipes[0].angle_deg
    odd = [*turning[:-1], build_scene(turning[-1].pipes[1:])]
    assert len(TASK.consensus_state(PUZZLE, odd).pipes) == 4
    gone = [build_scene(scene.pipes[1:]) for scene in turning[:5]] + turning[5:]
    assert len(TASK.consensus_state(PUZZLE, gone).pipes) == 3
    over = [arrange_squares(PUZZLE, [angle, 0, 0, 0]) for angle in (5, 1, 359, 358)]
    assert TASK.accepted(PUZZLE, TASK.consensus_state(PUZZLE, over))


def test_state_key_separates_scenes_and_ignores_trembling() -> None:
    still = arrange_squares(PUZZLE, solve_angles(0))
    named = TASK.state_key(PUZZLE, still)
    assert TASK.state_key(PUZZLE, arrange_squares(PUZZLE, [92, 3, -3, 178])) == named
    others = [
        arrange_squares(PUZZLE, [60, 0, 0, 180]),
        change_pipe(still, 1, x=300.0),
        build_scene(still.pipes[1:]),
        build_scene([*still.pipes, Pipe(NEW, "L", 0.0, 100.0, 100.0)]),
    ]
    assert len({named, *(TASK.state_key(PUZZLE, scene) for scene in others)}) == 5


def test_unreadable_trace_has_no_findings() -> None:
    assert TASK.check(PUZZLE, [FrameReading(0.0, None), FrameReading(0.1, None)]).findings == ()


def test_straight_pipes_jump_and_look_the_same_after_half_a_turn() -> None:
    params = RotationPuzzleParams(2, 3, ("L", "I"), 1, 3)
    puzzle = next(
        p for p in plan(TASK, 40, 5, params) if any(len(p.squares) and p.squares[n].sides in
        (("top", "bottom"), ("right", "left")) for n in p.squares_to_turn)
    )  # fmt: skip
    cut = [FrameReading(i / 24, TASK.solution(puzzle, float(i > 30))) for i in range(60)]
    assert {finding.name for finding in TASK.check(puzzle, cut).findings} == {"jump"}
    turning = [FrameReading(i / 24, TASK.solution(puzzle, min(i / 50, 1.0))) for i in range(66)]
    assert TASK.check(puzzle, turning).findings == ()
    straight = next(n for n, p in enumerate(TASK.solution(puzzle, 1.0).pipes) if p.shape == "I")
    half = [180.0 if n == straight else 0.0 for n in range(6)]
    assert TASK.accepted(puzzle, arrange_squares(puzzle, half))


def test_cheapest_layout_equals_brute_force() -> None:
    from itertools import product
    from random import Random

    from vmevalkit.tasks.rotation_puzzle_task.pipes import QUARTERS, get_sides, is_connected

    for seed in range(30):
        rng = Random(seed)
        rows, cols = rng.choice([(2, 2), (2, 3), (3, 2)])
        kinds = [rng.choice("LIT") for _ in range(rows * cols)]
        options = [[(get_sides(k, q), float(rng.randint(0, 9))) for q in range(QUARTERS[k])] for k in kinds]
        costs = [
            sum(cost for _, cost in some)
            for some in product(*options)
            if is_connected(rows, cols, [sides for sides, _ in some])
        ]
        best = find_cheapest_layout(rows, cols, options)
        assert (best is None) == (not costs)
        if best is not None:
            assert best[0] == min(costs)
            assert is_connected(rows, cols, best[1])
