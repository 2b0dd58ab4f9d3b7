"""The reference solution: which squares rotate, in which order, and the scene at each time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import TypeAlias

from vmevalkit.tasks.rotation_puzzle_task.pipes import QUARTERS, get_sides, is_connected
from vmevalkit.tasks.rotation_puzzle_task.puzzle import (
    RotationPuzzle,
    classify_piece,
    get_pipe_kinds,
    get_target_pieces,
)
from vmevalkit.tasks.rotation_puzzle_task.scene import Pipe, PipeScene, Point, build_scene, get_layout

MOST_LAYOUTS = 4096
"""Layouts that are tried to list all answers."""

SquareTurn: TypeAlias = tuple[int, float, float]
"""The number of a square, and its angle before and after."""


def arrange_squares(puzzle: RotationPuzzle, angles_deg: Sequence[float]) -> PipeScene:
    """Return the scene with every square at its place, rotated by its angle from the 0 degrees of the puzzle."""
    centres, targets = get_layout(puzzle.rows, puzzle.cols).centres, get_target_pieces(puzzle)
    return build_scene(
        _make_pipe(centre, number, sides, angle)
        for number, (centre, sides, angle) in enumerate(zip(centres, targets, angles_deg, strict=True))
    )


def _make_pipe(centre: Point, number: int, sides: int, angle_deg: float) -> Pipe:
    kind, quarters = classify_piece(sides)
    return Pipe(number, kind, (90 * quarters + angle_deg) % (90 * QUARTERS[kind]), *centre)


def get_initial_angles(puzzle: RotationPuzzle) -> list[float]:
    """Return the angles of the first frame."""
    return [float(square.initial_angle) for square in puzzle.squares]


def list_reference_turns(puzzle: RotationPuzzle) -> list[SquareTurn]:
    """Return the turns of the reference solution in order, each in the shorter direction."""
    turns = []
    for number in puzzle.squares_to_turn:
        angle, period = puzzle.squares[number].initial_angle, 90 * QUARTERS[get_pipe_kinds(puzzle)[number]]
        turns.append((number, float(angle), 0.0 if 2 * angle < period else float(period)))
    return turns


def animate_turns(puzzle: RotationPuzzle, turns: Sequence[SquareTurn], t: float) -> list[float]:
    """Return the angles at time t, from 0 to 1, of a video in which the squares rotate one after the other."""
    angles = get_initial_angles(puzzle)
    total = sum(abs(end - start) for _, start, end in turns)
    start_time = 0.0
    for number, start, end in turns:
        duration = abs(end - start) / total
        share = ease((t - start_time) / duration)
        if share > 0:
            angles[number] = start + share * (end - start)
        start_time += duration
    return angles


def ease(x: float) -> float:
    """Return a share from 0 to 1 that changes more slowly at both ends."""
    x = min(max(x, 0.0), 1.0)
    return 0.5 * x + 0.5 * x * x * (3 - 2 * x)


def get_solution_scene(puzzle: RotationPuzzle, t: float) -> PipeScene:
    """Return the scene at time t of the reference solution: the squares rotate to 0 degrees one after the other."""
    if t >= 1:
        return arrange_squares(puzzle, [0.0] * len(puzzle.squares))
    return arrange_squares(puzzle, animate_turns(puzzle, list_reference_turns(puzzle), t))


def list_connected_scenes(puzzle: RotationPuzzle) -> list[PipeScene]:
    """Return the scene of each connected layout, the reference solution first; only that one for a large puzzle."""
    solved = get_solution_scene(puzzle, 1.0)
    kinds = get_pipe_kinds(puzzle)
    if prod(QUARTERS[kind] for kind in kinds) > MOST_LAYOUTS:
        return [solved]
    quarters = [classify_piece(sides)[1] for sides in get_target_pieces(puzzle)]
    found = [solved]
    for turns in product(*(range(QUARTERS[kind]) for kind in kinds)):
        pieces = tuple(
            get_sides(kind, (quarter + turn) % QUARTERS[kind])
            for kind, quarter, turn in zip(kinds, quarters, turns, strict=True)
        )
        if any(turns) and is_connected(puzzle.rows, puzzle.cols, pieces):
            found.append(arrange_squares(puzzle, [90.0 * turn for turn in turns]))
    return found
