"""Kinds of the second round for the maze."""

from __future__ import annotations

from itertools import pairwise
from math import pi, sin
from random import Random

from vmevalkit.audit.kinds.effects import cast_shadow, draw_over, fill_like, make_soft_disc, mix_by_mask
from vmevalkit.audit.kinds.kind import VideoKind, make_cheat_kind, make_honest_kind
from vmevalkit.audit.kinds.timeline import LONG_END, Moment, Painter, Timing, ease, rise
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.maze_task.lattice import Point, centre, closed_walls
from vmevalkit.tasks.maze_task.maze_reasoning import Maze, MazeState, initial_walls, point_along, scene_with_dots
from vmevalkit.tasks.maze_task.render import box_of_cell
from vmevalkit.tasks.task import AnyTask

_NEEDS = ("maze",)
_GREEN = "#22c55e"


def _to_pixels(puzzle: Maze, frame: Frame, point: Point) -> tuple[float, float, float]:
    """Return the place of a point and the length of a cell's side, in pixels."""
    left, top, right, _ = box_of_cell(puzzle.grid_n, (0, 0))
    next_left, next_top, _, _ = box_of_cell(puzzle.grid_n, (1, 1))
    height, width = frame.shape[:2]
    middle_x = (left + right) / 2 * width
    side = (next_left - left) * width
    middle_y = top * height + (right - left) * width / 2
    return middle_x + (point[0] - 0.5) * side, middle_y + (point[1] - 0.5) * (next_top - top) * height, side


def _list_points(puzzle: Maze) -> list[Point]:
    return [centre(cell) for cell in puzzle.path]


def _draw(task: AnyTask, puzzle: Maze, t: float) -> Frame:
    return task.draw(puzzle, task.solution(puzzle, t))


def _remove_flag(task: AnyTask, puzzle: Maze, rng: Random) -> Painter:
    del rng
    end = MazeState((centre(puzzle.goal),), initial_walls(puzzle), ())
    return lambda moment: _draw(task, puzzle, moment.t) if moment.remaining_s > 0.9 else task.draw(puzzle, end)


def _follow_decoy(task: AnyTask, puzzle: Maze, rng: Random) -> Painter:
    del rng
    points = _list_points(puzzle)[:-1]
    flags = (centre(puzzle.goal), points[-1])

    def paint(moment: Moment) -> Frame:
        dot = point_along(points, moment.t / 0.9)
        if moment.t < 0.15:
            return task.draw(puzzle, scene_with_dots(puzzle, dot))
        return task.draw(puzzle, MazeState((dot,), initial_walls(puzzle), tuple(sorted(flags))))

    return paint


def _add_wall(task: AnyTask, puzzle: Maze, rng: Random) -> Painter:
    ends = rng.choice(list(pairwise(puzzle.path[:-1])))
    passages = [passage for passage in puzzle.passages if set(passage) != set(ends)]
    end = MazeState((centre(puzzle.goal),), closed_walls(puzzle.grid_n, passages), (centre(puzzle.goal),))
    return lambda moment: _draw(task, puzzle, moment.t) if moment.remaining_s > 0.9 else task.draw(puzzle, end)


def _hop_over_wall(task: AnyTask, puzzle: Maze, rng: Random) -> Painter:
    """Return a painter of a dot that leaves its way by a hop over a wall into the next cell, and hops back."""
    del rng
    points = _list_points(puzzle)
    cells = [(row, column) for row in range(puzzle.grid_n) for column in range(puzzle.grid_n)]
    passages = {frozenset(passage) for passage in puzzle.passages}
    hops = [
        (number, centre(cell))
        for number, (row, column) in enumerate(puzzle.path)
        for cell in cells
        if abs(cell[0] - row) + abs(cell[1] - column) == 1 and frozenset((cell, (row, column))) not in passages
    ]
    stop, aside = min(hops, key=lambda hop: abs(hop[0] - len(points) / 2))
    empty = task.draw(puzzle, MazeState((), initial_walls(puzzle), (centre(puzzle.goal),)))
    walk = len(points) - 1

    def paint(moment: Moment) -> Frame:
        reached = stop / walk
        done = rise(moment.t, 0.02, 0.25) * reached + rise(moment.t, 0.7, 0.95) * (1 - reached)
        there, back = rise(moment.t, 0.28, 0.43), rise(moment.t, 0.52, 0.67)
        if not there > 0 or back >= 1:
            return task.draw(puzzle, scene_with_dots(puzzle, point_along(points, done)))
        height = sin(pi * there) if there < 1 else sin(pi * back)
        x, y, side = _to_pixels(puzzle, empty, point_along([points[stop], aside], ease(there) - ease(back)))
        shaded = cast_shadow(empty, x, y, 0.25 * side, 0.35 * height)
        radius = 0.2 * side * (1 + 0.3 * height)
        return draw_over(shaded, lambda canvas: canvas.circle(x, y - 0.15 * side * height, radius, fill=_GREEN))

    return paint


