"""Proof that a puzzle is sound: its rule is applied independently and must select exactly the named targets.

Nothing here is shared with the scene builders but the margins that they guarantee.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import combinations
from math import dist

from vmevalkit.core.errors import Uncertified
from vmevalkit.tasks.object_subtraction_task.attribute_builders import AREA_STEP, SIZE_RANGE, SIZE_STEP
from vmevalkit.tasks.object_subtraction_task.placement import GAP, MARGIN
from vmevalkit.tasks.object_subtraction_task.puzzle import MAX_OBJECTS, MIN_OBJECTS, RULE_KINDS, ObjectSubtraction
from vmevalkit.tasks.object_subtraction_task.scene import COLOURS, SHAPES, SceneObject
from vmevalkit.tasks.object_subtraction_task.scene_drafts import CLEAR, min_kept

RankPair = Callable[[SceneObject], tuple[float, float]]
"""The rank of an object in a relation by two measures, which must agree; the lowest is the first."""
_TOLERANCE = 1e-9


def certify(puzzle: ObjectSubtraction) -> None:
    """Prove that the scene is legal and that the rule selects exactly the targets. Raises Uncertified."""
    _check_scene(puzzle)
    rule = puzzle.rule
    if rule.kind not in RULE_KINDS.get(rule.level, ()):
        kinds = RULE_KINDS.get(rule.level)
        raise Uncertified(f"{rule.kind!r} is not a rule of level {rule.level!r}; use one of {kinds}")
    ids = {thing.id for thing in puzzle.things}
    if list(rule.targets) != sorted(set(rule.targets)) or not set(rule.targets) <= ids:
        raise Uncertified(f"the targets {rule.targets} are not objects of the scene, each once and in order")
    if not rule.targets or len(puzzle.kept) < min_kept(len(puzzle.things)):
        raise Uncertified(
            f"{len(rule.targets)} of {len(puzzle.things)} objects are removed; "
            f"remove at least 1 and keep at least {min_kept(len(puzzle.things))}"
        )
    _RULE_CHECKS[rule.kind](puzzle)


def _check_scene(puzzle: ObjectSubtraction) -> None:
    things, scale = puzzle.things, puzzle.scale
    if not MIN_OBJECTS <= len(things) <= MAX_OBJECTS or [thing.id for thing in things] != list(range(len(things))):
        raise Uncertified(f"{len(things)} objects; use {MIN_OBJECTS} to {MAX_OBJECTS}, numbered from 0")
    for thing in things:
        if thing.colour not in COLOURS or thing.shape not in SHAPES:
            raise Uncertified(f"object {thing.id} is a {thing.colour} {thing.shape}, which is not a known look")
    boxes = [thing.box for thing in things]
    margin = MARGIN * scale - _TOLERANCE
    for number, (left, top, right, bottom) in enumerate(boxes):
        if left < margin or top < margin or puzzle.canvas - right < margin or puzzle.canvas - bottom < margin:
            raise Uncertified(f"object {number} is closer than {MARGIN * scale:g} pixels to the edge of the image")
    for (one, (left, top, right, bottom)), (other, (left2, top2, right2, bottom2)) in combinations(enumerate(boxes), 2):
        distance = max(left - right2, left2 - right, top - bottom2, top2 - bottom)
        if distance < GAP * scale - _TOLERANCE:
            raise Uncertified(
                f"objects {one} and {other} are {distance:.1f} pixels apart; at least {GAP * scale:g} are required"
            )


def _split_objects(puzzle: ObjectSubtraction) -> tuple[list[SceneObject], list[SceneObject]]:
    """Return the targets, and the others."""
    targets = [thing for thing in puzzle.things if thing.id in puzzle.targets]
    return targets, [thing for thing in puzzle.things if thing.id not in puzzle.targets]


def _require_selection(puzzle: ObjectSubtraction, selected: set[int]) -> None:
    if selected != set(puzzle.targets):
        raise Uncertified(f"{puzzle.rule.kind} {puzzle.rule.value!r} selects {sorted(selected)}, not {puzzle.targets}")


def _check_colour(puzzle: ObjectSubtraction) -> None:
    _require_selection(puzzle, {thing.id for thing in puzzle.things if thing.colour == puzzle.rule.value})


def _check_shape(puzzle: ObjectSubtraction) -> None:
    _require_selection(puzzle, {thing.id for thing in puzzle.things if thing.shape == puzzle.rule.value})


def _check_size(puzzle: ObjectSubtraction) -> None:
    """Check that the targets are equal, and beyond all others by width and by area."""
    sign = {"largest": 1, "smallest": -1}.get(puzzle.rule.value)
    if sign is None:
        raise Uncertified(f"the size {puzzle.rule.value!r} is not known; use largest or smallest")
    targets, others = _split_objects(puzzle)
    if len({(thing.shape, thing.size) for thing in targets}) > 1:
        raise Uncertified("the extreme objects differ in shape or size, so one is more extreme than the others")
    for thing in others:
        if sign * (targets[0].size - thing.size) < SIZE_STEP * puzzle.scale - _TOLERANCE:
            raise Uncertified(f"object {thing.id} is nearly as extreme in size as the targets")
        if (targets[0].area / thing.area) ** sign < AREA_STEP - _TOLERANCE:
            raise Uncertified(f"object {thing.id} is nearly as extreme in area as the targets")
    sizes = [thing.size for thing in puzzle.things]
    size_range = SIZE_RANGE * puzzle.scale
    if max(sizes) - min(sizes) < size_range - _TOLERANCE:
        raise Uncertified(f"sizes from {min(sizes)} to {max(sizes)}; a range of {size_range:g} is required")


def _check_enumerated(puzzle: ObjectSubtraction) -> None:
    listed = puzzle.rule.listed
    counts = Counter((thing.colour, thing.shape) for thing in puzzle.things)
    if not 2 <= len(listed) <= 3 or any(counts[pair] != 1 for pair in listed):
        raise Uncertified(f"the list {listed} does not name two or three objects, each unique in colour and shape")
    _require_selection(puzzle, {thing.id for thing in puzzle.things if (thing.colour, thing.shape) in listed})


def _check_ranking(puzzle: ObjectSubtraction, rank: RankPair) -> None:
    """Check that every target is clearly ahead of every other object by both measures."""
    targets, others = _split_objects(puzzle)
    clear = CLEAR * puzzle.scale
    for target in targets:
        for other in others:
            for first, second in zip(rank(target), rank(other), strict=True):
                if second - first < clear - _TOLERANCE:
                    raise Uncertified(
                        f"objects {target.id} and {other.id} are {second - first:.1f} pixels apart in "
                        f"{puzzle.rule.kind} {puzzle.rule.value!r}; at least {clear:g} are required"
                    )


def _check_side(puzzle: ObjectSubtraction) -> None:
    ranks: Mapping[str, RankPair] = {
        "leftmost": lambda t: (t.x, t.x - t.size / 2),
        "rightmost": lambda t: (-t.x, -t.x - t.size / 2),
        "topmost": lambda t: (t.y, t.box[1]),
        "bottommost": lambda t: (-t.y, -t.box[3]),
    }
    if puzzle.rule.value not in ranks:
        raise Uncertified(f"the side {puzzle.rule.value!r} is not known; use one of {sorted(ranks)}")
    _check_ranking(puzzle, ranks[puzzle.rule.value])


def _check_corner(puzzle: ObjectSubtraction) -> None:
    edge = puzzle.canvas
    names = {"the upper left": (0, 0), "the upper right": (edge, 0), "the lower left": (0, edge)}
    names["the lower right"] = (edge, edge)
    value = puzzle.rule.value
    if value != "a" and value not in names:
        raise Uncertified(f"the corner {value!r} is not known; use 'a' or one of {sorted(names)}")
    if value == "a" and len(puzzle.targets) > 1:
        raise Uncertified("several objects closest to any corner are ambiguous: each corner has a closest one")
    corners = list(names.values()) if value == "a" else [names[value]]
    _check_ranking(
        puzzle,
        lambda t: (min(dist((t.x, t.y), c) for c in corners), min(_measure_distance(c, t) for c in corners)),
    )


def _check_center(puzzle: ObjectSubtraction) -> None:
    sign = {"closest to": 1, "farthest from": -1}.get(puzzle.rule.value)
    if sign is None:
        raise Uncertified(f"objects {puzzle.rule.value!r} the center; use 'closest to' or 'farthest from'")
    middle = (puzzle.canvas / 2, puzzle.canvas / 2)
    _check_ranking(puzzle, lambda t: (sign * dist((t.x, t.y), middle), sign * _measure_distance(middle, t)))


def _measure_distance(point: tuple[float, float], thing: SceneObject) -> float:
    """Return the distance from a point to the nearest point of the object's box."""
    left, top, right, bottom = thing.box
    return dist(point, (min(max(point[0], left), right), min(max(point[1], top), bottom)))


