"""A dot behind something: where it may have got to, and where it may not."""

from __future__ import annotations

from itertools import pairwise
from math import dist
from random import Random

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.media.picture import Frame
from vmevalkit.media.sighting import Sighting
from vmevalkit.tasks.maze_task import TASK, Maze, MazeKnobs, MazeState
from vmevalkit.tasks.maze_task.hiding import Whereabouts
from vmevalkit.tasks.maze_task.lattice import Cell, Point, cell_at, centre
from vmevalkit.tasks.maze_task.maze_reasoning import along, corridors, scene
from vmevalkit.tasks.maze_task.render import layout_of

settled = settings(deadline=None, derandomize=True, max_examples=25)
SKIN = (0xD9, 0xA5, 0x7E)


def everywhere(grid_n: int) -> list[Point]:
    return [(x / 10 + 0.05, y / 10 + 0.05) for x in range(10 * grid_n) for y in range(10 * grid_n)]


@settled
@given(st.integers(2, 12), st.integers(0, 10**6))
def test_a_dot_on_its_way_is_where_it_may_be(grid_n: int, seed: int) -> None:
    """However the way winds, as long as it is hidden; and it is never farther than it could have gone."""
    rng = Random(seed)
    maze = TASK.sample(rng, MazeKnobs(grid_n, 2))
    way = [centre(cell) for cell in maze.path]
    length, pace = len(way) - 1, rng.uniform(0.05, 0.6)
    where = Whereabouts(maze)
    where.begin([way[0]])
    covered = everywhere(grid_n)
    frames = int(length / pace)
    for frame in range(1, frames + 1):
        where.go_on(covered, 1.42 * pace)  # a square is left by its sides, also by who goes aslant
        dot = along(way, frame * pace / length)
        assert min(dist(dot, point) for point in where.points()) < 0.25
    gone = 1.42 * pace * frames + frames / 8 + 0.5
    assert all(corridors(maze).distance(way[0], point) <= 1.5 * gone for point in where.points())


def walled_off() -> Maze:
    """Start and goal are neighbours with a wall between them, and the way leads round it."""
    for seed in range(1000):
        maze = TASK.sample(Random(seed), MazeKnobs(3, 3))
        if dist(maze.start, maze.goal) == 1 and len(maze.path) == 4:
            return maze
    raise AssertionError("no such maze")


def beneath_a_hand(maze: Maze, cells: list[Cell]) -> Frame:
    """The maze without its dot, and something over the middles of these cells and over what is between them."""
    frame = TASK.draw(maze, MazeState((), scene(maze).walls, (centre(maze.goal),)))
    layout = layout_of(maze.grid_n)
    middles = [layout.pixel(centre(cell)) for cell in cells]
    for one, other in pairwise(middles):
        ends = [(round(x), round(y)) for x, y in (one, other)]
        cv2.line(frame, *ends, SKIN, round(0.6 * layout.cell))
    return frame


@pytest.mark.parametrize("by_the_way", [True, False])
def test_a_wall_ends_a_hiding_place(by_the_way: bool) -> None:
    """A hand that covers both sides of a wall takes no dot through it; one along the whole way may have taken it."""
    maze = walled_off()
    cells = list(maze.path) if by_the_way else [maze.start, maze.goal]
    reader = TASK.reader(maze)

    def look(frame: Frame, before: MazeState | None) -> MazeState | None:
        small = np.asarray(cv2.resize(frame, (416, 240), interpolation=cv2.INTER_AREA))
        return reader.read(Sighting(small, 0.0), before)

    before = look(TASK.draw(maze, TASK.solution(maze, 0.0)), None)
    for _ in range(20):
        assert look(beneath_a_hand(maze, cells), before) is None
    out = look(TASK.draw(maze, TASK.solution(maze, 1.0)), before)
    assert out is not None and out.dots and out.emerged
    assert {cell_at(point) for point in out.emerged} >= {maze.start}
    assert (maze.goal in {cell_at(point) for point in out.emerged}) == by_the_way


def test_a_dot_that_was_missed_is_where_it_was() -> None:
    maze = walled_off()
    where = Whereabouts(maze)
    where.begin([centre(maze.start)])
    known = where.points()
    where.go_on([], 1.0)
    assert where.points() == known
    where.go_on([centre(maze.goal)], 0.5)
    assert where.points() == known
