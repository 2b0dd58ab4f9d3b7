"""Kinds of object subtraction videos: other ways to remove objects, and scenes that are wrong at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import cos, hypot, pi, sin
from random import Random
from typing import Any

import numpy as np

from vmevalkit.audit.kinds import effects
from vmevalkit.audit.kinds.kind import VideoKind, make_cheat_kind, make_honest_kind
from vmevalkit.audit.kinds.timeline import BuildPainter, Painter, clamp, ease, paint_states, rise
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.object_subtraction_task.puzzle import ObjectSubtraction
from vmevalkit.tasks.object_subtraction_task.scene import (
    COLOURS,
    NEW,
    SHAPES,
    ObjectScene,
    VisibleObject,
    build_scene,
    compute_box,
    make_visible,
)
from vmevalkit.tasks.object_subtraction_task.solution import find_exit
from vmevalkit.tasks.task import AnyTask

_NEEDS = ("object_subtraction",)
Change = Callable[[ObjectSubtraction, VisibleObject, float], VisibleObject | None]
"""Returns an object at time t, or None where it is not visible."""
ChangeKept = Callable[[ObjectSubtraction, list[VisibleObject], float, Random], list[VisibleObject]]
"""Returns the objects to keep at time t."""


def _split(puzzle: ObjectSubtraction) -> tuple[list[VisibleObject], list[VisibleObject]]:
    """Return the objects to remove and those to keep."""
    targets = [make_visible(thing) for thing in puzzle.things if thing.id in puzzle.targets]
    return targets, [make_visible(thing) for thing in puzzle.kept]


def _remove_by(change: Change) -> BuildPainter:
    """Return a builder of videos in which the targets leave one after the other by a change."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        targets, kept = _split(puzzle)

        def state_at(t: float) -> ObjectScene:
            changed = [change(puzzle, one, clamp(t * len(targets) - place)) for place, one in enumerate(targets)]
            return build_scene([*kept, *(one for one in changed if one is not None)])

        return paint_states(task, puzzle, state_at)

    return build


def _spoil(change: ChangeKept) -> BuildPainter:
    """Return a builder of videos in which the targets are removed and the kept objects are changed."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        seed, kept_ids = rng.getrandbits(32), {thing.id for thing in puzzle.kept}

        def state_at(t: float) -> ObjectScene:
            scene = task.solution(puzzle, rise(t, 0.0, 0.6))
            kept = [one for one in scene.objects if one.id in kept_ids]
            leaving = [one for one in scene.objects if one.id not in kept_ids]
            return build_scene([*leaving, *change(puzzle, kept, ease(rise(t, 0.5, 1.0)), Random(seed))])

        return paint_states(task, puzzle, state_at)

    return build


def _draw(draw: Callable[[AnyTask, ObjectSubtraction, float], Frame]) -> BuildPainter:
    """Return a builder of videos whose frames are drawn by a function."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        return lambda moment: draw(task, puzzle, moment.t)

    return build


def _shrink(_puzzle: ObjectSubtraction, one: VisibleObject, share: float) -> VisibleObject | None:
    return replace(one, size=one.size * (1 - ease(share))) if share < 0.97 else None


def _pop(_puzzle: ObjectSubtraction, one: VisibleObject, share: float) -> VisibleObject | None:
    """Let an object swell by an eighth and burst."""
    return replace(one, size=one.size * (1 + 0.12 * sin(pi * share))) if share < 0.6 else None


def _bounce_out(puzzle: ObjectSubtraction, one: VisibleObject, share: float) -> VisibleObject | None:
    """Let an object hop out of the image."""
    if share >= 1:
        return None
    thing = next(thing for thing in puzzle.things if thing.id == one.id)
    x, y = find_exit(puzzle, thing)
    way = ease(share)
    return replace(one, x=one.x + way * x * 1.1, y=one.y + way * y * 1.1 - 0.06 * puzzle.canvas * sin(pi * share))


def _blink_out(_puzzle: ObjectSubtraction, one: VisibleObject, share: float) -> VisibleObject | None:
    """Let an object blink a few times and stay away."""
    return one if share < 0.4 or (share < 0.8 and int(share * 20) % 2) else None


def _draw_targets_alone(task: AnyTask, puzzle: ObjectSubtraction) -> tuple[Frame, Frame]:
    """Return the images with and without the targets."""
    _, kept = _split(puzzle)
    return task.first_frame(puzzle), task.draw(puzzle, build_scene(kept))


