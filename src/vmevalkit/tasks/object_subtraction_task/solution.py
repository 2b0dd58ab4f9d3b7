"""The reference solution: how the objects leave, and the scene at each time."""

from __future__ import annotations

from dataclasses import replace

from vmevalkit.tasks.object_subtraction_task.puzzle import Animation, ObjectSubtraction
from vmevalkit.tasks.object_subtraction_task.scene import ObjectScene, SceneObject, VisibleObject, make_visible

_OVERLAP = 0.4
"""Share of an object's removal during which the next removal runs already."""
_END_TOLERANCE = 1e-3


def get_solution_scene(puzzle: ObjectSubtraction, t: float) -> ObjectScene:
    """Return the scene at time t of the reference solution: the targets leave one after the other, overlapping."""
    return remove_objects(puzzle, puzzle.targets, t)


def remove_objects(
    puzzle: ObjectSubtraction, leaving: tuple[int, ...], t: float, animation: Animation | None = None
) -> ObjectScene:
    """Return the scene at time t, from 0 to 1, of a video in which some objects leave in this order."""
    length = 1 / (1 + (1 - _OVERLAP) * (len(leaving) - 1)) if leaving else 1.0
    start_times = {object_id: (1 - _OVERLAP) * length * place for place, object_id in enumerate(leaving)}
    objects = []
    for thing in puzzle.things:
        if thing.id not in start_times:
            objects.append(make_visible(thing))
            continue
        share = min(max((t - start_times[thing.id]) / length, 0.0), 1.0)
        visible = animate_removal(puzzle, thing, share, animation or puzzle.animation)
        if visible is not None:
            objects.append(visible)
    return ObjectScene(tuple(objects))  # already in order of ids


def animate_removal(
    puzzle: ObjectSubtraction, thing: SceneObject, share: float, animation: Animation
) -> VisibleObject | None:
    """Return an object after this share of its removal; None when it is gone."""
    if share >= 1 - _END_TOLERANCE:
        return None
    visible = make_visible(thing)
    if share <= 0:
        return visible
    if animation == "fade":
        return replace(visible, opacity=1 - share * share * (3 - 2 * share))
    if animation == "shrink":
        return replace(visible, size=thing.size * (1 - share))
    exit_x, exit_y = find_exit(puzzle, thing)
    distance = share * share
    return replace(visible, x=thing.x + distance * exit_x, y=thing.y + distance * exit_y)


def find_exit(puzzle: ObjectSubtraction, thing: SceneObject) -> tuple[float, float]:
    """Return the shift in x and y that moves an object out of the image.

    It passes as few other objects as possible, and is the shortest of these.
    """
    left, top, right, bottom = thing.box
    side = puzzle.canvas
    shifts = [(-right, 0.0), (side - left, 0.0), (0.0, -bottom), (0.0, side - top)]

    def compute_cost(shift: tuple[float, float]) -> tuple[int, float]:
        swept = (
            min(left, left + shift[0]), min(top, top + shift[1]),
            max(right, right + shift[0]), max(bottom, bottom + shift[1]),
        )  # fmt: skip
        crossed = sum(
            swept[0] < other.box[2] and swept[2] > other.box[0] and swept[1] < other.box[3] and swept[3] > other.box[1]
            for other in puzzle.things
            if other.id != thing.id
        )
        return crossed, abs(shift[0]) + abs(shift[1])

    return min(shifts, key=compute_cost)
