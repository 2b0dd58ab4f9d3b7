"""The way of the dot through a film: its steps from reading to reading, and which of them no legal way explains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import dist, floor

from vmevalkit.tasks.maze_task.lattice import Cell, Point, cell_at, centre, held, inside, wall_between
from vmevalkit.tasks.maze_task.maze_reasoning import Maze, MazeState, corridors, home_walls
from vmevalkit.tasks.task import Glimpse

IN_CELL = 0.4
"""A dot is in a cell when its centre is at most this far from the cell's, along x and along y."""
REST = 0.05
"""Smaller steps, in cells, are noise of a dot at rest."""
HOP = 1.25
"""The longest step, in cells, that always may be: from a cell to the next one."""
DETOUR, DETOUR_SLACK = 1.5, 0.6
"""A way is a detour when it is longer than this many times the straight line, and so much more, in cells."""
HASTE = 2.8
"""How much faster than the fast steps of a film a step may be. Right films with six readings or more on the way stay
below it, however the way winds."""
_FAST = 0.85
"""Of ten steps, the second fastest is a fast one."""
_FEWEST = 3
"""A speed is known from so many steps."""
_BLINK_S = 0.1
"""A dot may be missed for so long; one that is not there for longer does not move in the meantime."""
_IN_WALL = 0.1
"""A dot whose centre is closer than this to the middle line of a wall is in the wall, in cells."""
_WALL_ENDS = 0.15
"""Near its ends a wall may be brushed: corners are cut."""


@dataclass(frozen=True, slots=True)
class Step:
    """From one reading of the dot to the next."""

    seconds: float
    """When it ends."""
    gap_s: float
    """How long the dot had for it."""
    start: Point
    end: Point
    straight: float
    """Length of the straight line, in cells."""
    along: float
    """Length of the shortest legal way, in cells."""


def in_cell(point: Point, cell: Cell) -> bool:
    x, y = centre(cell)
    return abs(point[0] - x) <= IN_CELL and abs(point[1] - y) <= IN_CELL


def steps_of(maze: Maze, trace: Iterable[Glimpse[MazeState]]) -> list[Step]:
    """The steps of the dot. Where there are several dots, the one nearest to where it was last is followed.

    A dot that cannot be seen may move, but only behind what hides it: it comes from there. A dot that is plainly not
    there, with the maze in view, does not move.
    """
    ways = corridors(maze)
    steps: list[Step] = []
    here, here_s = centre(maze.start), None
    gone_since: float | None = None
    gone_s = 0.0
    hidden_s: float | None = None
    for glimpse in trace:
        until_s, hidden_s = hidden_s, glimpse.seconds if glimpse.state is None else None
        if gone_since is not None:
            gone_s += glimpse.seconds - gone_since
            gone_since = None
        if glimpse.state is None:
            continue
        if not glimpse.state.dots:
            gone_since = glimpse.seconds
            continue
        last = here
        here = min(glimpse.state.dots, key=lambda dot: dist(dot, last))
        if here_s is not None and until_s is not None and glimpse.state.emerged:
            last = min(
                glimpse.state.emerged,
                key=lambda cover: ways.distance(held(maze.grid_n, cover), held(maze.grid_n, here)),
            )
            here_s, gone_s = until_s, 0.0
        if here_s is not None:
            gap_s = glimpse.seconds - here_s - max(0.0, gone_s - _BLINK_S)
            along = ways.distance(held(maze.grid_n, last), held(maze.grid_n, here))
            steps.append(Step(glimpse.seconds, max(gap_s, 1e-3), last, here, dist(last, here), along))
        here_s, gone_s = glimpse.seconds, 0.0
    return steps


def leaps(steps: Sequence[Step]) -> list[Step]:
    """Steps whose shortest legal way is longer than the film's own pace explains."""
    return [step for step in steps if step.along > HOP and step.along > _reach(steps, step)]


def is_detour(step: Step) -> bool:
    """Whether the legal way is so much longer than the step that there is a wall between its ends."""
    return step.along > DETOUR * step.straight + DETOUR_SLACK


def rests_in_walls(maze: Maze, steps: Sequence[Step]) -> list[Step]:
    """Steps within a wall, or outside the maze."""
    return [step for step in steps if _in_wall(maze, step.start) and _in_wall(maze, step.end)]


def _reach(steps: Sequence[Step], step: Step) -> float:
    """How far the dot may have gone in this step, by the pace of all others.

    The pace is that of straight lines: where the film is slow to show, some steps still fall on straight corridors,
    while a dot that hops through walls is never fast.
    """
    paces = sorted(other.straight / other.gap_s for other in steps if other is not step and other.straight > REST)
    if len(paces) < _FEWEST:
        return 0.0
    return HASTE * paces[floor(_FAST * (len(paces) - 1))] * step.gap_s


def _in_wall(maze: Maze, point: Point) -> bool:
    """Whether the dot's centre is within a wall, or outside the maze."""
    row, column = cell_at(point)
    if not inside(maze.grid_n, (row, column)):
        return True
    walls = home_walls(maze)
    across, down = point[0] - column, point[1] - row
    sides = (
        (across, down, (row, column - 1)),
        (1 - across, down, (row, column + 1)),
        (down, across, (row - 1, column)),
        (1 - down, across, (row + 1, column)),
    )
    return any(
        distance < _IN_WALL
        and _WALL_ENDS < place < 1 - _WALL_ENDS
        and walls >> wall_between(maze.grid_n, (row, column), beyond) & 1
        for distance, place, beyond in sides
    )


def cells_visited(maze: Maze, points: Iterable[Point]) -> list[Cell]:
    """The cells that the dot was well inside of, in order, each once a visit."""
    visited: list[Cell] = []
    for point in points:
        cell = cell_at(point)
        if inside(maze.grid_n, cell) and in_cell(point, cell) and (not visited or visited[-1] != cell):
            visited.append(cell)
    return visited


def length_gone(points: Iterable[Point]) -> float:
    """How far the dot went, in cells, without the trembling of a dot at rest."""
    gone = 0.0
    anchor: Point | None = None
    for point in points:
        if anchor is None:
            anchor = point
        elif (leg := dist(anchor, point)) > 3 * REST:
            gone += leg
            anchor = point
    return gone
