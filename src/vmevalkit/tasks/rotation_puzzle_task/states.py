"""What one scene says about the squares: visible pipes, moved pipes, open sides; the consensus of several scenes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import dist
from statistics import median

from vmevalkit.tasks.rotation_puzzle_task.pipes import get_sides
from vmevalkit.tasks.rotation_puzzle_task.puzzle import RotationPuzzle, get_pipe_kinds
from vmevalkit.tasks.rotation_puzzle_task.scene import (
    BLUE,
    MIN_SOLID_OPACITY,
    MIN_VISIBLE_OPACITY,
    Pipe,
    PipeScene,
    build_scene,
    compute_quarter_offset_deg,
    compute_turn_deg,
    find_nearest_quarter,
    get_layout,
)

SNAP_DEG = 12.0
"""A pipe that is within this angle of a quarter turn opens to its sides."""
MOVED_PX = 12.0
"""A pipe that is farther than this from its place has moved, in a square of 140 pixels."""
_FINAL_READINGS = 3
"""The number of last readings whose median is the final angle."""


def get_visible_pipe(scene: PipeScene, home: int) -> Pipe | None:
    """Return the pipe of a square; None where it is not visible."""
    pipes = scene.pipes_at(home)
    return pipes[0] if pipes and pipes[0].opacity >= MIN_VISIBLE_OPACITY else None


def is_moved(puzzle: RotationPuzzle, pipe: Pipe) -> bool:
    """Return whether a pipe is away from its square."""
    layout = get_layout(puzzle.rows, puzzle.cols)
    return dist((pipe.x, pipe.y), layout.centres[pipe.home]) > MOVED_PX * layout.scale


def is_sound(puzzle: RotationPuzzle, pipe: Pipe, kind: str) -> bool:
    """Return whether a pipe is at its place and has its shape, colour and opacity."""
    is_unchanged = pipe.shape == kind and pipe.colour == BLUE and pipe.opacity >= MIN_SOLID_OPACITY
    return is_unchanged and not is_moved(puzzle, pipe)


def is_double(scene: PipeScene, home: int) -> bool:
    """Return whether a square shows two pipes."""
    pipes = scene.pipes_at(home)
    return len(pipes) > 1 and pipes[1].opacity >= MIN_VISIBLE_OPACITY


def get_pieces(puzzle: RotationPuzzle, scene: PipeScene) -> tuple[int, ...]:
    """Return the sides that the squares open to; none for a pipe that is between two quarter turns."""
    pieces = []
    for home, kind in enumerate(get_pipe_kinds(puzzle)):
        own = get_visible_pipe(scene, home)
        if own is None or own.shape != kind or abs(compute_quarter_offset_deg(own.angle_deg)) > SNAP_DEG:
            pieces.append(0)
        else:
            pieces.append(get_sides(kind, find_nearest_quarter(kind, own.angle_deg)))
    return tuple(pieces)


def find_consensus_state(puzzle: RotationPuzzle, states: Sequence[PipeScene]) -> PipeScene:
    """Return what most scenes show, with each pipe at its latest angle: squares may rotate until the last frame."""
    pipes: list[Pipe] = []
    for home in range(puzzle.rows * puzzle.cols):
        pipes += _find_consensus_pipes([scene.pipes_at(home) for scene in states])
    count = Counter(len(scene.new_pipes) for scene in states).most_common(1)[0][0]
    pipes += next(scene.new_pipes for scene in reversed(states) if len(scene.new_pipes) == count)
    return build_scene(pipes, states[-1].camera)


def _find_consensus_pipes(readings: Sequence[tuple[Pipe, ...]]) -> tuple[Pipe, ...]:
    """Return the pipes of one square."""
    kinds = [tuple((pipe.shape, pipe.colour == BLUE) for pipe in pipes) for pipes in readings]
    majority = Counter(kinds).most_common(1)[0][0]
    agreeing = [pipes for pipes, kind in zip(readings, kinds, strict=True) if kind == majority]
    if len(majority) != 1:
        return agreeing[-1]
    last = agreeing[-1][0]
    latest = [pipes[0] for pipes in agreeing[-_FINAL_READINGS:]]
    angle = last.angle_deg + median(compute_turn_deg(last.shape, last.angle_deg, pipe.angle_deg) for pipe in latest)
    x, y = median(pipe.x for pipe in latest), median(pipe.y for pipe in latest)
    opacity = median(pipe.opacity for pipe in latest)
    return (Pipe(last.home, last.shape, angle, x, y, last.colour, opacity, last.is_visible),)
