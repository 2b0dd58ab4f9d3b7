"""Cheats in rotation puzzle videos: ways around rotating the squares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import cos, pi
from random import Random
from typing import Any

from vmevalkit.audit.kinds import effects
from vmevalkit.audit.kinds.kind import VideoKind, make_cheat_kind
from vmevalkit.audit.kinds.rotation_puzzle_honest import paint_angles, turn_squares
from vmevalkit.audit.kinds.timeline import LONG_END, BuildPainter, Moment, Painter, Timing, ease, rise
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.rotation_puzzle_task.pipes import is_connected, rotate_sides
from vmevalkit.tasks.rotation_puzzle_task.puzzle import RotationPuzzle, get_target_pieces
from vmevalkit.tasks.rotation_puzzle_task.scene import BLUE, PIPE_WIDTH, Pipe, PipeScene, build_scene, get_layout
from vmevalkit.tasks.rotation_puzzle_task.solution import (
    SquareTurn,
    animate_turns,
    list_reference_turns,
)
from vmevalkit.tasks.task import AnyTask

_NEEDS = ("rotation_puzzle",)


def _change_scene(change: Callable[[PipeScene, float], PipeScene]) -> BuildPainter:
    """Return a builder of videos in which the scenes of the reference solution are changed."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        return lambda moment: task.draw(puzzle, change(task.solution(puzzle, moment.t), moment.t))

    return build


def _turn_one_more(puzzle: RotationPuzzle, rng: Random) -> list[SquareTurn]:
    """Return the reference turns and a last one that disconnects a pipe."""
    targets = list(get_target_pieces(puzzle))
    for number in rng.sample(range(len(targets)), len(targets)):
        for quarter in (1, 2, 3):
            pieces = [*targets[:number], rotate_sides(targets[number], quarter), *targets[number + 1 :]]
            if not is_connected(puzzle.rows, puzzle.cols, pieces):
                return [*list_reference_turns(puzzle), (number, 0.0, 90.0 * quarter)]
    raise AssertionError(f"no turn disconnects the pipes of {puzzle}")


def _build_stop_short(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """The last square stops 35 degrees before its place."""
    del rng
    *others, (number, start, end) = list_reference_turns(puzzle)
    turns = [*others, (number, start, end - 35 if end > start else end + 35)]
    return paint_angles(task, puzzle, lambda t: animate_turns(puzzle, turns, t))


def _each_turned(
    change: Callable[[Frame, Frame, float], Frame],
) -> BuildPainter:
    """Return a builder of videos in which the squares to be rotated change by another way than a rotation.

    The function gets the patch of the square before and after, and the share of the change.
    """

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        layout = get_layout(puzzle.rows, puzzle.cols)
        first, final, half = task.first_frame(puzzle), task.final_frame(puzzle), layout.square // 2

        def paint(moment: Moment) -> Frame:
            frame = first.copy()
            for number in puzzle.squares_to_turn:
                x, y = (round(value) for value in layout.centres[number])
                part = (slice(y - half, y + half), slice(x - half, x + half))
                frame[part] = change(first[part], final[part], ease(rise(moment.t, 0.15, 0.85)))
            return frame

        return paint

    return build


def _squash(before: Frame, after: Frame, share: float) -> Frame:
    """Return the patch squashed to a line and opened again."""
    return _shrink_patch(before if share < 0.5 else after, abs(cos(pi * share)), 1.0)


def _regrow(before: Frame, after: Frame, share: float) -> Frame:
    size = abs(cos(pi * share))
    return _shrink_patch(before if share < 0.5 else after, size, size)


def _shrink_patch(patch: Frame, width_share: float, height_share: float) -> Frame:
    height, width = patch.shape[:2]
    small_width, small_height = effects.make_even(width_share * width), effects.make_even(height_share * height)
    shown = effects.fill_like(patch, (248, 250, 252))
    if min(small_width, small_height) >= 2:
        x, y = (width - small_width) // 2, (height - small_height) // 2
        shown[y : y + small_height, x : x + small_width] = effects.resize(patch, small_width, small_height)
    return shown


def _cover_turns(puzzle: RotationPuzzle, frame: Frame, share: float) -> Frame:
    layout = get_layout(puzzle.rows, puzzle.cols)

    def draw(canvas: Canvas) -> None:
        side = share * (layout.square + 12)
        for number in puzzle.squares_to_turn:
            x, y = layout.centres[number]
            canvas.polygon(
                [(x + dx * side / 2, y + dy * side / 2) for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1))],
                fill="#8a8f98",
            )

    return effects.draw_over(frame, draw) if share > 0 else frame


