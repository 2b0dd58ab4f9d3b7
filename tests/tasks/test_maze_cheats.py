"""Every trick video gets its expected verdict, read from its drawn frames."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from drawn_videos import gold, judged, still

from vmevalkit.tasks.maze_task import TASK, MazeParams
from vmevalkit.tasks.maze_task.lattice import cell_at
from vmevalkit.tasks.maze_task.maze_reasoning import initial_walls

EXPECTED = {
    "through_wall": "fail",
    "walls_open": "fail",
    "walls_open_and_close": "fail",
    "teleport": "fail",
    "reappears": "fail",
    "swapped": "fail",
    "flag_moved": "fail",
    "stop_halfway": "fail",
    "goal_reached_then_left": "fail",
    "dot_duplicated": "fail",
    "dot_vanishes": "fail",
    "wrong_cell": "fail",
    "overshoot_settles": "pass",
    "off_centre": "pass",
}
SIZES = [MazeParams(2, 2), MazeParams(3, 2), MazeParams(3, 3), MazeParams(5, 8), MazeParams(8, 18), MazeParams(12, 30)]


@pytest.mark.slow
@pytest.mark.parametrize("params", SIZES, ids=lambda params: f"{params.grid_n}-{params.least_steps}")
def test_every_trick_gets_its_expected_verdict(params: MazeParams) -> None:
    for seed in range(3):
        maze = TASK.sample(Random(seed), params)
        cheats = TASK.cheats(maze, Random(seed))
        assert {name: cheats[name].expected for name in EXPECTED} == EXPECTED
        assert set(cheats) - set(EXPECTED) <= {"wanders"}
        for name, trick in cheats.items():
            assert judged(TASK, maze, trick).passed == (trick.expected == "pass"), (name, seed, maze)


@pytest.mark.parametrize("params", SIZES, ids=lambda params: f"{params.grid_n}-{params.least_steps}")
@pytest.mark.parametrize(("seconds", "fps"), [(2.0, 8.0), (4.0, 24.0)])
def test_the_reference_solution_passes_and_a_static_video_fails(params: MazeParams, seconds: float, fps: float) -> None:
    maze = TASK.sample(Random(7), params)
    seconds = max(seconds, maze.steps / fps)  # beyond a cell or so in a frame, the way is not shown
    assert judged(TASK, maze, gold(TASK, maze), seconds, fps).passed
    assert not judged(TASK, maze, still(TASK, maze), seconds, fps).passed


def test_tricks_begin_with_the_first_frame_and_change() -> None:
    for seed in range(20):
        maze = TASK.sample(Random(seed), MazeParams(4, 3))
        first = TASK.solution(maze, 0.0)
        for name, trick in TASK.cheats(maze, Random(seed)).items():
            start = trick.state_at(0.0)
            assert TASK.state_key(maze, start)[1:] == TASK.state_key(maze, first)[1:]  # type: ignore[index]
            assert {cell_at(dot) for dot in start.dots} == {maze.start}, name
            assert trick.why
            assert any(trick.state_at(i / 20) != start for i in range(1, 21)), name


def test_tricks_do_what_their_names_say() -> None:
    counts = Counter[str]()
    for seed in range(12):
        maze = TASK.sample(Random(seed), MazeParams(5, 6))
        cheats = TASK.cheats(maze, Random(seed))
        states = {name: [trick.state_at(i / 200) for i in range(201)] for name, trick in cheats.items()}
        initial = initial_walls(maze)
        assert {state.walls for state in states["through_wall"]} == {initial}
        assert states["walls_open"][-1].walls != initial
        assert states["walls_open_and_close"][-1].walls == initial
        assert any(state.walls != initial for state in states["walls_open_and_close"])
        assert cell_at(states["flag_moved"][-1].flags[0]) == maze.start
        assert len(states["dot_duplicated"][-1].dots) == 2
        assert states["dot_vanishes"][-1].dots == states["reappears"][100].dots == ()
        for name in ("through_wall", "teleport", "reappears", "swapped", "goal_reached_then_left", "wanders"):
            reached = any(TASK.accepted(maze, state) for state in states.get(name, states["teleport"]))
            assert reached, name
        assert not any(TASK.accepted(maze, state) for state in states["stop_halfway"])
        assert cell_at(states["wrong_cell"][-1].dots[0]) not in (maze.start, maze.goal)
        counts["wanders"] += "wanders" in cheats
    assert counts["wanders"] >= 10
