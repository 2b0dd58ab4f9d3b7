"""Events between readings: objects that vanish, jump, dissolve together, or are disturbed for a while."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import hypot

from vmevalkit.tasks.object_subtraction_task.puzzle import ObjectSubtraction
from vmevalkit.tasks.object_subtraction_task.scene import ObjectScene, SceneObject, VisibleObject

Readings = Sequence[tuple[float, ObjectScene]]
"""The readable readings, with their times in seconds."""

AT_ONCE_S = 0.15
"""A change between readings that are farther apart may be gradual."""
WHOLE = 0.85
"""An object with at least this opacity and this share of its size has not started to leave."""
INSIDE_PX = 8.0
"""An object closer to the edge of the image may have left through it."""
JUMP_PX, CALM_PX = 64.0, 16.0
"""A step is a jump when it is longer than the first, after a step that was shorter than the second."""
TOGETHER, TOGETHER_READINGS = 0.1, 3
"""Opacities that differ by no more, in at least so many readings, fade together."""


def find_vanishings(puzzle: ObjectSubtraction, readings: Readings) -> list[tuple[float, int]]:
    """Return time and id of the targets that are whole in one reading and gone in the next ones."""
    found = []
    for target in puzzle.targets:
        thing = puzzle.things[target]
        for place, ((before_s, before), (after_s, after)) in enumerate(pairwise(readings)):
            visible = before.get(target)
            if visible is None or after.get(target) is not None or after_s - before_s > AT_ONCE_S:
                continue
            stays_away = place + 2 >= len(readings) or readings[place + 2][1].get(target) is None
            if stays_away and _is_whole(thing, visible) and _is_inside(puzzle, visible):
                found.append((after_s, target))
                break
    return sorted(found)


def _is_whole(thing: SceneObject, visible: VisibleObject) -> bool:
    return visible.opacity >= WHOLE and visible.size >= WHOLE * thing.size


def _is_inside(puzzle: ObjectSubtraction, visible: VisibleObject) -> bool:
    left, top, right, bottom = visible.box
    return min(left, top, puzzle.canvas - right, puzzle.canvas - bottom) > INSIDE_PX * puzzle.scale


def find_jumps(puzzle: ObjectSubtraction, readings: Readings) -> list[tuple[float, int]]:
    """Return time and id of the objects that jump after a calm step."""
    found = []
    for thing in puzzle.things:
        last_step = 0.0
        for (before_s, before), (after_s, after) in pairwise(readings):
            one, other = before.get(thing.id), after.get(thing.id)
            if one is None or other is None:
                continue
            step = hypot(other.x - one.x, other.y - one.y) / puzzle.scale
            if step > JUMP_PX and last_step < CALM_PX and after_s - before_s <= AT_ONCE_S:
                found.append((after_s, thing.id))
            last_step = step
    return sorted(found)


def find_common_fade_start(puzzle: ObjectSubtraction, readings: Readings) -> float | None:
    """Return when two or more targets, and all of them, start to fade together; None where they do not."""
    if len(puzzle.targets) < 2:
        return None
    fading = []
    for seconds, state in readings:
        objects = [state.get(target) for target in puzzle.targets]
        opacities = [0.0 if visible is None else visible.opacity for visible in objects]
        if max(opacities) < 0.2 or min(opacities) > WHOLE:
            continue
        if max(opacities) - min(opacities) > TOGETHER + 0.12 * (min(opacities) < 0.2):
            return None
        fading.append(seconds)
    return fading[0] if len(fading) >= TOGETHER_READINGS else None
