"""Rules of an object subtraction: which objects are gone, which are unchanged, and what went wrong. No pixels here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from math import hypot
from statistics import median

from vmevalkit.core.records import Finding
from vmevalkit.tasks.evidence import find_first_start
from vmevalkit.tasks.object_subtraction_task.metrics import compute_metrics
from vmevalkit.tasks.object_subtraction_task.motion import (
    Readings,
    find_common_fade_start,
    find_jumps,
    find_vanishings,
)
from vmevalkit.tasks.object_subtraction_task.puzzle import ObjectSubtraction
from vmevalkit.tasks.object_subtraction_task.scene import NEW, ObjectScene, SceneObject, VisibleObject, build_scene
from vmevalkit.tasks.task import CheckResult, Trace, readable

MOVED_PX = 4.0
"""A kept object that is farther from its place has moved: the specification's 3 pixels, and 1 for the reading error."""
GONE_OPACITY = 0.15
GONE_SIZE = 5.0
"""An object that is fainter or smaller is gone."""
MIN_KEPT_OPACITY = 0.7
SAME_SIZE = (0.8, 1.25)
"""Range of the size of an unchanged object, relative to its size in the first frame."""
UNTOUCHED_OPACITY = 0.85
"""A target with at least this opacity has not started to leave."""
FINAL_S = 0.5
"""The readings of this last time decide on the final scene."""


def is_gone(puzzle: ObjectSubtraction, visible: VisibleObject | None) -> bool:
    """Return whether an object is removed."""
    return visible is None or visible.opacity < GONE_OPACITY or visible.size < GONE_SIZE * puzzle.scale


def find_damage(puzzle: ObjectSubtraction, thing: SceneObject, visible: VisibleObject | None) -> str | None:
    """Return what happened to an object that should have stayed unchanged; None where nothing did."""
    if visible is None or is_gone(puzzle, visible):
        return "lost"
    if visible.colour != thing.colour:
        return "recoloured"
    if visible.shape != thing.shape:
        return "reshaped"
    if not SAME_SIZE[0] <= visible.size / thing.size <= SAME_SIZE[1]:
        return "resized"
    if hypot(visible.x - thing.x, visible.y - thing.y) > MOVED_PX * puzzle.scale:
        return "moved"
    return "faded" if visible.opacity < MIN_KEPT_OPACITY else None


def find_damages(puzzle: ObjectSubtraction, state: ObjectScene) -> dict[int, str]:
    """Return what happened to the objects that should have stayed unchanged, by id."""
    found = {thing.id: find_damage(puzzle, thing, state.get(thing.id)) for thing in puzzle.kept}
    return {object_id: damage for object_id, damage in found.items() if damage is not None}


def is_intact(puzzle: ObjectSubtraction, state: ObjectScene) -> bool:
    """Return whether every object that stays is as it was, and nothing is new."""
    return not find_damages(puzzle, state) and not state.new_objects


def is_accepted(puzzle: ObjectSubtraction, state: ObjectScene) -> bool:
    """Return whether the targets are gone, all others are unchanged, and nothing is new."""
    are_gone = all(is_gone(puzzle, state.get(target)) for target in puzzle.targets)
    return are_gone and is_intact(puzzle, state)


def measure_progress(puzzle: ObjectSubtraction, state: ObjectScene) -> float:
    """Return how much of the targets is gone, divided by the number of targets, damaged and new objects."""
    if is_accepted(puzzle, state):
        return 1.0
    removed = sum(_measure_removal(puzzle, state.get(target)) for target in puzzle.targets)
    wrong = len(find_damages(puzzle, state)) + len(state.new_objects)
    return removed / (len(puzzle.targets) + wrong)


def _measure_removal(puzzle: ObjectSubtraction, visible: VisibleObject | None) -> float:
    """Return how far an object is removed, from 0 to 1."""
    if visible is None or is_gone(puzzle, visible):
        return 1.0
    return min(max((UNTOUCHED_OPACITY - visible.opacity) / UNTOUCHED_OPACITY, 0.0), 1.0)


def build_state_key(puzzle: ObjectSubtraction, state: ObjectScene) -> Hashable:
    """Return a key in which unchanged objects are equal whatever the reading error; others are rounded."""
    return tuple(
        (visible.id,)
        if visible.id != NEW and find_damage(puzzle, puzzle.things[visible.id], visible) is None
        else (visible.id, visible.colour, visible.shape, *_round_object(puzzle, visible))
        for visible in state.objects
    )


def _round_object(puzzle: ObjectSubtraction, visible: VisibleObject) -> tuple[int, ...]:
    step = 16 * puzzle.scale
    return (
        round(visible.x / step),
        round(visible.y / step),
        round(visible.size / (8 * puzzle.scale)),
        round(3 * visible.opacity),
    )


