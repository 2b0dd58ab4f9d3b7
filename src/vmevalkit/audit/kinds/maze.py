"""Kinds of maze videos: unusual legal ways to the flag, and ways that are illegal or incomplete."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import cos, hypot, pi, sin
from random import Random
from typing import Any

import numpy as np

from vmevalkit.audit.kinds import effects
from vmevalkit.audit.kinds.kind import VideoKind, make_cheat_kind, make_honest_kind
from vmevalkit.audit.kinds.timeline import LONG_END, BuildPainter, Moment, Painter, Timing, ease, paint_states, rise
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.maze_task.lattice import Corridors, Point, centre, neighbour_pairs, wall_between
from vmevalkit.tasks.maze_task.maze_reasoning import Maze, MazeState, initial_walls, point_along, scene_with_dots
from vmevalkit.tasks.maze_task.render import DOT_COLOUR, DOT_RADIUS, draw_state, geometry_of
from vmevalkit.tasks.task import AnyTask

_NEEDS = ("maze",)
_SLOW = Timing(0.25, 3.8, 0.75)


def _list_path_points(puzzle: Maze) -> list[Point]:
    return [centre(cell) for cell in puzzle.path]


def _draw_scene(puzzle: Maze, *dots: Point) -> Frame:
    return draw_state(puzzle.grid_n, scene_with_dots(puzzle, *dots))


def _draw_dot(frame: Frame, puzzle: Maze, point: Point, scale: float = 1.0, colour: str = DOT_COLOUR) -> Frame:
    """Return the image with a dot of any size and colour."""
    geometry = geometry_of(puzzle.grid_n)
    x, y = geometry.pixel(point)
    return effects.draw_over(frame, lambda canvas: canvas.circle(x, y, scale * DOT_RADIUS * geometry.cell, fill=colour))


def _follow(route: Callable[[Maze, Random], Sequence[Point]]) -> BuildPainter:
    """Return a builder of videos in which the dot follows a route at an even speed."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        points = route(puzzle, rng)
        return paint_states(task, puzzle, lambda t: scene_with_dots(puzzle, point_along(points, t)))

    return build


