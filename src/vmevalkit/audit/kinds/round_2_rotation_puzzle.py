"""Kinds of the second round for the rotation puzzle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import cos, pi, radians, sin
from random import Random

from vmevalkit.audit.kinds.effects import draw_over
from vmevalkit.audit.kinds.kind import VideoKind, make_cheat_kind, make_honest_kind
from vmevalkit.audit.kinds.timeline import LONG_END, Moment, Painter, Timing, ease, paint_states, rise
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.rotation_puzzle_task.puzzle import RotationPuzzle
from vmevalkit.tasks.rotation_puzzle_task.scene import NEW, SIZE, Pipe, PipeScene, build_scene, get_layout
from vmevalkit.tasks.task import AnyTask

_NEEDS = ("rotation_puzzle",)
_LONG = Timing(0.25, 6.0, 0.7)
_FIRST_SLOT = 3
"""How many times as long as the others the first square may turn."""


def _get_pipes(task: AnyTask, puzzle: RotationPuzzle, t: float) -> dict[int, Pipe]:
    return {pipe.home: pipe for pipe in task.solution(puzzle, t).pipes}


def _turn_each(
    task: AnyTask, puzzle: RotationPuzzle, turn: Callable[[float, float, float, bool], float]
) -> Callable[[float], PipeScene]:
    """Return the scene at any time where the squares turn one after another.

    ``turn`` gets the first angle, the last angle, the share of the turn, and whether it is the first square.
    """
    start = _get_pipes(task, puzzle, 0.0)
    end = _get_pipes(task, puzzle, 1.0)
    homes = puzzle.squares_to_turn

    def state_at(t: float) -> PipeScene:
        pipes = dict(start)
        for number, home in enumerate(homes):
            begin = 0.0 if number == 0 else _FIRST_SLOT + number - 1
            length = _FIRST_SLOT if number == 0 else 1
            slots = _FIRST_SLOT + len(homes) - 1
            share = rise(t, 0.95 * begin / slots + 0.02, 0.95 * (begin + 0.9 * length) / slots + 0.02)
            first = start[home].angle_deg
            last = first + (end[home].angle_deg - first + 180) % 360 - 180
            pipes[home] = replace(start[home], angle_deg=turn(first, last, share, number == 0))
        return build_scene(pipes.values())

    return state_at


def _turn_wrong_first(task: AnyTask, puzzle: RotationPuzzle, rng: Random) -> Painter:
    del rng

    def turn(first: float, last: float, share: float, is_first: bool) -> float:
        if not is_first:
            return first + (last - first) * share
        wrong = first - 50 if last > first else first + 50
        return first + (wrong - first) * ease(rise(share, 0, 0.35)) + (last - wrong) * ease(rise(share, 0.5, 1.0))

    return paint_states(task, puzzle, _turn_each(task, puzzle, turn))


def _outline_turning(task: AnyTask, puzzle: RotationPuzzle, rng: Random) -> Painter:
    del rng
    half = get_layout(puzzle.rows, puzzle.cols).square / 2
    corners = [(-half, -half), (half, -half), (half, half), (-half, half)]

    def paint(moment: Moment) -> Frame:
        scene: PipeScene = task.solution(puzzle, moment.t)

        def draw(canvas: Canvas) -> None:
            for pipe in scene.pipes:
                if abs((pipe.angle_deg + 45) % 90 - 45) < 2:
                    continue
                c, s = cos(radians(pipe.angle_deg)), sin(radians(pipe.angle_deg))
                outline = [(pipe.x + c * x - s * y, pipe.y + s * x + c * y) for x, y in corners]
                canvas.polygon(outline, stroke="#cbd5e1", width=1.5)

        return draw_over(task.draw(puzzle, scene), draw)

    return paint


def _announce_turns(task: AnyTask, puzzle: RotationPuzzle, rng: Random) -> Painter:
    del rng
    layout = get_layout(puzzle.rows, puzzle.cols)
    radius = 0.13 * layout.square

    def paint(moment: Moment) -> Frame:
        frame = task.draw(puzzle, task.solution(puzzle, rise(moment.t, 0.25, 1.0)))
        strength = rise(moment.t, 0.02, 0.06) * (1 - rise(moment.t, 0.16, 0.2))
        if strength <= 0:
            return frame

        def draw(canvas: Canvas) -> None:
            for home in puzzle.squares_to_turn:
                x, y = layout.centres[home]
                colour = (0.95, 0.55, 0.1, strength)
                arc = [(x + radius * cos(0.2 * n), y + radius * sin(0.2 * n)) for n in range(24)]
                canvas.line(arc, colour, 3.0)
                canvas.circle(*arc[-1], 0.35 * radius, fill=colour)

        return draw_over(frame, draw)

    return paint


def _grow_arms(task: AnyTask, puzzle: RotationPuzzle, rng: Random) -> Painter:
    del rng
    start = _get_pipes(task, puzzle, 0.0)

    def state_at(t: float) -> PipeScene:
        share = rise(t, 0.2, 0.7)
        arms = [
            Pipe(NEW, "I", angle, pipe.x, pipe.y, opacity=share)
            for pipe in start.values()
            for angle in (0.0, 90.0)
            if share > 0
        ]
        return build_scene([*start.values(), *arms])

    return paint_states(task, puzzle, state_at)


def _turn_whole_board(task: AnyTask, puzzle: RotationPuzzle, rng: Random) -> Painter:
    """Return a painter of all pipes that circle the middle of the image together by half a turn."""
    del rng
    start = _get_pipes(task, puzzle, 0.0)
    middle_x, middle_y = SIZE[0] / 2, SIZE[1] / 2

    def state_at(t: float) -> PipeScene:
        angle = 180 * ease(rise(t, 0.1, 0.9))
        c, s = cos(radians(angle)), sin(radians(angle))
        moved = []
        for pipe in start.values():
            dx, dy = pipe.x - middle_x, pipe.y - middle_y
            x, y = middle_x + c * dx - s * dy, middle_y + s * dx + c * dy
            moved.append(replace(pipe, x=x, y=y, angle_deg=pipe.angle_deg + angle))
        return build_scene(moved)

    return paint_states(task, puzzle, state_at)


def _drift_apart(task: AnyTask, puzzle: RotationPuzzle, rng: Random) -> Painter:
    del rng
    middle_x = SIZE[0] / 2

    def paint(moment: Moment) -> Frame:
        share = ease(rise(1.3 - moment.remaining_s, 0.0, 0.6))
        scene: PipeScene = task.solution(puzzle, moment.t)
        way = 50 * share
        moved = [replace(pipe, x=pipe.x + (way if pipe.x > middle_x else -way)) for pipe in scene.pipes]
        return task.draw(puzzle, build_scene(moved))

    return paint


def _wobble_only(task: AnyTask, puzzle: RotationPuzzle, rng: Random) -> Painter:
    """Return a painter of pipes that swing by 25 degrees and come to rest as they were."""
    del rng
    start = _get_pipes(task, puzzle, 0.0)

    def state_at(t: float) -> PipeScene:
        swing = 25 * sin(6 * pi * t) * (1 - t)
        return build_scene(replace(pipe, angle_deg=pipe.angle_deg + swing) for pipe in start.values())

    return paint_states(task, puzzle, state_at)


ROUND_2_ROTATION_PUZZLE: tuple[VideoKind, ...] = (
    make_honest_kind(
        "pipes_start_the_wrong_way",
        "The first square turns the wrong way by 50 degrees, waits, and then turns to its place.",
        _turn_wrong_first,
        _NEEDS,
        _LONG,
    ),
    make_honest_kind(
        "pipes_outlined_while_turning",
        "A thin grey outline shows the square that rotates; it is gone at the end.",
        _outline_turning,
        _NEEDS,
    ),
    make_honest_kind(
        "pipes_turns_announced",
        "Small orange arcs mark the squares that will rotate and fade before they do.",
        _announce_turns,
        _NEEDS,
    ),
    make_cheat_kind(
        "pipes_grow_arms", "The pipes grow into crosses that open to all sides; nothing rotates.", _grow_arms, _NEEDS
    ),
    make_cheat_kind(
        "pipes_board_turned",
        "All squares circle the middle together by half a turn: each leaves its place, and the pipes stay unconnected.",
        _turn_whole_board,
        _NEEDS,
    ),
    make_cheat_kind(
        "pipes_drift_apart",
        "The pipes are connected, then the left and the right squares drift far apart.",
        _drift_apart,
        _NEEDS,
        LONG_END,
    ),
    make_cheat_kind(
        "pipes_wobble_only", "The pipes swing to and fro and come to rest as they were.", _wobble_only, _NEEDS
    ),
)
"""Kinds of the second round for the rotation puzzle."""
