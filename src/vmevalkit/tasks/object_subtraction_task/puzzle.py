"""The object subtraction puzzle as a record: its params, its rule and its objects."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.core.ranges import Range
from vmevalkit.tasks.object_subtraction_task.PROMPTS import write_prompt
from vmevalkit.tasks.object_subtraction_task.scene import COLOURS, SHAPES, SPECIFIED_CANVAS, SceneObject, compute_scale

Animation = Literal["fade", "slide", "shrink"]
ANIMATIONS: tuple[Animation, ...] = ("fade", "slide", "shrink")

RULE_KINDS: Mapping[str, tuple[str, ...]] = {
    "L1": ("color", "shape", "size"),
    "L2": ("enumerated",),
    "L3": ("side", "half", "quadrant", "corner", "center"),
    "L4": ("outlier",),
}
"""The kinds of rules of each level."""
MIN_OBJECTS, MAX_OBJECTS = 4, 10
_MAX_CANVAS = 1024


@dataclass(frozen=True, slots=True)
class ObjectSubtractionParams:
    """Params of object subtraction scenes."""

    levels: tuple[str, ...] = ("L1",)
    """Cognitive levels, of which each question has one: L1 explicit, L2 enumerated, L3 relational, L4 conceptual."""
    num_objects: tuple[int, int] = (5, 8)
    """The fewest and the most objects."""
    rules: tuple[str, ...] = ()
    """Kinds of rules, such as ``color`` or ``quadrant``; empty means all kinds of the levels."""
    colours: tuple[str, ...] = tuple(COLOURS)
    """Colours that objects may have."""
    shapes: tuple[str, ...] = SHAPES
    """Shapes that objects may have."""
    canvas: int = SPECIFIED_CANVAS
    """Width and height in pixels. All lengths are scaled with it."""
    animation: Animation = "fade"
    """How objects leave in the solution video: fade, slide or shrink."""
    varied: bool = False
    """Whether the objects among which an odd one is to be found have two looks instead of one."""

    def __post_init__(self) -> None:
        kinds = [kind for level in self.levels for kind in RULE_KINDS.get(level, ())]
        _check_names("level", self.levels, RULE_KINDS)
        _check_names("rule", self.rules, kinds)
        _check_names("colour", self.colours, COLOURS)
        _check_names("shape", self.shapes, SHAPES)
        if self.animation not in ANIMATIONS:
            raise UnknownName("animation of object_subtraction", self.animation, ANIMATIONS)
        for name, values in (("levels", self.levels), ("colours", self.colours), ("shapes", self.shapes)):
            if not values:
                raise UsageError(f"object_subtraction: {name}={values!r} is empty; name at least one")
        few, many = self.num_objects
        if not MIN_OBJECTS <= few <= many <= MAX_OBJECTS:
            raise UsageError(
                f"object_subtraction: num_objects={self.num_objects!r} is not valid; "
                f"use two numbers from {MIN_OBJECTS} to {MAX_OBJECTS}, the smaller one first"
            )
        if not SPECIFIED_CANVAS <= self.canvas <= _MAX_CANVAS:
            raise UsageError(
                f"object_subtraction: canvas={self.canvas!r} is not valid; "
                f"use {SPECIFIED_CANVAS} to {_MAX_CANVAS} pixels"
            )
        if len(self.colours) * len(self.shapes) < 2:
            raise UsageError("object_subtraction: with one colour and one shape all objects look alike; add one")

    def list_rule_kinds(self, level: str) -> list[str]:
        """Return the kinds of rules for a level: those in ``rules``, or all kinds of the level where none is."""
        return [kind for kind in RULE_KINDS[level] if kind in self.rules] or list(RULE_KINDS[level])


def _check_names(kind: str, names: tuple[str, ...], known: Mapping[str, object] | tuple[str, ...] | list[str]) -> None:
    for name in names:
        if name not in known:
            raise UnknownName(f"{kind} of object_subtraction", name, known)
    if len(set(names)) < len(names):
        raise UsageError(f"object_subtraction: the {kind}s {names!r} contain a name twice; name each once")


@dataclass(frozen=True, slots=True)
class RemovalRule:
    """The rule that selects the objects to remove."""

    level: str
    kind: str
    """One of RULE_KINDS of the level; the specification's rule_type."""
    value: str
    """The prompt's word for it: a colour, a shape, largest, leftmost, upper left, ... or empty."""
    listed: tuple[tuple[str, str], ...]
    """Colour and shape of each listed object, for an enumeration."""
    targets: tuple[int, ...]
    """Ids of the selected objects, in order."""


@dataclass(frozen=True, slots=True)
class ObjectSubtraction:
    """One puzzle: objects, and the rule that selects the ones to remove."""

    canvas: Annotated[int, Range(64, _MAX_CANVAS)]
    """Width and height of the image in pixels."""
    things: Annotated[tuple[SceneObject, ...], Range(1, 100)]
    """The objects by id."""
    rule: RemovalRule
    animation: Animation
    """How objects leave in the solution video."""

    @property
    def targets(self) -> tuple[int, ...]:
        """Ids of the objects to remove."""
        return self.rule.targets

    @property
    def kept(self) -> tuple[SceneObject, ...]:
        """The objects to keep."""
        return tuple(thing for thing in self.things if thing.id not in self.rule.targets)

    @property
    def scale(self) -> float:
        """Factor of lengths relative to the specification's image."""
        return compute_scale(self.canvas)


def build_question_key(puzzle: ObjectSubtraction) -> Hashable:
    """Return the same key for puzzles with the same scene and rule, whatever the animation."""
    scene = frozenset((t.colour, t.shape, t.x, t.y, t.size) for t in puzzle.things)
    return (puzzle.canvas, scene, puzzle.rule.kind, puzzle.rule.value, puzzle.rule.listed, len(puzzle.targets))


def build_prompt(puzzle: ObjectSubtraction) -> str:
    """Return the prompt for a video model."""
    rule = puzzle.rule
    return write_prompt(rule.kind, rule.value, len(rule.targets), rule.listed)
