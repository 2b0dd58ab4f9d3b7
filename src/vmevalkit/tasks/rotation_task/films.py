"""The task's own films: wrong answers, cheats, and right answers that look unusual."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import pi, sin
from random import Random
from typing import Any

import numpy as np

from vmevalkit.tasks.rotation_task.camera import eye_of, solid_of, visible_spots
from vmevalkit.tasks.rotation_task.scene import BASE_COLOUR, RotationPuzzle, TableTop, View
from vmevalkit.tasks.rotation_task.snakes import Voxel, Voxels, connected, grow_snake, mirrored, neighbours, shape_of
from vmevalkit.tasks.task import Expected, Film

_OTHER_COLOURS = ("#e6b380", "#9fd6a3", "#e69aa8", "#d8d27c")
_TABLE_COLOURS = ("#e6dccb", "#c9a27a", "#a9784f", "#6b4a2f", "#d0d0d4", "#c0c4da", "#8f9a8c", "#3c3836")
"""Light and dark wood, marble, felt, slate."""


def films(puzzle: RotationPuzzle, rng: Random) -> dict[str, Film[View]]:
    def film(state_at: Callable[[float], View], expected: Expected, why: str) -> Film[View]:
        return Film(state_at, expected, why)

    def at(turned: float, **changes: Any) -> View:
        azim_deg = (puzzle.azim_deg + turned) % 360
        return replace(View(azim_deg, puzzle.elev_deg, puzzle.voxels, puzzle.paint), **changes)

    def become(other: Voxels, since: float, flip: bool = False) -> Callable[[float], View]:
        """The turn of the solution, the sculpture being another from some time on."""

        def state_at(t: float) -> View:
            view = at(whole * t)
            if t < since:
                return view
            azim_deg = (180 - view.azim_deg) % 360 if flip else view.azim_deg
            return replace(view, voxels=other, paint=_paint_for(puzzle, other), azim_deg=azim_deg)

        return state_at

    whole = puzzle.angle_deg
    short = min(0.5, 1 - 25 / whole)  # of a small turn, half would be within the tolerance
    early, flip = rng.uniform(0.05, 0.3), rng.random() < 0.5
    over = rng.uniform(35, 40) if whole <= 180 else -rng.uniform(35, 40)
    colour = rng.choice(_OTHER_COLOURS)
    phase = rng.uniform(0, 2 * pi)
    moved, lost, another = _with_voxel_moved(puzzle, rng), _with_voxel_lost(puzzle, rng), _another(puzzle, rng)
    added = _with_voxel_added(puzzle, rng)
    top = TableTop(rng.choice(_TABLE_COLOURS), rng.uniform(1.0, 1.5), rng.choice((4, 6, 48)))
    changed = become(rng.choice((moved, lost, added)), early)
    made = {
        "under_rotation_half": film(lambda t: at(whole * short * t), "fail", "stops half-way"),
        "full_turn": film(lambda t: at(360 * t), "fail", "goes all the way round, back to the start"),
        "mirrored": film(become(mirrored(puzzle.voxels), early, flip), "fail", "becomes its mirror image"),
        "voxel_moved": film(become(moved, early), "fail", "one voxel is in another place"),
        "voxel_lost": film(become(lost, early), "fail", "one voxel vanishes"),
        "voxel_added": film(become(added, early), "fail", "one voxel is too many"),
        "voxel_changed_on_table": film(
            lambda t: replace(changed(t), table=t > 0.1, table_top=top),
            "fail",
            "on a table, one voxel is moved, lost or added",
        ),
        "another_sculpture": film(become(another, early), "fail", "becomes another sculpture"),
        "final_elevation_off_20": film(
            lambda t: at(whole * t, elev_deg=puzzle.elev_deg + 20 * t), "fail", "the camera rises by 20 degrees"
        ),
        "jump_to_final": film(lambda t: at(whole * (t >= 0.5)), "fail", "jumps to the final view"),
        "overshoot_stays": film(lambda t: at((whole + over) * t), "fail", "turns too far, and stays there"),
        "recoloured": film(
            lambda t: at(whole * t, paint=_recoloured(puzzle, colour) if t > 0.1 else puzzle.paint),
            "pass",
            "the sculpture takes another colour; it is judged on its structure",
        ),
        "other_way_round": film(lambda t: at((whole - 360) * t), "pass", "turns the other way"),
        "slow_zoom_75": film(lambda t: at(whole * t, zoom=1 - 0.25 * t), "pass", "shrinks slowly to 75%"),
        "overshoot_settles": film(
            lambda t: at(float(np.interp(t, [0, 0.7, 0.8, 1], [0, whole + 25, whole + 25, whole]))),
            "pass",
            "turns 25 degrees too far, and comes back",
        ),
        "with_table": film(
            lambda t: at(whole * t, table=t > 0.1, table_top=top), "pass", "a table appears under the sculpture"
        ),
        "wobble": film(
            lambda t: at(whole * t, elev_deg=puzzle.elev_deg + 3 * (sin(phase + 4 * pi * t) - sin(phase)) / 2),
            "pass",
            "the elevation wobbles by 3 degrees",
        ),
        "wrong_then_corrected": film(
            lambda t: at(float(np.interp(t, [0, 0.2, 1], [0, -40, whole]))),
            "pass",
            "turns 40 degrees the wrong way first",
        ),
    }
    if shape_of(puzzle.voxels).achiral:
        del made["mirrored"]
    return made


def _recoloured(puzzle: RotationPuzzle, colour: str) -> tuple[str, ...]:
    """Another colour; where voxels have their own, all of them with red and blue exchanged."""
    if not puzzle.colours:
        return (colour,)
    return tuple(f"#{own[5:7]}{own[3:5]}{own[1:3]}" for own in puzzle.colours)


def _paint_for(puzzle: RotationPuzzle, voxels: Voxels) -> tuple[str, ...]:
    """The colours of an altered sculpture: as many as it has voxels, where each has its own."""
    if not puzzle.colours:
        return puzzle.paint
    return (puzzle.colours + (BASE_COLOUR,) * len(voxels))[: len(voxels)]


def _with_voxel_lost(puzzle: RotationPuzzle, rng: Random) -> Voxels:
    """Without a voxel that the final view shows, the rest in one piece if possible."""
    shown = _shown(puzzle, puzzle.voxels)
    rests = [_without(puzzle.voxels, voxel) for voxel in shown]
    return rng.choice([rest for rest in rests if connected(rest)] or rests)


def _with_voxel_added(puzzle: RotationPuzzle, rng: Random) -> Voxels:
    """With one voxel more, of which the final view shows two faces; one alone may look as the faces around it."""
    places = sorted({near for voxel in puzzle.voxels for near in neighbours(voxel)} - set(puzzle.voxels))
    rng.shuffle(places)
    others = [(*puzzle.voxels, place) for place in places]
    return next((other for other in others if other[-1] in _shown(puzzle, other, 8)), others[0])


def _with_voxel_moved(puzzle: RotationPuzzle, rng: Random) -> Voxels:
    """One voxel in another place that the final view shows; one piece, and another shape."""
    own = shape_of(puzzle.voxels).key
    rests = [rest for voxel in _shown(puzzle, puzzle.voxels) if connected(rest := _without(puzzle.voxels, voxel))]
    rng.shuffle(rests)
    for rest in rests:
        places = sorted({near for voxel in rest for near in neighbours(voxel)} - set(puzzle.voxels))
        rng.shuffle(places)
        for place in places:
            other = (*rest, place)
            if shape_of(other).key != own and place in _shown(puzzle, other):
                return other
    return rests[0]


def _another(puzzle: RotationPuzzle, rng: Random) -> Voxels:
    """A sculpture of as many voxels that shares little with the puzzle's."""
    own = {shape_of(puzzle.voxels).key, shape_of(mirrored(puzzle.voxels)).key}
    grown = [grow_snake(rng, N=len(puzzle.voxels)) for _ in range(8)]
    others = [other for other in grown if other is not None and shape_of(other).key not in own]
    return min(others, key=lambda other: len(set(other) & set(puzzle.voxels)))


def _shown(puzzle: RotationPuzzle, voxels: Voxels, least: int = 4) -> list[Voxel]:
    """The voxels that the final view shows well, each by so many of its spots; a face has four."""
    eye = eye_of(puzzle, puzzle.final_azim_deg, puzzle.elev_deg)
    spots = visible_spots(solid_of(voxels), eye)
    return [voxel for voxel, count in zip(voxels, spots, strict=True) if count >= least]


def _without(voxels: Voxels, voxel: Voxel) -> Voxels:
    return tuple(other for other in voxels if other != voxel)
