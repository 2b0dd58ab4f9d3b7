"""Making puzzles: knobs, rules, sampling, and the reference solution."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from vmevalkit.core.errors import Uncertified, UnknownName, UsageError
from vmevalkit.tasks.object_subtraction_task.makers import MAKERS, Draft, Wanted
from vmevalkit.tasks.object_subtraction_task.PROMPTS import video_prompt
from vmevalkit.tasks.object_subtraction_task.scene import (
    COLOURS,
    SHAPES,
    SPECIFIED_CANVAS,
    Piece,
    Scene,
    Thing,
    piece_of,
    unit,
)

Animation = Literal["fade", "slide", "shrink"]
ANIMATIONS: tuple[Animation, ...] = ("fade", "slide", "shrink")

KINDS: Mapping[str, tuple[str, ...]] = {
    "L1": ("color", "shape", "size"),
    "L2": ("enumerated",),
    "L3": ("side", "half", "quadrant", "corner", "center"),
    "L4": ("outlier",),
}
"""The kinds of rules of each level."""
FEWEST, MOST = 4, 10
_LARGEST_CANVAS = 1024
_TRIES = 30
_OVERLAP = 0.4
"""Share of an object's removal that goes on while the next one is removed already."""
_GONE = 1e-3


@dataclass(frozen=True, slots=True)
class ObjectSubtractionKnobs:
    """What can be turned about the scenes."""

    levels: tuple[str, ...] = ("L1",)
    """Cognitive levels, of which each question has one: L1 explicit, L2 enumerated, L3 relational, L4 conceptual."""
    num_objects: tuple[int, int] = (5, 8)
    """The fewest and the most objects."""
    rules: tuple[str, ...] = ()
    """Kinds of rules, such as ``color`` or ``quadrant``; none means all of the levels."""
    colours: tuple[str, ...] = tuple(COLOURS)
    shapes: tuple[str, ...] = SHAPES
    canvas: int = SPECIFIED_CANVAS
    """Width and height in pixels. All lengths grow with it."""
    animation: Animation = "fade"
    """How objects leave in the solution film: fade, slide or shrink."""

    def __post_init__(self) -> None:
        kinds = [kind for level in self.levels for kind in KINDS.get(level, ())]
        _known("level", self.levels, KINDS)
        _known("rule", self.rules, kinds)
        _known("colour", self.colours, COLOURS)
        _known("shape", self.shapes, SHAPES)
        if self.animation not in ANIMATIONS:
            raise UnknownName("animation of object_subtraction", self.animation, ANIMATIONS)
        for name, values in (("levels", self.levels), ("colours", self.colours), ("shapes", self.shapes)):
            if not values:
                raise UsageError(f"object_subtraction: {name}={values!r} leaves nothing to choose from; name one")
        few, many = self.num_objects
        if not FEWEST <= few <= many <= MOST:
            raise UsageError(
                f"object_subtraction: num_objects={self.num_objects!r} is impossible; "
                f"wanted two numbers from {FEWEST} to {MOST}, the smaller one first"
            )
        if not SPECIFIED_CANVAS <= self.canvas <= _LARGEST_CANVAS:
            raise UsageError(
                f"object_subtraction: canvas={self.canvas!r} is impossible; "
                f"wanted {SPECIFIED_CANVAS} to {_LARGEST_CANVAS} pixels"
            )
        if len(self.colours) * len(self.shapes) < 2:
            raise UsageError("object_subtraction: with one colour and one shape all objects look alike; add one")

    def kinds(self, level: str) -> list[str]:
        """The kinds of rules of a level that are wanted. A level without one has all of its own."""
        return [kind for kind in KINDS[level] if kind in self.rules] or list(KINDS[level])


def _known(kind: str, names: tuple[str, ...], known: Mapping[str, object] | tuple[str, ...] | list[str]) -> None:
    for name in names:
        if name not in known:
            raise UnknownName(f"{kind} of object_subtraction", name, known)
    if len(set(names)) < len(names):
        raise UsageError(f"object_subtraction: {kind}s {names!r} hold one twice; name each once")


@dataclass(frozen=True, slots=True)
class Rule:
    """What shall be removed."""

    level: str
    kind: str
    """One of KINDS of the level; the specification's rule_type."""
    value: str
    """The word that the prompt has for it: a colour, a shape, largest, leftmost, upper left, ... or nothing."""
    listed: tuple[tuple[str, str], ...]
    """Colour and shape of each listed object, for an enumeration."""
    targets: tuple[int, ...]
    """Ids of the objects that it means, in order."""


@dataclass(frozen=True, slots=True)
class ObjectSubtraction:
    """One puzzle: objects, and which of them shall go."""

    canvas: int
    """Width and height of the picture in pixels."""
    things: tuple[Thing, ...]
    """The objects by id."""
    rule: Rule
    animation: Animation
    """How objects leave in the solution film."""

    @property
    def targets(self) -> tuple[int, ...]:
        return self.rule.targets

    @property
    def kept(self) -> tuple[Thing, ...]:
        return tuple(thing for thing in self.things if thing.id not in self.rule.targets)

    @property
    def unit(self) -> float:
        return unit(self.canvas)


