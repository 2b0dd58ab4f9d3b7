"""Trick videos of an object subtraction as trajectories of states: wrong answers, and unusual right answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import cos, pi, sin
from random import Random

from vmevalkit.tasks.object_subtraction_task.placement import GAP, MARGIN
from vmevalkit.tasks.object_subtraction_task.puzzle import ANIMATIONS, Animation, ObjectSubtraction
from vmevalkit.tasks.object_subtraction_task.scene import (
    COLOURS,
    NEW,
    SHAPES,
    ObjectScene,
    VisibleObject,
    build_scene,
    compute_box,
    make_visible,
    measure_gap,
)
from vmevalkit.tasks.object_subtraction_task.solution import animate_removal, get_solution_scene, remove_objects
from vmevalkit.tasks.task import StateTrajectory

_Change = Callable[[VisibleObject, float], VisibleObject]
"""Return an object that is changed by a share from 0 to 1."""
_StateFunction = Callable[[float], ObjectScene]
_Trajectories = dict[str, StateTrajectory[ObjectScene]]
_ANIMATION_TRICKS: Mapping[Animation, str] = {"fade": "faded", "slide": "slid_out", "shrink": "shrunk"}
_MOVED_PX, _NUDGED_PX, _JITTER_PX = 6.0, 2.0, 1.5


def list_cheats(puzzle: ObjectSubtraction, rng: Random) -> _Trajectories:
    """Return the trick videos that this scene allows."""
    return {**_list_wrong_removals(puzzle, rng), **_list_damages(puzzle, rng), **_list_unusual(puzzle, rng)}


def _list_wrong_removals(puzzle: ObjectSubtraction, rng: Random) -> _Trajectories:
    """Return videos in which the wrong objects are gone at the end."""
    targets = puzzle.targets
    kept = [thing.id for thing in puzzle.kept]
    spared, wrong = rng.choice(targets), rng.choice(kept)
    swapped = tuple(wrong if target == spared else target for target in targets)
    fewer = tuple(target for target in targets if target != spared)
    every = tuple(thing.id for thing in puzzle.things)
    fade_share = rng.uniform(0.4, 0.6)

    def come_back(t: float) -> ObjectScene:
        return get_solution_scene(puzzle, 2.2 * t if t < 0.5 else 2.2 * (1 - t))

    def fade_by_half(t: float) -> ObjectScene:
        opacity = 1 - fade_share * min(1.3 * t, 1.0)
        scene = get_solution_scene(puzzle, 0.0)
        return _change_objects(scene, targets, lambda visible, _: replace(visible, opacity=opacity), 1.0)

    trajectories: _Trajectories = {
        "wrong_object": StateTrajectory(
            _remove(puzzle, swapped), "fail", "another object is removed instead of one target"
        ),
        "one_too_many": StateTrajectory(_remove(puzzle, (*targets, wrong)), "fail", "one more object is removed"),
        "all_removed": StateTrajectory(_remove(puzzle, every), "fail", "every object is removed"),
        "come_back": StateTrajectory(come_back, "fail", "the removed objects come back"),
        "half_faded": StateTrajectory(fade_by_half, "fail", "the targets fade only by half"),
    }
    if fewer:
        trajectories["one_too_few"] = StateTrajectory(_remove(puzzle, fewer), "fail", "one target is not removed")
    return trajectories


def _list_damages(puzzle: ObjectSubtraction, rng: Random) -> _Trajectories:
    """Return videos in which the right objects leave and something else is damaged too."""
    victim = rng.choice(puzzle.kept)
    colour = rng.choice([name for name in COLOURS if name != victim.colour])
    shape = rng.choice([name for name in SHAPES if name != victim.shape])
    angle = rng.uniform(0, 2 * pi)
    dx, dy = (_MOVED_PX * puzzle.scale * part for part in (cos(angle), sin(angle)))
    factor = rng.choice((0.65, 1.4))
    changes: dict[str, tuple[_Change, str]] = {
        "kept_moved": (_shift(dx, dy), "an object that stays moves 6 pixels"),
        "kept_recoloured": (
            lambda v, s: replace(v, colour=colour if s > 0.5 else v.colour), "an object that stays changes its colour",
        ),
        "kept_reshaped": (
            lambda v, s: replace(v, shape=shape if s > 0.5 else v.shape), "an object that stays changes its shape",
        ),
        "kept_resized": (
            lambda v, s: replace(v, size=v.size * (1 + s * (factor - 1))), "an object that stays grows or shrinks",
        ),
    }  # fmt: skip
    trajectories: _Trajectories = {
        name: StateTrajectory(_change_during_solution(puzzle, victim.id, change), "fail", why)
        for name, (change, why) in changes.items()
    }
    new = _sample_new_object(puzzle, rng)
    if new is not None:
        trajectories["object_added"] = StateTrajectory(
            _add_object(puzzle, new), "fail", "the right objects leave, and a new one appears"
        )
    other = rng.choice([name for name in COLOURS if name != puzzle.things[puzzle.targets[0]].colour])

    def repaint(t: float) -> ObjectScene:
        scene = get_solution_scene(puzzle, 0.0)
        return _change_objects(
            scene, puzzle.targets, lambda v, _: replace(v, colour=other if t > 0.4 else v.colour), 1.0
        )

    trajectories["repainted"] = StateTrajectory(repaint, "fail", "the targets change their colour and stay")
    return trajectories


def _list_unusual(puzzle: ObjectSubtraction, rng: Random) -> _Trajectories:
    """Return videos that solve the puzzle in an unusual way."""
    animations = [animation for animation in ANIMATIONS if animation != puzzle.animation]
    kept = [thing.id for thing in puzzle.kept]
    victim = rng.choice(kept)
    angle, phase = rng.uniform(0, 2 * pi), rng.uniform(0, 2 * pi)
    nudge = _NUDGED_PX * puzzle.scale * cos(angle), _NUDGED_PX * puzzle.scale * sin(angle)
    amplitude = _JITTER_PX * puzzle.scale

    def jitter(t: float) -> ObjectScene:
        dx, dy = amplitude * sin(40 * t + phase), amplitude * cos(53 * t + phase)
        return _change_objects(get_solution_scene(puzzle, t), tuple(kept[::2]), _shift(dx, dy), min(1.0, 8 * t))

    def shrink_together(t: float) -> ObjectScene:
        objects = [make_visible(thing) for thing in puzzle.kept]
        for target in puzzle.targets:
            visible = animate_removal(puzzle, puzzle.things[target], t, "shrink")
            objects += [visible] if visible is not None else []
        return build_scene(objects)

    def fade_and_restore(t: float) -> ObjectScene:
        """A kept object fades out and in again while the targets leave."""
        opacity = min(1.0, abs(t - 0.4) / 0.25)
        scene = get_solution_scene(puzzle, t)
        return _change_objects(scene, (victim,), lambda visible, _: replace(visible, opacity=opacity), 1.0)

    trajectories: _Trajectories = {
        _ANIMATION_TRICKS[animation]: StateTrajectory(
            _remove(puzzle, puzzle.targets, animation), "pass", f"objects leave by another animation: {animation}"
        )
        for animation in animations
    }
    trajectories["nudged"] = StateTrajectory(
        _change_during_solution(puzzle, victim, _shift(*nudge)), "pass", "an object that stays moves 2 pixels"
    )
    trajectories["jitter"] = StateTrajectory(jitter, "pass", "objects that stay tremble by 1.5 pixels")
    trajectories["restored"] = StateTrajectory(
        fade_and_restore, "pass", "an object that stays fades out and comes back"
    )
    trajectories["together"] = StateTrajectory(shrink_together, "pass", "all targets shrink at the same time")
    if len(puzzle.targets) > 1:
        trajectories["other_order"] = StateTrajectory(
            _remove(puzzle, puzzle.targets[::-1]), "pass", "objects leave in the opposite order"
        )
    return trajectories


def _remove(puzzle: ObjectSubtraction, leaving: tuple[int, ...], animation: Animation | None = None) -> _StateFunction:
    return lambda t: remove_objects(puzzle, leaving, t, animation)


def _shift(dx: float, dy: float) -> _Change:
    return lambda visible, share: replace(visible, x=visible.x + share * dx, y=visible.y + share * dy)


def _change_during_solution(puzzle: ObjectSubtraction, object_id: int, change: _Change) -> _StateFunction:
    """Return the solution, while one object changes from a quarter to three quarters of its time."""
    return lambda t: _change_objects(
        get_solution_scene(puzzle, t), (object_id,), change, min(max(2 * t - 0.5, 0.0), 1.0)
    )


def _change_objects(scene: ObjectScene, ids: tuple[int, ...], change: _Change, share: float) -> ObjectScene:
    return build_scene(change(visible, share) if visible.id in ids else visible for visible in scene.objects)


def _add_object(puzzle: ObjectSubtraction, new: VisibleObject) -> _StateFunction:
    """Return the solution, in which a new object appears."""
    return lambda t: build_scene([*get_solution_scene(puzzle, t).objects, *([new] if t > 0.4 else [])])


def _sample_new_object(puzzle: ObjectSubtraction, rng: Random) -> VisibleObject | None:
    """Return an object that is not the puzzle's, at a free place; None where there is no room."""
    size = round(rng.uniform(24, 36) * puzzle.scale)
    colour, shape = rng.choice(list(COLOURS)), rng.choice(SHAPES)
    low, high = MARGIN * puzzle.scale + size / 2, puzzle.canvas - MARGIN * puzzle.scale - size / 2
    for _ in range(200):
        x, y = rng.uniform(low, high), rng.uniform(low, high)
        box = compute_box(shape, x, y, size)
        if all(measure_gap(box, thing.box) >= GAP * puzzle.scale for thing in puzzle.things):
            return VisibleObject(NEW, colour, shape, x, y, size)
    return None
