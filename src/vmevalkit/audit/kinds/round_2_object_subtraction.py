"""Kinds of the second round for object subtraction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import cos, pi, sin
from random import Random

from vmevalkit.audit.kinds.effects import draw_over, fill_like, make_soft_disc, mix_by_mask
from vmevalkit.audit.kinds.kind import VideoKind, make_cheat_kind, make_honest_kind
from vmevalkit.audit.kinds.timeline import LONG_END, Moment, Painter, StateAt, ease, paint_states, rise
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.object_subtraction_task.puzzle import ObjectSubtraction
from vmevalkit.tasks.object_subtraction_task.scene import ObjectScene, VisibleObject, build_scene, make_visible
from vmevalkit.tasks.task import AnyTask

_NEEDS = ("object_subtraction",)
ChangeTarget = Callable[[VisibleObject, float], VisibleObject | None]


def _list_kept(puzzle: ObjectSubtraction) -> list[VisibleObject]:
    return [make_visible(thing) for thing in puzzle.kept]


def _list_targets(puzzle: ObjectSubtraction) -> list[VisibleObject]:
    return [make_visible(thing) for thing in puzzle.things if thing.id in puzzle.targets]


def _change_targets(puzzle: ObjectSubtraction, change: ChangeTarget) -> StateAt:
    """Return the scene at any time where the targets change together and vanish where the change returns None."""

    def state_at(t: float) -> ObjectScene:
        share = rise(t, 0.1, 0.9)
        changed = [change(target, share) for target in _list_targets(puzzle)]
        return build_scene([*_list_kept(puzzle), *(target for target in changed if target is not None)])

    return state_at


def _spiral_away(task: AnyTask, puzzle: ObjectSubtraction, rng: Random) -> Painter:
    del rng

    def change(target: VisibleObject, share: float) -> VisibleObject | None:
        if share >= 1:
            return None
        angle, radius = 4 * pi * share, 0.2 * target.size * sin(pi * share)
        x, y = target.x + radius * cos(angle), target.y + radius * sin(angle)
        return replace(target, x=x, y=y, size=target.size * (1 - share))

    return paint_states(task, puzzle, _change_targets(puzzle, change))


def _float_away(task: AnyTask, puzzle: ObjectSubtraction, rng: Random) -> Painter:
    del rng

    def change(target: VisibleObject, share: float) -> VisibleObject | None:
        y = target.y - ease(share) * (target.y + target.size)
        return None if share >= 1 else replace(target, x=target.x + 3 * puzzle.scale * sin(9 * share), y=y)

    return paint_states(task, puzzle, _change_targets(puzzle, change))


def _puff(task: AnyTask, puzzle: ObjectSubtraction, rng: Random) -> Painter:
    del rng
    before, after = (task.draw(puzzle, task.solution(puzzle, t)) for t in (0.0, 1.0))

    def paint(moment: Moment) -> Frame:
        frame = after if moment.t >= 0.5 else before
        strength = sin(pi * rise(moment.t, 0.15, 0.85)) ** 0.5 if 0.15 < moment.t < 0.85 else 0.0
        for target in _list_targets(puzzle) if strength else ():
            for part in range(6):
                x = target.x + 0.35 * target.size * cos(pi * part / 3)
                y = target.y + 0.35 * target.size * sin(pi * part / 3)
                mask = strength * make_soft_disc(frame, x, y, 0.4 * target.size, 0.15 * target.size)
                frame = mix_by_mask(frame, fill_like(frame, (214, 214, 218)), mask)
        return frame

    return paint


def _announce(task: AnyTask, puzzle: ObjectSubtraction, rng: Random) -> Painter:
    """Return a painter of targets that tremble before they fade."""
    del rng

    def change(target: VisibleObject, share: float) -> VisibleObject | None:
        tremble = 2 * puzzle.scale * sin(40 * share) * (share < 0.5)
        left = 1 - rise(share, 0.5, 1.0)
        return replace(target, x=target.x + tremble, opacity=left) if left > 0 else None

    return paint_states(task, puzzle, _change_targets(puzzle, change))


def _change_kept(
    change: Callable[[list[VisibleObject], ObjectSubtraction, float], list[VisibleObject]],
) -> Callable[[AnyTask, ObjectSubtraction, Random], Painter]:
    """Return a builder of videos in which the targets leave and then the objects to keep change."""

    def build(task: AnyTask, puzzle: ObjectSubtraction, rng: Random) -> Painter:
        del rng

        def paint(moment: Moment) -> Frame:
            share = ease(rise(1.4 - moment.remaining_s, 0.0, 0.5))
            if share <= 0:
                return task.draw(puzzle, task.solution(puzzle, moment.t))
            return task.draw(puzzle, build_scene(change(_list_kept(puzzle), puzzle, share)))

        return paint

    return build


def _fade_first(kept: list[VisibleObject], puzzle: ObjectSubtraction, share: float) -> list[VisibleObject]:
    del puzzle
    return [replace(kept[0], opacity=1 - 0.75 * share), *kept[1:]]


def _tidy_up(kept: list[VisibleObject], puzzle: ObjectSubtraction, share: float) -> list[VisibleObject]:
    """Return the objects on their way into one row across the image."""
    step = puzzle.canvas / len(kept)
    ordered = sorted(kept, key=lambda thing: thing.x)
    y = 0.5 * puzzle.canvas
    return [
        replace(thing, x=thing.x + share * ((n + 0.5) * step - thing.x), y=thing.y + share * (y - thing.y))
        for n, thing in enumerate(ordered)
    ]


def _bring_back_elsewhere(task: AnyTask, puzzle: ObjectSubtraction, rng: Random) -> Painter:
    """Return a painter of targets that fade away and come back at places that were free."""
    kept, targets = _list_kept(puzzle), _list_targets(puzzle)
    taken = [*kept, *targets]
    returned: list[VisibleObject] = []
    for target in targets:
        margin = target.size / 2 + 4 * puzzle.scale
        places = [
            (rng.uniform(margin, puzzle.canvas - margin), rng.uniform(margin, puzzle.canvas - margin))
            for _ in range(60)
        ]

        def measure_room(place: tuple[float, float]) -> float:
            return min(max(abs(place[0] - thing.x), abs(place[1] - thing.y)) - thing.size / 2 for thing in taken)

        x, y = max(places, key=measure_room)
        returned.append(replace(target, x=x, y=y))
        taken.append(returned[-1])

    def paint(moment: Moment) -> Frame:
        share = ease(rise(1.2 - moment.remaining_s, 0.0, 0.4))
        if share <= 0:
            return task.draw(puzzle, task.solution(puzzle, moment.t))
        return task.draw(puzzle, build_scene([*kept, *(replace(thing, opacity=share) for thing in returned)]))

    return paint


def _cut_kept_in_half(task: AnyTask, puzzle: ObjectSubtraction, rng: Random) -> Painter:
    del rng
    thing = max(_list_kept(puzzle), key=lambda visible: visible.size)
    left, top, right, bottom = thing.box

    def paint(moment: Moment) -> Frame:
        frame = task.draw(puzzle, task.solution(puzzle, moment.t)).copy()
        if moment.remaining_s <= 0.9:
            frame[round((top + bottom) / 2) : round(bottom) + 2, round(left) - 1 : round(right) + 2] = 255
        return frame

    return paint


def _cross_out(task: AnyTask, puzzle: ObjectSubtraction, rng: Random) -> Painter:
    del rng
    question = task.draw(puzzle, task.solution(puzzle, 0.0))

    def paint(moment: Moment) -> Frame:
        share = rise(moment.t, 0.2, 0.7)

        def draw(canvas: Canvas) -> None:
            for target in _list_targets(puzzle):
                left, top, right, bottom = target.box
                width, height = share * (right - left), share * (bottom - top)
                canvas.line([(left, top), (left + width, top + height)], "#111111", 3.0)
                canvas.line([(right, top), (right - width, top + height)], "#111111", 3.0)

        return draw_over(question, draw) if share > 0 else question

    return paint


ROUND_2_OBJECT_SUBTRACTION: tuple[VideoKind, ...] = (
    make_honest_kind(
        "objects_spiral_away", "The targets spiral about their places and shrink to nothing.", _spiral_away, _NEEDS
    ),
    make_honest_kind(
        "objects_float_away",
        "The targets float up like balloons and leave through the upper edge.",
        _float_away,
        _NEEDS,
    ),
    make_honest_kind(
        "objects_in_smoke", "Grey smoke hides each target; when it clears, the target is gone.", _puff, _NEEDS
    ),
    make_honest_kind("objects_tremble_first", "The targets tremble, then fade away.", _announce, _NEEDS),
    make_cheat_kind(
        "objects_kept_pale",
        "The targets are removed, but an object to keep fades to a quarter.",
        _change_kept(_fade_first),
        _NEEDS,
        LONG_END,
    ),
    make_cheat_kind(
        "objects_tidied_up",
        "The targets are removed, but all objects to keep are lined up in a row.",
        _change_kept(_tidy_up),
        _NEEDS,
        LONG_END,
    ),
    make_cheat_kind(
        "objects_return_elsewhere",
        "The targets fade away and come back at other places.",
        _bring_back_elsewhere,
        _NEEDS,
        LONG_END,
    ),
    make_cheat_kind(
        "objects_kept_halved",
        "The targets are removed, but the largest object to keep loses its lower half.",
        _cut_kept_in_half,
        _NEEDS,
        LONG_END,
    ),
    make_cheat_kind("objects_crossed_out", "The targets are only crossed out; they stay.", _cross_out, _NEEDS),
)
"""Kinds of the second round for object subtraction."""
