"""Every way in which one attribute can fill the nine cells by a rule, and how many matrices these make together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, permutations, product
from math import prod

from vmevalkit.tasks.raven_task.rule_space import FULL_TURN_DEG, KINDS, STEPS, Kind, look_of, name_of
from vmevalkit.tasks.raven_task.vocabulary import ATTRIBUTES, ORIENTED, VALUES, Attribute, Value

Nine = tuple[Value, ...]
Look = tuple[int, ...]


@lru_cache(maxsize=64)
def fillings(attribute: Attribute, kind: Kind, oriented: bool = False) -> tuple[Nine, ...]:
    """The values of nine cells by a rule of this kind, which no rule of another kind names first, and whose ninth
    follows from the eight. ``oriented`` leaves out shapes whose turns cannot be seen."""
    values = ORIENTED if attribute == "shape" and oriented else VALUES[attribute]
    made = {nine for rows in _filled(attribute, kind, values) for nine in (rows, _turned(rows))}
    named = {nine: name_of(attribute, nine) for nine in sorted(made, key=repr)}
    return tuple(nine for nine, rule in named.items() if rule is not None and rule.kind == kind)


def kinds_for(attribute: Attribute, kinds: Sequence[Kind]) -> list[Kind]:
    """Those of the kinds that the attribute can follow, in the order of KINDS."""
    return [kind for kind in KINDS if kind in kinds and attribute in STEPS[kind]]


def choices(attributes: Sequence[Attribute], kinds: Sequence[Kind], rules: int) -> list[tuple[Attribute, ...]]:
    """The sets of attributes that can change at a time."""
    able = [attribute for attribute in ATTRIBUTES if attribute in attributes and kinds_for(attribute, kinds)]
    return list(combinations(able, rules))


@lru_cache(maxsize=256)
def count(attributes: tuple[Attribute, ...], kinds: tuple[Kind, ...], rules: int) -> int:
    """How many different matrices there are in which so many attributes change, no two of them alike."""
    return sum(_count_of(chosen, kinds) for chosen in choices(attributes, kinds, rules))


def still_values(attribute: Attribute, changing: Sequence[Attribute]) -> tuple[Value, ...]:
    """What an attribute that does not change can be."""
    if attribute == "rotation":
        return (0,)
    if attribute == "shape" and "rotation" in changing:
        return ORIENTED
    return VALUES[attribute]


def _count_of(chosen: tuple[Attribute, ...], kinds: tuple[Kind, ...]) -> int:
    oriented = "rotation" in chosen
    looks = [
        Counter(look_of(nine) for kind in kinds_for(attribute, kinds) for nine in fillings(attribute, kind, oriented))
        for attribute in chosen
    ]
    still = prod(len(still_values(attribute, chosen)) for attribute in ATTRIBUTES if attribute not in chosen)
    return still * _unlike(looks, ())


def _unlike(looks: Sequence[Counter[Look]], taken: tuple[Look, ...]) -> int:
    """In how many ways each attribute gets a filling, with looks that all differ."""
    if not looks:
        return 1
    first, rest = looks[0], looks[1:]
    if not rest:
        return first.total() - sum(first[look] for look in taken)
    return sum(many * _unlike(rest, (*taken, look)) for look, many in first.items() if look not in taken)


def _filled(attribute: Attribute, kind: Kind, values: Sequence[Value]) -> Iterator[Nine]:
    """The fillings by a rule along rows."""
    if kind == "sequence":
        yield from (line * 3 for line in permutations(values, 3))
    elif kind == "distribution":
        for a, b, c in permutations(values, 3):
            yield (a, b, c, b, c, a, c, a, b)
            yield (a, b, c, c, a, b, b, c, a)
    else:
        for step in STEPS[kind][attribute]:
            lines = [line for line in _lines(attribute, kind, step) if line[2] in values and line[1] in values]
            yield from (first + second + third for first, second, third in product(lines, repeat=3))


def _lines(attribute: Attribute, kind: Kind, step: int) -> list[tuple[int, int, int]]:
    values = [int(value) for value in VALUES[attribute]]
    if kind == "arithmetic":
        return [(a, b, a + step * b) for a, b in product(values, repeat=2)]
    turn = FULL_TURN_DEG if attribute == "rotation" else 10**6
    return [(a, (a + step) % turn, (a + 2 * step) % turn) for a in values]


def _turned(nine: Nine) -> Nine:
    """Rows for columns."""
    return tuple(nine[3 * (place % 3) + place // 3] for place in range(9))
