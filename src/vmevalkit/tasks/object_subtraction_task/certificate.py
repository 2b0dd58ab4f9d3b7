"""The proof that a puzzle is sound: its rule is read anew, object by object, and must mean the named targets and no
other reading. Nothing here is shared with the makers but the margins that they promise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import combinations
from math import dist

from vmevalkit.core.errors import Uncertified
from vmevalkit.tasks.object_subtraction_task.makers import AREA_STEP, CLEAR, SIZE_RANGE, SIZE_STEP, least_kept
from vmevalkit.tasks.object_subtraction_task.object_subtraction_reasoning import FEWEST, KINDS, MOST, ObjectSubtraction
from vmevalkit.tasks.object_subtraction_task.placement import GAP, MARGIN
from vmevalkit.tasks.object_subtraction_task.scene import COLOURS, SHAPES, Thing

Sides = Callable[[Thing], tuple[float, float]]
"""Two readings of how far an object stands in a relation, both of which must hold."""
_EXACT = 1e-9


def certify(puzzle: ObjectSubtraction) -> None:
    """Raises Uncertified unless the scene is legal and the rule means exactly the targets, whoever reads it."""
    _check_scene(puzzle)
    rule = puzzle.rule
    if rule.kind not in KINDS.get(rule.level, ()):
        raise Uncertified(f"{rule.kind!r} is no rule of level {rule.level!r}; wanted one of {KINDS.get(rule.level)}")
    ids = {thing.id for thing in puzzle.things}
    if list(rule.targets) != sorted(set(rule.targets)) or not set(rule.targets) <= ids:
        raise Uncertified(f"the targets {rule.targets} are not objects of the scene, each once and in order")
    if not rule.targets or len(puzzle.kept) < least_kept(len(puzzle.things)):
        raise Uncertified(f"{len(rule.targets)} of {len(puzzle.things)} objects go; wanted some to go, some to stay")
    _READERS[rule.kind](puzzle)


def _check_scene(puzzle: ObjectSubtraction) -> None:
    things, scale = puzzle.things, puzzle.unit
    if not FEWEST <= len(things) <= MOST or [thing.id for thing in things] != list(range(len(things))):
        raise Uncertified(f"{len(things)} objects; wanted {FEWEST} to {MOST}, numbered from 0")
    for thing in things:
        if thing.colour not in COLOURS or thing.shape not in SHAPES:
            raise Uncertified(f"object {thing.id} is a {thing.colour} {thing.shape}, which has no name")
    boxes = [thing.box for thing in things]
    margin = MARGIN * scale - _EXACT
    for number, (left, top, right, bottom) in enumerate(boxes):
        if left < margin or top < margin or puzzle.canvas - right < margin or puzzle.canvas - bottom < margin:
            raise Uncertified(f"object {number} is closer than {MARGIN * scale:g} pixels to the picture's edge")
    for (one, (left, top, right, bottom)), (other, (left2, top2, right2, bottom2)) in combinations(enumerate(boxes), 2):
        apart = max(left - right2, left2 - right, top - bottom2, top2 - bottom)
        if apart < GAP * scale - _EXACT:
            raise Uncertified(f"objects {one} and {other} are {apart:.1f} pixels apart; wanted {GAP * scale:g}")


def _split(puzzle: ObjectSubtraction) -> tuple[list[Thing], list[Thing]]:
    """The targets, and the others."""
    chosen = [thing for thing in puzzle.things if thing.id in puzzle.targets]
    return chosen, [thing for thing in puzzle.things if thing.id not in puzzle.targets]


def _must_mean(puzzle: ObjectSubtraction, meant: set[int]) -> None:
    if meant != set(puzzle.targets):
        raise Uncertified(f"{puzzle.rule.kind} {puzzle.rule.value!r} means {sorted(meant)}, not {puzzle.targets}")


def _colour(puzzle: ObjectSubtraction) -> None:
    _must_mean(puzzle, {thing.id for thing in puzzle.things if thing.colour == puzzle.rule.value})


def _shape(puzzle: ObjectSubtraction) -> None:
    _must_mean(puzzle, {thing.id for thing in puzzle.things if thing.shape == puzzle.rule.value})


def _size(puzzle: ObjectSubtraction) -> None:
    """The targets are alike, and beyond all others by width and by area."""
    sign = {"largest": 1, "smallest": -1}.get(puzzle.rule.value)
    if sign is None:
        raise Uncertified(f"a size of {puzzle.rule.value!r}; wanted largest or smallest")
    chosen, others = _split(puzzle)
    if len({(thing.shape, thing.size) for thing in chosen}) > 1:
        raise Uncertified("the extreme objects differ in shape or size, so one is more extreme than the others")
    for thing in others:
        if sign * (chosen[0].size - thing.size) < SIZE_STEP * puzzle.unit - _EXACT:
            raise Uncertified(f"object {thing.id} is nearly as extreme in size as the targets")
        if (chosen[0].area / thing.area) ** sign < AREA_STEP - _EXACT:
            raise Uncertified(f"object {thing.id} is nearly as extreme in area as the targets")
    sizes = [thing.size for thing in puzzle.things]
    if max(sizes) - min(sizes) < SIZE_RANGE * puzzle.unit - _EXACT:
        raise Uncertified(f"sizes from {min(sizes)} to {max(sizes)}; wanted a range of {SIZE_RANGE * puzzle.unit:g}")


def _enumerated(puzzle: ObjectSubtraction) -> None:
    listed = puzzle.rule.listed
    looks = Counter((thing.colour, thing.shape) for thing in puzzle.things)
    if not 2 <= len(listed) <= 3 or any(looks[pair] != 1 for pair in listed):
        raise Uncertified(f"the list {listed} does not name two or three objects, each by its colour and shape alone")
    _must_mean(puzzle, {thing.id for thing in puzzle.things if (thing.colour, thing.shape) in listed})


def _foremost(puzzle: ObjectSubtraction, sides: Sides) -> None:
    """Every target is clearly ahead of every other object, by both readings."""
    chosen, others = _split(puzzle)
    for target in chosen:
        for other in others:
            for ahead, behind in zip(sides(target), sides(other), strict=True):
                if behind - ahead < CLEAR * puzzle.unit - _EXACT:
                    raise Uncertified(
                        f"objects {target.id} and {other.id} are {behind - ahead:.1f} pixels apart in "
                        f"{puzzle.rule.kind} {puzzle.rule.value!r}; wanted {CLEAR * puzzle.unit:g}"
                    )


def _side(puzzle: ObjectSubtraction) -> None:
    readings: Mapping[str, Sides] = {
        "leftmost": lambda t: (t.x, t.x - t.size / 2),
        "rightmost": lambda t: (-t.x, -t.x - t.size / 2),
        "topmost": lambda t: (t.y, t.box[1]),
        "bottommost": lambda t: (-t.y, -t.box[3]),
    }
    if puzzle.rule.value not in readings:
        raise Uncertified(f"a side of {puzzle.rule.value!r}; wanted one of {sorted(readings)}")
    _foremost(puzzle, readings[puzzle.rule.value])


def _corner(puzzle: ObjectSubtraction) -> None:
    edge = puzzle.canvas
    names = {"the upper left": (0, 0), "the upper right": (edge, 0), "the lower left": (0, edge)}
    names["the lower right"] = (edge, edge)
    value = puzzle.rule.value
    if value != "a" and value not in names:
        raise Uncertified(f"the corner {value!r}; wanted 'a' or one of {sorted(names)}")
    if value == "a" and len(puzzle.targets) > 1:
        raise Uncertified("several objects closest to any corner: each corner has a closest one")
    corners = list(names.values()) if value == "a" else [names[value]]
    _foremost(puzzle, lambda t: (min(dist((t.x, t.y), c) for c in corners), min(_from(c, t) for c in corners)))


def _center(puzzle: ObjectSubtraction) -> None:
    sign = {"closest to": 1, "farthest from": -1}.get(puzzle.rule.value)
    if sign is None:
        raise Uncertified(f"objects {puzzle.rule.value!r} the center; wanted 'closest to' or 'farthest from'")
    middle = (puzzle.canvas / 2, puzzle.canvas / 2)
    _foremost(puzzle, lambda t: (sign * dist((t.x, t.y), middle), sign * _from(middle, t)))


def _from(point: tuple[float, float], thing: Thing) -> float:
    """To the nearest point of the object's box."""
    left, top, right, bottom = thing.box
    return dist(point, (min(max(point[0], left), right), min(max(point[1], top), bottom)))


