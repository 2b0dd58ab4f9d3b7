"""Scenes made for a rule: each maker chooses looks and sizes, lays them out, and names what shall be removed.

A maker returns None where the dice fell badly; it is then asked again. That a scene means what it should is proved
elsewhere (``certificate``), by reading the rule anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from random import Random
from typing import TypeAlias

from vmevalkit.tasks.object_subtraction_task.placement import Allowed, anywhere, place
from vmevalkit.tasks.object_subtraction_task.scene import AREAS, Box, Thing, unit

SIZES = (24, 44)
"""Of objects whose size does not matter."""
SIZE_STEP, SIZE_RANGE = 12, 15
"""Where size matters: from the extreme objects to the next one, and from the smallest to the largest."""
AREA_STEP = 1.3
"""The extreme objects are so many times larger or smaller in area too, whatever the shapes."""
CLEAR = 8.0
"""How far, in pixels, an object is ahead of the next one in a relation, or off the line between two regions."""


def least_kept(number: int) -> int:
    """How many objects stay at least, of so many."""
    return min(3, number - 2)


Look: TypeAlias = tuple[str, str]
"""Colour and shape."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a scene is made from."""

    number: int
    colours: tuple[str, ...]
    shapes: tuple[str, ...]
    canvas: int

    @property
    def unit(self) -> float:
        return unit(self.canvas)

    @property
    def most_targets(self) -> int:
        return self.number - least_kept(self.number)


@dataclass(frozen=True, slots=True)
class Draft:
    """A scene with the objects that a rule means, as indices."""

    things: tuple[Thing, ...]
    targets: tuple[int, ...]
    value: str = ""
    listed: tuple[Look, ...] = ()


Maker = Callable[[Random, Wanted], Draft | None]


def _laid(
    rng: Random, wanted: Wanted, looks: Sequence[Look], sizes: Sequence[int], allowed: Allowed = anywhere
) -> tuple[Thing, ...] | None:
    centres = place(rng, wanted.canvas, [(shape, size) for (_, shape), size in zip(looks, sizes, strict=True)], allowed)
    if centres is None:
        return None
    return tuple(
        Thing(index, colour, shape, x, y, size)
        for index, ((colour, shape), size, (x, y)) in enumerate(zip(looks, sizes, centres, strict=True))
    )


def _even(length: float) -> int:
    """Even, so that a square ends on whole pixels."""
    return 2 * round(length / 2)


def _sizes(rng: Random, wanted: Wanted, number: int, least: float = SIZES[0], most: float = SIZES[1]) -> list[int]:
    return [_even(rng.uniform(least, most) * wanted.unit) for _ in range(number)]


def _looks(rng: Random, wanted: Wanted, number: int) -> list[Look]:
    return [(rng.choice(wanted.colours), rng.choice(wanted.shapes)) for _ in range(number)]


def _number(rng: Random, most: int) -> int:
    """Mostly one to three."""
    return min(most, rng.choice((1, 2, 2, 3, 3, 4)))


def by_colour(rng: Random, wanted: Wanted) -> Draft | None:
    if len(wanted.colours) < 2:
        return None
    value = rng.choice(wanted.colours)
    others = [colour for colour in wanted.colours if colour != value]
    return _by_attribute(rng, wanted, value, lambda: (value, rng.choice(wanted.shapes)),
                         lambda: (rng.choice(others), rng.choice(wanted.shapes)))  # fmt: skip


def by_shape(rng: Random, wanted: Wanted) -> Draft | None:
    if len(wanted.shapes) < 2:
        return None
    value = rng.choice(wanted.shapes)
    others = [shape for shape in wanted.shapes if shape != value]
    return _by_attribute(rng, wanted, value, lambda: (rng.choice(wanted.colours), value),
                         lambda: (rng.choice(wanted.colours), rng.choice(others)))  # fmt: skip


def _by_attribute(
    rng: Random, wanted: Wanted, value: str, target: Callable[[], Look], other: Callable[[], Look]
) -> Draft | None:
    count = _number(rng, wanted.most_targets)
    looks = [target() for _ in range(count)] + [other() for _ in range(wanted.number - count)]
    things = _laid(rng, wanted, looks, _sizes(rng, wanted, wanted.number))
    return None if things is None else Draft(things, tuple(range(count)), value)


