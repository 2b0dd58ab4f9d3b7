"""Scenes for rules about what objects look like: colour, shape, size, an enumeration, or the odd one out."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from vmevalkit.tasks.object_subtraction_task.scene import AREAS
from vmevalkit.tasks.object_subtraction_task.scene_drafts import (
    Appearance,
    SceneDraft,
    SceneSpec,
    leave_out_rival,
    place_appearances,
    round_to_even,
    sample_appearances,
    sample_sizes,
)

SIZE_STEP, SIZE_RANGE = 12, 15
"""For size rules: from the extreme objects to the next one, and from the smallest to the largest."""
AREA_STEP = 1.3
"""Factor by which the extreme objects are larger or smaller in area too, whatever the shapes."""


def build_colour_scene(rng: Random, spec: SceneSpec) -> SceneDraft | None:
    if len(spec.colours) < 2:
        return None
    value = rng.choice(spec.colours)
    others = [colour for colour in spec.colours if colour != value]
    return _build_attribute_scene(rng, spec, value, lambda: (value, rng.choice(spec.shapes)),
                                  lambda: (rng.choice(others), rng.choice(spec.shapes)))  # fmt: skip


def build_shape_scene(rng: Random, spec: SceneSpec) -> SceneDraft | None:
    shapes = leave_out_rival(rng, spec.shapes)
    if len(shapes) < 2:
        return None
    value = rng.choice(shapes)
    others = [shape for shape in shapes if shape != value]
    return _build_attribute_scene(rng, spec, value, lambda: (rng.choice(spec.colours), value),
                                  lambda: (rng.choice(spec.colours), rng.choice(others)))  # fmt: skip


def _build_attribute_scene(
    rng: Random,
    spec: SceneSpec,
    value: str,
    choose_target: Callable[[], Appearance],
    choose_other: Callable[[], Appearance],
) -> SceneDraft | None:
    count = min(spec.max_targets, rng.choice((1, 2, 2, 3, 3, 4)))
    appearances = [choose_target() for _ in range(count)] + [choose_other() for _ in range(spec.number - count)]
    things = place_appearances(rng, spec, appearances, sample_sizes(rng, spec, spec.number))
    return None if things is None else SceneDraft(things, tuple(range(count)), value)


def build_size_scene(rng: Random, spec: SceneSpec) -> SceneDraft | None:
    """Build a scene whose extreme objects have one shape and size, so that none is more extreme than another."""
    is_largest = rng.random() < 0.5
    count = min(spec.max_targets, rng.choice((1, 1, 1, 2, 2, 3)))
    appearances = sample_appearances(rng, spec, spec.number)
    appearances[:count] = [(colour, appearances[0][1]) for colour, _ in appearances[:count]]
    rest = sample_sizes(rng, spec, spec.number - count, *((22, 36) if is_largest else (34, 48)))
    step = (SIZE_STEP + rng.uniform(0, 8)) * spec.scale
    extreme = round_to_even(max(rest) + step + 1) if is_largest else round_to_even(min(rest) - step - 1)
    sizes = [extreme] * count + rest
    if max(sizes) - min(sizes) < SIZE_RANGE * spec.scale or extreme < 18 * spec.scale:
        return None
    areas = [AREAS[shape] * size**2 for (_, shape), size in zip(appearances, sizes, strict=True)]
    targets, others = areas[:count], areas[count:]
    ratio = min(targets) / max(others) if is_largest else min(others) / max(targets)
    if ratio < AREA_STEP:
        return None
    things = place_appearances(rng, spec, appearances, sizes)
    return None if things is None else SceneDraft(things, tuple(range(count)), "largest" if is_largest else "smallest")


def build_enumerated_scene(rng: Random, spec: SceneSpec) -> SceneDraft | None:
    """Build a scene with two or three targets, each the only object of its colour and shape."""
    shapes = leave_out_rival(rng, spec.shapes)
    pairs = [(colour, shape) for colour in spec.colours for shape in shapes]
    count = min(spec.max_targets, rng.choice((2, 3)))
    if count < 2 or len(pairs) <= count:
        return None
    listed = rng.sample(pairs, count)
    free = [pair for pair in pairs if pair not in listed]
    appearances = listed + [rng.choice(free) for _ in range(spec.number - count)]
    things = place_appearances(rng, spec, appearances, sample_sizes(rng, spec, spec.number))
    return None if things is None else SceneDraft(things, tuple(range(count)), listed=tuple(listed))


def build_outlier_scene(rng: Random, spec: SceneSpec) -> SceneDraft | None:
    """Build a scene with one object of a colour or a shape that no other object has.

    The others are equal. In a varied scene they have two looks, each several times, and the odd object shares its other
    attribute with some of them: no single glance tells it from the rest.
    """
    appearances = _choose_varied_outlier(rng, spec) if spec.varied else _choose_outlier(rng, spec)
    if appearances is None:
        return None
    size = round_to_even(rng.uniform(30, 42) * spec.scale)
    things = place_appearances(rng, spec, appearances, [size] * spec.number)
    return None if things is None else SceneDraft(things, (0,))


def _choose_outlier(rng: Random, spec: SceneSpec) -> list[Appearance]:
    """Return the appearances of the odd object and of the equal others."""
    colour, shape = rng.choice(spec.colours), rng.choice(spec.shapes)
    other_colours = [c for c in spec.colours if c != colour]
    other_shapes = [s for s in spec.shapes if s != shape]
    differences = ["colour"] * bool(other_colours) + ["shape"] * bool(other_shapes)
    differences += ["both"] * (len(differences) == 2)
    difference = rng.choice(differences)
    odd = (
        colour if difference == "shape" else rng.choice(other_colours),
        shape if difference == "colour" else rng.choice(other_shapes),
    )
    return [odd] + [(colour, shape)] * (spec.number - 1)


def _choose_varied_outlier(rng: Random, spec: SceneSpec) -> list[Appearance] | None:
    """Return the appearances of the odd object and of others with two looks; None where there are too few values."""
    shapes = leave_out_rival(rng, spec.shapes)
    if len(spec.colours) < 2 or len(shapes) < 2 or spec.number < 5:
        return None
    colours, shapes = rng.sample(spec.colours, 2), rng.sample(shapes, 2)
    odd = (colours[0], shapes[0])
    looks = [(colour, shapes[1]) for colour in colours]
    if rng.random() < 0.5:
        looks = [(colours[1], shape) for shape in shapes]
    rng.shuffle(looks)
    many = rng.randint(2, spec.number - 3)
    return [odd] + [looks[0]] * many + [looks[1]] * (spec.number - 1 - many)
