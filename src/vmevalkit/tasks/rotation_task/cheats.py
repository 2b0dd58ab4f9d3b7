"""Trick videos of the task: wrong answers, cheats, and right answers that look unusual."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import pi, sin
from random import Random
from typing import Any

import numpy as np

from vmevalkit.tasks.rotation_task.camera import locate_eye
from vmevalkit.tasks.rotation_task.mesh import build_mesh, count_visible_spots
from vmevalkit.tasks.rotation_task.scene import BASE_COLOUR, TableTop, View, VoxelPuzzle
from vmevalkit.tasks.rotation_task.snakes import (
    Voxel,
    Voxels,
    describe_shape,
    grow_snake,
    is_connected,
    list_neighbours,
    mirror_voxels,
)
from vmevalkit.tasks.task import StateTrajectory

_OTHER_COLOURS = ("#e6b380", "#9fd6a3", "#e69aa8", "#d8d27c")
_TABLE_COLOURS = ("#e6dccb", "#c9a27a", "#a9784f", "#6b4a2f", "#d0d0d4", "#c0c4da", "#8f9a8c", "#3c3836")
"""Light and dark wood, marble, felt, slate."""

StateAt = Callable[[float], View]
"""From the time, 0 to 1, to the view."""


def make_cheats(puzzle: VoxelPuzzle, rng: Random) -> dict[str, StateTrajectory[View]]:
    """Return the trick videos of a puzzle, each with its verdict."""
    # The order of the draws belongs to the audit's seeds: another order gives other videos.
    start, is_flipped = rng.uniform(0.05, 0.3), rng.random() < 0.5
    overshoot_deg = rng.uniform(35, 40) if puzzle.angle_deg <= 180 else -rng.uniform(35, 40)
    colour = rng.choice(_OTHER_COLOURS)
    phase = rng.uniform(0, 2 * pi)
    edits = {"moved": _move_voxel(puzzle, rng), "lost": _remove_voxel(puzzle, rng)}
    other = _grow_other(puzzle, rng)
    edits["added"] = _add_voxel(puzzle, rng)
    top = TableTop(rng.choice(_TABLE_COLOURS), rng.uniform(1.0, 1.5), rng.choice((4, 6, 48)))
    edit_on_table = rng.choice(list(edits.values()))

    def become(voxels: Voxels, is_flipped: bool = False) -> StateAt:
        return _become(puzzle, voxels, start, is_flipped)

    cheats = _make_wrong_rotations(puzzle, overshoot_deg) | {
        "voxel_moved": _fail(become(edits["moved"]), "one voxel is in another place"),
        "voxel_lost": _fail(become(edits["lost"]), "one voxel vanishes"),
        "voxel_added": _fail(become(edits["added"]), "one voxel is too many"),
        "voxel_changed_on_table": _fail(
            _put_on_table(become(edit_on_table), top), "on a table, one voxel is moved, lost or added"
        ),
        "another_sculpture": _fail(become(other), "becomes another sculpture"),
    }
    if not describe_shape(puzzle.voxels).is_achiral:
        cheats["mirrored"] = _fail(become(mirror_voxels(puzzle.voxels), is_flipped), "becomes its mirror image")
    return cheats | _make_unusual_solutions(puzzle, colour, phase, top)


def _make_wrong_rotations(puzzle: VoxelPuzzle, overshoot_deg: float) -> dict[str, StateTrajectory[View]]:
    angle_deg = puzzle.angle_deg
    share = min(0.5, 1 - 25 / angle_deg)  # half of a small rotation would be within the tolerance
    return {
        "under_rotation_half": _fail(lambda t: _rotate(puzzle, angle_deg * share * t), "stops half-way"),
        "full_turn": _fail(lambda t: _rotate(puzzle, 360 * t), "rotates by 360 degrees, back to the start"),
        "final_elevation_off_20": _fail(
            lambda t: _rotate(puzzle, angle_deg * t, elev_deg=puzzle.elev_deg + 20 * t),
            "the camera rises 20 degrees",
        ),
        "jump_to_final": _fail(lambda t: _rotate(puzzle, angle_deg * (t >= 0.5)), "jumps to the final view"),
        "overshoot_stays": _fail(
            lambda t: _rotate(puzzle, (angle_deg + overshoot_deg) * t), "rotates too far, and stays there"
        ),
    }


def _make_unusual_solutions(
    puzzle: VoxelPuzzle, colour: str, phase: float, top: TableTop
) -> dict[str, StateTrajectory[View]]:
    angle_deg, other_paint = puzzle.angle_deg, _recolour(puzzle, colour)

    def rotate_by(times: list[float], angles_deg: list[float]) -> StateAt:
        return lambda t: _rotate(puzzle, float(np.interp(t, times, angles_deg)))

    def wobble(t: float) -> View:
        elev_deg = puzzle.elev_deg + 3 * (sin(phase + 4 * pi * t) - sin(phase)) / 2
        return _rotate(puzzle, angle_deg * t, elev_deg=elev_deg)

    return {
        "recoloured": _fail(
            lambda t: _rotate(puzzle, angle_deg * t, paint=other_paint if t > 0.1 else puzzle.paint),
            "the sculpture changes its colour",
        ),
        "other_way_round": _pass(lambda t: _rotate(puzzle, (angle_deg - 360) * t), "rotates in the other direction"),
        "slow_zoom_75": _pass(lambda t: _rotate(puzzle, angle_deg * t, zoom=1 - 0.25 * t), "shrinks slowly to 75%"),
        "overshoot_settles": _pass(
            rotate_by([0, 0.7, 0.8, 1], [0, angle_deg + 25, angle_deg + 25, angle_deg]),
            "rotates 25 degrees too far, and comes back",
        ),
        "with_table": _pass(
            _put_on_table(lambda t: _rotate(puzzle, angle_deg * t), top), "a table appears under the sculpture"
        ),
        "wobble": _pass(wobble, "the elevation wobbles by 3 degrees"),
        "wrong_then_corrected": _pass(
            rotate_by([0, 0.2, 1], [0, -40, angle_deg]), "rotates 40 degrees in the wrong direction first"
        ),
    }


def _pass(state_at: StateAt, why: str) -> StateTrajectory[View]:
    return StateTrajectory(state_at, "pass", why)


def _fail(state_at: StateAt, why: str) -> StateTrajectory[View]:
    return StateTrajectory(state_at, "fail", why)


def _rotate(puzzle: VoxelPuzzle, angle_deg: float, **changes: Any) -> View:
    """Return the view after a rotation from the first view, with other fields changed."""
    azim_deg = (puzzle.azim_deg + angle_deg) % 360
    return replace(View(azim_deg, puzzle.elev_deg, puzzle.voxels, puzzle.paint), **changes)


def _become(puzzle: VoxelPuzzle, voxels: Voxels, start: float, is_flipped: bool) -> StateAt:
    """Return the rotation of the solution with another sculpture from time ``start`` on."""

    def state_at(t: float) -> View:
        view = _rotate(puzzle, puzzle.angle_deg * t)
        if t < start:
            return view
        azim_deg = (180 - view.azim_deg) % 360 if is_flipped else view.azim_deg
        return replace(view, voxels=voxels, paint=_paint_for(puzzle, voxels), azim_deg=azim_deg)

    return state_at


def _put_on_table(state_at: StateAt, top: TableTop) -> StateAt:
    return lambda t: replace(state_at(t), has_table=t > 0.1, table_top=top)


def _recolour(puzzle: VoxelPuzzle, colour: str) -> tuple[str, ...]:
    """Return another colour, or all colours with red and blue exchanged where voxels have their own."""
    if not puzzle.colours:
        return (colour,)
    return tuple(f"#{own[5:7]}{own[3:5]}{own[1:3]}" for own in puzzle.colours)


def _paint_for(puzzle: VoxelPuzzle, voxels: Voxels) -> tuple[str, ...]:
    """Return the colours of an altered sculpture: one for each voxel where they have their own."""
    if not puzzle.colours:
        return puzzle.paint
    return (puzzle.colours + (BASE_COLOUR,) * len(voxels))[: len(voxels)]


def _remove_voxel(puzzle: VoxelPuzzle, rng: Random) -> Voxels:
    """Return the sculpture without a voxel that the final view shows, in one piece if possible."""
    visible = _find_visible(puzzle, puzzle.voxels)
    smaller = [_without(puzzle.voxels, voxel) for voxel in visible]
    return rng.choice([voxels for voxels in smaller if is_connected(voxels)] or smaller)


def _add_voxel(puzzle: VoxelPuzzle, rng: Random) -> Voxels:
    """Return the sculpture with one more voxel, of which the final view shows two faces.

    A single visible face may look like the faces around it.
    """
    places = sorted({near for voxel in puzzle.voxels for near in list_neighbours(voxel)} - set(puzzle.voxels))
    rng.shuffle(places)
    larger = [(*puzzle.voxels, place) for place in places]
    return next((voxels for voxels in larger if voxels[-1] in _find_visible(puzzle, voxels, 8)), larger[0])


def _move_voxel(puzzle: VoxelPuzzle, rng: Random) -> Voxels:
    """Return another shape in one piece: one voxel is in another place that the final view shows."""
    own = describe_shape(puzzle.voxels).key
    smaller = [_without(puzzle.voxels, voxel) for voxel in _find_visible(puzzle, puzzle.voxels)]
    smaller = [voxels for voxels in smaller if is_connected(voxels)]
    rng.shuffle(smaller)
    for rest in smaller:
        places = sorted({near for voxel in rest for near in list_neighbours(voxel)} - set(puzzle.voxels))
        rng.shuffle(places)
        for place in places:
            edited = (*rest, place)
            if describe_shape(edited).key != own and place in _find_visible(puzzle, edited):
                return edited
    return smaller[0]


def _grow_other(puzzle: VoxelPuzzle, rng: Random) -> Voxels:
    """Return a sculpture with the same number of voxels that has little in common with the puzzle's."""
    own = {describe_shape(puzzle.voxels).key, describe_shape(mirror_voxels(puzzle.voxels)).key}
    others: list[Voxels] = []
    while not others:  # of four voxels there are only three shapes
        snakes = [grow_snake(rng, N=len(puzzle.voxels)) for _ in range(8)]
        others = [snake for snake in snakes if snake is not None and describe_shape(snake).key not in own]
    return min(others, key=lambda other: len(set(other) & set(puzzle.voxels)))


def _find_visible(puzzle: VoxelPuzzle, voxels: Voxels, min_spots: int = 4) -> list[Voxel]:
    """Return the voxels of which the final view shows at least so many spots. A face has four."""
    eye = locate_eye(puzzle, puzzle.final_azim_deg, puzzle.elev_deg)
    spots = count_visible_spots(build_mesh(voxels), eye)
    return [voxel for voxel, count in zip(voxels, spots, strict=True) if count >= min_spots]


def _without(voxels: Voxels, voxel: Voxel) -> Voxels:
    return tuple(other for other in voxels if other != voxel)