def find_consensus_state(puzzle: ObjectSubtraction, states: Sequence[ObjectScene]) -> ObjectScene:
    """Return each object that most states have, at the median of its readings."""
    objects = []
    for thing in puzzle.things:
        readings = [visible for state in states if (visible := state.get(thing.id)) is not None]
        if 2 * len(readings) > len(states):
            objects.append(_find_median(readings))
    counts = sorted((len(state.new_objects), place) for place, state in enumerate(states))
    objects += states[counts[len(counts) // 2][1]].new_objects
    return build_scene(objects, states[-1].camera)


def _find_median(readings: Sequence[VisibleObject]) -> VisibleObject:
    (colour, shape), _ = Counter((visible.colour, visible.shape) for visible in readings).most_common(1)[0]
    x, y, size, opacity = (
        median(values) for values in zip(*((v.x, v.y, v.size, v.opacity) for v in readings), strict=True)
    )
    return VisibleObject(readings[0].id, colour, shape, x, y, size, opacity)


def check_trace(puzzle: ObjectSubtraction, trace: Trace[ObjectScene]) -> CheckResult:
    """Return the findings and metrics of a video."""
    readings = readable(trace)
    if not readings:
        return CheckResult()
    last_s = readings[-1][0]
    final = find_consensus_state(puzzle, [state for seconds, state in readings if seconds > last_s - FINAL_S])
    damages = find_damages(puzzle, final)
    vanishings = find_vanishings(puzzle, readings)
    jumps = find_jumps(puzzle, readings)
    findings = [
        *_report_damages(puzzle, damages, readings),
        *_report_new_objects(final, readings),
        *_report_disturbance(puzzle, damages, readings),
        *_report_vanishings(puzzle, vanishings),
        *_report_common_fade(puzzle, readings),
        *_report_jumps(puzzle, jumps),
    ]
    metrics = compute_metrics(puzzle, final, len(readings), len(vanishings) + len(jumps))
    return CheckResult(tuple(findings), metrics | {"readable_share": round(len(readings) / len(trace), 4)})


_DAMAGE_TEXTS = {
    "lost": "vanishes",
    "recoloured": "changes its colour",
    "reshaped": "changes its shape",
    "resized": "changes its size",
    "moved": "is moved",
    "faded": "fades",
}


def _detect_damage(puzzle: ObjectSubtraction, thing: SceneObject) -> Callable[[ObjectScene], bool]:
    return lambda state: find_damage(puzzle, thing, state.get(thing.id)) is not None


def _report_damages(puzzle: ObjectSubtraction, damages: dict[int, str], readings: Readings) -> Iterator[Finding]:
    """Yield a finding for each kind of damage at the end."""
    for damage in dict.fromkeys(damages.values()):
        things = [puzzle.things[object_id] for object_id, happened in damages.items() if happened == damage]
        starts = [find_first_start(readings, _detect_damage(puzzle, thing)) for thing in things]
        names = " and ".join(_describe_object(thing) for thing in things)
        start_s = min((start for start in starts if start is not None), default=readings[-1][0])
        detail = f"An object that should stay {_DAMAGE_TEXTS[damage]}: {names}."
        yield Finding(f"kept_{damage}", True, detail, start_s)


def _report_new_objects(final: ObjectScene, readings: Readings) -> Iterator[Finding]:
    if final.new_objects:
        start_s = find_first_start(readings, lambda state: bool(state.new_objects))
        names = " and ".join(f"{_describe_colour(new.colour)} {new.shape}" for new in final.new_objects)
        detail = f"There is a new object at the end: {names}."
        yield Finding("object_added", True, detail, readings[-1][0] if start_s is None else start_s)


def _report_disturbance(puzzle: ObjectSubtraction, damages: dict[int, str], readings: Readings) -> Iterator[Finding]:
    """Yield a finding for the first object that was damaged for a while and is restored at the end."""
    for thing in puzzle.kept:
        if thing.id in damages:
            continue
        start_s = find_first_start(readings, _detect_damage(puzzle, thing))
        if start_s is not None:
            detail = f"An object that should stay is disturbed for a while, and restored: {_describe_object(thing)}."
            yield Finding("kept_disturbed", False, detail, start_s)
            return


def _report_vanishings(puzzle: ObjectSubtraction, vanishings: list[tuple[float, int]]) -> Iterator[Finding]:
    if vanishings:
        names = " and ".join(_describe_object(puzzle.things[object_id]) for _, object_id in vanishings)
        yield Finding("vanished_at_once", False, f"Gone from one frame to the next: {names}.", vanishings[0][0])


def _report_common_fade(puzzle: ObjectSubtraction, readings: Readings) -> Iterator[Finding]:
    start_s = find_common_fade_start(puzzle, readings)
    if start_s is not None:
        detail = "All removed objects fade together, as in a dissolve between two images."
        yield Finding("dissolved_together", False, detail, start_s)


def _report_jumps(puzzle: ObjectSubtraction, jumps: list[tuple[float, int]]) -> Iterator[Finding]:
    if jumps:
        seconds, object_id = jumps[0]
        detail = f"An object jumps to another place: {_describe_object(puzzle.things[object_id])}."
        yield Finding("teleport", False, detail, seconds)


def _describe_object(thing: SceneObject) -> str:
    return f"the {thing.colour} {thing.shape} (object {thing.id})"


def _describe_colour(colour: str) -> str:
    return colour if not colour.startswith("#") else "unknown-coloured"