def _half(puzzle: ObjectSubtraction) -> None:
    if puzzle.rule.value not in ("upper", "lower", "left", "right"):
        raise Uncertified(f"the half {puzzle.rule.value!r}; wanted upper, lower, left or right")
    _region(puzzle)


def _quadrant(puzzle: ObjectSubtraction) -> None:
    words = puzzle.rule.value.split()
    if len(words) != 2 or words[0] not in ("upper", "lower") or words[1] not in ("left", "right"):
        raise Uncertified(f"the quadrant {puzzle.rule.value!r}; wanted such as 'upper left'")
    _region(puzzle)


def _region(puzzle: ObjectSubtraction) -> None:
    """A target is wholly inside and clear of each line; another object is wholly beyond one of them."""
    middle, clear = puzzle.canvas / 2, CLEAR * puzzle.unit - _EXACT
    meant = set()
    for thing in puzzle.things:
        left, top, right, bottom = thing.box
        sides = {"upper": (top, bottom), "left": (left, right)}
        sides |= {"lower": (2 * middle - bottom, 2 * middle - top), "right": (2 * middle - right, 2 * middle - left)}
        # Seen from the region's side of each line: from the object's near end to its far end.
        spans = [sides[word] for word in puzzle.rule.value.split()]
        if all(far <= middle - clear for _, far in spans):
            meant.add(thing.id)
        elif not any(near >= middle + clear for near, _ in spans):
            raise Uncertified(f"object {thing.id} is on the border of the {puzzle.rule.value} {puzzle.rule.kind}")
    _must_mean(puzzle, meant)


def _outlier(puzzle: ObjectSubtraction) -> None:
    """One object looks different; all others are alike in colour, shape and size, which nobody else has."""
    chosen, others = _split(puzzle)
    if len(chosen) != 1:
        raise Uncertified(f"{len(chosen)} objects are odd; wanted one")
    if len({(thing.colour, thing.shape) for thing in others}) != 1:
        raise Uncertified("the others differ in colour or shape, so one of them may be taken for the odd one")
    if len({thing.size for thing in puzzle.things}) != 1:
        raise Uncertified("sizes differ, so one of the others may be taken for the odd one")
    if (chosen[0].colour, chosen[0].shape) == (others[0].colour, others[0].shape):
        raise Uncertified(f"object {chosen[0].id} looks like all the others")


_READERS: Mapping[str, Callable[[ObjectSubtraction], None]] = {
    "color": _colour,
    "shape": _shape,
    "size": _size,
    "enumerated": _enumerated,
    "side": _side,
    "half": _half,
    "quadrant": _quadrant,
    "corner": _corner,
    "center": _center,
    "outlier": _outlier,
}