def by_size(rng: Random, wanted: Wanted) -> Draft | None:
    """The extreme objects are all of one shape and size, so that none of them is more extreme than another."""
    largest = rng.random() < 0.5
    count = min(wanted.most_targets, rng.choice((1, 1, 1, 2, 2, 3)))
    looks = _looks(rng, wanted, wanted.number)
    looks[:count] = [(colour, looks[0][1]) for colour, _ in looks[:count]]
    rest = _sizes(rng, wanted, wanted.number - count, *((22, 36) if largest else (34, 48)))
    step = (SIZE_STEP + rng.uniform(0, 8)) * wanted.unit
    extreme = _even(max(rest) + step + 1) if largest else _even(min(rest) - step - 1)
    sizes = [extreme] * count + rest
    if max(sizes) - min(sizes) < SIZE_RANGE * wanted.unit or extreme < 18 * wanted.unit:
        return None
    areas = [AREAS[shape] * size**2 for (_, shape), size in zip(looks, sizes, strict=True)]
    ahead = min(areas[:count]) / max(areas[count:]) if largest else min(areas[count:]) / max(areas[:count])
    if ahead < AREA_STEP:
        return None
    things = _laid(rng, wanted, looks, sizes)
    return None if things is None else Draft(things, tuple(range(count)), "largest" if largest else "smallest")


def enumerated(rng: Random, wanted: Wanted) -> Draft | None:
    """Two or three objects, each the only one of its colour and shape; the others may share either."""
    pairs = [(colour, shape) for colour in wanted.colours for shape in wanted.shapes]
    count = min(wanted.most_targets, rng.choice((2, 3)))
    if count < 2 or len(pairs) <= count:
        return None
    listed = rng.sample(pairs, count)
    free = [pair for pair in pairs if pair not in listed]
    looks = listed + [rng.choice(free) for _ in range(wanted.number - count)]
    things = _laid(rng, wanted, looks, _sizes(rng, wanted, wanted.number))
    return None if things is None else Draft(things, tuple(range(count)), listed=tuple(listed))


def _scene(rng: Random, wanted: Wanted, allowed: Allowed = anywhere) -> tuple[Thing, ...] | None:
    return _laid(rng, wanted, _looks(rng, wanted, wanted.number), _sizes(rng, wanted, wanted.number), allowed)


Measure = Callable[[Thing], float]
"""How an object stands in a relation: the least is the first."""


def _ahead(things: Sequence[Thing], measures: Iterable[Measure], counts: Iterable[int], clear: float) -> list[int]:
    """For which numbers of objects the first are the same, and clearly ahead, by every measure."""
    orders = []
    for measure in measures:
        ranked = sorted((measure(thing), thing.id) for thing in things)
        orders.append(ranked)
    return [
        count
        for count in counts
        if len({frozenset(thing_id for _, thing_id in ranked[:count]) for ranked in orders}) == 1
        and all(ranked[count][0] - ranked[count - 1][0] >= clear for ranked in orders)
    ]


def _first(rng: Random, wanted: Wanted, value: str, measures: Sequence[Measure], counts: Iterable[int]) -> Draft | None:
    things = _scene(rng, wanted)
    if things is None:
        return None
    possible = _ahead(things, measures, [c for c in counts if c <= wanted.most_targets], CLEAR * wanted.unit)
    if not possible:
        return None
    count = rng.choice(possible)
    ranked = sorted(things, key=measures[0])[:count]
    return Draft(things, tuple(sorted(thing.id for thing in ranked)), value)


SIDES: Mapping[str, tuple[Measure, Measure]] = {
    "leftmost": (lambda t: t.x, lambda t: t.box[0]),
    "rightmost": (lambda t: -t.x, lambda t: -t.box[2]),
    "topmost": (lambda t: t.y, lambda t: t.box[1]),
    "bottommost": (lambda t: -t.y, lambda t: -t.box[3]),
}
"""By the middle and by the outer edge: both must agree."""


def side(rng: Random, wanted: Wanted) -> Draft | None:
    value = rng.choice(list(SIDES))
    return _first(rng, wanted, value, SIDES[value], (1, 2, 3))


