"""All ways in which one attribute can fill the nine cells by a rule, and the number of matrices that they make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, permutations, product
from math import prod
from typing import TypeAlias

from vmevalkit.tasks.raven_task.rule_space import (
    FULL_TURN_DEG,
    KINDS,
    STEPS,
    Kind,
    equality_pattern,
    find_simplest_rule,
)
from vmevalkit.tasks.raven_task.vocabulary import ATTRIBUTES, ORIENTED, VALUES, Attribute, Value

Filling: TypeAlias = tuple[Value, ...]
"""The values of one attribute in the nine cells, row by row."""
EqualityPattern: TypeAlias = tuple[int, ...]


@lru_cache(maxsize=64)
def list_fillings(attribute: Attribute, kind: Kind, oriented: bool = False) -> tuple[Filling, ...]:
    """Return the fillings whose simplest rule is of this kind and whose ninth value follows from the eight.

    ``oriented`` leaves out the shapes whose rotation is not visible.
    """
    values = ORIENTED if attribute == "shape" and oriented else VALUES[attribute]
    candidates = {nine for rows in _fill_rows(attribute, kind, values) for nine in (rows, _transpose(rows))}
    simplest = {nine: find_simplest_rule(attribute, nine) for nine in sorted(candidates, key=repr)}
    return tuple(nine for nine, rule in simplest.items() if rule is not None and rule.kind == kind)


def select_kinds(attribute: Attribute, kinds: Sequence[Kind]) -> list[Kind]:
    """Return those of the kinds that the attribute can follow, in the order of KINDS."""
    return [kind for kind in KINDS if kind in kinds and attribute in STEPS[kind]]


def list_attribute_sets(
    attributes: Sequence[Attribute], kinds: Sequence[Kind], rules: int
) -> list[tuple[Attribute, ...]]:
    """Return the sets of attributes that can change in one matrix."""
    able = [attribute for attribute in ATTRIBUTES if attribute in attributes and select_kinds(attribute, kinds)]
    return list(combinations(able, rules))


@lru_cache(maxsize=256)
def count_matrices(attributes: tuple[Attribute, ...], kinds: tuple[Kind, ...], rules: int) -> int:
    """Return the number of matrices in which so many attributes change, no two of them with the same pattern."""
    return sum(_count_for(changing, kinds) for changing in list_attribute_sets(attributes, kinds, rules))


def list_constant_values(attribute: Attribute, changing: Sequence[Attribute]) -> tuple[Value, ...]:
    """Return the values that an attribute can have if it does not change."""
    if attribute == "rotation":
        return (0,)
    if attribute == "shape" and "rotation" in changing:
        return ORIENTED
    return VALUES[attribute]


def _count_for(changing: tuple[Attribute, ...], kinds: tuple[Kind, ...]) -> int:
    oriented = "rotation" in changing
    patterns = [
        Counter(
            equality_pattern(nine)
            for kind in select_kinds(attribute, kinds)
            for nine in list_fillings(attribute, kind, oriented)
        )
        for attribute in changing
    ]
    constant = prod(len(list_constant_values(name, changing)) for name in ATTRIBUTES if name not in changing)
    return constant * _count_distinct(patterns, ())


def _count_distinct(patterns: Sequence[Counter[EqualityPattern]], used: tuple[EqualityPattern, ...]) -> int:
    """Return in how many ways each attribute gets a filling, with patterns that all differ."""
    if not patterns:
        return 1
    first, rest = patterns[0], patterns[1:]
    if not rest:
        return first.total() - sum(first[pattern] for pattern in used)
    return sum(
        count * _count_distinct(rest, (*used, pattern)) for pattern, count in first.items() if pattern not in used
    )


def _fill_rows(attribute: Attribute, kind: Kind, values: Sequence[Value]) -> Iterator[Filling]:
    """Yield the fillings by a rule along rows."""
    if kind == "sequence":
        yield from (line * 3 for line in permutations(values, 3))
    elif kind == "distribution":
        for a, b, c in permutations(values, 3):
            yield (a, b, c, b, c, a, c, a, b)
            yield (a, b, c, c, a, b, b, c, a)
    else:
        for step in STEPS[kind][attribute]:
            lines = [line for line in _list_lines(attribute, kind, step) if line[2] in values and line[1] in values]
            yield from (first + second + third for first, second, third in product(lines, repeat=3))


def _list_lines(attribute: Attribute, kind: Kind, step: int) -> list[tuple[int, int, int]]:
    values = [int(value) for value in VALUES[attribute]]
    if kind == "arithmetic":
        return [(a, b, a + step * b) for a, b in product(values, repeat=2)]
    modulus = FULL_TURN_DEG if attribute == "rotation" else 10**6
    return [(a, (a + step) % modulus, (a + 2 * step) % modulus) for a in values]


def _transpose(nine: Filling) -> Filling:
    """Return the filling with rows and columns exchanged."""
    return tuple(nine[3 * (index % 3) + index // 3] for index in range(9))
