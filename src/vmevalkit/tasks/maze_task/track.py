"""The dot's track through a video: its steps from reading to reading, and which steps no legal way explains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import dist, floor

from vmevalkit.tasks.maze_task.lattice import Cell, Point, cell_at, centre, clamp_point, is_inside, wall_between
from vmevalkit.tasks.maze_task.maze_reasoning import Maze, MazeState, corridors_of, initial_walls
from vmevalkit.tasks.task import FrameReading

IN_CELL = 0.4
"""A dot is in a cell if its centre is at most this far from the cell's centre, along x and along y."""
REST = 0.05
"""Steps up to this length, in cells, are noise of a dot at rest."""
MAX_HOP = 1.25
"""Longest step, in cells, that is always allowed: from a cell to the next one."""
DETOUR_FACTOR, DETOUR_SLACK = 1.5, 0.6
"""A legal way is a detour if it is longer than this many times the straight line plus this many cells."""
MAX_SPEED_RATIO = 2.8
"""A step may be this much faster than the video's fast steps. Right videos with six readings or more on the way stay
below it, however the path winds."""
_FAST_QUANTILE = 0.85
"""The speed of a video is this quantile of the speeds of its steps."""
_MIN_SPEEDS = 3
"""Fewest steps that define the speed of a video."""
_MAX_MISSED_S = 0.1
"""A dot may be missed for this long. If it is missing for longer, it does not move in the meantime."""
_IN_WALL = 0.1
"""A dot whose centre is closer than this to the middle line of a wall is in the wall, in cells."""
_WALL_ENDS = 0.15
"""Share of a wall at each end where a dot may overlap it: corners may be cut."""


@dataclass(frozen=True, slots=True)
class DotStep:
    """A step from one reading of the dot to the next."""

    seconds: float
    """Time at which it ends."""
    duration_s: float
    """Time that the dot had for it."""
    start: Point
    """Position before it."""
    end: Point
    """Position after it."""
    straight_cells: float
    """Length of the straight line, in cells."""
    legal_cells: float
    """Length of the shortest legal way, in cells."""


def is_in_cell(point: Point, cell: Cell) -> bool:
    x, y = centre(cell)
    return abs(point[0] - x) <= IN_CELL and abs(point[1] - y) <= IN_CELL


def find_steps(maze: Maze, trace: Iterable[FrameReading[MazeState]]) -> list[DotStep]:
    """Return the steps of the dot. Of several dots, the one nearest to the last position is followed.

    A hidden dot may move, but only behind its cover: its next step starts there. A dot that is missing while the maze
    is visible does not move.
    """
    legal_distance = corridors_of(maze).distance
    steps: list[DotStep] = []
    here, here_s = centre(maze.start), None
    missing_since: float | None = None
    missing_s = 0.0
    unreadable_s: float | None = None
    for reading in trace:
        last_unreadable_s, unreadable_s = unreadable_s, reading.seconds if reading.state is None else None
        if missing_since is not None:
            missing_s += reading.seconds - missing_since
            missing_since = None
        if reading.state is None:
            continue
        if not reading.state.dots:
            missing_since = reading.seconds
            continue
        last = here
        here = min(reading.state.dots, key=lambda dot: dist(dot, last))
        clamped = clamp_point(maze.grid_n, here)
        if here_s is not None and last_unreadable_s is not None and reading.state.emerged_from:
            last = min(
                reading.state.emerged_from,
                key=lambda place: legal_distance(clamp_point(maze.grid_n, place), clamped),
            )
            here_s, missing_s = last_unreadable_s, 0.0
        if here_s is not None:
            duration_s = reading.seconds - here_s - max(0.0, missing_s - _MAX_MISSED_S)
            legal_cells = legal_distance(clamp_point(maze.grid_n, last), clamped)
            steps.append(DotStep(reading.seconds, max(duration_s, 1e-3), last, here, dist(last, here), legal_cells))
        here_s, missing_s = reading.seconds, 0.0
    return steps


def find_leaps(steps: Sequence[DotStep]) -> list[DotStep]:
    """Return steps whose shortest legal way is longer than the video's own speed explains."""
    return [
        step for step in steps if step.legal_cells > MAX_HOP and step.legal_cells > _max_reachable_cells(steps, step)
    ]


def is_detour(step: DotStep) -> bool:
    """Return whether the legal way is so much longer than the step that there is a wall between its ends."""
    return step.legal_cells > DETOUR_FACTOR * step.straight_cells + DETOUR_SLACK


def find_steps_in_walls(maze: Maze, steps: Sequence[DotStep]) -> list[DotStep]:
    """Return steps that start and end within a wall or outside the maze."""
    return [step for step in steps if _is_in_wall(maze, step.start) and _is_in_wall(maze, step.end)]


def _max_reachable_cells(steps: Sequence[DotStep], step: DotStep) -> float:
    """Return how far the dot may have moved in this step, by the speed of all other steps.

    Speeds are those of straight lines: at a low frame rate some steps still are in straight corridors, while a dot
    that jumps through walls is never fast.
    """
    speeds = sorted(
        other.straight_cells / other.duration_s for other in steps if other is not step and other.straight_cells > REST
    )
    if len(speeds) < _MIN_SPEEDS:
        return 0.0
    return MAX_SPEED_RATIO * speeds[floor(_FAST_QUANTILE * (len(speeds) - 1))] * step.duration_s


def _is_in_wall(maze: Maze, point: Point) -> bool:
    """Return whether the dot's centre is within a wall or outside the maze."""
    row, column = cell_at(point)
    if not is_inside(maze.grid_n, (row, column)):
        return True
    walls = initial_walls(maze)
    across, down = point[0] - column, point[1] - row
    sides = (
        (across, down, (row, column - 1)),
        (1 - across, down, (row, column + 1)),
        (down, across, (row - 1, column)),
        (1 - down, across, (row + 1, column)),
    )
    return any(
        distance < _IN_WALL
        and _WALL_ENDS < position < 1 - _WALL_ENDS
        and walls >> wall_between(maze.grid_n, (row, column), neighbour) & 1
        for distance, position, neighbour in sides
    )


def list_visited_cells(maze: Maze, points: Iterable[Point]) -> list[Cell]:
    """Return the cells that the dot was well inside of, in order, once for each visit."""
    visited: list[Cell] = []
    for point in points:
        cell = cell_at(point)
        if is_inside(maze.grid_n, cell) and is_in_cell(point, cell) and (not visited or visited[-1] != cell):
            visited.append(cell)
    return visited


def measure_length(points: Iterable[Point]) -> float:
    """Return the distance that the dot moved, in cells, without the jitter of a dot at rest."""
    length = 0.0
    anchor: Point | None = None
    for point in points:
        if anchor is None:
            anchor = point
        elif (leg := dist(anchor, point)) > 3 * REST:
            length += leg
            anchor = point
    return length