QUADRANTS = ("upper left", "upper right", "lower left", "lower right")


def corner(rng: Random, wanted: Wanted) -> Draft | None:
    """The nearest to any corner, or the nearest one or two to a named one."""
    edge = float(wanted.canvas)
    corners = {f"the {name}": (edge * ("right" in name), edge * ("lower" in name)) for name in QUADRANTS}
    value = rng.choice(["a", "a", *corners])
    meant = list(corners.values()) if value == "a" else [corners[value]]

    def by_middle(thing: Thing) -> float:
        return min(hypot(thing.x - x, thing.y - y) for x, y in meant)

    def by_box(thing: Thing) -> float:
        return min(_reach(thing.box, x, y) for x, y in meant)

    return _first(rng, wanted, value, (by_middle, by_box), (1,) if value == "a" else (1, 2))


def center(rng: Random, wanted: Wanted) -> Draft | None:
    middle = wanted.canvas / 2
    value = rng.choice(("closest to", "farthest from"))
    sign = 1 if value == "closest to" else -1

    def by_middle(thing: Thing) -> float:
        return sign * hypot(thing.x - middle, thing.y - middle)

    def by_box(thing: Thing) -> float:
        return sign * _reach(thing.box, middle, middle)

    return _first(rng, wanted, value, (by_middle, by_box), (1, 2))


def _reach(box: Box, x: float, y: float) -> float:
    """From a point to the nearest point of a box."""
    return hypot(max(box[0] - x, 0.0, x - box[2]), max(box[1] - y, 0.0, y - box[3]))


def half(rng: Random, wanted: Wanted) -> Draft | None:
    value = rng.choice(("upper", "lower", "left", "right"))
    return _region(rng, wanted, value)


def quadrant(rng: Random, wanted: Wanted) -> Draft | None:
    return _region(rng, wanted, rng.choice(QUADRANTS))


def _region(rng: Random, wanted: Wanted, value: str) -> Draft | None:
    """All objects lie wholly in the region or wholly outside, clear of its border."""
    middle, clear = wanted.canvas / 2, CLEAR * wanted.unit

    def within(box: Box) -> bool | None:
        """Whether a box is in the region; None on the border."""
        spans = {"upper": (box[1], box[3]), "left": (box[0], box[2])}
        spans |= {"lower": (-box[3], -box[1]), "right": (-box[2], -box[0])}
        lines = [(middle if word in ("upper", "left") else -middle, *spans[word]) for word in value.split()]
        if min(line - far for line, _, far in lines) >= clear:
            return True
        return False if max(near - line for line, near, _ in lines) >= clear else None

    things = _scene(rng, wanted, lambda box: within(box) is not None)
    if things is None:
        return None
    targets = tuple(thing.id for thing in things if within(thing.box))
    return Draft(things, targets, value) if 1 <= len(targets) <= wanted.most_targets else None


def outlier(rng: Random, wanted: Wanted) -> Draft | None:
    """All objects look alike, but one of another colour, shape, or both."""
    colour, shape = rng.choice(wanted.colours), rng.choice(wanted.shapes)
    other_colours = [c for c in wanted.colours if c != colour]
    other_shapes = [s for s in wanted.shapes if s != shape]
    kinds = ["colour"] * bool(other_colours) + ["shape"] * bool(other_shapes)
    kinds += ["both"] * (len(kinds) == 2)
    kind = rng.choice(kinds)
    odd = (
        colour if kind == "shape" else rng.choice(other_colours),
        shape if kind == "colour" else rng.choice(other_shapes),
    )
    looks = [odd] + [(colour, shape)] * (wanted.number - 1)
    size = _even(rng.uniform(30, 42) * wanted.unit)
    things = _laid(rng, wanted, looks, [size] * wanted.number)
    return None if things is None else Draft(things, (0,))


MAKERS: Mapping[str, Maker] = {
    "color": by_colour,
    "shape": by_shape,
    "size": by_size,
    "enumerated": enumerated,
    "side": side,
    "half": half,
    "quadrant": quadrant,
    "corner": corner,
    "center": center,
    "outlier": outlier,
}
"""By the kind of rule."""
