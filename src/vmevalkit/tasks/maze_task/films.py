"""Cheats, wrong answers, and right answers that look unusual: each a trajectory of states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import dist
from random import Random

from vmevalkit.tasks.maze_task.lattice import Cell, Passage, Point, centre, neighbours, wall_between
from vmevalkit.tasks.maze_task.maze_reasoning import ARRIVAL, Maze, MazeState, along, corridors, scene
from vmevalkit.tasks.task import Expected, Film

_Moves = Callable[[float], Point]
"""Where the dot is at time t, from 0 to 1."""


def films(maze: Maze, rng: Random) -> dict[str, Film[MazeState]]:
    """The films that this maze allows."""
    return {**_cheats(maze, rng), **_wrong_ends(maze, rng), **_unusual(maze, rng)}


def _cheats(maze: Maze, rng: Random) -> dict[str, Film[MazeState]]:
    short = _shortcut(maze, rng)
    wall = 1 << wall_between(maze.grid_n, *short)
    to_wall, route = _points(maze, maze.start, short[0]), _through(maze, short)
    opens, closes = _passing(to_wall, route)
    through = _steady(route)

    def opened(t: float, until: float) -> MazeState:
        state = scene(maze, through(t))
        return replace(state, walls=state.walls & ~wall) if opens <= t < until else state

    home = _points(maze, maze.start, maze.goal)
    leaves = min(rng.uniform(0.15, 0.4), 1 - 1.9 / maze.steps)
    lands = rng.choice([1.0, 1.0, min(max(leaves + 3 / maze.steps, 0.8), 1.0)])

    def jumps(t: float) -> MazeState:
        share = min(t / ARRIVAL, 1.0)
        return scene(maze, along(home, share if share < leaves else max(lands, share)))

    def appears(t: float) -> MazeState:
        gone, back = 0.4, 0.6
        dots = (along(home, min(t, gone) * leaves / gone),) if t < gone else () if t < back else (home[-1],)
        return scene(maze, *dots)

    def swapped(t: float) -> MazeState:
        return scene(maze, *([home[0]] if t < 0.7 else []), *([home[-1]] if t >= 0.35 else []))

    start, goal = home[0], home[-1]

    def carried(t: float) -> MazeState:
        return replace(scene(maze, start), flags=(along([goal, start], t / ARRIVAL),))

    return {
        "through_wall": _film(lambda t: scene(maze, through(t)), "fail", "the dot goes smoothly through a wall"),
        "walls_open": _film(lambda t: opened(t, 2.0), "fail", "a wall opens before the dot and stays open"),
        "walls_open_and_close": _film(lambda t: opened(t, closes), "fail", "a wall opens, and closes after the dot"),
        "teleport": _film(jumps, "fail", "the dot sets out, then jumps to the goal or near it"),
        "reappears": _film(appears, "fail", "the dot vanishes on its way and appears at the goal"),
        "swapped": _film(swapped, "fail", "a second dot appears at the goal, then the first one vanishes"),
        "flag_moved": _film(carried, "fail", "the flag comes to the dot"),
    }


def _wrong_ends(maze: Maze, rng: Random) -> dict[str, Film[MazeState]]:
    home = _points(maze, maze.start, maze.goal)
    stop = rng.uniform(0.3, 1 - 1.2 / maze.steps)
    back = _points(maze, maze.goal, maze.path[rng.randrange(maze.steps - 1)])
    there, away = _steady(home, end=0.5), _steady(back, start=0.6)
    goes = _steady(home)
    other = rng.choice(_elsewhere(maze))
    astray = _steady(_points(maze, maze.start, other))
    return {
        "stop_halfway": _film(
            lambda t: scene(maze, along(home, stop * min(t / ARRIVAL, 1.0))), "fail", "the dot stops on its way"
        ),
        "goal_reached_then_left": _film(
            lambda t: scene(maze, there(t) if t < 0.6 else away(t)), "fail", "the dot reaches the goal and goes back"
        ),
        "dot_duplicated": _film(
            lambda t: scene(maze, home[0], goes(t)), "fail", "a second dot goes to the goal, the first one stays"
        ),
        "dot_vanishes": _film(
            lambda t: scene(maze, *([goes(t)] if t < 0.7 else [])), "fail", "the dot vanishes near the goal"
        ),
        "wrong_cell": _film(lambda t: scene(maze, astray(t)), "fail", "the dot goes to another cell"),
    }


def _unusual(maze: Maze, rng: Random) -> dict[str, Film[MazeState]]:
    home = _points(maze, maze.start, maze.goal)
    beyond = _steady(home + _overshoot(maze, rng))
    aside = rng.choice([(0.25, 0.0), (-0.25, 0.0), (0.0, 0.25), (0.0, -0.25)])
    goes = _steady(home)

    def off_centre(t: float) -> MazeState:
        x, y = goes(t)
        share = min(1.0, 8 * t)  # it leaves the centre smoothly
        return scene(maze, (x + share * aside[0], y + share * aside[1]))

    shown = {
        "overshoot_settles": _film(
            lambda t: scene(maze, beyond(t)), "pass", "the dot goes on beyond the goal's centre and comes back"
        ),
        "off_centre": _film(off_centre, "pass", "the dot keeps a quarter of a cell off the middle of its way"),
    }
    dead_ends = [cell for cell in _elsewhere(maze) if cell not in maze.path]
    if dead_ends:
        end = rng.choice(dead_ends)
        detour = _steady(_points(maze, maze.start, end) + _points(maze, end, maze.goal)[1:])
        shown["wanders"] = _film(
            lambda t: scene(maze, detour(t)), "pass", "the dot tries a wrong way, comes back and finds the goal"
        )
    return shown


def _film(state_at: Callable[[float], MazeState], expected: Expected, why: str) -> Film[MazeState]:
    return Film(state_at, expected, why)


def _steady(points: Sequence[Point], start: float = 0.0, end: float = ARRIVAL) -> _Moves:
    return lambda t: along(points, (t - start) / (end - start))


def _points(maze: Maze, start: Cell, end: Cell) -> list[Point]:
    return [centre(cell) for cell in corridors(maze).way(start, end)]


def _shortcut(maze: Maze, rng: Random) -> Passage:
    """Two neighbours with a wall between them, such that going through it saves much of the way, or as much as can
    be. The first is the one to come from."""
    ways = corridors(maze)
    closed = set(neighbours(maze.grid_n)) - set(maze.passages)
    both = sorted([*closed, *((other, one) for one, other in closed)])

    def saved(pair: Passage) -> int:
        """Against going back around: how much longer the legal way from one to the other is."""
        around = len(ways.way(*pair)) - 2
        detour = len(ways.way(maze.start, pair[0])) + len(ways.way(pair[1], maze.goal)) - 1 - maze.steps
        return around - max(0, detour)

    best = sorted(both, key=saved, reverse=True)
    return rng.choice([pair for pair in best[:3] if saved(pair) >= saved(best[0]) - 2])


def _through(maze: Maze, short: Passage) -> list[Point]:
    return _points(maze, maze.start, short[0]) + _points(maze, short[1], maze.goal)


def _passing(to_wall: Sequence[Point], route: Sequence[Point]) -> tuple[float, float]:
    """When a wall must be open for a dot on this route: a while before and after it passes."""
    whole = sum(dist(a, b) for a, b in pairwise(route))
    before = sum(dist(a, b) for a, b in pairwise(to_wall))
    when = (before + 0.5) / whole * ARRIVAL
    return max(0.04, when - 0.15), when + 0.12


def _elsewhere(maze: Maze) -> list[Cell]:
    """Cells to end in by mistake: dead ends, where there are others than start and goal."""
    ways = corridors(maze)
    others = sorted(cell for cell in ways.open if cell not in (maze.start, maze.goal))
    ends = [cell for cell in others if len(ways.open[cell]) == 1]
    return ends or others


def _overshoot(maze: Maze, rng: Random) -> list[Point]:
    """On into a further cell and back, or, in a dead end, a quarter of a cell beyond the centre and back."""
    (x, y), (from_x, from_y) = centre(maze.goal), centre(maze.path[-2])
    further = [cell for cell in sorted(corridors(maze).open[maze.goal]) if cell != maze.path[-2]]
    if further:
        return [centre(rng.choice(further)), (x, y)]
    return [(x + (x - from_x) / 4, y + (y - from_y) / 4), (x, y)]
