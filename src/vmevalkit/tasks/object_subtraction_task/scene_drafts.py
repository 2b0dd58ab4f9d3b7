"""What all scene builders share: the specification of a scene, its draft, and the choice of looks, sizes and places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from vmevalkit.tasks.object_subtraction_task.placement import BoxFilter, allow_any_box, place_objects
from vmevalkit.tasks.object_subtraction_task.scene import SceneObject, compute_scale

SIZES = (24, 44)
"""Sizes of objects where the rule does not concern size."""
CLEAR = 8.0
"""Pixels by which an object is ahead of the next one in a relation, or away from the line between two regions."""

RIVALS = ("pyramid", "cone")
"""Shapes whose names a person may confuse: both are drawn narrower at the top."""

Appearance: TypeAlias = tuple[str, str]
"""Colour and shape."""


@dataclass(frozen=True, slots=True)
class SceneSpec:
    """What a scene is built from."""

    number: int
    """Number of objects."""
    colours: tuple[str, ...]
    shapes: tuple[str, ...]
    canvas: int
    varied: bool = False
    """Whether the objects of an odd-one-out scene vary."""

    @property
    def scale(self) -> float:
        return compute_scale(self.canvas)

    @property
    def max_targets(self) -> int:
        return self.number - min_kept(self.number)


@dataclass(frozen=True, slots=True)
class SceneDraft:
    """A scene and the objects that its rule selects."""

    things: tuple[SceneObject, ...]
    targets: tuple[int, ...]
    """Indices of the selected objects."""
    value: str = ""
    """The rule's value."""
    listed: tuple[Appearance, ...] = ()
    """The listed objects of an enumeration."""


def leave_out_rival(rng: Random, shapes: Sequence[str]) -> list[str]:
    """Return the shapes without pyramid or without cone, at random: one may be taken for the other where a prompt names
    it."""
    left_out = rng.choice(RIVALS) if set(RIVALS) <= set(shapes) else None
    return [shape for shape in shapes if shape != left_out]


def min_kept(number: int) -> int:
    """Return how many of so many objects stay at least."""
    return min(3, number - 2)


def place_appearances(
    rng: Random,
    spec: SceneSpec,
    appearances: Sequence[Appearance],
    sizes: Sequence[int],
    is_allowed: BoxFilter = allow_any_box,
) -> tuple[SceneObject, ...] | None:
    """Return objects with these appearances and sizes at random places; None where they do not fit."""
    shapes = [(shape, size) for (_, shape), size in zip(appearances, sizes, strict=True)]
    centres = place_objects(rng, spec.canvas, shapes, is_allowed)
    if centres is None:
        return None
    return tuple(
        SceneObject(index, colour, shape, x, y, size)
        for index, ((colour, shape), size, (x, y)) in enumerate(zip(appearances, sizes, centres, strict=True))
    )


def round_to_even(length: float) -> int:
    """Return an even length, so that a square ends on whole pixels."""
    return 2 * round(length / 2)


def sample_sizes(
    rng: Random, spec: SceneSpec, number: int, least: float = SIZES[0], most: float = SIZES[1]
) -> list[int]:
    return [round_to_even(rng.uniform(least, most) * spec.scale) for _ in range(number)]


def sample_appearances(rng: Random, spec: SceneSpec, number: int) -> list[Appearance]:
    return [(rng.choice(spec.colours), rng.choice(spec.shapes)) for _ in range(number)]


def sample_objects(
    rng: Random, spec: SceneSpec, is_allowed: BoxFilter = allow_any_box
) -> tuple[SceneObject, ...] | None:
    """Return a random scene; None where the objects do not fit."""
    appearances = sample_appearances(rng, spec, spec.number)
    return place_appearances(rng, spec, appearances, sample_sizes(rng, spec, spec.number), is_allowed)
