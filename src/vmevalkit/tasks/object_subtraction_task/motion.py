"""What happens from reading to reading: objects that vanish, jump, dissolve together, or are disturbed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import hypot

from vmevalkit.tasks.object_subtraction_task.object_subtraction_reasoning import ObjectSubtraction
from vmevalkit.tasks.object_subtraction_task.scene import Piece, Scene, Thing

Seen = Sequence[tuple[float, Scene]]
"""The readable glimpses."""

BELIEVED, BELIEVED_S = 3, 0.2
"""So many readings in a row are believed, or two that span this time."""
AT_ONCE_S = 0.15
"""Of what happens between readings farther apart, nobody can say that it happened at once."""
WHOLE = 0.85
"""An object that is at least this opaque and this large, relative to what it was, has not begun to go."""
INSIDE_PX = 8.0
"""Closer to the picture's edge an object may have gone out."""
JUMP_PX, CALM_PX = 64.0, 16.0
"""A step is a jump when it is longer than this, after a step that was shorter than that."""
TOGETHER, TOGETHER_READINGS = 0.1, 3
"""Opacities that differ by no more, in so many readings, change as one."""


def disturbed_since(seen: Seen, holds: Callable[[Scene], bool]) -> float | None:
    """When something began to hold that then held for long enough to be believed."""
    began, count = 0.0, 0
    for seconds, state in seen:
        if not holds(state):
            count = 0
            continue
        began, count = (seconds, 1) if not count else (began, count + 1)
        if count >= BELIEVED or (count >= 2 and seconds - began >= BELIEVED_S):
            return began
    return None


def vanishings(puzzle: ObjectSubtraction, seen: Seen) -> list[tuple[float, int]]:
    """Targets that are whole in one reading and gone in the next ones, and when."""
    found = []
    for target in puzzle.targets:
        thing = puzzle.things[target]
        for place, ((was_s, was), (now_s, now)) in enumerate(pairwise(seen)):
            piece = was.get(target)
            if piece is None or now.get(target) is not None or now_s - was_s > AT_ONCE_S:
                continue
            stays_away = place + 2 >= len(seen) or seen[place + 2][1].get(target) is None
            if stays_away and _is_whole(thing, piece) and _is_inside(puzzle, piece):
                found.append((now_s, target))
                break
    return sorted(found)


def _is_whole(thing: Thing, piece: Piece) -> bool:
    return piece.opacity >= WHOLE and piece.size >= WHOLE * thing.size


def _is_inside(puzzle: ObjectSubtraction, piece: Piece) -> bool:
    left, top, right, bottom = piece.box
    return min(left, top, puzzle.canvas - right, puzzle.canvas - bottom) > INSIDE_PX * puzzle.unit


def jumps(puzzle: ObjectSubtraction, seen: Seen) -> list[tuple[float, int]]:
    """Objects that leap after they were calm, and when."""
    found = []
    for thing in puzzle.things:
        last_step = 0.0
        for (was_s, was), (now_s, now) in pairwise(seen):
            one, other = was.get(thing.id), now.get(thing.id)
            if one is None or other is None:
                continue
            step = hypot(other.x - one.x, other.y - one.y) / puzzle.unit
            if step > JUMP_PX and last_step < CALM_PX and now_s - was_s <= AT_ONCE_S:
                found.append((now_s, thing.id))
            last_step = step
    return sorted(found)


def lockstep_since(puzzle: ObjectSubtraction, seen: Seen) -> float | None:
    """When two or more targets begin to fade as one, all of them, and at their places."""
    if len(puzzle.targets) < 2:
        return None
    fading = []
    for seconds, state in seen:
        pieces = [state.get(target) for target in puzzle.targets]
        opacities = [0.0 if piece is None else piece.opacity for piece in pieces]
        if max(opacities) < 0.2 or min(opacities) > WHOLE:
            continue
        if max(opacities) - min(opacities) > TOGETHER + 0.12 * (min(opacities) < 0.2):
            return None
        fading.append(seconds)
    return fading[0] if len(fading) >= TOGETHER_READINGS else None
