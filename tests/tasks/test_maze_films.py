"""Every film gets the verdict it deserves, read from its drawn frames."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from drawn_films import gold, judged, still

from vmevalkit.tasks.maze_task import TASK, MazeKnobs
from vmevalkit.tasks.maze_task.lattice import cell_at
from vmevalkit.tasks.maze_task.maze_reasoning import home_walls

ALWAYS = {
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
SIZES = [MazeKnobs(2, 2), MazeKnobs(3, 2), MazeKnobs(3, 3), MazeKnobs(5, 8), MazeKnobs(8, 18), MazeKnobs(12, 30)]


@pytest.mark.parametrize("knobs", SIZES, ids=lambda knobs: f"{knobs.grid_n}-{knobs.least_steps}")
def test_every_film_gets_its_verdict(knobs: MazeKnobs) -> None:
    for seed in range(3):
        maze = TASK.sample(Random(seed), knobs)
        films = TASK.films(maze, Random(seed))
        assert {name: films[name].expected for name in ALWAYS} == ALWAYS
        assert set(films) - set(ALWAYS) <= {"wanders"}
        for name, film in films.items():
            assert judged(TASK, maze, film).passed == (film.expected == "pass"), (name, seed, maze)


@pytest.mark.parametrize("knobs", SIZES, ids=lambda knobs: f"{knobs.grid_n}-{knobs.least_steps}")
@pytest.mark.parametrize(("seconds", "fps"), [(2.0, 8.0), (4.0, 24.0)])
def test_gold_passes_and_a_still_film_does_not(knobs: MazeKnobs, seconds: float, fps: float) -> None:
    maze = TASK.sample(Random(7), knobs)
    assert judged(TASK, maze, gold(TASK, maze), seconds, fps).passed
    assert not judged(TASK, maze, still(TASK, maze), seconds, fps).passed


def test_films_begin_with_the_first_frame_and_change() -> None:
    for seed in range(20):
        maze = TASK.sample(Random(seed), MazeKnobs(4, 3))
        first = TASK.solution(maze, 0.0)
        for name, film in TASK.films(maze, Random(seed)).items():
            start = film.state_at(0.0)
            assert TASK.identity(maze, start)[1:] == TASK.identity(maze, first)[1:]  # type: ignore[index]
            assert {cell_at(dot) for dot in start.dots} == {maze.start}, name
            assert film.why
            assert any(film.state_at(i / 20) != start for i in range(1, 21)), name


def test_the_films_do_what_they_say() -> None:
    told = Counter()
    for seed in range(12):
        maze = TASK.sample(Random(seed), MazeKnobs(5, 6))
        films = TASK.films(maze, Random(seed))
        at = {name: [film.state_at(i / 200) for i in range(201)] for name, film in films.items()}
        home = home_walls(maze)
        assert {state.walls for state in at["through_wall"]} == {home}
        assert at["walls_open"][-1].walls != home
        assert at["walls_open_and_close"][-1].walls == home
        assert any(state.walls != home for state in at["walls_open_and_close"])
        assert cell_at(at["flag_moved"][-1].flags[0]) == maze.start
        assert len(at["dot_duplicated"][-1].dots) == 2
        assert at["dot_vanishes"][-1].dots == at["reappears"][100].dots == ()
        for name in ("through_wall", "teleport", "reappears", "swapped", "goal_reached_then_left", "wanders"):
            reached = any(TASK.accepted(maze, state) for state in at.get(name, at["teleport"]))
            assert reached, name
        assert not any(TASK.accepted(maze, state) for state in at["stop_halfway"])
        assert cell_at(at["wrong_cell"][-1].dots[0]) not in (maze.start, maze.goal)
        told["wanders"] += "wanders" in films
    assert told["wanders"] >= 10
