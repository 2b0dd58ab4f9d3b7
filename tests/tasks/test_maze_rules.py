"""Findings and metrics of hand-made traces: no pixels here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.tasks.maze_task import TASK, Maze, MazeParams, MazeState
from vmevalkit.tasks.maze_task.lattice import Corridors, centre, wall_between
from vmevalkit.tasks.maze_task.maze_reasoning import point_along, scene_with_dots
from vmevalkit.tasks.maze_task.track import find_steps
from vmevalkit.tasks.task import CheckResult, FrameReading

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
"""A snake from the top left to the bottom right."""
SNAKE = Maze(3, SNAKE_PASSAGES, (0, 0), (2, 2), tuple(Corridors(SNAKE_PASSAGES, (2, 2)).path((0, 0), (2, 2))))
PATH = [centre(cell) for cell in SNAKE.path]
Point = tuple[float, float]


def scene(*dots: Point) -> MazeState:
    return scene_with_dots(SNAKE, *dots)


def make_trace(states: Sequence[MazeState | None], fps: float = 24.0) -> list[FrameReading[MazeState]]:
    return [FrameReading(i / fps, state) for i, state in enumerate(states)]


def move_along(points: Sequence[Point], frames: int, maze: Maze = SNAKE) -> list[MazeState]:
    return [scene_with_dots(maze, point_along(points, i / (frames - 1))) for i in range(frames)]


def names(result: CheckResult, gating: bool | None = None) -> list[str]:
    return [finding.name for finding in result.findings if gating is None or finding.gating == gating]


def check(states: Sequence[MazeState | None], fps: float = 24.0) -> CheckResult:
    return TASK.check(SNAKE, make_trace(states, fps))


def test_the_snake_is_a_valid_maze() -> None:
    TASK.certify(SNAKE)
    assert SNAKE.steps == 8


@pytest.mark.parametrize("frames", [9, 12, 48, 240])
def test_the_right_path_has_no_finding(frames: int) -> None:
    result = check(move_along(PATH, frames) + [scene(PATH[-1])] * 12)
    assert result.findings == ()
    assert result.metrics["path_efficiency"] == pytest.approx(1.0, abs=0.05)
    assert result.metrics["path_length"] == pytest.approx(8.0, abs=0.6)
    assert result.metrics["cells_visited"] == 9
    assert result.metrics["walls_crossed"] == result.metrics["wall_changes"] == 0
    assert result.metrics["readable_share"] == 1.0


@settings(max_examples=60)
@given(
    st.integers(0, 10**6), st.sampled_from([(3, 3), (5, 8), (8, 18), (12, 30)]), st.sampled_from([8, 12, 24, 96]),
    st.sampled_from(["even", "eased", "paused"]),
)  # fmt: skip
def test_the_right_path_has_no_finding_at_any_frame_rate_and_timing(
    seed: int, size: tuple[int, int], frames: int, timing: str
) -> None:
    maze = TASK.sample(Random(seed), MazeParams(*size))
    jitter = Random(seed)
    states = []
    for i in range(frames + 1):
        x = i / frames
        t = {"even": x, "eased": x * x * (3 - 2 * x), "paused": min(x, 0.5) + max(0.0, x - 0.7) * 5 / 3}[timing]
        dot = point_along([centre(cell) for cell in maze.path], t)
        states.append(scene_with_dots(maze, (dot[0] + jitter.gauss(0, 0.02), dot[1] + jitter.gauss(0, 0.02))))
    result = TASK.check(maze, make_trace(states, 8.0))
    assert names(result) == []


def test_a_dot_that_moves_through_a_wall() -> None:
    route = [PATH[0], (0.5, 2.5), (2.5, 2.5)]
    for frames in (8, 24, 96):
        result = check(move_along(route, frames))
        assert names(result) == ["wall_crossed"]
        assert result.findings[0].gating
        assert result.metrics["walls_crossed"] >= 1
    at_s = check(move_along(route, 97)).findings[0].seconds
    assert at_s == pytest.approx(12 / 24, abs=0.1)  # the first wall is at an eighth of the four seconds


def test_a_dot_that_jumps_from_cell_to_cell_through_walls() -> None:
    hops = [PATH[0], (0.5, 1.5), (0.5, 2.5), (1.5, 2.5), (2.5, 2.5)]
    illegal = [scene(hop) for hop in hops for _ in range(6)]
    assert names(check(illegal)) == ["wall_crossed"]
    legal = [scene(point) for point in PATH for _ in range(6)]
    assert names(check(legal)) == []


def test_a_dot_that_rests_in_a_wall_or_leaves_the_maze() -> None:
    assert "wall_crossed" in names(check(move_along([PATH[0], (0.5, 0.97)], 30)))
    assert "wall_crossed" in names(check(move_along([PATH[0], (-0.4, 0.5)], 30)))
    assert names(check(move_along([PATH[0], (0.5, 0.75), (1.5, 0.75)], 30))) == []


def test_corners_may_be_cut() -> None:
    cut = [(0.5, 0.5), (2.2, 0.5), (2.5, 0.8), (2.5, 1.2), (2.2, 1.5), (0.8, 1.5), (0.5, 2.2), (0.8, 2.5), (2.5, 2.5)]
    assert names(check(move_along(cut, 60))) == []


@pytest.mark.parametrize("frames_at_goal", [1, 6, 24])
def test_a_dot_that_jumps(frames_at_goal: int) -> None:
    cut = [scene(PATH[0])] * 20 + [scene(PATH[-1])] * frames_at_goal
    assert set(names(check(cut), gating=True)) & {"teleport", "wall_crossed"}
    starts_moving = move_along(PATH[:3], 24) + [scene(PATH[-1])] * frames_at_goal
    assert set(names(check(starts_moving), gating=True)) & {"teleport", "wall_crossed"}


def test_a_jump_along_a_straight_corridor() -> None:
    states = [scene(PATH[0])] * 9 + [scene(PATH[2])] * 3
    assert names(check(states)) == ["teleport"]


def test_unreadable_frames_are_not_a_jump() -> None:
    states: list[MazeState | None] = list(move_along(PATH, 96))
    states[30:60] = [None] * 30
    assert names(check(states)) == []


def test_a_dot_that_is_missing_for_long_does_not_move_meanwhile() -> None:
    states = move_along(PATH, 96)
    states[30:60] = [scene()] * 30
    result = check(states)
    assert names(result, gating=True) == ["wall_crossed"] or names(result, gating=True) == ["teleport"]
    assert "dot_vanished" in names(result, gating=False)
    missed = move_along(PATH, 96)
    missed[40] = scene()
    assert names(check(missed)) == []


def test_a_dissolve_is_a_jump() -> None:
    states = [scene(PATH[0])] * 30 + [scene()] * 36 + [scene(PATH[-1])] * 30
    assert set(names(check(states), gating=True)) & {"teleport", "wall_crossed"}


def toggle_wall(state: MazeState, one: tuple[int, int], other: tuple[int, int]) -> MazeState:
    return replace(state, walls=state.walls ^ 1 << wall_between(3, one, other))


def test_a_wall_that_changes() -> None:
    good = move_along(PATH, 48)
    opened = good[:20] + [toggle_wall(state, (0, 0), (1, 0)) for state in good[20:30]] + good[30:]
    result = check(opened)
    assert names(result) == ["wall_changed"]
    assert result.findings[0].gating and "1 opened" in result.findings[0].detail
    assert result.findings[0].seconds == pytest.approx(20 / 24)
    assert result.metrics["wall_changes"] == 2
    added = good[:40] + [toggle_wall(state, (0, 0), (0, 1)) for state in good[40:]]
    assert "1 added" in check(added).findings[0].detail
    assert not TASK.accepted(SNAKE, added[-1])
    assert check(added).metrics["walls_changed_at_end"] == 1


def test_a_wall_that_differs_in_one_or_two_readings_is_ignored() -> None:
    good = move_along(PATH, 48)
    for wrong in ([20], [20, 21], [10, 20, 30, 40]):
        states = [toggle_wall(s, (0, 0), (1, 0)) if i in wrong else s for i, s in enumerate(good)]
        assert names(check(states)) == []
    slow = [toggle_wall(s, (0, 0), (1, 0)) if i in (20, 21) else s for i, s in enumerate(good)]
    assert names(check(slow, fps=4.0)) == ["wall_changed"]


def test_a_flag_that_moves_vanishes_or_is_doubled() -> None:
    start, flags = PATH[0], (centre(SNAKE.goal),)
    moved = [replace(scene(start), flags=(point_along([PATH[-1], start], i / 40),)) for i in range(41)]
    assert "flag_moved" in names(check(moved), gating=True)
    good = move_along(PATH, 48)
    missing = good[:20] + [replace(state, flags=()) for state in good[20:30]] + good[30:]
    assert names(check(missing), gating=False) == ["flag_vanished"] and names(check(missing), gating=True) == []
    doubled = good[:20] + [replace(state, flags=(*flags, (0.5, 0.5))) for state in good[20:]]
    assert names(check(doubled), gating=True) == ["flag_added"]


def test_a_second_dot() -> None:
    passing = [scene(PATH[0], dot.dots[0]) if 10 < i < 20 else dot for i, dot in enumerate(move_along(PATH, 48))]
    assert names(check(passing), gating=False) == ["dot_added"] and names(check(passing), gating=True) == []
    staying = [scene(PATH[0], state.dots[0]) for state in move_along(PATH, 48)]
    assert "dot_added" in names(check(staying), gating=True)
    swapped = [scene(PATH[0])] * 10 + [scene(PATH[0], PATH[-1])] * 10 + [scene(PATH[-1])] * 10
    assert set(names(check(swapped), gating=True)) & {"teleport", "wall_crossed"}


def test_a_dot_that_is_missing_at_the_end() -> None:
    states = move_along(PATH, 48)[:40] + [scene()] * 8
    assert names(check(states), gating=True) == ["dot_vanished"]
    assert not TASK.accepted(SNAKE, states[-1])


def test_a_dot_that_leaves_the_goal() -> None:
    back = move_along([*PATH, *PATH[-2:3:-1]], 96)
    result = check(back)
    assert names(result) == ["left_goal"]
    assert not result.findings[0].gating and "does not come back" in result.findings[0].detail
    returns = move_along([*PATH, PATH[-2], PATH[-1]], 96)
    assert names(check(returns)) == ["left_goal"]


def test_backtracking_is_reported_and_does_not_gate() -> None:
    states = move_along([*PATH[:5], *PATH[3:1:-1], *PATH[3:]], 96)
    result = check(states)
    assert names(result) == ["backtracking"] and not result.findings[0].gating
    assert result.metrics["path_efficiency"] < 0.75


def test_a_trace_without_motion_has_no_finding() -> None:
    for states in ([], [None] * 5, [scene(PATH[0])], [scene(PATH[0])] * 30):
        assert check(states).findings == ()
    assert check([]).metrics["readable_share"] == 0.0


@pytest.mark.parametrize(
    ("state", "is_accepted"),
    [
        (scene((2.5, 2.5)), True),
        (scene((2.15, 2.85)), True),
        (scene((2.05, 2.5)), False),
        (scene((1.5, 2.5)), False),
        (scene(), False),
        (scene((0.5, 0.5), (2.5, 2.5)), False),
        (toggle_wall(scene((2.5, 2.5)), (0, 0), (1, 0)), False),
        (replace(scene((2.5, 2.5)), flags=()), False),
        (replace(scene((2.5, 2.5)), flags=((0.5, 0.5),)), False),
        (replace(scene((0.5, 0.5)), flags=((0.5, 0.5),)), False),
    ],
)
def test_accepted_states(state: MazeState, is_accepted: bool) -> None:
    assert TASK.accepted(SNAKE, state) == is_accepted
    assert (TASK.progress(SNAKE, state) == 1.0) == is_accepted


def test_progress_is_the_share_of_the_path_covered() -> None:
    shares = [TASK.progress(SNAKE, scene(point_along(PATH, i / 100))) for i in range(101)]
    assert shares == sorted(shares)
    assert shares[0] == 0 and shares[-1] == 1 and 0.4 < shares[50] < 0.6
    assert TASK.progress(SNAKE, scene((0.6, 0.45))) == 0
    assert TASK.progress(SNAKE, scene((0.5, 1.5))) == pytest.approx(shares[63], abs=0.1)
    assert TASK.progress(SNAKE, scene((-0.5, 0.5))) == 0
    halfway = scene(PATH[4])
    assert TASK.progress(SNAKE, toggle_wall(halfway, (0, 0), (1, 0))) == pytest.approx(
        TASK.progress(SNAKE, halfway) - 0.25
    )


def test_the_consensus_is_the_latest_of_the_most_frequent_states() -> None:
    near = scene((2.51, 2.5))
    assert TASK.consensus_state(SNAKE, [scene((2.5, 2.5)), scene(PATH[0]), near]) == near
    arriving = [scene(point) for point in PATH]
    assert TASK.consensus_state(SNAKE, arriving) == arriving[-1]
    assert TASK.state_key(SNAKE, near) == TASK.state_key(SNAKE, scene((2.4, 2.6)))
    assert TASK.state_key(SNAKE, near) != TASK.state_key(SNAKE, scene((1.9, 2.5)))


def test_steps_measure_the_legal_way() -> None:
    steps = find_steps(SNAKE, make_trace([scene((0.5, 0.9)), None, scene((0.5, 1.1))]))
    assert len(steps) == 1
    assert steps[0].straight_cells == pytest.approx(0.2)
    assert steps[0].legal_cells > 4
    assert steps[0].duration_s == pytest.approx(2 / 24)


@pytest.mark.parametrize(
    ("places", "is_leap"), [((PATH[3],), True), ((PATH[3], PATH[6]), True), ((PATH[3], PATH[7]), False)]
)
def test_a_hidden_dot_comes_from_one_of_its_possible_places(places: tuple[Point, ...], is_leap: bool) -> None:
    """The dot is hidden in the middle of its path and is at the goal when it is visible again."""
    visible = move_along(PATH[:4], 24)
    at_goal = replace(scene(PATH[-1]), emerged_from=places)
    states: list[MazeState | None] = [*visible, *[None] * 40, at_goal, *[at_goal] * 12]
    assert ("teleport" in names(check(states)) or "wall_crossed" in names(check(states))) == is_leap
    assert not check([*visible, *[None] * 40, *[scene(PATH[-1])] * 12]).findings  # its cover is not known
