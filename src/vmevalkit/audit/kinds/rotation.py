"""Kinds of rotation videos: unusual orbits, and pictures of a rotation that did not happen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import cos, exp, pi, sin
from random import Random
from typing import Any

import numpy as np

from vmevalkit.audit.kinds import effects
from vmevalkit.audit.kinds.kind import VideoKind, make_cheat_kind, make_honest_kind
from vmevalkit.audit.kinds.timeline import (
    LONG_END,
    BuildPainter,
    Moment,
    Painter,
    Timing,
    clamp,
    ease,
    paint_states,
    rise,
)
from vmevalkit.media.image import Frame
from vmevalkit.tasks.rotation_task.scene import View, VoxelPuzzle, solution_at
from vmevalkit.tasks.task import AnyTask

_NEEDS = ("rotation",)


def _view(puzzle: VoxelPuzzle, share: float) -> View:
    """Return the view after a share of the rotation; shares below 0 and above 1 continue the orbit."""
    return replace(solution_at(puzzle, 0.0), azim_deg=(puzzle.azim_deg + share * puzzle.angle_deg) % 360)


def _orbit(view_at: Callable[[VoxelPuzzle, float], View]) -> BuildPainter:
    """Return a builder of videos that show a view for each time."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        return paint_states(task, puzzle, lambda t: view_at(puzzle, t))

    return build


def _orbit_other_way(puzzle: VoxelPuzzle, t: float) -> View:
    """Half a turn ends at the same view in both directions; other angles keep their direction."""
    return _view(puzzle, -t if puzzle.angle_deg == 180 else t)


def _settle(puzzle: VoxelPuzzle, t: float) -> View:
    """The camera passes the final view by a few degrees and swings back."""
    late = rise(t, 0.8, 1.0)
    swing = 4.0 / puzzle.angle_deg * sin(2 * pi * late) * exp(-2 * late)
    return _view(puzzle, clamp(t / 0.8) + swing)


def _wobble_elevation(puzzle: VoxelPuzzle, t: float) -> View:
    return replace(_view(puzzle, t), elev_deg=puzzle.elev_deg + 1.8 * sin(4 * pi * t))


def _breathe(puzzle: VoxelPuzzle, t: float) -> View:
    return replace(_view(puzzle, t), zoom=1 - 0.012 * (1 - cos(4 * pi * t)))


def _hesitate(puzzle: VoxelPuzzle, t: float) -> View:
    """The camera turns back by some degrees in the middle, then goes on."""
    if t < 0.45:
        return _view(puzzle, 0.55 * ease(t / 0.45))
    if t < 0.6:
        return _view(puzzle, 0.55 - 0.08 * ease((t - 0.45) / 0.15))
    return _view(puzzle, 0.47 + 0.53 * ease((t - 0.6) / 0.4))


def _drift(puzzle: VoxelPuzzle, t: float) -> View:
    return replace(_view(puzzle, t), shift=(0.012 * sin(pi * t), -0.01 * sin(2 * pi * t)))


def _stop_early(puzzle: VoxelPuzzle, t: float) -> View:
    return _view(puzzle, 0.75 * ease(t))


def _go_too_far(puzzle: VoxelPuzzle, t: float) -> View:
    return _view(puzzle, 1.6 * t)


def _return(puzzle: VoxelPuzzle, t: float) -> View:
    return _view(puzzle, 1 - abs(1 - 2 * t))


def _climb(puzzle: VoxelPuzzle, t: float) -> View:
    return replace(_view(puzzle, t), elev_deg=puzzle.elev_deg + (82 - puzzle.elev_deg) * sin(pi * t))


def _stay_low(puzzle: VoxelPuzzle, t: float) -> View:
    """The camera sinks to a view from far below and ends there."""
    return replace(_view(puzzle, t), elev_deg=puzzle.elev_deg - (puzzle.elev_deg + 30) * ease(t))


def _jump_while_wobbling(puzzle: VoxelPuzzle, t: float) -> View:
    return _view(
        puzzle, (0.06 * rise(t, 0.0, 0.2) if t < 0.55 else 1.0) + 0.05 * sin(9 * pi * t) * (1 - rise(t, 0.8, 1.0))
    )


def _recolour(puzzle: VoxelPuzzle, t: float) -> View:
    view = _view(puzzle, t)
    return view if t < 0.5 else replace(view, paint=("#e06666",))


def _remove_voxel(puzzle: VoxelPuzzle, view: View, number: int) -> View:
    paint = view.paint if len(view.paint) == 1 else view.paint[:number] + view.paint[number + 1 :]
    return replace(view, voxels=puzzle.voxels[:number] + puzzle.voxels[number + 1 :], paint=paint)


def _find_visible_voxel(task: AnyTask, puzzle: VoxelPuzzle) -> int:
    """Return the voxel whose removal changes the final frame most."""
    final = task.final_frame(puzzle).astype(np.int16)

    def measure_change(number: int) -> int:
        changed = task.draw(puzzle, _remove_voxel(puzzle, _view(puzzle, 1.0), number))
        return int(np.abs(changed - final).sum())

    return max(range(len(puzzle.voxels)), key=measure_change)


