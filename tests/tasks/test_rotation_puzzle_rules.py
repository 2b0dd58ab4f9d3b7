"""The logic on hand-made traces: what is an answer, how far a film got, and what gates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.rotation_puzzle_task import TASK, Pipe, RotationPuzzle, RotationPuzzleKnobs, Scene, Square
from vmevalkit.tasks.rotation_puzzle_task.rotation_puzzle_reasoning import arranged
from vmevalkit.tasks.rotation_puzzle_task.scene import NEW, OTHER, scene_of
from vmevalkit.tasks.rotation_puzzle_task.solving import cheapest
from vmevalkit.tasks.task import Glimpse

PATH = (("right", "bottom"), ("bottom", "left"), ("right", "bottom"), ("left", "top"))
"""From the first square to the right, down, and to the left."""
PUZZLE = RotationPuzzle(2, 2, tuple(Square(s, a) for s, a in zip(PATH, (90, 0, 0, 180), strict=True)))
"""Two squares to turn: by a quarter, and by half a turn."""


def film(
    angles_at: Callable[[float], Sequence[float]], seconds: float = 3.0, fps: float = 24.0, hold_s: float = 0.6
) -> list[Glimpse[Scene]]:
    count = round(seconds * fps)
    whole = count + round(hold_s * fps)
    return [Glimpse(i / fps, arranged(PUZZLE, angles_at(min(i / (count - 1), 1.0)))) for i in range(whole)]


def solved(t: float) -> list[float]:
    return [90 - 90 * min(2 * t, 1.0), 0, 0, 180 - 180 * max(2 * t - 1, 0.0)]


def gating(trace: Sequence[Glimpse[Scene]]) -> set[str]:
    return {finding.name for finding in TASK.check(PUZZLE, trace).findings if finding.gating}


def remarks(trace: Sequence[Glimpse[Scene]]) -> set[str]:
    return {finding.name for finding in TASK.check(PUZZLE, trace).findings if not finding.gating}


def changed(scene: Scene, number: int, **fields: object) -> Scene:
    return scene_of(replace(p, **fields) if p.home == number else p for p in scene.pipes)  # type: ignore[arg-type]


def redone(trace: Sequence[Glimpse[Scene]], change: Callable[[float, Scene], Scene | None]) -> list[Glimpse[Scene]]:
    return [Glimpse(g.seconds, change(g.seconds, g.state)) for g in trace if g.state is not None]


def test_the_puzzle_of_these_tests_is_one() -> None:
    TASK.certify(PUZZLE)
    assert [len(PUZZLE.to_turn), TASK.progress(PUZZLE, arranged(PUZZLE, solved(0)))] == [2, 0.0]


def test_every_connected_arrangement_is_an_answer_and_no_other() -> None:
    accepted = []
    for a in range(4):
        for b in range(4):
            for c in range(4):
                for d in range(4):
                    scene = arranged(PUZZLE, [90.0 * a, 90.0 * b, 90.0 * c, 90.0 * d])
                    assert (TASK.progress(PUZZLE, scene) == 1.0) == TASK.accepted(PUZZLE, scene)
                    if TASK.accepted(PUZZLE, scene):
                        accepted.append((a, b, c, d))
    assert len(accepted) == 13
    assert (0, 0, 0, 0) in accepted and (0, 0, 3, 0) in accepted


@pytest.mark.parametrize(("off", "right"), [(0, True), (11, True), (-11, True), (13, False), (45, False), (-20, False)])
def test_an_angle_counts_when_it_is_near_a_quarter(off: float, right: bool) -> None:
    assert TASK.accepted(PUZZLE, arranged(PUZZLE, [0, off, 0, 0])) == right
    assert TASK.accepted(PUZZLE, arranged(PUZZLE, [0, 360 + off, 0, 0])) == right


def test_damage_is_no_answer_and_takes_from_the_progress() -> None:
    end = arranged(PUZZLE, [0, 0, 0, 0])
    extra = Pipe(NEW, "L", 0.0, 100.0, 100.0)
    wrong = [
        changed(end, 1, x=end.pipes[1].x + 20),
        changed(end, 1, y=end.pipes[1].y - 13),
        changed(end, 1, colour="#ef4444"),
        changed(end, 1, shape="T"),
        changed(end, 1, shape=OTHER),
        changed(end, 1, opacity=0.5),
        scene_of(end.pipes[1:]),
        scene_of([*end.pipes, extra]),
        scene_of([*end.pipes, replace(end.pipes[2], angle_deg=0.0, opacity=0.4)]),
    ]
    for scene in wrong:
        assert not TASK.accepted(PUZZLE, scene)
        assert TASK.progress(PUZZLE, scene) <= 0.75
    for scene in (changed(end, 1, x=end.pipes[1].x + 8), changed(end, 1, seen=False), changed(end, 1, opacity=0.8)):
        assert TASK.accepted(PUZZLE, scene)


def test_progress_is_the_share_of_squares_that_are_done() -> None:
    half = TASK.progress(PUZZLE, arranged(PUZZLE, solved(0.5)))
    assert half == 0.5
    steps = [TASK.progress(PUZZLE, arranged(PUZZLE, solved(t / 20))) for t in range(21)]
    assert steps == sorted(steps) and steps[0] == 0 and steps[-1] == 1
    assert TASK.progress(PUZZLE, arranged(PUZZLE, [88, 2, -2, 178])) == 0
    assert TASK.progress(PUZZLE, arranged(PUZZLE, [90, 90, 180, 180])) == 0


@pytest.mark.parametrize("fps", [8.0, 12.0, 24.0, 30.0])
@pytest.mark.parametrize("seconds", [1.6, 3.0, 8.0])
def test_turning_is_no_jump_at_any_pace(fps: float, seconds: float) -> None:
    trace = film(solved, seconds, fps)
    assert gating(trace) == set()
    checked = TASK.check(PUZZLE, trace)
    assert checked.findings == ()
    assert checked.metrics["squares_turned"] == checked.metrics["fewest_turns"] == 2
    assert checked.metrics["connected_share"] == 1
    assert checked.metrics["turned_deg"] == pytest.approx(270, abs=8)
    assert checked.metrics["angle_error_deg"] < 1
    assert checked.metrics["turning_efficiency"] > 0.95


@pytest.mark.parametrize("fps", [8.0, 24.0])
def test_a_cut_is_a_jump(fps: float) -> None:
    trace = film(lambda t: solved(float(t > 0.5)), 3.0, fps)
    assert gating(trace) == {"jump"}
    assert TASK.check(PUZZLE, trace).metrics["jumps"] == 2


@pytest.mark.parametrize("fps", [8.0, 12.0, 24.0])
def test_squares_that_snap_one_by_one_jump(fps: float) -> None:
    trace = film(lambda t: [90 * (t < 0.3), 0, 0, 180 * (t < 0.6)], 3.0, fps)
    assert gating(trace) == {"jump"}


def test_one_square_that_snaps_while_another_turns_jumps() -> None:
    trace = film(lambda t: [90 - 90 * t, 0, 0, 180 * (t < 0.6)])
    assert gating(trace) == {"jump"}
    skips = film(lambda t: [90 - 90 * t, 0, 0, 180 - 100 * t if t < 0.5 else max(60 - 120 * (t - 0.5), 0.0)])
    assert gating(skips) == {"jump"}


def test_a_film_that_shows_its_pictures_twice_is_no_cheat() -> None:
    """12 pictures a second in 30 frames a second, turned fast: each step is made within one frame."""
    slow = film(solved, 1.2, 12.0)
    trace = [Glimpse(i / 30, slow[min(int(i / 30 * 12), len(slow) - 1)].state) for i in range(54)]
    assert gating(trace) == set()


def test_a_turn_behind_a_hand_is_no_jump() -> None:
    hidden = redone(film(solved), lambda s, scene: changed(scene, 3, seen=False) if 1.6 < s < 2.9 else scene)
    assert gating(hidden) == set()
    unreadable = redone(film(solved), lambda s, scene: None if 1.6 < s < 2.4 else scene)
    assert gating(unreadable) == set()


def test_a_turn_of_which_a_hand_leaves_little_to_see_is_no_jump() -> None:
    """One square turns throughout; it is seen for ten degrees at the beginning and at the end."""
    trace = film(lambda t: [0, 0, 0, 90 - 90 * t])
    hidden = redone(trace, lambda s, scene: changed(scene, 3, seen=False) if 0.35 < s < 2.65 else scene)
    assert gating(hidden) == set()


@pytest.mark.parametrize("fps", [8.0, 24.0])
@pytest.mark.parametrize("seen_again_s", [2.0, 2.3])
def test_a_pipe_that_fades_behind_a_hand_has_jumped_though_others_turn_fast(fps: float, seen_again_s: float) -> None:
    """The fade is seen only as it begins, or as it ends."""

    def fading(seconds: float, scene: Scene) -> Scene:
        opacity = min(max(abs(seconds - 2.0) / 0.5, 0.0), 1.0)
        if seconds < seen_again_s and opacity < 0.5:
            return changed(scene, 3, seen=False)
        return changed(scene, 3, opacity=opacity) if opacity >= 0.3 else scene_of(scene.pipes[:3])

    trace = film(lambda t: [90 - 90 * min(8 * t, 1.0), 0, 0, 180 * (t < 0.667)], 3.0, fps)
    assert gating(redone(trace, fading)) == {"jump"}


def test_a_cut_behind_a_hand_is_a_jump_where_nothing_ever_turns() -> None:
    trace = film(lambda t: solved(float(t > 0.5)))
    hidden = redone(trace, lambda s, scene: changed(scene, 3, seen=False) if 1.2 < s < 1.8 else scene)
    assert gating(hidden) == {"jump"}


@pytest.mark.parametrize("fps", [8.0, 24.0])
def test_painting_over_is_no_turn(fps: float) -> None:
    def dissolving(seconds: float, scene: Scene) -> Scene:
        share = min(max((seconds - 1.5) / 1.0, 0.0), 1.0)
        own, end = scene.pipes[3], arranged(PUZZLE, [0, 0, 0, 0]).pipes[3]
        if not 0 < share < 1:
            return changed(scene, 3, angle_deg=(own if share == 0 else end).angle_deg)
        both = [replace(own, opacity=1 - share), replace(end, opacity=share)]
        return scene_of([*(p for p in scene.pipes if p.home != 3), *both])

    trace = redone(film(lambda t: [90 - 90 * min(3 * t, 1.0), 0, 0, 180], 3.0, fps), dissolving)
    assert gating(trace) == {"repainted"}


def test_a_pipe_that_goes_away_and_comes_back_turned_has_jumped() -> None:
    trace = redone(
        film(lambda t: [90 - 90 * min(3 * t, 1.0), 0, 0, 180 * (t < 0.7)]),
        lambda s, scene: scene_of(p for p in scene.pipes if p.home != 3 or not 1.8 < s < 2.4),
    )
    assert gating(trace) == {"jump"}
    assert remarks(trace) == {"pipe_vanished"}


def test_a_blink_of_another_shape_bridges_a_fast_turn_but_not_a_long_one() -> None:
    fast = film(lambda t: [90 - 90 * min(1.2 * t, 1.0), 0, 0, 180 - 180 * (t > 0.93)])
    smeared = redone(fast, lambda s, scene: changed(scene, 3, shape=OTHER) if 2.6 < s < 2.9 else scene)
    assert "jump" in gating(smeared)  # the other square turns too slowly for such a turn
    both = film(lambda t: [90 - 90 * min(4 * t, 1.0), 0, 0, 180 - 180 * (t > 0.6)])
    quick = redone(both, lambda s, scene: changed(scene, 3, shape=OTHER) if 1.2 < s < 2.0 else scene)
    assert "jump" not in gating(
        redone(both, lambda s, scene: changed(scene, 3, seen=False) if 1.2 < s < 2.0 else scene)
    )
    assert "jump" in gating(quick)


def test_an_overshoot_and_the_long_way_round_are_fine() -> None:
    swings = film(lambda t: [90 - 110 * min(t / 0.4, 1.0) + 20 * min(max(t - 0.4, 0) / 0.1, 1.0), 0, 0, solved(t)[3]])
    assert gating(swings) == set()
    around = film(lambda t: [90 + 270 * min(2 * t, 1.0), 0, 0, solved(t)[3]])
    assert gating(around) == set()
    assert TASK.check(PUZZLE, around).metrics["turning_efficiency"] == pytest.approx(270 / 450, abs=0.03)


def test_a_square_that_travels_gates_and_one_that_trembles_does_not() -> None:
    away = redone(film(solved), lambda s, scene: changed(scene, 2, x=304.0 + (25.0 if 1 < s < 1.5 else 0.0)))
    assert gating(away) == {"square_moved"}
    trembling = redone(film(solved), lambda s, scene: changed(scene, 2, x=304.0 + (5.0 if int(10 * s) % 2 else -5.0)))
    assert gating(trembling) == set()
    blink = redone(film(solved), lambda s, scene: changed(scene, 2, x=344.0) if 1.0 <= s < 1.05 else scene)
    assert gating(blink) == set()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("pipe_vanished", lambda scene: scene_of(scene.pipes[:1] + scene.pipes[2:])),
        ("pipe_changed", lambda scene: changed(scene, 1, shape="T")),
        ("recoloured", lambda scene: changed(scene, 1, colour="#22c55e")),
        ("pipe_added", lambda scene: scene_of([*scene.pipes, Pipe(NEW, "L", 0.0, 100.0, 100.0)])),
    ],
)
def test_what_is_restored_does_not_gate(name: str, change: Callable[[Scene], Scene]) -> None:
    for_a_while = redone(film(solved), lambda s, scene: change(scene) if 1 < s < 1.5 else scene)
    assert gating(for_a_while) == set() and remarks(for_a_while) == {name}
    to_the_end = redone(film(solved), lambda s, scene: change(scene) if s > 1 else scene)
    assert name in gating(to_the_end)
    once = redone(film(solved), lambda s, scene: change(scene) if 1.0 <= s < 1.04 else scene)
    assert gating(once) == set() and remarks(once) == set()


def test_settle_takes_the_latest_angle_and_what_is_mostly_there() -> None:
    turning = [arranged(PUZZLE, [angle, 0, 0, 0]) for angle in (40, 30, 20, 10, 5, 2, 0)]
    settled = TASK.settle(PUZZLE, turning)
    assert TASK.accepted(PUZZLE, settled)
    assert settled.pipes[0].angle_deg == arranged(PUZZLE, [2, 0, 0, 0]).pipes[0].angle_deg
    odd = [*turning[:-1], scene_of(turning[-1].pipes[1:])]
    assert len(TASK.settle(PUZZLE, odd).pipes) == 4
    gone = [scene_of(scene.pipes[1:]) for scene in turning[:5]] + turning[5:]
    assert len(TASK.settle(PUZZLE, gone).pipes) == 3
    over = [arranged(PUZZLE, [angle, 0, 0, 0]) for angle in (5, 1, 359, 358)]
    assert TASK.accepted(PUZZLE, TASK.settle(PUZZLE, over))


def test_identity_tells_scenes_apart_and_passes_over_trembling() -> None:
    still = arranged(PUZZLE, solved(0))
    named = TASK.identity(PUZZLE, still)
    assert TASK.identity(PUZZLE, arranged(PUZZLE, [92, 3, -3, 178])) == named
    others = [
        arranged(PUZZLE, [60, 0, 0, 180]),
        changed(still, 1, x=300.0),
        scene_of(still.pipes[1:]),
        scene_of([*still.pipes, Pipe(NEW, "L", 0.0, 100.0, 100.0)]),
    ]
    assert len({named, *(TASK.identity(PUZZLE, scene) for scene in others)}) == 5


def test_an_empty_trace_says_nothing() -> None:
    assert TASK.check(PUZZLE, [Glimpse(0.0, None), Glimpse(0.1, None)]).findings == ()


def test_straight_pipes_jump_too_and_look_the_same_after_half_a_turn() -> None:
    knobs = RotationPuzzleKnobs(2, 3, ("L", "I"), 1, 3)
    puzzle = next(
        p for p in plan(TASK, 40, 5, knobs) if any(len(p.squares) and p.squares[n].sides in
        (("top", "bottom"), ("right", "left")) for n in p.to_turn)
    )  # fmt: skip
    cut = [Glimpse(i / 24, TASK.solution(puzzle, float(i > 30))) for i in range(60)]
    assert {finding.name for finding in TASK.check(puzzle, cut).findings} == {"jump"}
    turning = [Glimpse(i / 24, TASK.solution(puzzle, min(i / 50, 1.0))) for i in range(66)]
    assert TASK.check(puzzle, turning).findings == ()
    straight = next(n for n, p in enumerate(TASK.solution(puzzle, 1.0).pipes) if p.shape == "I")
    half = [180.0 if n == straight else 0.0 for n in range(6)]
    assert TASK.accepted(puzzle, arranged(puzzle, half))


def test_the_cheapest_arrangement_is_that_of_a_search() -> None:
    from itertools import product
    from random import Random

    from vmevalkit.tasks.rotation_puzzle_task.pipes import QUARTERS, connected, sides_of

    for seed in range(30):
        rng = Random(seed)
        rows, cols = rng.choice([(2, 2), (2, 3), (3, 2)])
        kinds = [rng.choice("LIT") for _ in range(rows * cols)]
        options = [[(sides_of(k, q), float(rng.randint(0, 9))) for q in range(QUARTERS[k])] for k in kinds]
        costs = [
            sum(cost for _, cost in some)
            for some in product(*options)
            if connected(rows, cols, [sides for sides, _ in some])
        ]
        best = cheapest(rows, cols, options)
        assert (best is None) == (not costs)
        if best is not None:
            assert best[0] == min(costs)
            assert connected(rows, cols, best[1])
