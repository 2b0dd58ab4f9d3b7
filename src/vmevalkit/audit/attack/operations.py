"""All operations of programs: the track of each, its parameters, and how often programs have it.

Ranges are wide on purpose: the oracle bounds every number, and what is too close to a limit is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from vmevalkit.audit.attack.program import Operation, Value
from vmevalkit.core.errors import UnknownName, UsageError

Track = Literal["states", "visibility", "camera", "look", "delivery"]
TRACKS: tuple[Track, ...] = ("states", "visibility", "camera", "look", "delivery")


@dataclass(frozen=True, slots=True)
class Number:
    """A parameter with any value in a range."""

    low: float
    high: float
    whole: bool = False

    def draw(self, rng: Random) -> Value:
        return rng.randint(int(self.low), int(self.high)) if self.whole else round(rng.uniform(self.low, self.high), 3)

    def move(self, value: Value, rng: Random, share: float) -> Value:
        """Return a value nearby, at most ``share`` of the range away."""
        if not isinstance(value, int | float):
            return self.draw(rng)
        moved = value + rng.uniform(-share, share) * (self.high - self.low)
        moved = min(max(moved, self.low), self.high)
        return round(moved) if self.whole else round(moved, 3)

    def allows(self, value: Value) -> bool:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and self.low <= float(value) <= self.high and not (self.whole and int(value) != value)

    def __str__(self) -> str:
        return f"a {'whole number' if self.whole else 'number'} from {self.low:g} to {self.high:g}"


@dataclass(frozen=True, slots=True)
class Choice:
    """A parameter with one of several values."""

    values: tuple[str, ...]

    def draw(self, rng: Random) -> Value:
        return rng.choice(self.values)

    def move(self, value: Value, rng: Random, share: float) -> Value:
        return rng.choice(self.values) if rng.random() < share else value

    def allows(self, value: Value) -> bool:
        return value in self.values

    def __str__(self) -> str:
        return "one of " + ", ".join(self.values)


Param = Number | Choice


@dataclass(frozen=True, slots=True)
class OperationKind:
    """What an operation does, and the parameters that it takes."""

    name: str
    track: Track
    params: Mapping[str, Param]
    description: str
    weight: float = 1.0
    """How often it is drawn, relative to others of its track."""
    needs: frozenset[str] = field(default_factory=frozenset)
    """What the scene must offer: ``moves``, ``fills``, ``parts``, ``process``; with one of several, ``a|b``."""


def _kind(name: str, track: Track, description: str, weight: float = 1.0, needs: str = "",
          **params: Param) -> OperationKind:  # fmt: skip
    return OperationKind(name, track, params, description, weight, frozenset(needs.split()))


_PICK = Number(0, 99, whole=True)
_AT = Number(0.0, 1.0)
_COLOURS = Choice(("dark", "bright", "red", "teal", "violet", "ground"))
_WHERE = Choice(("mover", "answer", "aside", "beside"))

_ALL = (
    # States: one after another, from the question's first frame on.
    _kind("rest", "states", "nothing moves for a time", 1.0, s=Number(0.1, 2.0)),
    _kind(
        "solve",
        "states",
        "the legal way goes on towards an answer",
        4.0,
        share=Number(0.2, 1.0),
        pace=Number(0.12, 1.8),
        pick=_PICK,
    ),
    _kind("jump", "states", "the scene is cut to a later one", 1.0, share=Number(0.2, 1.0)),
    _kind("undo", "states", "what was done is taken back", 0.7, share=Number(0.1, 1.0), pace=Number(0.15, 0.9)),
    _kind(
        "wander",
        "states",
        "other legal moves are made",
        1.0,
        "moves",
        moves=Number(1, 3, whole=True),
        pace=Number(0.15, 0.9),
        pick=_PICK,
    ),
    _kind(
        "break_rule",
        "states",
        "a part goes where no legal move leads, and may come back",
        1.0,
        "moves",
        pick=_PICK,
        s=Number(0.1, 1.0),
        returns=Choice(("yes", "no")),
        pace=Number(0.2, 0.8),
    ),
    _kind(
        "merge_moves",
        "states",
        "several moves are made in one straight motion",
        0.6,
        "moves",
        moves=Number(2, 5, whole=True),
        pace=Number(0.2, 0.8),
    ),
    _kind("twin", "states", "a part has a twin for a time", 0.7, "parts", pick=_PICK, at=_AT, s=Number(0.1, 2.5)),
    _kind("vanish", "states", "a part is gone for a time", 0.7, "parts", pick=_PICK, at=_AT, s=Number(0.1, 2.5)),
    _kind("fill_wrong", "states", "a cell gets a wrong content", 1.2, "fills", pick=_PICK, look=_PICK),
    _kind("empty", "states", "a cell that was filled is emptied", 0.8, "fills", pick=_PICK),
    _kind(
        "fade_content",
        "states",
        "a cell that was filled is seen faintly",
        0.7,
        "fills",
        pick=_PICK,
        opacity=Number(0.0, 1.0),
    ),
    _kind("flicker", "states", "the contents change in every frame", 0.8, "fills", s=Number(0.2, 1.5)),
    _kind("cheat", "states", "one of the task's own trick videos", 1.5, pick=_PICK, s=Number(1.5, 4.5)),
    # Visibility.
    _kind(
        "cover",
        "visibility",
        "something opaque lies over a place for a time",
        3.0,
        on=_WHERE,
        pick=_PICK,
        size=Number(0.4, 3.0),
        colour=_COLOURS,
        at=_AT,
        s=Number(0.1, 3.0),
        enter=Choice(("appear", "slide", "fade")),
    ),
    _kind(
        "cut",
        "visibility",
        "the whole picture shows something else for a time",
        1.0,
        at=_AT,
        s=Number(0.08, 1.6),
        to=Choice(("black", "white", "noise", "grey")),
    ),
    _kind(
        "fade",
        "visibility",
        "the whole picture fades to a colour and back, or away at the end",
        1.0,
        at=_AT,
        s=Number(0.2, 1.8),
        to=Choice(("black", "white", "grey")),
    ),
    _kind(
        "defocus",
        "visibility",
        "the picture is out of focus for a time",
        1.0,
        at=_AT,
        s=Number(0.2, 2.0),
        sigma=Number(0.0, 0.8),
    ),
    # Camera: from the first frame's view to another one.
    _kind("zoom", "camera", "the camera zooms", 1.0, by=Number(0.75, 1.35), at=_AT, s=Number(0.5, 3.0)),
    _kind(
        "pan",
        "camera",
        "the camera moves sideways",
        1.0,
        x=Number(-0.1, 0.1),
        y=Number(-0.1, 0.1),
        at=_AT,
        s=Number(0.5, 3.0),
    ),
    _kind("turn", "camera", "the camera rolls", 0.7, deg=Number(-8.0, 8.0), at=_AT, s=Number(0.5, 3.0)),
    _kind("shake", "camera", "the camera shakes", 0.8, amount=Number(0.0, 0.015)),
    _kind(
        "tilt",
        "camera",
        "the view becomes one from the side",
        0.7,
        x=Number(-0.09, 0.09),
        y=Number(-0.09, 0.09),
        at=_AT,
        s=Number(0.5, 3.0),
    ),
    _kind(
        "leave",
        "camera",
        "the camera moves until the answer is out of the picture, and may come back",
        0.7,
        at=_AT,
        s=Number(0.2, 1.5),
        returns=Choice(("yes", "no")),
    ),
    # Look.
    _kind(
        "trail",
        "look",
        "a line stays behind the parts that move",
        1.2,
        "paths",
        width=Number(0.05, 0.6),
        opacity=Number(0.1, 1.0),
        colour=Choice(("grey", "blue", "amber", "yellow")),
    ),
    _kind(
        "highlight",
        "look",
        "cells that change have another background",
        1.0,
        "cells",
        opacity=Number(0.1, 0.7),
        colour=Choice(("yellow", "green", "blue")),
        at=_AT,
    ),
    _kind(
        "shadow",
        "look",
        "all parts get a soft shadow",
        0.8,
        "parts",
        strength=Number(0.05, 0.6),
        blur=Number(2.0, 7.0),
        at=_AT,
    ),
    _kind(
        "shade_parts", "look", "all parts are lit from the upper left", 0.7, "parts", strength=Number(0.05, 0.4), at=_AT
    ),
    _kind(
        "outline_parts", "look", "all parts get a dark outline", 0.7, "parts", pixels=Number(1, 3, whole=True), at=_AT
    ),
    _kind(
        "resize_parts", "look", "all parts become larger or smaller", 0.7, "parts", factor=Number(0.85, 1.15), at=_AT
    ),
    _kind(
        "tint_ground",
        "look",
        "the ground has another colour, all of it alike",
        0.8,
        "parts",
        red=Number(0.75, 1.0),
        green=Number(0.75, 1.0),
        blue=Number(0.75, 1.0),
        at=_AT,
    ),
    _kind(
        "light",
        "look",
        "the picture becomes brighter or darker",
        1.0,
        gain=Number(0.6, 1.2),
        offset=Number(-25.0, 25.0),
        at=_AT,
        s=Number(0.0, 3.0),
    ),
    _kind(
        "colour_cast",
        "look",
        "all colours drift",
        0.8,
        red=Number(0.8, 1.1),
        green=Number(0.8, 1.1),
        blue=Number(0.8, 1.1),
        at=_AT,
        s=Number(0.0, 3.0),
    ),
    _kind(
        "saturate",
        "look",
        "colours become stronger or weaker",
        0.8,
        factor=Number(0.4, 1.5),
        at=_AT,
        s=Number(0.0, 3.0),
    ),
    _kind("vignette", "look", "the corners become dark", 0.8, strength=Number(0.05, 0.6), at=_AT),
    _kind("side_light", "look", "one side becomes darker", 0.8, strength=Number(0.05, 0.4), at=_AT),
    _kind("grain", "look", "every frame has noise of its own", 0.8, sigma=Number(1.0, 14.0)),
    _kind("soften", "look", "the whole video is a little soft", 0.7, sigma=Number(0.0, 0.2)),
    _kind(
        "thing",
        "look",
        "something foreign is added",
        1.5,
        place=Choice(("free", "beside")),
        size=Number(0.3, 6.0),
        colour=_COLOURS,
        shape=Choice(("disc", "square", "star")),
        at=_AT,
        s=Number(0.2, 5.0),
        pick=_PICK,
    ),
    _kind(
        "recolour_part",
        "look",
        "one part has another hue",
        1.0,
        "parts",
        pick=_PICK,
        deg=Number(10.0, 180.0),
        at=_AT,
        s=Number(0.2, 5.0),
    ),
    _kind(
        "stretch_part",
        "look",
        "one part is stretched",
        1.0,
        "parts",
        pick=_PICK,
        x=Number(0.5, 2.0),
        y=Number(0.5, 2.0),
        at=_AT,
        s=Number(0.2, 5.0),
    ),
    # Delivery.
    _kind("fps", "delivery", "another frame rate", 1.2, fps=Number(6, 30, whole=True)),
    _kind(
        "codec",
        "delivery",
        "the video is encoded and decoded",
        1.0,
        codec=Choice(("libx264", "mpeg4")),
        crf=Number(18, 38, whole=True),
    ),
    _kind("size", "delivery", "another size of the picture", 1.0, scale=Number(0.35, 1.2), stretch=Number(0.85, 1.15)),
    _kind(
        "bars",
        "delivery",
        "bars at the sides",
        0.8,
        x=Number(0.0, 0.2),
        y=Number(0.0, 0.2),
        colour=Choice(("black", "white", "grey")),
    ),
    _kind("freeze", "delivery", "one frame is repeated for a time", 0.8, at=_AT, s=Number(0.1, 1.0)),
    _kind("repeat", "delivery", "each frame is shown several times", 0.7, times=Number(2, 3, whole=True)),
    _kind("skip", "delivery", "only every second or third frame is kept", 0.8, step=Number(2, 3, whole=True)),
    _kind("jpeg", "delivery", "every frame is compressed", 0.7, quality=Number(25, 90, whole=True)),
)

OPERATIONS: Mapping[str, OperationKind] = {kind.name: kind for kind in _ALL}
"""Every operation by name."""


def find_kind(name: str) -> OperationKind:
    """Return what an operation of this name does. Raises UnknownName."""
    if name not in OPERATIONS:
        raise UnknownName("operation", name, OPERATIONS)
    return OPERATIONS[name]


def check_operation(operation: Operation, place: str) -> None:
    """Raise UnknownName or UsageError where an operation cannot be run."""
    kind = find_kind(operation.name)
    for name, param in kind.params.items():
        if name not in operation.params:
            raise UsageError(f"{place}: {operation.name} has no {name}; give {param}")
        if not param.allows(operation.params[name]):
            raise UsageError(f"{place}: {name} of {operation.name} is {operation.params[name]!r}; give {param}")
    for name in operation.params:
        if name not in kind.params:
            known = ", ".join(kind.params)
            raise UsageError(f"{place}: {operation.name} has no parameter {name!r}; it has {known}")