def _wipe_targets(task: AnyTask, puzzle: ObjectSubtraction, t: float) -> Frame:
    """Return a frame in which the targets are wiped away from above."""
    frame, rest = (image.copy() for image in _draw_targets_alone(task, puzzle))
    for one in _split(puzzle)[0]:
        left, top, right, bottom = (round(edge) for edge in one.box)
        edge = top - 2 + round((bottom - top + 5) * ease(rise(t, 0.1, 0.9)))
        part = (slice(max(top - 2, 0), max(edge, 0)), slice(max(left - 2, 0), right + 3))
        frame[part] = rest[part]
    return frame


def _crumble_targets(task: AnyTask, puzzle: ObjectSubtraction, t: float) -> Frame:
    """Return a frame in which the targets fall apart into pixels that vanish."""
    frame, rest = _draw_targets_alone(task, puzzle)
    cells = np.random.default_rng(7).random((frame.shape[0] // 4, frame.shape[1] // 4))
    is_gone = np.kron(cells, np.ones((4, 4))) < rise(t, 0.1, 0.9)
    return np.where(is_gone[..., None], rest, frame)


def _ring_targets(task: AnyTask, puzzle: ObjectSubtraction, t: float) -> Frame:
    """Return a frame in which rings mark the targets first and leave together with them."""
    opacity = min(rise(t, 0.05, 0.2), 1 - rise(t, 0.5, 0.8))
    fading = [replace(one, opacity=1 - rise(t, 0.4, 0.85)) for one in _split(puzzle)[0] if t < 0.85]
    frame = task.draw(puzzle, build_scene([*_split(puzzle)[1], *fading]))

    def draw(canvas: Canvas) -> None:
        for one in _split(puzzle)[0]:
            canvas.circle(one.x, one.y, 0.75 * one.size, stroke=(0.3, 0.3, 0.3, 0.7 * opacity), width=1.5)

    return effects.draw_over(frame, draw) if opacity > 0 else frame


def _push_aside(puzzle: ObjectSubtraction, one: VisibleObject, share: float) -> VisibleObject:
    """Move an object by a fifth of the image or more, to where most room is left."""
    middle, edge = puzzle.canvas / 2, 0.5 * puzzle.canvas - 0.5 * one.size
    others = [thing for thing in puzzle.things if thing.id != one.id]
    shifts = [
        (length * puzzle.canvas * cos(angle), length * puzzle.canvas * sin(angle))
        for length in (0.2, 0.3, 0.4)
        for angle in np.linspace(0, 2 * pi, 16, endpoint=False)
    ]
    inside = [s for s in shifts if max(abs(one.x + s[0] - middle), abs(one.y + s[1] - middle)) <= edge]

    def measure_room(shift: tuple[float, float]) -> float:
        return min(hypot(one.x + shift[0] - o.x, one.y + shift[1] - o.y) - o.size / 2 for o in others)

    x, y = max(inside, key=measure_room)
    return replace(one, x=one.x + ease(share) * x, y=one.y + ease(share) * y)


def _shrink_partly(_puzzle: ObjectSubtraction, one: VisibleObject, share: float) -> VisibleObject:
    return replace(one, size=one.size * (1 - 0.6 * ease(share)))


def _fade_partly(_puzzle: ObjectSubtraction, one: VisibleObject, share: float) -> VisibleObject:
    return replace(one, opacity=1 - 0.5 * ease(share))


def _transform(_puzzle: ObjectSubtraction, one: VisibleObject, share: float) -> VisibleObject:
    """Turn a target into another shape of another colour."""
    if share < 0.5:
        return one
    names = list(COLOURS)
    colour = names[(names.index(one.colour) + 2) % len(names)]
    return replace(one, shape=SHAPES[(SHAPES.index(one.shape) + 1) % len(SHAPES)], colour=colour)


def _leave_outlines(task: AnyTask, puzzle: ObjectSubtraction, t: float) -> Frame:
    """Return a frame in which the targets become hollow and their outlines stay."""
    frame, rest = _draw_targets_alone(task, puzzle)
    hollow = [replace(one, size=one.size - 7 * puzzle.scale, colour="#ffffff") for one in _split(puzzle)[0]]
    alone = task.draw(puzzle, build_scene([*_split(puzzle)[0], *hollow]))
    inside = task.draw(puzzle, build_scene([replace(one, id=NEW) for one in _split(puzzle)[0]]))
    outlines = np.where((inside != 255).any(axis=2, keepdims=True), alone, rest)
    del hollow
    return effects.mix(frame, outlines, ease(t))


def _cover_targets(task: AnyTask, puzzle: ObjectSubtraction, t: float) -> Frame:
    """Return a frame in which grey cards slide over the targets and stay."""

    def draw(canvas: Canvas) -> None:
        for one in _split(puzzle)[0]:
            left, top, right, bottom = compute_box(one.shape, one.x, one.y, one.size + 6)
            drop = (1 - ease(rise(t, 0.1, 0.8))) * bottom
            box = [(left, top - drop), (right, top - drop), (right, bottom - drop), (left, bottom - drop)]
            canvas.polygon(box, fill="#9aa0a6")

    return effects.draw_over(task.first_frame(puzzle), draw) if t > 0.1 else task.first_frame(puzzle)


def _change_one(change: Change) -> BuildPainter:
    """Return a builder of videos in which one of the kept objects is changed."""

    def spoil(puzzle: ObjectSubtraction, kept: list[VisibleObject], share: float, rng: Random) -> list[VisibleObject]:
        place = rng.randrange(len(kept))
        changed = change(puzzle, kept[place], share)
        return [*kept[:place], *([] if changed is None else [changed]), *kept[place + 1 :]]

    return _spoil(spoil)


def _recolour(_puzzle: ObjectSubtraction, one: VisibleObject, share: float) -> VisibleObject:
    names = list(COLOURS)
    return one if share < 0.5 else replace(one, colour=names[(names.index(one.colour) + 2) % len(names)])


def _reshape(_puzzle: ObjectSubtraction, one: VisibleObject, share: float) -> VisibleObject:
    return one if share < 0.5 else replace(one, shape=SHAPES[(SHAPES.index(one.shape) + 1) % len(SHAPES)])


def _swell(_puzzle: ObjectSubtraction, one: VisibleObject, share: float) -> VisibleObject:
    return replace(one, size=one.size * (1 + 0.7 * share))


def _vanish(_puzzle: ObjectSubtraction, one: VisibleObject, share: float) -> VisibleObject | None:
    return replace(one, opacity=1 - share) if share < 0.98 else None


def _add_object(puzzle: ObjectSubtraction, kept: list[VisibleObject], share: float, rng: Random) -> list[VisibleObject]:
    """Add a cube where most room is left."""
    if share < 0.3:
        return kept
    side, size = puzzle.canvas, 22 * puzzle.scale
    points = [(rng.uniform(0.15, 0.85) * side, rng.uniform(0.15, 0.85) * side) for _ in range(200)]
    x, y = max(points, key=lambda p: min(hypot(p[0] - one.x, p[1] - one.y) - one.size / 2 for one in kept))
    return [*kept, VisibleObject(NEW, rng.choice(list(COLOURS)), "cube", x, y, size)]


_honest, _cheat = partial(make_honest_kind, needs=_NEEDS), partial(make_cheat_kind, needs=_NEEDS)

OBJECT_SUBTRACTION_KINDS: tuple[VideoKind, ...] = (
    _honest("objects_shrink", "The targets shrink to nothing, one after the other.", _remove_by(_shrink)),
    _honest("objects_pop", "The targets swell a little and burst; nothing is left of them.", _remove_by(_pop)),
    _honest("objects_hop_out", "The targets hop out of the image.", _remove_by(_bounce_out)),
    _honest("objects_blink_out", "The targets blink and are gone for good.", _remove_by(_blink_out)),
    _honest("objects_wiped", "The targets are wiped away from above.", _draw(_wipe_targets)),
    _honest("objects_crumble", "The targets fall apart into small blocks, all of which vanish.",
            _draw(_crumble_targets)),
    _honest("objects_ringed", "Rings mark the targets and leave together with them.", _draw(_ring_targets)),
    _cheat("objects_pushed_aside", "The targets only move to another place.", _remove_by(_push_aside)),
    _cheat("objects_shrunk_partly", "The targets shrink to two fifths of their size and stay.",
           _remove_by(_shrink_partly)),
    _cheat("objects_faded_partly", "The targets fade to one half and stay clearly visible.", _remove_by(_fade_partly)),
    _cheat("objects_transformed", "The targets turn into other shapes of other colours.", _remove_by(_transform)),
    _cheat("objects_leave_outlines", "The targets become hollow; their coloured outlines stay.",
           _draw(_leave_outlines)),
    _cheat("objects_under_cards", "Grey cards cover the targets and stay.", _draw(_cover_targets)),
    _cheat("objects_kept_recoloured", "The targets are removed, but an object to keep changes its colour.",
           _change_one(_recolour)),
    _cheat("objects_kept_reshaped", "The targets are removed, but an object to keep changes its shape.",
           _change_one(_reshape)),
    _cheat("objects_kept_swells", "The targets are removed, but an object to keep grows by 70 percent.",
           _change_one(_swell)),
    _cheat("objects_kept_moved", "The targets are removed, but an object to keep moves far away.",
           _change_one(_push_aside)),
    _cheat("objects_kept_vanishes", "The targets are removed, and so is an object to keep.", _change_one(_vanish)),
    _cheat("objects_one_added", "The targets are removed, but a new cube appears in a free place.",
           _spoil(_add_object)),
)  # fmt: skip
