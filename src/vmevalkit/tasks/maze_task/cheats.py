"""Cheats, wrong answers, and right answers that look unusual: each a trajectory of states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import dist
from random import Random

from vmevalkit.tasks.maze_task.lattice import Cell, Passage, Point, centre, neighbour_pairs, wall_between
from vmevalkit.tasks.maze_task.maze_reasoning import (
    ARRIVAL,
    Maze,
    MazeState,
    corridors_of,
    point_along,
    scene_with_dots,
)
from vmevalkit.tasks.task import StateTrajectory

_Motion = Callable[[float], Point]
"""Position of the dot at time t, from 0 to 1."""


def make_cheats(puzzle: Maze, rng: Random) -> dict[str, StateTrajectory[MazeState]]:
    """Return all trajectories that this maze allows, by name."""
    return {
        **_wall_cheats(puzzle, rng),
        **_jump_cheats(puzzle, rng),
        **_wrong_ends(puzzle, rng),
        **_unusual_solutions(puzzle, rng),
    }


def _wall_cheats(maze: Maze, rng: Random) -> dict[str, StateTrajectory[MazeState]]:
    shortcut = _choose_shortcut(maze, rng)
    wall = 1 << wall_between(maze.grid_n, *shortcut)
    to_wall = _path_points(maze, maze.start, shortcut[0])
    route = to_wall + _path_points(maze, shortcut[1], maze.goal)
    opens_at, closes_at = _opening_times(to_wall, route)
    through_wall = _steady_motion(route)

    def wall_opens(t: float, until: float) -> MazeState:
        state = scene_with_dots(maze, through_wall(t))
        return replace(state, walls=state.walls & ~wall) if opens_at <= t < until else state

    return {
        "through_wall": StateTrajectory(
            lambda t: scene_with_dots(maze, through_wall(t)), "fail", "the dot moves smoothly through a wall"
        ),
        "walls_open": StateTrajectory(
            lambda t: wall_opens(t, 2.0), "fail", "a wall opens in front of the dot and stays open"
        ),
        "walls_open_and_close": StateTrajectory(
            lambda t: wall_opens(t, closes_at), "fail", "a wall opens, and closes behind the dot"
        ),
    }


def _jump_cheats(maze: Maze, rng: Random) -> dict[str, StateTrajectory[MazeState]]:
    path = _path_points(maze, maze.start, maze.goal)
    start, goal = path[0], path[-1]
    jump_from = min(rng.uniform(0.15, 0.4), 1 - 1.9 / maze.steps)
    jump_to = rng.choice([1.0, 1.0, min(max(jump_from + 3 / maze.steps, 0.8), 1.0)])

    def jump(t: float) -> MazeState:
        share = min(t / ARRIVAL, 1.0)
        return scene_with_dots(maze, point_along(path, share if share < jump_from else max(jump_to, share)))

    def vanish_and_reappear(t: float) -> MazeState:
        vanishes_at, reappears_at = 0.4, 0.6
        if t < vanishes_at:
            return scene_with_dots(maze, point_along(path, t * jump_from / vanishes_at))
        return scene_with_dots(maze) if t < reappears_at else scene_with_dots(maze, goal)

    def swap_dots(t: float) -> MazeState:
        return scene_with_dots(maze, *([start] if t < 0.7 else []), *([goal] if t >= 0.35 else []))

    def move_flag(t: float) -> MazeState:
        return replace(scene_with_dots(maze, start), flags=(point_along([goal, start], t / ARRIVAL),))

    return {
        "teleport": StateTrajectory(jump, "fail", "the dot starts to move, then jumps to the goal or near it"),
        "reappears": StateTrajectory(
            vanish_and_reappear, "fail", "the dot vanishes on its way and appears at the goal"
        ),
        "swapped": StateTrajectory(swap_dots, "fail", "a second dot appears at the goal, then the first one vanishes"),
        "flag_moved": StateTrajectory(move_flag, "fail", "the flag moves to the dot"),
    }


def _wrong_ends(maze: Maze, rng: Random) -> dict[str, StateTrajectory[MazeState]]:
    path = _path_points(maze, maze.start, maze.goal)
    stop = rng.uniform(0.3, 1 - 1.2 / maze.steps)
    way_back = _path_points(maze, maze.goal, maze.path[rng.randrange(maze.steps - 1)])
    to_goal, to_goal_early = _steady_motion(path), _steady_motion(path, end=0.5)
    back = _steady_motion(way_back, start=0.6)
    to_wrong_cell = _steady_motion(_path_points(maze, maze.start, rng.choice(_other_cells(maze))))
    return {
        "stop_halfway": StateTrajectory(
            lambda t: scene_with_dots(maze, point_along(path, stop * min(t / ARRIVAL, 1.0))),
            "fail",
            "the dot stops on its way",
        ),
        "goal_reached_then_left": StateTrajectory(
            lambda t: scene_with_dots(maze, to_goal_early(t) if t < 0.6 else back(t)),
            "fail",
            "the dot reaches the goal and goes back",
        ),
        "dot_duplicated": StateTrajectory(
            lambda t: scene_with_dots(maze, path[0], to_goal(t)),
            "fail",
            "a second dot moves to the goal, the first one stays",
        ),
        "dot_vanishes": StateTrajectory(
            lambda t: scene_with_dots(maze, *([to_goal(t)] if t < 0.7 else [])),
            "fail",
            "the dot vanishes near the goal",
        ),
        "wrong_cell": StateTrajectory(
            lambda t: scene_with_dots(maze, to_wrong_cell(t)), "fail", "the dot moves to another cell"
        ),
    }


def _unusual_solutions(maze: Maze, rng: Random) -> dict[str, StateTrajectory[MazeState]]:
    path = _path_points(maze, maze.start, maze.goal)
    overshoot = _steady_motion(path + _overshoot_points(maze, rng))
    offset = rng.choice([(0.25, 0.0), (-0.25, 0.0), (0.0, 0.25), (0.0, -0.25)])
    to_goal = _steady_motion(path)

    def off_centre(t: float) -> MazeState:
        x, y = to_goal(t)
        share = min(1.0, 8 * t)  # it leaves the centre smoothly
        return scene_with_dots(maze, (x + share * offset[0], y + share * offset[1]))

    trajectories = {
        "overshoot_settles": StateTrajectory(
            lambda t: scene_with_dots(maze, overshoot(t)),
            "pass",
            "the dot moves beyond the goal's centre and comes back",
        ),
        "off_centre": StateTrajectory(off_centre, "pass", "the dot stays a quarter of a cell off the middle"),
    }
    dead_ends = [cell for cell in _other_cells(maze) if cell not in maze.path]
    if dead_ends:
        end = rng.choice(dead_ends)
        detour = _steady_motion(_path_points(maze, maze.start, end) + _path_points(maze, end, maze.goal)[1:])
        trajectories["wanders"] = StateTrajectory(
            lambda t: scene_with_dots(maze, detour(t)),
            "pass",
            "the dot enters a dead end, comes back, reaches the goal",
        )
    return trajectories


def _steady_motion(points: Sequence[Point], start: float = 0.0, end: float = ARRIVAL) -> _Motion:
    return lambda t: point_along(points, (t - start) / (end - start))


def _path_points(maze: Maze, start: Cell, end: Cell) -> list[Point]:
    return [centre(cell) for cell in corridors_of(maze).path(start, end)]


def _choose_shortcut(maze: Maze, rng: Random) -> Passage:
    """Return two neighbouring cells with a wall between them, in the order in which the dot crosses it.

    Crossing the wall saves one of the longest detours.
    """
    corridors = corridors_of(maze)
    closed = set(neighbour_pairs(maze.grid_n)) - set(maze.passages)
    pairs = sorted([*closed, *((other, one) for one, other in closed)])

    def saved_steps(pair: Passage) -> int:
        """Return how much longer the legal way from one cell to the other is, less the detour to get there."""
        legal = len(corridors.path(*pair)) - 2
        detour = len(corridors.path(maze.start, pair[0])) + len(corridors.path(pair[1], maze.goal)) - 1 - maze.steps
        return legal - max(0, detour)

    best = sorted(pairs, key=saved_steps, reverse=True)
    return rng.choice([pair for pair in best[:3] if saved_steps(pair) >= saved_steps(best[0]) - 2])


def _opening_times(to_wall: Sequence[Point], route: Sequence[Point]) -> tuple[float, float]:
    """Return when a wall opens and closes so that a dot on this route can pass it."""
    route_length = sum(dist(a, b) for a, b in pairwise(route))
    length_to_wall = sum(dist(a, b) for a, b in pairwise(to_wall))
    crossing = (length_to_wall + 0.5) / route_length * ARRIVAL
    return max(0.04, crossing - 0.15), crossing + 0.12


def _other_cells(maze: Maze) -> list[Cell]:
    """Return cells to end in by mistake: dead ends, if there are any besides start and goal."""
    open_neighbours = corridors_of(maze).open_neighbours
    others = sorted(cell for cell in open_neighbours if cell not in (maze.start, maze.goal))
    dead_ends = [cell for cell in others if len(open_neighbours[cell]) == 1]
    return dead_ends or others


def _overshoot_points(maze: Maze, rng: Random) -> list[Point]:
    """Return the points beyond the goal: the next cell and back, or in a dead end a quarter of a cell and back."""
    (x, y), (from_x, from_y) = centre(maze.goal), centre(maze.path[-2])
    next_cells = [cell for cell in sorted(corridors_of(maze).open_neighbours[maze.goal]) if cell != maze.path[-2]]
    if next_cells:
        return [centre(rng.choice(next_cells)), (x, y)]
    return [(x + (x - from_x) / 4, y + (y - from_y) / 4), (x, y)]