def _check_half(puzzle: ObjectSubtraction) -> None:
    if puzzle.rule.value not in ("upper", "lower", "left", "right"):
        raise Uncertified(f"the half {puzzle.rule.value!r} is not known; use upper, lower, left or right")
    _check_region(puzzle)


def _check_quadrant(puzzle: ObjectSubtraction) -> None:
    words = puzzle.rule.value.split()
    if len(words) != 2 or words[0] not in ("upper", "lower") or words[1] not in ("left", "right"):
        raise Uncertified(f"the quadrant {puzzle.rule.value!r} is not known; use for example 'upper left'")
    _check_region(puzzle)


def _check_region(puzzle: ObjectSubtraction) -> None:
    """Check that targets are wholly inside and clear of each line, and every other object wholly beyond one of them."""
    middle, clear = puzzle.canvas / 2, CLEAR * puzzle.scale - _TOLERANCE
    selected = set()
    for thing in puzzle.things:
        left, top, right, bottom = thing.box
        sides = {"upper": (top, bottom), "left": (left, right)}
        sides |= {"lower": (2 * middle - bottom, 2 * middle - top), "right": (2 * middle - right, 2 * middle - left)}
        # Measured from the region's side of each line: from the object's near end to its far end.
        spans = [sides[word] for word in puzzle.rule.value.split()]
        if all(far <= middle - clear for _, far in spans):
            selected.add(thing.id)
        elif not any(near >= middle + clear for near, _ in spans):
            raise Uncertified(f"object {thing.id} is on the border of the {puzzle.rule.value} {puzzle.rule.kind}")
    _require_selection(puzzle, selected)


def _check_outlier(puzzle: ObjectSubtraction) -> None:
    """Check that one object has a colour or a shape of its own, and that every other look appears several times."""
    targets, others = _split_objects(puzzle)
    if len(targets) != 1:
        raise Uncertified(f"{len(targets)} objects are odd; exactly one is required")
    odd = targets[0]
    if odd.colour in {thing.colour for thing in others} and odd.shape in {thing.shape for thing in others}:
        raise Uncertified(f"object {odd.id} has neither a colour nor a shape of its own")
    looks = Counter((thing.colour, thing.shape) for thing in others)
    if min(looks.values()) < 2 and len(others) > 1:
        raise Uncertified("one of the others looks like no other object, so it may be taken for the odd one")
    if len({thing.size for thing in puzzle.things}) != 1:
        raise Uncertified("sizes differ, so one of the others may be taken for the odd one")


_RULE_CHECKS: Mapping[str, Callable[[ObjectSubtraction], None]] = {
    "color": _check_colour,
    "shape": _check_shape,
    "size": _check_size,
    "enumerated": _check_enumerated,
    "side": _check_side,
    "half": _check_half,
    "quadrant": _check_quadrant,
    "corner": _check_corner,
    "center": _check_center,
    "outlier": _check_outlier,
}