def _build_covered(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """Grey cards cover the squares while these rotate."""
    del rng

    def paint(moment: Moment) -> Frame:
        share = min(rise(moment.t, 0.02, 0.12), 1 - rise(moment.t, 0.88, 0.98))
        return _cover_turns(puzzle, task.draw(puzzle, task.solution(puzzle, rise(moment.t, 0.13, 0.87))), share)

    return paint


def _build_bridges(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """Straight pieces are drawn between all neighbours; nothing rotates."""
    del rng
    first, layout = task.first_frame(puzzle), get_layout(puzzle.rows, puzzle.cols)
    width = PIPE_WIDTH * layout.scale

    def paint(moment: Moment) -> Frame:
        if moment.t == 0:
            return first

        def draw(canvas: Canvas) -> None:
            for number, (x, y) in enumerate(layout.centres):
                ends = [number + 1] if (number + 1) % puzzle.cols else []
                ends += [number + puzzle.cols] if number + puzzle.cols < len(layout.centres) else []
                for end in ends:
                    end_x, end_y = layout.centres[end]
                    reached = (x + moment.t * (end_x - x), y + moment.t * (end_y - y))
                    canvas.line([(x, y), reached], BLUE, width)

        return effects.draw_over(first, draw)

    return paint


def _gather(scene: PipeScene, t: float) -> PipeScene:
    """Move all pipes towards the middle of the picture."""
    share = 0.45 * ease(t)
    return build_scene(
        replace(pipe, x=pipe.x + share * (384 - pipe.x), y=pipe.y + share * (256 - pipe.y)) for pipe in scene.pipes
    )


def _redden(scene: PipeScene, t: float) -> PipeScene:
    return scene if t < 0.5 else build_scene(_paint_red(pipe) for pipe in scene.pipes)


def _paint_red(pipe: Pipe) -> Pipe:
    return replace(pipe, colour="#dc2626") if pipe.home == 0 else pipe


def _build_exchange(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """The first and the last pipe leave their squares and exchange their places after the solution."""
    del rng
    layout = get_layout(puzzle.rows, puzzle.cols)
    (x, y), (end_x, end_y) = layout.centres[0], layout.centres[-1]

    def paint(moment: Moment) -> Frame:
        scene, share = task.solution(puzzle, rise(moment.t, 0, 0.6)), ease(rise(moment.t, 0.6, 1.0))
        pipes = []
        for pipe in scene.pipes:
            if pipe.home == 0:
                pipe = replace(pipe, x=x + share * (end_x - x), y=y + share * (end_y - y))
            elif pipe.home == len(layout.centres) - 1:
                pipe = replace(pipe, x=end_x + share * (x - end_x), y=end_y + share * (y - end_y))
            pipes.append(pipe)
        return task.draw(puzzle, build_scene(pipes))

    return paint


_cheat = partial(make_cheat_kind, needs=_NEEDS)


ROTATION_PUZZLE_CHEATS: tuple[VideoKind, ...] = (
    _cheat("pipes_stop_short", "The last square stops 35 degrees before its place.", _build_stop_short),
    _cheat("pipes_one_turn_too_many", "The pipes are connected, then one more turn disconnects them.",
           turn_squares(_turn_one_more), timing=Timing(0.25, 3.2, 0.8)),
    _cheat("pipes_squashed", "The pipes are squashed to a line and opened again as if rotated.", _each_turned(_squash)),
    _cheat("pipes_regrown", "The pipes shrink to nothing and grow back at other angles; they never rotate.",
           _each_turned(_regrow)),
    _cheat("pipes_crossfaded", "The pipes dissolve into their rotated selves without rotating.",
           _each_turned(effects.mix)),
    _cheat("pipes_under_cards", "Grey cards cover the squares while these rotate.", _build_covered),
    _cheat("pipes_bridged", "Straight pieces are drawn between all squares; nothing rotates.", _build_bridges),
    _cheat("pipes_gathered", "The pipes rotate as they should but also move to the middle and stay there.",
           _change_scene(_gather)),
    _cheat("pipes_one_red", "The first pipe turns red half way and stays red.", _change_scene(_redden)),
    _cheat("pipes_exchange_places", "After the solution, the first and the last pipe leave their squares and exchange "
           "places.", _build_exchange, timing=LONG_END),
)  # fmt: skip