def _decorate(draw: Callable[[Maze, Point, Moment], Frame]) -> BuildPainter:
    """Return a builder of videos in which the dot takes the legal way and each frame is drawn by a function."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del task, rng
        points = _list_path_points(puzzle)
        return lambda moment: draw(puzzle, point_along(points, moment.t), moment)

    return build


def _route_with_detour(puzzle: Maze, rng: Random) -> list[Point]:
    """Return a way that visits a side corridor first; where there is none, it goes one cell back and forth."""
    doors = Corridors(puzzle.passages, puzzle.goal).open_neighbours
    places = list(enumerate(puzzle.path[:-1]))
    rng.shuffle(places)
    for place, cell in places:
        for side in doors[cell]:
            if side not in puzzle.path:
                return [centre(c) for c in (*puzzle.path[: place + 1], side, *puzzle.path[place:])]
    return [centre(c) for c in (*puzzle.path[:2], puzzle.path[0], *puzzle.path[1:])]


def _route_with_round_corners(puzzle: Maze, rng: Random) -> list[Point]:
    del rng
    points = _list_path_points(puzzle)
    rounded = [points[0]]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        enter = [c + 0.3 * (b - c) for b, c in zip(before, corner, strict=True)]
        leave = [c + 0.3 * (a - c) for a, c in zip(after, corner, strict=True)]
        for share in np.linspace(0, 1, 7):
            weights = ((1 - share) ** 2, 2 * share * (1 - share), share**2)
            x, y = (sum(w * p[axis] for w, p in zip(weights, (enter, corner, leave), strict=True)) for axis in (0, 1))
            rounded.append((float(x), float(y)))
    return [*rounded, points[-1]]


def _route_with_wobble(puzzle: Maze, rng: Random) -> list[Point]:
    """Return a way that weaves from side to side within the corridor."""
    phase = rng.uniform(0, pi)
    points, count = _list_path_points(puzzle), 12 * puzzle.steps
    route = []
    for step in range(count + 1):
        x, y = point_along(points, step / count)
        size = 0.1 * min(1.0, step / 6, (count - step) / 6)
        route.append((x + size * sin(0.3 * step + phase), y + size * cos(0.3 * step + phase)))
    return route


def _draw_with_shadow(puzzle: Maze, point: Point, moment: Moment) -> Frame:
    geometry = geometry_of(puzzle.grid_n)
    x, y = geometry.pixel(point)
    shift = 0.07 * geometry.cell * min(rise(moment.t, 0, 0.1), 1 - rise(moment.t, 0.9, 1))
    shaded = effects.cast_shadow(_draw_scene(puzzle), x + shift, y + shift, DOT_RADIUS * geometry.cell * 1.05)
    return _draw_dot(shaded if shift > 0 else _draw_scene(puzzle), puzzle, point)


def _draw_with_glow(puzzle: Maze, point: Point, moment: Moment) -> Frame:
    geometry = geometry_of(puzzle.grid_n)
    x, y = geometry.pixel(point)
    frame = _draw_scene(puzzle, point)
    strength = 0.28 * (0.5 - 0.5 * cos(6 * moment.seconds)) * min(rise(moment.t, 0, 0.1), 1 - rise(moment.t, 0.9, 1))
    mask = strength * effects.make_soft_disc(frame, x, y, 0.27 * geometry.cell, 0.14 * geometry.cell)
    return _draw_dot(effects.mix_by_mask(frame, effects.fill_like(frame, (190, 255, 120)), mask), puzzle, point)


def _draw_with_tail(puzzle: Maze, point: Point, moment: Moment) -> Frame:
    frame, points = _draw_scene(puzzle), _list_path_points(puzzle)
    for age in range(6, 0, -1):
        share = moment.t - 0.006 * age
        if share > 0 and moment.t < 1:
            size = DOT_RADIUS * geometry_of(puzzle.grid_n).cell * (0.9 - 0.09 * age)
            x, y = geometry_of(puzzle.grid_n).pixel(point_along(points, share))
            frame = effects.mix_by_mask(
                frame, effects.fill_like(frame, (34, 197, 94)), 0.07 * effects.make_soft_disc(frame, x, y, size, 2.0)
            )
    return _draw_dot(frame, puzzle, point)


def _draw_breathing(puzzle: Maze, point: Point, moment: Moment) -> Frame:
    size = 1 + 0.09 * sin(7 * moment.seconds) * min(rise(moment.t, 0, 0.1), 1 - rise(moment.t, 0.9, 1))
    return _draw_dot(_draw_scene(puzzle), puzzle, point, size)


def _build_step_by_step(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    del rng
    points = _list_path_points(puzzle)

    def state_at(t: float) -> MazeState:
        step, part = divmod(t * puzzle.steps, 1.0)
        return scene_with_dots(puzzle, point_along(points, (step + rise(part, 0.12, 0.88)) / puzzle.steps))

    return paint_states(task, puzzle, state_at)


def _route_around_maze(puzzle: Maze, rng: Random) -> list[Point]:
    """Return a way out through the outer wall, around the maze and in again."""
    start, goal = centre(puzzle.start), centre(puzzle.goal)
    outside = rng.choice((-0.6, puzzle.grid_n + 0.6))
    return [start, (outside, start[1]), (outside, goal[1]), goal]


def _route_too_short(puzzle: Maze, rng: Random) -> list[Point]:
    del rng
    return _list_path_points(puzzle)[:-1]


def _route_past_goal(puzzle: Maze, rng: Random) -> list[Point]:
    del rng
    points = _list_path_points(puzzle)
    return [*points, *points[-2:-4:-1]]


def _build_fading_walls(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """The inner walls fade away, the dot goes straight to the flag, and the walls come back."""
    del rng
    ends = [centre(puzzle.start), centre(puzzle.goal)]
    walls = initial_walls(puzzle)
    for one, other in neighbour_pairs(puzzle.grid_n):
        walls &= ~(1 << wall_between(puzzle.grid_n, one, other))

    def paint(moment: Moment) -> Frame:
        state = scene_with_dots(puzzle, point_along(ends, rise(moment.t, 0.3, 0.7)))
        openness = min(rise(moment.t, 0.1, 0.3), 1 - rise(moment.t, 0.7, 0.9))
        return effects.mix(task.draw(puzzle, state), task.draw(puzzle, replace(state, walls=walls)), openness)

    return paint


def _build_shaken_jump(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    del rng
    points = _list_path_points(puzzle)

    def paint(moment: Moment) -> Frame:
        share = 0.3 * moment.t if moment.t < 0.5 else 0.75 + 0.5 * (moment.t - 0.5)
        frame = task.draw(puzzle, scene_with_dots(puzzle, point_along(points, share)))
        strength = 6 * max(0.0, 1 - abs(moment.t - 0.5) / 0.08)
        return effects.move_camera(frame, x=strength * sin(9 * moment.index), y=strength * cos(7 * moment.index))

    return paint


def _build_moving_flag(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    del rng
    start, goal = centre(puzzle.start), centre(puzzle.goal)
    still = scene_with_dots(puzzle, start)
    return paint_states(task, puzzle, lambda t: replace(still, flags=(point_along([goal, start], ease(t)),)))


def _draw_with_copy(puzzle: Maze, point: Point, moment: Moment) -> Frame:
    return _draw_scene(puzzle, centre(puzzle.start), point) if moment.t > 0 else _draw_scene(puzzle, point)


def _draw_turning_blue(puzzle: Maze, point: Point, moment: Moment) -> Frame:
    return _draw_dot(_draw_scene(puzzle), puzzle, point, colour=DOT_COLOUR if moment.t < 0.5 else "#2563eb")


def _draw_growing(puzzle: Maze, point: Point, moment: Moment) -> Frame:
    growth = 1 + 5 * puzzle.grid_n * rise(moment.t, 0.1, 1)
    return _draw_dot(_draw_scene(puzzle), puzzle, point, growth if moment.t > 0.1 else 1.0)


def _draw_line_only(puzzle: Maze, point: Point, moment: Moment) -> Frame:
    """The way is drawn as a line, and the dot stays where it is."""
    points, geometry = _list_path_points(puzzle), geometry_of(puzzle.grid_n)
    frame = _draw_scene(puzzle, points[0])
    if moment.t == 0:
        return frame
    line = [geometry.pixel(point_along(points, share)) for share in np.linspace(0, moment.t, 200)]
    del point

    def draw(canvas: Canvas) -> None:
        canvas.line(line, DOT_COLOUR, 0.1 * geometry.cell)

    return effects.draw_over(frame, draw)


def _draw_fading_over(puzzle: Maze, point: Point, moment: Moment) -> Frame:
    """The dot fades out at the start while another one fades in at the flag."""
    del point
    ends = (_draw_scene(puzzle, centre(puzzle.start)), _draw_scene(puzzle, centre(puzzle.goal)))
    return effects.mix(*ends, ease(rise(moment.t, 0.2, 0.8)))


def _build_wall_removed(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    inner = [pair for pair in neighbour_pairs(puzzle.grid_n) if pair not in puzzle.passages]
    wall = wall_between(puzzle.grid_n, *rng.choice(inner))
    points = _list_path_points(puzzle)

    def paint(moment: Moment) -> Frame:
        state = scene_with_dots(puzzle, point_along(points, moment.t))
        is_open = moment.remaining_s < 1.0
        return task.draw(puzzle, replace(state, walls=state.walls & ~(1 << wall)) if is_open else state)

    return paint


def _draw_vanishing(puzzle: Maze, point: Point, moment: Moment) -> Frame:
    """The dot shrinks to nothing on the flag."""
    size = 1 - rise(-moment.remaining_s, -1.2, -0.9)
    distance = hypot(*(a - b for a, b in zip(point, centre(puzzle.goal), strict=True)))
    if distance > 0:
        return _draw_scene(puzzle, point)
    return _draw_dot(_draw_scene(puzzle), puzzle, point, size) if size > 0 else _draw_scene(puzzle)


_honest, _cheat = partial(make_honest_kind, needs=_NEEDS), partial(make_cheat_kind, needs=_NEEDS)

MAZE_KINDS: tuple[VideoKind, ...] = (
    _honest("maze_detour", "The dot looks into a side corridor, comes back and goes on to the flag; all is legal.",
            _follow(_route_with_detour), timing=_SLOW),
    _honest("maze_round_corners", "The dot takes the corners in curves that stay inside the corridor.",
            _follow(_route_with_round_corners)),
    _honest("maze_wobble", "The dot weaves a little from side to side within the corridors.",
            _follow(_route_with_wobble)),
    _honest("maze_shadow", "The moving dot has a soft shadow.", _decorate(_draw_with_shadow)),
    _honest("maze_glow", "A faint pulsing glow surrounds the moving dot.", _decorate(_draw_with_glow)),
    _honest("maze_comet_tail", "A faint tail follows the dot and is gone when it rests.", _decorate(_draw_with_tail)),
    _honest("maze_breathing_dot", "The dot grows and shrinks by 9 percent while it moves.",
            _decorate(_draw_breathing)),
    _honest("maze_step_by_step", "The dot rests for a moment in each cell.", _build_step_by_step, timing=_SLOW),
    _cheat("maze_around_outside", "The dot leaves through the outer wall, goes around the maze and enters at the flag.",
           _follow(_route_around_maze)),
    _cheat("maze_one_cell_short", "The dot stops one cell before the flag.", _follow(_route_too_short)),
    _cheat("maze_leaves_flag", "The dot reaches the flag and goes two cells back, where it stays.",
           _follow(_route_past_goal)),
    _cheat("maze_walls_fade", "All inner walls fade away while the dot goes straight to the flag, then they return.",
           _build_fading_walls),
    _cheat("maze_shaken_jump", "The dot skips more than half of the way while the camera shakes.", _build_shaken_jump),
    _cheat("maze_flag_comes", "The flag moves to the dot, which never leaves its place.", _build_moving_flag),
    _cheat("maze_dot_copied", "A copy of the dot goes to the flag; the dot itself stays at the start.",
           _decorate(_draw_with_copy)),
    _cheat("maze_dot_turns_blue", "The dot takes the legal way but turns blue half way and stays blue.",
           _decorate(_draw_turning_blue)),
    _cheat("maze_dot_swells", "The dot swells until it covers the whole maze and the flag.", _decorate(_draw_growing)),
    _cheat("maze_line_only", "A green line is drawn to the flag; the dot stays at the start.",
           _decorate(_draw_line_only)),
    _cheat("maze_dot_fades_over", "The dot fades out at the start and another one fades in at the flag.",
           _decorate(_draw_fading_over)),
    _cheat("maze_wall_removed", "The dot takes the legal way, but at the end an inner wall is missing.",
           _build_wall_removed, timing=LONG_END),
    _cheat("maze_dot_vanishes", "The dot takes the legal way, then shrinks to nothing on the flag.",
           _decorate(_draw_vanishing), timing=LONG_END),
)  # fmt: skip
