"""Scenes for rules about where objects are: extreme ones, halves and quadrants, corners, and the center."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import hypot
from random import Random

from vmevalkit.tasks.object_subtraction_task.scene import Box, SceneObject
from vmevalkit.tasks.object_subtraction_task.scene_drafts import CLEAR, SceneDraft, SceneSpec, sample_objects

Measure = Callable[[SceneObject], float]
"""The rank of an object in a relation: the lowest value is the first."""

_SIDES: Mapping[str, tuple[Measure, Measure]] = {
    "leftmost": (lambda t: t.x, lambda t: t.box[0]),
    "rightmost": (lambda t: -t.x, lambda t: -t.box[2]),
    "topmost": (lambda t: t.y, lambda t: t.box[1]),
    "bottommost": (lambda t: -t.y, lambda t: -t.box[3]),
}
"""By the middle and by the outer edge: both must select the same objects."""
_QUADRANTS = ("upper left", "upper right", "lower left", "lower right")


def build_side_scene(rng: Random, spec: SceneSpec) -> SceneDraft | None:
    value = rng.choice(list(_SIDES))
    return _build_ranked_scene(rng, spec, value, _SIDES[value], (1, 2, 3))


def build_corner_scene(rng: Random, spec: SceneSpec) -> SceneDraft | None:
    """Build a scene for the object nearest to any corner, or for the nearest one or two to a named corner."""
    edge = float(spec.canvas)
    corners = {f"the {name}": (edge * ("right" in name), edge * ("lower" in name)) for name in _QUADRANTS}
    value = rng.choice(["a", "a", *corners])
    chosen = list(corners.values()) if value == "a" else [corners[value]]

    def measure_middle(thing: SceneObject) -> float:
        return min(hypot(thing.x - x, thing.y - y) for x, y in chosen)

    def measure_box(thing: SceneObject) -> float:
        return min(_measure_distance(thing.box, x, y) for x, y in chosen)

    return _build_ranked_scene(rng, spec, value, (measure_middle, measure_box), (1,) if value == "a" else (1, 2))


def build_center_scene(rng: Random, spec: SceneSpec) -> SceneDraft | None:
    middle = spec.canvas / 2
    value = rng.choice(("closest to", "farthest from"))
    sign = 1 if value == "closest to" else -1

    def measure_middle(thing: SceneObject) -> float:
        return sign * hypot(thing.x - middle, thing.y - middle)

    def measure_box(thing: SceneObject) -> float:
        return sign * _measure_distance(thing.box, middle, middle)

    return _build_ranked_scene(rng, spec, value, (measure_middle, measure_box), (1, 2))


def _measure_distance(box: Box, x: float, y: float) -> float:
    """Return the distance from a point to the nearest point of a box."""
    return hypot(max(box[0] - x, 0.0, x - box[2]), max(box[1] - y, 0.0, y - box[3]))


def _build_ranked_scene(
    rng: Random, spec: SceneSpec, value: str, measures: Sequence[Measure], counts: Iterable[int]
) -> SceneDraft | None:
    """Build a scene whose first objects by all measures are the targets; None where they are not clear."""
    things = sample_objects(rng, spec)
    if things is None:
        return None
    possible = _find_clear_counts(things, measures, [c for c in counts if c <= spec.max_targets], CLEAR * spec.scale)
    if not possible:
        return None
    count = rng.choice(possible)
    ranked = sorted(things, key=measures[0])[:count]
    return SceneDraft(things, tuple(sorted(thing.id for thing in ranked)), value)


def _find_clear_counts(
    things: Sequence[SceneObject], measures: Iterable[Measure], counts: Iterable[int], clear: float
) -> list[int]:
    """Return the counts for which the first objects are the same, and clearly ahead, by every measure."""
    rankings = [sorted((measure(thing), thing.id) for thing in things) for measure in measures]
    return [
        count
        for count in counts
        if len({frozenset(object_id for _, object_id in ranking[:count]) for ranking in rankings}) == 1
        and all(ranking[count][0] - ranking[count - 1][0] >= clear for ranking in rankings)
    ]


def build_half_scene(rng: Random, spec: SceneSpec) -> SceneDraft | None:
    value = rng.choice(("upper", "lower", "left", "right"))
    return _build_region_scene(rng, spec, value)


def build_quadrant_scene(rng: Random, spec: SceneSpec) -> SceneDraft | None:
    return _build_region_scene(rng, spec, rng.choice(_QUADRANTS))


def _build_region_scene(rng: Random, spec: SceneSpec, value: str) -> SceneDraft | None:
    """Build a scene whose objects are wholly inside or wholly outside a region, clear of its border."""
    middle, clear = spec.canvas / 2, CLEAR * spec.scale

    def is_within(box: Box) -> bool | None:
        """Return whether a box is in the region; None on the border."""
        spans = {"upper": (box[1], box[3]), "left": (box[0], box[2])}
        spans |= {"lower": (-box[3], -box[1]), "right": (-box[2], -box[0])}
        lines = [(middle if word in ("upper", "left") else -middle, *spans[word]) for word in value.split()]
        if min(line - far for line, _, far in lines) >= clear:
            return True
        return False if max(near - line for line, near, _ in lines) >= clear else None

    things = sample_objects(rng, spec, lambda box: is_within(box) is not None)
    if things is None:
        return None
    targets = tuple(thing.id for thing in things if is_within(thing.box))
    return SceneDraft(things, targets, value) if 1 <= len(targets) <= spec.max_targets else None
