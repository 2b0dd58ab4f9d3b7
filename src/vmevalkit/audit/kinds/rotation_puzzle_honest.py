"""Honest kinds of rotation puzzle videos: other ways to rotate the squares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from math import exp, pi, sin
from random import Random
from typing import Any

import numpy as np

from vmevalkit.audit.kinds import effects
from vmevalkit.audit.kinds.kind import VideoKind, make_honest_kind
from vmevalkit.audit.kinds.timeline import BuildPainter, Moment, Painter, Timing, clamp, ease, rise
from vmevalkit.media.image import Frame
from vmevalkit.tasks.rotation_puzzle_task.pipes import is_connected, rotate_sides
from vmevalkit.tasks.rotation_puzzle_task.puzzle import RotationPuzzle, get_target_pieces
from vmevalkit.tasks.rotation_puzzle_task.scene import build_scene, get_layout
from vmevalkit.tasks.rotation_puzzle_task.solution import (
    SquareTurn,
    animate_turns,
    arrange_squares,
    get_initial_angles,
    list_reference_turns,
)
from vmevalkit.tasks.task import AnyTask

_NEEDS = ("rotation_puzzle",)
_LISTED_SQUARES = 4
"""Up to this many squares, all layouts are tried to find another answer."""


def paint_angles(task: AnyTask, puzzle: RotationPuzzle, angles_at: Callable[[float], Sequence[float]]) -> Painter:
    return lambda moment: task.draw(puzzle, arrange_squares(puzzle, angles_at(moment.t)))


def turn_squares(list_turns: Callable[[RotationPuzzle, Random], list[SquareTurn]]) -> BuildPainter:
    """Return a builder of videos in which squares rotate one after the other."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        turns = list_turns(puzzle, rng)
        return paint_angles(task, puzzle, lambda t: animate_turns(puzzle, turns, t))

    return build


def _find_turning(puzzle: RotationPuzzle, t: float) -> int | None:
    """Return the square of the reference solution that rotates at time t."""
    before, after = (animate_turns(puzzle, list_reference_turns(puzzle), clamp(t + step)) for step in (-1e-3, 1e-3))
    return next((n for n, (a, b) in enumerate(zip(before, after, strict=True)) if a != b), None)


def _turn_long_way(puzzle: RotationPuzzle, rng: Random) -> list[SquareTurn]:
    """Return turns in the longer direction; half turns stay."""
    del rng
    turns = list_reference_turns(puzzle)
    return [(number, start, 0.0 if end else 360.0) for number, start, end in turns]


def _turn_to_other_layout(puzzle: RotationPuzzle, rng: Random) -> list[SquareTurn]:
    """Return turns to another connected layout, or to the usual one where there is none."""
    targets = get_target_pieces(puzzle)
    starts = get_initial_angles(puzzle)
    if len(targets) > _LISTED_SQUARES:
        return list_reference_turns(puzzle)
    found = []
    for quarters in product(range(4), repeat=len(targets)):
        pieces = [rotate_sides(sides, quarter) for sides, quarter in zip(targets, quarters, strict=True)]
        if any(quarters) and is_connected(puzzle.rows, puzzle.cols, pieces):
            found.append(quarters)
    if not found:
        return list_reference_turns(puzzle)
    turns = []
    for number, (start, quarter) in enumerate(zip(starts, rng.choice(found), strict=True)):
        change = (90.0 * quarter - start + 180) % 360 - 180
        if change:
            turns.append((number, start, start + change))
    return turns


def _build_all_at_once(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    del rng
    turns = list_reference_turns(puzzle)

    def angles_at(t: float) -> list[float]:
        angles = get_initial_angles(puzzle)
        for number, start, end in turns:
            angles[number] = start + ease(t) * (end - start)
        return angles

    return paint_angles(task, puzzle, angles_at)


def _build_spring(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """Each square passes its angle by a few degrees and springs back."""
    del rng
    turns = list_reference_turns(puzzle)

    def angles_at(t: float) -> list[float]:
        angles = get_initial_angles(puzzle)
        for place, (number, start, end) in enumerate(turns):
            share = clamp(t * len(turns) - place)
            late = rise(share, 0.6, 1.0)
            swing = 7 * sin(2 * pi * late) * exp(-2 * late) * (1 if end > start else -1)
            angles[number] = start + ease(share / 0.6) * (end - start) + (swing if share > 0.6 else 0.0)
        return angles

    return paint_angles(task, puzzle, angles_at)


def _decorate(draw: Callable[[Frame, float, float, float], Frame]) -> BuildPainter:
    """Return a builder of videos in which something is drawn behind the square that rotates.

    The function gets an image without that pipe, the centre of its square and the side of the square.
    """

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        layout = get_layout(puzzle.rows, puzzle.cols)

        def paint(moment: Moment) -> Frame:
            scene = task.solution(puzzle, moment.t)
            number = _find_turning(puzzle, moment.t)
            if number is None or not 0 < moment.t < 1:
                return task.draw(puzzle, scene)
            behind = task.draw(puzzle, build_scene(pipe for pipe in scene.pipes if pipe.home != number))
            decorated = draw(behind, *layout.centres[number], layout.square)
            alone = task.draw(puzzle, build_scene(scene.pipes_at(number)))
            empty = task.draw(puzzle, build_scene(()))
            ink = np.abs(alone.astype(np.float32) - empty).max(axis=2)
            return effects.mix_by_mask(decorated, alone, np.asarray(ink / max(ink.max(), 1.0), np.float32))

        return paint

    return build


def _draw_shadow(frame: Frame, x: float, y: float, square: float) -> Frame:
    return effects.cast_shadow(frame, x + 0.06 * square, y + 0.08 * square, 0.32 * square, 0.22)


def _draw_glow(frame: Frame, x: float, y: float, square: float) -> Frame:
    mask = 0.3 * effects.make_soft_disc(frame, x, y, 0.45 * square, 0.3 * square)
    return effects.mix_by_mask(frame, effects.fill_like(frame, (186, 215, 255)), mask)


_honest = partial(make_honest_kind, needs=_NEEDS)


ROTATION_PUZZLE_HONEST: tuple[VideoKind, ...] = (
    _honest("pipes_long_way", "The squares rotate in the longer direction, which ends at the same angles.",
            turn_squares(_turn_long_way), timing=Timing(0.25, 3.8, 0.75)),
    _honest("pipes_other_layout", "The squares rotate to another connected layout, which is an answer as well.",
            turn_squares(_turn_to_other_layout)),
    _honest("pipes_all_at_once", "All squares rotate at the same time.", _build_all_at_once),
    _honest("pipes_spring", "Each square passes its angle by a few degrees and springs back.", _build_spring),
    _honest("pipes_shadow", "The rotating pipe has a soft shadow.", _decorate(_draw_shadow)),
    _honest("pipes_glow", "A faint glow is behind the pipe that rotates.", _decorate(_draw_glow)),
)  # fmt: skip
