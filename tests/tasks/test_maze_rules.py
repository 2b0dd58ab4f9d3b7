"""Verdicts over hand-made traces: no pixels here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.tasks.maze_task import TASK, Maze, MazeKnobs, MazeState
from vmevalkit.tasks.maze_task.lattice import Corridors, centre, wall_between
from vmevalkit.tasks.maze_task.maze_reasoning import along, scene
from vmevalkit.tasks.maze_task.track import steps_of
from vmevalkit.tasks.task import Checked, Glimpse

SNAKE_PASSAGES = (
    ((0, 0), (0, 1)),
    ((0, 1), (0, 2)),
    ((0, 2), (1, 2)),
    ((1, 0), (1, 1)),
    ((1, 0), (2, 0)),
    ((1, 1), (1, 2)),
    ((2, 0), (2, 1)),
    ((2, 1), (2, 2)),
)
"""To and fro, from the top left to the bottom right."""
SNAKE = Maze(3, SNAKE_PASSAGES, (0, 0), (2, 2), tuple(Corridors(SNAKE_PASSAGES, (2, 2)).way((0, 0), (2, 2))))
WAY = [centre(cell) for cell in SNAKE.path]
Point = tuple[float, float]


def trace(states: Sequence[MazeState | None], fps: float = 24.0) -> list[Glimpse[MazeState]]:
    return [Glimpse(i / fps, state) for i, state in enumerate(states)]


def moving(points: Sequence[Point], frames: int, maze: Maze = SNAKE) -> list[MazeState]:
    return [scene(maze, along(points, i / (frames - 1))) for i in range(frames)]


def names(checked: Checked, gating: bool | None = None) -> list[str]:
    return [finding.name for finding in checked.findings if gating is None or finding.gating == gating]


def check(states: Sequence[MazeState | None], fps: float = 24.0) -> Checked:
    return TASK.check(SNAKE, trace(states, fps))


def test_the_snake_is_a_maze() -> None:
    TASK.certify(SNAKE)
    assert SNAKE.steps == 8


@pytest.mark.parametrize("frames", [9, 12, 48, 240])
def test_the_right_way_has_no_finding(frames: int) -> None:
    checked = check(moving(WAY, frames) + [scene(SNAKE, WAY[-1])] * 12)
    assert checked.findings == ()
    assert checked.metrics["path_efficiency"] == pytest.approx(1.0, abs=0.05)
    assert checked.metrics["path_length"] == pytest.approx(8.0, abs=0.6)
    assert checked.metrics["cells_visited"] == 9
    assert checked.metrics["walls_crossed"] == checked.metrics["wall_changes"] == 0
    assert checked.metrics["readable_share"] == 1.0


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    st.integers(0, 10**6), st.sampled_from([(3, 3), (5, 8), (8, 18), (12, 30)]), st.sampled_from([8, 12, 24, 96]),
    st.sampled_from(["even", "eased", "paused"]),
)  # fmt: skip
def test_the_right_way_is_right_however_slowly_it_is_shown(
    seed: int, size: tuple[int, int], frames: int, timing: str
) -> None:
    maze = TASK.sample(Random(seed), MazeKnobs(*size))
    tremble = Random(seed)
    states = []
    for i in range(frames + 1):
        x = i / frames
        t = {"even": x, "eased": x * x * (3 - 2 * x), "paused": min(x, 0.5) + max(0.0, x - 0.7) * 5 / 3}[timing]
        dot = along([centre(cell) for cell in maze.path], t)
        states.append(scene(maze, (dot[0] + tremble.gauss(0, 0.02), dot[1] + tremble.gauss(0, 0.02))))
    checked = TASK.check(maze, trace(states, 8.0))
    assert names(checked) == []


def test_through_a_wall() -> None:
    straight = [WAY[0], (0.5, 2.5), (2.5, 2.5)]
    for frames in (8, 24, 96):
        checked = check(moving(straight, frames))
        assert names(checked) == ["wall_crossed"]
        assert checked.findings[0].gating
        assert checked.metrics["walls_crossed"] >= 1
    at_s = check(moving(straight, 97)).findings[0].seconds
    assert at_s == pytest.approx(
        12 / 24, abs=0.1
    )  # the first wall is an eighth of the way down the film's four seconds


def test_cells_entered_by_hops_through_walls() -> None:
    hops = [WAY[0], (0.5, 1.5), (0.5, 2.5), (1.5, 2.5), (2.5, 2.5)]
    held = [scene(SNAKE, hop) for hop in hops for _ in range(6)]
    assert names(check(held)) == ["wall_crossed"]
    legal = [scene(SNAKE, point) for point in WAY for _ in range(6)]
    assert names(check(legal)) == []


def test_a_dot_that_rests_in_a_wall_or_leaves_the_maze() -> None:
    assert "wall_crossed" in names(check(moving([WAY[0], (0.5, 0.97)], 30)))
    assert "wall_crossed" in names(check(moving([WAY[0], (-0.4, 0.5)], 30)))
    assert names(check(moving([WAY[0], (0.5, 0.75), (1.5, 0.75)], 30))) == []


def test_corners_may_be_cut() -> None:
    cut = [(0.5, 0.5), (2.2, 0.5), (2.5, 0.8), (2.5, 1.2), (2.2, 1.5), (0.8, 1.5), (0.5, 2.2), (0.8, 2.5), (2.5, 2.5)]
    assert names(check(moving(cut, 60))) == []


@pytest.mark.parametrize("frames_there", [1, 6, 24])
def test_a_jump(frames_there: int) -> None:
    cut = [scene(SNAKE, WAY[0])] * 20 + [scene(SNAKE, WAY[-1])] * frames_there
    assert set(names(check(cut), gating=True)) & {"teleport", "wall_crossed"}
    sets_out = moving(WAY[:3], 24) + [scene(SNAKE, WAY[-1])] * frames_there
    assert set(names(check(sets_out), gating=True)) & {"teleport", "wall_crossed"}


def test_a_jump_along_a_straight_corridor() -> None:
    states = [scene(SNAKE, WAY[0])] * 9 + [scene(SNAKE, WAY[2])] * 3
    assert names(check(states)) == ["teleport"]


def test_what_happens_out_of_sight_is_not_held_against_the_dot() -> None:
    states: list[MazeState | None] = list(moving(WAY, 96))
    states[30:60] = [None] * 30
    assert names(check(states)) == []


def test_a_dot_that_vanishes_does_not_move_meanwhile() -> None:
    states = moving(WAY, 96)
    states[30:60] = [scene(SNAKE)] * 30
    checked = check(states)
    assert names(checked, gating=True) == ["wall_crossed"] or names(checked, gating=True) == ["teleport"]
    assert "dot_vanished" in names(checked, gating=False)
    missed = moving(WAY, 96)
    missed[40] = scene(SNAKE)
    assert names(check(missed)) == []


def test_a_dissolve_is_a_jump() -> None:
    states = [scene(SNAKE, WAY[0])] * 30 + [scene(SNAKE)] * 36 + [scene(SNAKE, WAY[-1])] * 30
    assert set(names(check(states), gating=True)) & {"teleport", "wall_crossed"}


def without(state: MazeState, one: tuple[int, int], other: tuple[int, int]) -> MazeState:
    return replace(state, walls=state.walls ^ 1 << wall_between(3, one, other))


def test_a_wall_that_changes() -> None:
    good = moving(WAY, 48)
    opened = good[:20] + [without(state, (0, 0), (1, 0)) for state in good[20:30]] + good[30:]
    checked = check(opened)
    assert names(checked) == ["wall_changed"]
    assert checked.findings[0].gating and "1 opened" in checked.findings[0].detail
    assert checked.findings[0].seconds == pytest.approx(20 / 24)
    assert checked.metrics["wall_changes"] == 2
    added = good[:40] + [without(state, (0, 0), (0, 1)) for state in good[40:]]
    assert "1 added" in check(added).findings[0].detail
    assert not TASK.accepted(SNAKE, added[-1])
    assert check(added).metrics["walls_changed_at_end"] == 1


def test_one_misread_wall_is_not_believed() -> None:
    good = moving(WAY, 48)
    for wrong in ([20], [20, 21], [10, 20, 30, 40]):
        states = [without(s, (0, 0), (1, 0)) if i in wrong else s for i, s in enumerate(good)]
        assert names(check(states)) == []
    slow = [without(s, (0, 0), (1, 0)) if i in (20, 21) else s for i, s in enumerate(good)]
    assert names(check(slow, fps=4.0)) == ["wall_changed"]


def test_a_flag_that_moves_vanishes_or_is_doubled() -> None:
    start, home = WAY[0], (centre(SNAKE.goal),)
    carried = [replace(scene(SNAKE, start), flags=(along([WAY[-1], start], i / 40),)) for i in range(41)]
    assert "flag_moved" in names(check(carried), gating=True)
    good = moving(WAY, 48)
    gone = good[:20] + [replace(state, flags=()) for state in good[20:30]] + good[30:]
    assert names(check(gone), gating=False) == ["flag_vanished"] and names(check(gone), gating=True) == []
    doubled = good[:20] + [replace(state, flags=(*home, (0.5, 0.5))) for state in good[20:]]
    assert names(check(doubled), gating=True) == ["flag_added"]


def test_a_second_dot() -> None:
    passing = [scene(SNAKE, WAY[0], dot.dots[0]) if 10 < i < 20 else dot for i, dot in enumerate(moving(WAY, 48))]
    assert names(check(passing), gating=False) == ["dot_added"] and names(check(passing), gating=True) == []
    staying = [scene(SNAKE, WAY[0], state.dots[0]) for state in moving(WAY, 48)]
    assert "dot_added" in names(check(staying), gating=True)
    swapped = [scene(SNAKE, WAY[0])] * 10 + [scene(SNAKE, WAY[0], WAY[-1])] * 10 + [scene(SNAKE, WAY[-1])] * 10
    assert set(names(check(swapped), gating=True)) & {"teleport", "wall_crossed"}


def test_a_dot_that_is_gone_at_the_end() -> None:
    states = moving(WAY, 48)[:40] + [scene(SNAKE)] * 8
    assert names(check(states), gating=True) == ["dot_vanished"]
    assert not TASK.accepted(SNAKE, states[-1])


def test_the_goal_left() -> None:
    back = moving([*WAY, *WAY[-2:3:-1]], 96)
    checked = check(back)
    assert names(checked) == ["left_goal"]
    assert not checked.findings[0].gating and "does not come back" in checked.findings[0].detail
    returns = moving([*WAY, WAY[-2], WAY[-1]], 96)
    assert names(check(returns)) == ["left_goal"]


def test_backtracking_is_told_and_does_not_gate() -> None:
    states = moving([*WAY[:5], *WAY[3:1:-1], *WAY[3:]], 96)
    checked = check(states)
    assert names(checked) == ["backtracking"] and not checked.findings[0].gating
    assert checked.metrics["path_efficiency"] < 0.75


def test_nothing_at_all_is_no_finding() -> None:
    for states in ([], [None] * 5, [scene(SNAKE, WAY[0])], [scene(SNAKE, WAY[0])] * 30):
        assert check(states).findings == ()
    assert check([]).metrics["readable_share"] == 0.0


@pytest.mark.parametrize(
    ("state", "is_accepted"),
    [
        (scene(SNAKE, (2.5, 2.5)), True),
        (scene(SNAKE, (2.15, 2.85)), True),
        (scene(SNAKE, (2.05, 2.5)), False),
        (scene(SNAKE, (1.5, 2.5)), False),
        (scene(SNAKE), False),
        (scene(SNAKE, (0.5, 0.5), (2.5, 2.5)), False),
        (without(scene(SNAKE, (2.5, 2.5)), (0, 0), (1, 0)), False),
        (replace(scene(SNAKE, (2.5, 2.5)), flags=()), False),
        (replace(scene(SNAKE, (2.5, 2.5)), flags=((0.5, 0.5),)), False),
        (replace(scene(SNAKE, (0.5, 0.5)), flags=((0.5, 0.5),)), False),
    ],
)
def test_what_is_accepted(state: MazeState, is_accepted: bool) -> None:
    assert TASK.accepted(SNAKE, state) == is_accepted
    assert (TASK.progress(SNAKE, state) == 1.0) == is_accepted


def test_progress_goes_by_the_way_that_is_left() -> None:
    shares = [TASK.progress(SNAKE, scene(SNAKE, along(WAY, i / 100))) for i in range(101)]
    assert shares == sorted(shares)
    assert shares[0] == 0 and shares[-1] == 1 and 0.4 < shares[50] < 0.6
    assert TASK.progress(SNAKE, scene(SNAKE, (0.6, 0.45))) == 0
    assert TASK.progress(SNAKE, scene(SNAKE, (0.5, 1.5))) == pytest.approx(shares[63], abs=0.1)
    assert TASK.progress(SNAKE, scene(SNAKE, (-0.5, 0.5))) == 0
    halfway = scene(SNAKE, WAY[4])
    assert TASK.progress(SNAKE, without(halfway, (0, 0), (1, 0))) == pytest.approx(TASK.progress(SNAKE, halfway) - 0.25)


def test_readings_of_a_still_scene_settle_on_the_latest_of_the_most_frequent() -> None:
    near = scene(SNAKE, (2.51, 2.5))
    assert TASK.settle(SNAKE, [scene(SNAKE, (2.5, 2.5)), scene(SNAKE, WAY[0]), near]) == near
    arriving = [scene(SNAKE, point) for point in WAY]
    assert TASK.settle(SNAKE, arriving) == arriving[-1]
    assert TASK.identity(SNAKE, near) == TASK.identity(SNAKE, scene(SNAKE, (2.4, 2.6)))
    assert TASK.identity(SNAKE, near) != TASK.identity(SNAKE, scene(SNAKE, (1.9, 2.5)))


def test_steps_know_the_legal_way() -> None:
    steps = steps_of(SNAKE, trace([scene(SNAKE, (0.5, 0.9)), None, scene(SNAKE, (0.5, 1.1))]))
    assert len(steps) == 1
    assert steps[0].straight == pytest.approx(0.2)
    assert steps[0].along > 4
    assert steps[0].gap_s == pytest.approx(2 / 24)


@pytest.mark.parametrize(("covers", "leapt"), [((WAY[3],), True), ((WAY[3], WAY[6]), True), ((WAY[3], WAY[7]), False)])
def test_a_dot_that_was_hidden_comes_from_what_hid_it(covers: tuple[Point, ...], leapt: bool) -> None:
    """The dot goes behind something in the middle of its way and is at the goal when it is seen again."""
    until = moving(WAY[:4], 24)
    out = replace(scene(SNAKE, WAY[-1]), emerged=covers)
    states: list[MazeState | None] = [*until, *[None] * 40, out, *[out] * 12]
    assert ("teleport" in names(check(states)) or "wall_crossed" in names(check(states))) == leapt
    assert not check([*until, *[None] * 40, *[scene(SNAKE, WAY[-1])] * 12]).findings  # nobody knows what hid it
