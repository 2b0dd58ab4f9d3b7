"""The rules that a matrix can follow, declared as data, and the solver that tries them all.

A rule is about one attribute. ``nine`` are its values row by row; ``eight`` lack the last one.
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
"""From simple to complex. Where several rules explain a matrix, the question names the simplest."""
STEPS: dict[Kind, dict[Attribute, tuple[int, ...]]] = {
    "progression": {"number": (1, -1), "rotation": (90, 180, 270)},
    "sequence": {"shape": (0,), "number": (0,), "rotation": (0,), "colour": (0,)},
    "distribution": {"shape": (0,), "number": (0,), "rotation": (0,), "colour": (0,)},
    "arithmetic": {"number": (1, -1)},
}
"""The whole space: which attributes can follow a kind of rule, and with which steps; each along rows and columns."""
FULL_TURN_DEG = 360

_LINES: dict[Along, tuple[tuple[int, int, int], ...]] = {
    "rows": ((0, 1, 2), (3, 4, 5), (6, 7, 8)),
    "columns": ((0, 3, 6), (1, 4, 7), (2, 5, 8)),
}


@dataclass(frozen=True, slots=True)
class AttributeRule:
    """The rule that one attribute follows along each row, or along each column."""

    attribute: Attribute
    kind: Kind
    """progression: each value is the one before plus a step. sequence: every line shows the same three values in the
    same order. distribution: every line shows the same three values in any order. arithmetic: the third value is the
    first plus or minus the second."""
    along: Along
    step: int = 0
    """The step of a progression, in degrees for rotation. For arithmetic, 1 is plus and -1 is minus."""

    def __str__(self) -> str:
        text = {
            "progression": f"progression by {self.step:+d}",
            "sequence": "the same sequence",
            "distribution": "the same three in any order",
            "arithmetic": f"first {'plus' if self.step > 0 else 'minus'} second is third",
        }[self.kind]
        return f"{self.attribute}: {text}, along {self.along}"


@lru_cache(maxsize=8)
def list_rules(attribute: Attribute) -> tuple[AttributeRule, ...]:
    """Return every rule that the attribute can follow, simplest first."""
    return tuple(
        AttributeRule(attribute, kind, along, step)
        for kind in KINDS
        for step in STEPS[kind].get(attribute, ())
        for along in _LINES
    )


def predict_ninth(rule: AttributeRule, eight: Sequence[Value]) -> Value | None:
    """Return the ninth value if the eight follow the rule. It can be a value that no tile can show."""
    lines = _LINES[rule.along]
    first, second = (tuple(eight[index] for index in line) for line in lines[:2])
    return _PREDICT[rule.kind](rule, first, second, (eight[lines[2][0]], eight[lines[2][1]]))


def find_explanations(attribute: Attribute, eight: Sequence[Value]) -> dict[AttributeRule, Value]:
    """Return every rule that the eight values follow, with the ninth value that it predicts."""
    predictions = ((rule, predict_ninth(rule, eight)) for rule in list_rules(attribute))
    return {rule: ninth for rule, ninth in predictions if ninth is not None}


@lru_cache(maxsize=8192)
def find_simplest_rule(attribute: Attribute, nine: tuple[Value, ...]) -> AttributeRule | None:
    """Return the simplest rule of nine values; None unless all rules that explain the eight agree on the ninth."""
    explanations = find_explanations(attribute, nine[:8])
    if not explanations or set(explanations.values()) != {nine[8]}:
        return None
    return next(iter(explanations))


def equality_pattern(nine: Sequence[Value]) -> tuple[int, ...]:
    """Return which cells are equal. Two attributes with the same pattern change together, as if they were one."""
    return tuple(nine.index(value) for value in nine)


def _predict_progression(rule: AttributeRule, first: Line, second: Line, last: Line) -> Value | None:
    def add_step(value: Value) -> int:
        after = int(value) + rule.step
        return after % FULL_TURN_DEG if rule.attribute == "rotation" else after

    is_progression = all(line[1] == add_step(line[0]) for line in (first, second, last))
    is_progression = is_progression and all(line[2] == add_step(line[1]) for line in (first, second))
    return add_step(last[1]) if is_progression else None


def _predict_sequence(_: AttributeRule, first: Line, second: Line, last: Line) -> Value | None:
    return first[2] if first == second and last == first[:2] else None


def _predict_distribution(_: AttributeRule, first: Line, second: Line, last: Line) -> Value | None:
    values = set(first)
    missing = values - set(last)
    return missing.pop() if len(values) == 3 and set(second) == values and len(missing) == 1 else None


def _predict_arithmetic(rule: AttributeRule, first: Line, second: Line, last: Line) -> Value | None:
    def compute_third(line: Line) -> int:
        return int(line[0]) + rule.step * int(line[1])

    return compute_third(last) if first[2] == compute_third(first) and second[2] == compute_third(second) else None


_PREDICT: dict[Kind, Callable[[AttributeRule, Line, Line, Line], Value | None]] = {
    "progression": _predict_progression,
    "sequence": _predict_sequence,
    "distribution": _predict_distribution,
    "arithmetic": _predict_arithmetic,
}