def _build_lost_voxel(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    del rng
    number = _find_visible_voxel(task, puzzle)

    def view_at(t: float) -> View:
        view = _view(puzzle, t)
        return view if t < 0.5 else _remove_voxel(puzzle, view, number)

    return paint_states(task, puzzle, view_at)


def _build_grown_voxels(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """Two voxels are added on top of the sculpture."""
    del rng
    x, y, z = max(puzzle.voxels, key=lambda voxel: voxel[2])
    added = (*puzzle.voxels, (x, y, z + 1), (x, y, z + 2))

    def view_at(t: float) -> View:
        view = _view(puzzle, t)
        paint = view.paint if len(view.paint) == 1 else (*view.paint, view.paint[0], view.paint[0])
        return view if t < 0.5 else replace(view, voxels=added, paint=paint)

    return paint_states(task, puzzle, view_at)


def _build_rolled_picture(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """The flat picture is rotated by half a turn about its middle; the camera does not go around anything."""
    del rng
    first = task.first_frame(puzzle)
    return lambda moment: effects.move_camera(first, 180 * ease(moment.t))


def _build_squashed_mirror(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """The picture becomes narrow and then wide again as its mirror image."""
    del rng
    first = task.first_frame(puzzle)

    def paint(moment: Moment) -> Frame:
        width = first.shape[1]
        cosine = cos(pi * ease(moment.t))
        page = effects.fill_like(first, (255, 255, 255))
        narrow = effects.make_even(abs(cosine) * width)
        if narrow >= 2:
            side = first if cosine > 0 else np.ascontiguousarray(first[:, ::-1])
            left = (width - narrow) // 2
            page[:, left : left + narrow] = effects.resize(side, narrow, first.shape[0])
        return page

    return paint


def _build_second_sculpture(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """The sculpture stays in its first view; a small one beside it rotates."""
    del rng
    first = task.first_frame(puzzle)

    def paint(moment: Moment) -> Frame:
        if moment.t == 0:
            return first
        small = effects.resize(task.draw(puzzle, _view(puzzle, moment.t)), 130, 130)
        shown = first.copy()
        shown[4:134, -134:-4] = np.minimum(shown[4:134, -134:-4], small)
        return shown

    return paint


_honest, _cheat = partial(make_honest_kind, needs=_NEEDS), partial(make_cheat_kind, needs=_NEEDS)

ROTATION_KINDS: tuple[VideoKind, ...] = (
    _honest("rotation_other_way", "The camera goes around the other way; half a turn ends at the same view.",
            _orbit(_orbit_other_way)),
    _honest("rotation_settles", "The camera passes the final view by a few degrees and settles on it.",
            _orbit(_settle)),
    _honest("rotation_elevation_wobble", "The elevation of the camera wobbles by less than two degrees.",
            _orbit(_wobble_elevation)),
    _honest("rotation_breathing_zoom", "The distance of the camera changes by two percent and comes back.",
            _orbit(_breathe)),
    _honest("rotation_hesitates", "The camera turns back by a few degrees half way, then completes the rotation.",
            _orbit(_hesitate), timing=Timing(0.25, 3.6, 0.7)),
    _honest("rotation_drifts", "The sculpture drifts by one percent of the picture and back during the rotation.",
            _orbit(_drift)),
    _cheat("rotation_stops_early", "The camera stops after three quarters of the rotation.", _orbit(_stop_early)),
    _cheat("rotation_goes_too_far", "The camera goes on for more than half as much again and ends there.",
           _orbit(_go_too_far)),
    _cheat("rotation_returns", "The camera completes the rotation and then goes back to the first view.",
           _orbit(_return)),
    _cheat("rotation_over_the_top", "The camera climbs nearly to the zenith and down again; it does not keep its tilt.",
           _orbit(_climb)),
    _cheat("rotation_ends_below", "The camera sinks below the sculpture and ends with a view from below.",
           _orbit(_stay_low)),
    _cheat("rotation_wobbling_jump", "The camera wobbles, jumps to the other side in one frame, and wobbles on.",
           _orbit(_jump_while_wobbling)),
    _cheat("rotation_recoloured", "The sculpture turns red half way and stays red.", _orbit(_recolour)),
    _cheat("rotation_voxel_lost", "A voxel disappears half way and is missing at the end.", _build_lost_voxel),
    _cheat("rotation_voxels_added", "Two voxels appear on top of the sculpture half way and stay.",
           _build_grown_voxels),
    _cheat("rotation_picture_rolled", "The flat picture is rotated by half a turn; the camera never goes around.",
           _build_rolled_picture),
    _cheat("rotation_squashed_mirror", "The picture is squashed to a line and opened again as its mirror image.",
           _build_squashed_mirror),
    _cheat("rotation_small_copy", "The sculpture keeps its first view; a small copy in the corner rotates.",
           _build_second_sculpture, timing=LONG_END),
)  # fmt: skip