def _leave_footprints(task: AnyTask, puzzle: Maze, rng: Random) -> Painter:
    del rng
    points = _list_points(puzzle)

    def paint(moment: Moment) -> Frame:
        frame = _draw(task, puzzle, moment.t)
        strength = 0.55 * (1 - rise(1.2 - moment.remaining_s, 0.0, 0.4))
        travelled = moment.t / 0.85 * (len(points) - 1)
        marks = [point for number, point in enumerate(points[:-1]) if number + 0.5 < travelled]

        def draw(canvas: Canvas) -> None:
            for point in marks:
                x, y, side = _to_pixels(puzzle, frame, point)
                canvas.circle(x, y, 0.07 * side, fill=(0.55, 0.6, 0.7, strength))

        return draw_over(frame, draw) if marks and strength > 0 else frame

    return paint


def _shine(task: AnyTask, puzzle: Maze, rng: Random) -> Painter:
    del rng

    def paint(moment: Moment) -> Frame:
        state = task.solution(puzzle, moment.t)
        frame = task.draw(puzzle, state)
        x, y, side = _to_pixels(puzzle, frame, state.dots[0])
        mask = 0.75 * make_soft_disc(frame, x - 0.07 * side, y - 0.07 * side, 0.055 * side, 0.05 * side)
        return mix_by_mask(frame, fill_like(frame, (255, 255, 255)), mask * rise(moment.seconds, 0.1, 0.5))

    return paint


def _light_goal(task: AnyTask, puzzle: Maze, rng: Random) -> Painter:
    del rng

    def paint(moment: Moment) -> Frame:
        frame = _draw(task, puzzle, moment.t)
        x, y, side = _to_pixels(puzzle, frame, centre(puzzle.goal))
        pulse = 0.3 * rise(moment.t, 0.0, 0.1) * (0.5 + 0.5 * sin(2 * pi * 1.5 * moment.seconds))
        mask = pulse * make_soft_disc(frame, x, y, 0.36 * side, 0.2 * side)
        return mix_by_mask(frame, fill_like(frame, (255, 236, 140)), mask)

    return paint


def _start_twice(task: AnyTask, puzzle: Maze, rng: Random) -> Painter:
    del rng
    points = _list_points(puzzle)
    middle = max(1, len(points) // 3)
    walk = points[: middle + 1] + points[:middle][::-1] + points[1:]
    return lambda moment: task.draw(puzzle, scene_with_dots(puzzle, point_along(walk, moment.t / 0.92)))


def _hint_way(task: AnyTask, puzzle: Maze, rng: Random) -> Painter:
    del rng
    points = _list_points(puzzle)

    def paint(moment: Moment) -> Frame:
        frame = _draw(task, puzzle, rise(moment.t, 0.3, 1.0))
        strength = 0.5 * rise(moment.t, 0.02, 0.1) * (1 - rise(moment.t, 0.2, 0.28))
        places = [_to_pixels(puzzle, frame, point)[:2] for point in points]
        side = _to_pixels(puzzle, frame, points[0])[2]

        def draw(canvas: Canvas) -> None:
            count = 5 * (len(places) - 1)
            for number in range(2, count - 1):
                x, y = point_along(places, number / count)
                canvas.circle(x, y, 0.03 * side, fill=(0.25, 0.45, 0.95, strength))

        return draw_over(frame, draw) if strength > 0 else frame

    return paint


ROUND_2_MAZE: tuple[VideoKind, ...] = (
    make_honest_kind(
        "maze_footprints_fade",
        "The dot leaves small grey marks in the cells, which fade away at the end.",
        _leave_footprints,
        _NEEDS,
        LONG_END,
    ),
    make_honest_kind("maze_shiny_dot", "The moving dot has a white highlight like a ball.", _shine, _NEEDS),
    make_honest_kind("maze_goal_lit", "A faint yellow light pulses in the goal's cell.", _light_goal, _NEEDS),
    make_honest_kind(
        "maze_starts_twice",
        "The dot goes a part of the way, comes back to the start and then goes all the way; all is legal.",
        _start_twice,
        _NEEDS,
        Timing(0.25, 6.0, 0.7),
    ),
    make_honest_kind(
        "maze_way_hinted",
        "A dotted blue line shows the way and fades before the dot takes it.",
        _hint_way,
        _NEEDS,
        Timing(0.25, 4.0, 0.7),
    ),
    make_cheat_kind(
        "maze_flag_removed", "The dot takes the legal way, then the flag disappears.", _remove_flag, _NEEDS, LONG_END
    ),
    make_cheat_kind(
        "maze_decoy_flag",
        "A second flag appears one cell before the goal, and the dot stops there.",
        _follow_decoy,
        _NEEDS,
    ),
    make_cheat_kind(
        "maze_wall_added",
        "The dot takes the legal way, but at the end a new wall blocks that way.",
        _add_wall,
        _NEEDS,
        LONG_END,
    ),
    make_cheat_kind(
        "maze_hops_over_wall",
        "The dot hops over a wall into the next cell, rests there, hops back and goes on to the flag.",
        _hop_over_wall,
        _NEEDS,
        Timing(0.25, 4.5, 0.7),
    ),
)
"""Kinds of the second round for the maze."""
