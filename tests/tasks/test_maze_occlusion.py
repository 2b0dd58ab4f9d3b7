"""Tracking a hidden dot: where it may be, and where it cannot be."""

from __future__ import annotations

from itertools import pairwise
from math import dist
from random import Random

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.media.image import Frame
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.tasks.maze_task import TASK, Maze, MazeParams, MazeState
from vmevalkit.tasks.maze_task.lattice import Cell, Point, cell_at, centre
from vmevalkit.tasks.maze_task.maze_reasoning import corridors_of, point_along, scene_with_dots
from vmevalkit.tasks.maze_task.occlusion import OccludedDotTracker
from vmevalkit.tasks.maze_task.render import geometry_of

few_examples = settings(max_examples=25)
SKIN = (0xD9, 0xA5, 0x7E)


def grid_of_points(grid_n: int) -> list[Point]:
    return [(x / 10 + 0.05, y / 10 + 0.05) for x in range(10 * grid_n) for y in range(10 * grid_n)]


@pytest.mark.slow
@few_examples
@given(st.integers(2, 12), st.integers(0, 10**6))
def test_a_moving_hidden_dot_stays_within_its_possible_places(grid_n: int, seed: int) -> None:
    """Its true position is always possible, and no possible place is farther than it could have moved."""
    rng = Random(seed)
    maze = TASK.sample(rng, MazeParams(grid_n, 2))
    path = [centre(cell) for cell in maze.path]
    length, speed = len(path) - 1, rng.uniform(0.05, 0.6)
    tracker = OccludedDotTracker(maze)
    tracker.start([path[0]])
    covered = grid_of_points(grid_n)
    frames = int(length / speed)
    for frame in range(1, frames + 1):
        tracker.advance(covered, 1.42 * speed)  # the tracker moves along x and y, the dot may move diagonally
        dot = point_along(path, frame * speed / length)
        assert min(dist(dot, point) for point in tracker.points()) < 0.25
    max_moved = 1.42 * speed * frames + frames / 8 + 0.5
    assert all(corridors_of(maze).distance(path[0], point) <= 1.5 * max_moved for point in tracker.points())


def maze_with_wall_to_goal() -> Maze:
    """Return a maze whose start and goal are neighbours with a wall between them."""
    for seed in range(1000):
        maze = TASK.sample(Random(seed), MazeParams(3, 3))
        if dist(maze.start, maze.goal) == 1 and len(maze.path) == 4:
            return maze
    raise AssertionError("no such maze")


def draw_hidden_dot(maze: Maze, cells: list[Cell]) -> Frame:
    """Return the maze without its dot, with skin over these cells' centres and between them."""
    frame = TASK.draw(maze, MazeState((), scene_with_dots(maze).walls, (centre(maze.goal),)))
    geometry = geometry_of(maze.grid_n)
    middles = [geometry.pixel(centre(cell)) for cell in cells]
    for one, other in pairwise(middles):
        ends = [(round(x), round(y)) for x, y in (one, other)]
        cv2.line(frame, *ends, SKIN, round(0.6 * geometry.cell))
    return frame


@pytest.mark.parametrize("covers_path", [True, False])
def test_a_hidden_dot_does_not_cross_a_wall(covers_path: bool) -> None:
    """A dot cannot cross a wall behind a hand, but it can reach the goal behind a hand over the whole path."""
    maze = maze_with_wall_to_goal()
    cells = list(maze.path) if covers_path else [maze.start, maze.goal]
    reader = TASK.reader(maze)

    def read(frame: Frame, before: MazeState | None) -> MazeState | None:
        small = np.asarray(cv2.resize(frame, (416, 240), interpolation=cv2.INTER_AREA))
        return reader.read(RegisteredFrame(small, 0.0), before)

    before = read(TASK.draw(maze, TASK.solution(maze, 0.0)), None)
    for _ in range(20):
        assert read(draw_hidden_dot(maze, cells), before) is None
    out = read(TASK.draw(maze, TASK.solution(maze, 1.0)), before)
    assert out is not None and out.dots and out.emerged_from
    assert {cell_at(point) for point in out.emerged_from} >= {maze.start}
    assert (maze.goal in {cell_at(point) for point in out.emerged_from}) == covers_path


def test_a_dot_without_hiding_places_stays_where_it_was() -> None:
    maze = maze_with_wall_to_goal()
    tracker = OccludedDotTracker(maze)
    tracker.start([centre(maze.start)])
    possible = tracker.points()
    tracker.advance([], 1.0)
    assert tracker.points() == possible
    tracker.advance([centre(maze.goal)], 0.5)
    assert tracker.points() == possible