def sample(rng: Random, knobs: ObjectSubtractionKnobs) -> ObjectSubtraction:
    """A scene made for a rule. A rule that cannot be made clear enough gives way to another one of its level."""
    level = rng.choice(knobs.levels)
    kinds = knobs.kinds(level)
    rng.shuffle(kinds)
    wanted = Wanted(rng.randint(*knobs.num_objects), knobs.colours, knobs.shapes, knobs.canvas)
    for kind in kinds:
        for _ in range(_TRIES):
            draft = MAKERS[kind](rng, wanted)
            if draft is not None:
                return _posed(rng, level, kind, draft, knobs)
    raise Uncertified(f"no scene of {wanted.number} objects for {' or '.join(kinds)} in {_TRIES} tries each")


def _posed(rng: Random, level: str, kind: str, draft: Draft, knobs: ObjectSubtractionKnobs) -> ObjectSubtraction:
    """The draft with its objects in an order that says nothing about the rule."""
    order = list(range(len(draft.things)))
    rng.shuffle(order)
    things = tuple(
        Thing(new, t.colour, t.shape, t.x, t.y, t.size) for new, t in enumerate(draft.things[old] for old in order)
    )
    targets = tuple(new for new, old in enumerate(order) if old in draft.targets)
    return ObjectSubtraction(
        knobs.canvas, things, Rule(level, kind, draft.value, draft.listed, targets), knobs.animation
    )


def key(puzzle: ObjectSubtraction) -> Hashable:
    """The whole scene and the rule. How objects leave is no part of the question."""
    scene = frozenset((t.colour, t.shape, t.x, t.y, t.size) for t in puzzle.things)
    return (puzzle.canvas, scene, puzzle.rule.kind, puzzle.rule.value, puzzle.rule.listed, len(puzzle.targets))


def prompt(puzzle: ObjectSubtraction) -> str:
    rule = puzzle.rule
    return video_prompt(rule.kind, rule.value, len(rule.targets), rule.listed)


def solution(puzzle: ObjectSubtraction, t: float) -> Scene:
    """The targets leave one after the other, each beginning before the last one has gone."""
    return removal(puzzle, puzzle.targets, t)


def removal(puzzle: ObjectSubtraction, leaving: tuple[int, ...], t: float, animation: Animation | None = None) -> Scene:
    """Some objects leave in this order, by the puzzle's animation or another one."""
    length = 1 / (1 + (1 - _OVERLAP) * (len(leaving) - 1)) if leaving else 1.0
    begins = {thing_id: (1 - _OVERLAP) * length * place for place, thing_id in enumerate(leaving)}
    pieces = []
    for thing in puzzle.things:
        if thing.id not in begins:
            pieces.append(piece_of(thing))
            continue
        share = min(max((t - begins[thing.id]) / length, 0.0), 1.0)
        piece = leaving_piece(puzzle, thing, share, animation or puzzle.animation)
        if piece is not None:
            pieces.append(piece)
    return Scene(tuple(pieces))  # in order, as the things are


def leaving_piece(puzzle: ObjectSubtraction, thing: Thing, share: float, animation: Animation) -> Piece | None:
    """An object after this share of its removal; None when it is gone."""
    if share >= 1 - _GONE:
        return None
    piece = piece_of(thing)
    if share <= 0:
        return piece
    if animation == "fade":
        return replace(piece, opacity=1 - share * share * (3 - 2 * share))
    if animation == "shrink":
        return replace(piece, size=thing.size * (1 - share))
    towards_x, towards_y = way_out(puzzle, thing)
    gone = share * share
    return replace(piece, x=thing.x + gone * towards_x, y=thing.y + gone * towards_y)


def way_out(puzzle: ObjectSubtraction, thing: Thing) -> tuple[float, float]:
    """How far an object slides in x and y until it is out of the picture: past few others, then the shortest way."""
    left, top, right, bottom = thing.box
    side = puzzle.canvas
    ways = [(-right, 0.0), (side - left, 0.0), (0.0, -bottom), (0.0, side - top)]

    def cost(way: tuple[float, float]) -> tuple[int, float]:
        swept = (
            min(left, left + way[0]), min(top, top + way[1]), max(right, right + way[0]), max(bottom, bottom + way[1]),
        )  # fmt: skip
        met = sum(
            swept[0] < other.box[2] and swept[2] > other.box[0] and swept[1] < other.box[3] and swept[3] > other.box[1]
            for other in puzzle.things
            if other.id != thing.id
        )
        return met, abs(way[0]) + abs(way[1])

    return min(ways, key=cost)
