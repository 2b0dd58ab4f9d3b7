"""The rules that a matrix can follow, declared as data, and the solver that tries them all.

Rules are about one attribute at a time. ``nine`` are its values row by row; ``eight`` lack the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from vmevalkit.tasks.raven_task.vocabulary import Attribute, Value

Kind = Literal["progression", "sequence", "distribution", "arithmetic"]
Along = Literal["rows", "columns"]
Line = Sequence[Value]

KINDS: tuple[Kind, ...] = ("progression", "sequence", "distribution", "arithmetic")
"""Where several rules explain a matrix, the first of these names it."""
STEPS: dict[Kind, dict[Attribute, tuple[int, ...]]] = {
    "progression": {"number": (1, -1), "rotation": (90, 180, 270)},
    "sequence": {"shape": (0,), "number": (0,), "rotation": (0,), "colour": (0,)},
    "distribution": {"shape": (0,), "number": (0,), "rotation": (0,), "colour": (0,)},
    "arithmetic": {"number": (1, -1)},
}
"""The whole space: which attributes can follow a kind of rule, and with which steps; each along rows and columns."""
FULL_TURN_DEG = 360

_PLACES: dict[Along, tuple[tuple[int, int, int], ...]] = {
    "rows": ((0, 1, 2), (3, 4, 5), (6, 7, 8)),
    "columns": ((0, 3, 6), (1, 4, 7), (2, 5, 8)),
}


@dataclass(frozen=True, slots=True)
class Rule:
    """What one attribute does along each row, or along each column."""

    attribute: Attribute
    kind: Kind
    """progression: each value is the one before plus a step. sequence: every line shows the same three values in the
    same order. distribution: every line shows the same three values in any order. arithmetic: the third value is the
    first plus or minus the second."""
    along: Along
    step: int = 0
    """Of a progression, with a turn in degrees; for arithmetic 1 is plus and -1 is minus."""

    def __str__(self) -> str:
        way = {
            "progression": f"progression by {self.step:+d}",
            "sequence": "the same sequence",
            "distribution": "the same three in any order",
            "arithmetic": f"first {'plus' if self.step > 0 else 'minus'} second is third",
        }[self.kind]
        return f"{self.attribute}: {way}, along {self.along}"


@lru_cache(maxsize=8)
def rules_of(attribute: Attribute) -> tuple[Rule, ...]:
    """Every rule that the attribute can follow, simplest first."""
    return tuple(
        Rule(attribute, kind, along, step)
        for kind in KINDS
        for step in STEPS[kind].get(attribute, ())
        for along in _PLACES
    )


def prediction(rule: Rule, eight: Sequence[Value]) -> Value | None:
    """The ninth value, where the eight follow the rule. It need not be one that a tile can show."""
    places = _PLACES[rule.along]
    first, second = (tuple(eight[place] for place in line) for line in places[:2])
    return _PREDICT[rule.kind](rule, first, second, (eight[places[2][0]], eight[places[2][1]]))


def explanations(attribute: Attribute, eight: Sequence[Value]) -> dict[Rule, Value]:
    """Every rule that the eight values follow, with the ninth value that it predicts."""
    found = ((rule, prediction(rule, eight)) for rule in rules_of(attribute))
    return {rule: ninth for rule, ninth in found if ninth is not None}


@lru_cache(maxsize=8192)
def name_of(attribute: Attribute, nine: tuple[Value, ...]) -> Rule | None:
    """The simplest rule of nine values; None unless all rules that explain the eight agree on the ninth."""
    found = explanations(attribute, nine[:8])
    if not found or set(found.values()) != {nine[8]}:
        return None
    return next(iter(found))


def look_of(nine: Sequence[Value]) -> tuple[int, ...]:
    """Which cells are alike: two attributes with the same look change together, as if they were one."""
    return tuple(nine.index(value) for value in nine)


def _progression(rule: Rule, first: Line, second: Line, last: Line) -> Value | None:
    def onward(value: Value) -> int:
        after = int(value) + rule.step
        return after % FULL_TURN_DEG if rule.attribute == "rotation" else after

    rises = all(line[1] == onward(line[0]) for line in (first, second, last))
    rises = rises and all(line[2] == onward(line[1]) for line in (first, second))
    return onward(last[1]) if rises else None


def _sequence(_: Rule, first: Line, second: Line, last: Line) -> Value | None:
    return first[2] if first == second and last == first[:2] else None


def _distribution(_: Rule, first: Line, second: Line, last: Line) -> Value | None:
    values = set(first)
    left = values - set(last)
    return left.pop() if len(values) == 3 and set(second) == values and len(left) == 1 else None


def _arithmetic(rule: Rule, first: Line, second: Line, last: Line) -> Value | None:
    def third(line: Line) -> int:
        return int(line[0]) + rule.step * int(line[1])

    return third(last) if first[2] == third(first) and second[2] == third(second) else None


_PREDICT: dict[Kind, Callable[[Rule, Line, Line, Line], Value | None]] = {
    "progression": _progression,
    "sequence": _sequence,
    "distribution": _distribution,
    "arithmetic": _arithmetic,
}
