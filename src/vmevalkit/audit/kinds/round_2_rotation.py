"""Kinds of the second round for the rotation of a camera around a sculpture."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, radians, sin
from random import Random

import numpy as np

from vmevalkit.audit.kinds.effects import draw_over, make_even, to_frame
from vmevalkit.audit.kinds.kind import VideoKind, make_cheat_kind, make_honest_kind
from vmevalkit.audit.kinds.timeline import Moment, Painter, Timing, apply_filter, ease, paint_states, rise
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.rotation_task.scene import View, VoxelPuzzle, solution_at
from vmevalkit.tasks.task import AnyTask

_NEEDS = ("rotation",)


def _light_studio(frame: Frame, moment: Moment) -> Frame:
    rows = np.linspace(0, 1, frame.shape[0], dtype=np.float32)[:, None, None]
    return to_frame(frame * (1 - 0.14 * rise(moment.seconds, 0.1, 1.0) * rows))


def _show_dial(task: AnyTask, puzzle: VoxelPuzzle, rng: Random) -> Painter:
    del rng

    def paint(moment: Moment) -> Frame:
        frame = task.draw(puzzle, solution_at(puzzle, moment.t))
        height, width = frame.shape[:2]
        strip = make_even(0.16 * height)
        padded = np.full((height + strip, width, 3), 245, np.uint8)
        padded[:height] = frame
        angle = radians(puzzle.angle_deg * moment.t - 90)

        def draw(canvas: Canvas) -> None:
            x, y, radius = width / 2, height + strip / 2, 0.4 * strip
            canvas.circle(x, y, radius, fill="#ffffff", stroke="#334155", width=2.0)
            tip = (x + 0.8 * radius * cos(angle), y + 0.8 * radius * sin(angle))
            canvas.line([(x, y), tip], "#dc2626", 3)

        return draw_over(padded, draw)

    return paint


def _step_back(task: AnyTask, puzzle: VoxelPuzzle, rng: Random) -> Painter:
    del rng
    return paint_states(
        task, puzzle, lambda t: replace(solution_at(puzzle, ease(t)), zoom=1 - 0.18 * sin(pi * t) if t < 1 else 1.0)
    )


def _back_first(task: AnyTask, puzzle: VoxelPuzzle, rng: Random) -> Painter:
    """Return a painter of a camera that takes a small swing in the other direction first."""
    del rng
    return paint_states(
        task, puzzle, lambda t: solution_at(puzzle, ease(rise(t, 0.25, 0.95)) - 0.05 * sin(pi * rise(t, 0.0, 0.35)))
    )


def _lift_block(task: AnyTask, puzzle: VoxelPuzzle, rng: Random) -> Painter:
    """Return a painter of a sculpture whose uppermost voxel rises by two cells half way."""
    del rng
    top = max(range(len(puzzle.voxels)), key=lambda number: puzzle.voxels[number][2])
    x, y, z = puzzle.voxels[top]
    lifted = tuple((x, y, z + 2) if number == top else voxel for number, voxel in enumerate(puzzle.voxels))

    def state_at(t: float) -> View:
        view = solution_at(puzzle, t)
        return replace(view, voxels=lifted) if t > 0.5 else view

    return paint_states(task, puzzle, state_at)


def _paint_some_red(task: AnyTask, puzzle: VoxelPuzzle, rng: Random) -> Painter:
    """Return a painter of a sculpture of which the first half of the voxels becomes red half way."""
    del rng
    count = len(puzzle.voxels)
    base = puzzle.paint if len(puzzle.paint) == count else puzzle.paint[:1] * count
    some_red = tuple("#dc2626" if 2 * number < count else colour for number, colour in enumerate(base))

    def state_at(t: float) -> View:
        view = solution_at(puzzle, t)
        return replace(view, paint=some_red) if t > 0.5 else view

    return paint_states(task, puzzle, state_at)


def _fall_apart(task: AnyTask, puzzle: VoxelPuzzle, rng: Random) -> Painter:
    del rng
    low = tuple(min(voxel[axis] for voxel in puzzle.voxels) for axis in range(3))
    apart = tuple((2 * x - low[0], 2 * y - low[1], 2 * z - low[2]) for x, y, z in puzzle.voxels)

    def state_at(t: float) -> View:
        view = solution_at(puzzle, t)
        return replace(view, voxels=apart, zoom=0.5) if t > 0.6 else view

    return paint_states(task, puzzle, state_at)


def _sway(task: AnyTask, puzzle: VoxelPuzzle, rng: Random) -> Painter:
    """Return a painter of a camera that sways by 50 degrees to both sides and ends where it began."""
    del rng
    share = 50 / abs(puzzle.angle_deg)
    return paint_states(task, puzzle, lambda t: solution_at(puzzle, share * sin(2 * pi * t)))


ROUND_2_ROTATION: tuple[VideoKind, ...] = (
    make_honest_kind(
        "rotation_studio_light",
        "The light becomes softer towards the lower edge, as in a studio.",
        apply_filter(_light_studio),
        _NEEDS,
    ),
    make_honest_kind(
        "rotation_dial_below", "A dial in a strip under the picture shows the angle of the camera.", _show_dial, _NEEDS
    ),
    make_honest_kind(
        "rotation_steps_back", "The camera steps back on its way and ends at the first distance.", _step_back, _NEEDS
    ),
    make_honest_kind(
        "rotation_swings_first",
        "The camera takes a small swing the other way before it completes the rotation.",
        _back_first,
        _NEEDS,
        Timing(0.25, 3.5, 0.7),
    ),
    make_cheat_kind(
        "rotation_block_lifted",
        "Half way the uppermost voxel is lifted off the sculpture and floats above it until the end.",
        _lift_block,
        _NEEDS,
    ),
    make_cheat_kind(
        "rotation_partly_red",
        "After half of the way a part of the voxels is red and stays red.",
        _paint_some_red,
        _NEEDS,
    ),
    make_cheat_kind(
        "rotation_falls_apart",
        "The sculpture falls apart into single voxels with gaps between them.",
        _fall_apart,
        _NEEDS,
    ),
    make_cheat_kind("rotation_sways", "The camera sways to both sides and ends where it began.", _sway, _NEEDS),
)
"""Kinds of the second round for the rotation of a camera around a sculpture."""
