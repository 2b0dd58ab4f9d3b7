"""The raven puzzle: its params, sampling, and the proof that it has one answer."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Annotated

from vmevalkit.core.errors import Uncertified, UnknownName, UsageError
from vmevalkit.core.ranges import Range
from vmevalkit.tasks.raven_task import matrices
from vmevalkit.tasks.raven_task.matrices import Filling
from vmevalkit.tasks.raven_task.rule_space import (
    KINDS,
    AttributeRule,
    Kind,
    equality_pattern,
    find_explanations,
    find_simplest_rule,
)
from vmevalkit.tasks.raven_task.vocabulary import ATTRIBUTES, ORIENTED, Attribute, Tile, Value, is_known, make_tile

ANSWER = 8
"""The index of the missing cell."""
ABOVE, LEFT = 5, 7
"""The indices of its neighbours."""
REPEATS_KEPT = 0.06
"""How often a matrix is kept whose answer equals the tile above it or to its left, so that a model that copies such a
neighbour is right in less than a tenth of the one-rule questions."""
_ATTEMPTS = 200


@dataclass(frozen=True, slots=True)
class RavenParams:
    """Generation params of matrices."""

    rules: int = 1
    """How many attributes change from cell to cell, each by its own rule; the others are the same everywhere."""
    kinds: tuple[Kind, ...] = ("progression", "sequence", "distribution")
    """Which kinds of rules are used: progression, sequence, distribution, arithmetic."""
    attributes: tuple[Attribute, ...] = ATTRIBUTES
    """Which attributes can change: shape, number, rotation, colour."""

    def __post_init__(self) -> None:
        for names, known, what in ((self.kinds, KINDS, "kind of rule"), (self.attributes, ATTRIBUTES, "attribute")):
            for name in names:
                if name not in known:
                    raise UnknownName(what, name, known)
        able = [attribute for attribute in ATTRIBUTES if attribute in self.attributes]
        able = [attribute for attribute in able if matrices.select_kinds(attribute, self.kinds)]
        if not 1 <= self.rules <= len(able):
            raise UsageError(
                f"raven: rules={self.rules!r} is impossible with kinds={self.kinds} and attributes={self.attributes}; "
                f"{len(able)} attributes can change by these kinds of rules"
            )


@dataclass(frozen=True, slots=True)
class Raven:
    """One puzzle."""

    tiles: Annotated[tuple[Tile, ...], Range(9, 9)]
    """Row by row; the ninth is the answer, which the question does not show."""
    rules: tuple[AttributeRule, ...]
    """The simplest rule of each attribute that changes."""
    seed: int | None = None
    """The seed of this matrix; None for a matrix that was built from given tiles."""

    @property
    def answer(self) -> Tile:
        return self.tiles[ANSWER]


def sample(rng: Random, params: RavenParams) -> Raven:
    """Return a matrix that is generated from its own seed."""
    return generate_from_seed(rng.getrandbits(32), params)


def generate_from_seed(seed: int, params: RavenParams) -> Raven:
    """Return the matrix of a seed: attributes, then a kind of rule for each, then one of all fillings of that kind."""
    rng = Random(seed)
    chosen = rng.choice(matrices.list_attribute_sets(params.attributes, params.kinds, params.rules))
    constant = {a: rng.choice(matrices.list_constant_values(a, chosen)) for a in ATTRIBUTES if a not in chosen}
    for _ in range(_ATTEMPTS):
        changing = {attribute: _choose_filling(rng, attribute, params, "rotation" in chosen) for attribute in chosen}
        if len({equality_pattern(nine) for nine in changing.values()}) < len(chosen):
            continue
        columns = [changing.get(attribute) or (constant[attribute],) * 9 for attribute in ATTRIBUTES]
        tiles = tuple(make_tile(values) for values in zip(*columns, strict=True))
        if tiles[ANSWER] in (tiles[ABOVE], tiles[LEFT]) and rng.random() >= REPEATS_KEPT:
            continue
        rules = (find_simplest_rule(attribute, nine) for attribute, nine in changing.items())
        return Raven(tiles, tuple(rule for rule in rules if rule is not None), seed)
    raise Uncertified(f"no matrix in which {', '.join(chosen)} change differently in {_ATTEMPTS} attempts")


def _choose_filling(rng: Random, attribute: Attribute, params: RavenParams, oriented: bool) -> Filling:
    kind = rng.choice(matrices.select_kinds(attribute, params.kinds))
    return rng.choice(matrices.list_fillings(attribute, kind, oriented))


def key(puzzle: Raven) -> Hashable:
    """Return the tiles: matrices that differ in a cell are different questions, whatever rules they follow."""
    return puzzle.tiles


def capacity(params: RavenParams) -> int:
    """Return the number of distinct matrices."""
    return matrices.count_matrices(params.attributes, params.kinds, params.rules)


def find_answer(eight: Sequence[Tile]) -> Tile | None:
    """Return the ninth tile if all rules that explain the eight, along rows or columns, agree on each attribute."""
    ninth: list[Value] = []
    for attribute in ATTRIBUTES:
        values = set(find_explanations(attribute, [tile.value(attribute) for tile in eight]).values())
        if len(values) != 1:
            return None
        ninth.append(values.pop())
    shape, number, angle_deg, colour = ninth
    tile = Tile(str(shape), int(number), int(angle_deg), str(colour))
    return tile if is_known(tile) else None


def complete_puzzle(eight: Sequence[Tile]) -> Raven:
    """Return the puzzle of eight tiles. Raises Uncertified unless they determine the ninth."""
    if len(eight) != ANSWER or not all(is_known(tile) for tile in eight):
        raise Uncertified(f"expected eight tiles of known shapes, numbers, angles and colours, not {list(eight)}")
    ninth = find_answer(eight)
    if ninth is None:
        raise Uncertified("the eight tiles follow no rule, or rules that do not agree on the ninth")
    tiles = (*eight, ninth)
    rules = (find_simplest_rule(attribute, _values_of(tiles, attribute)) for attribute in _list_changing(tiles))
    puzzle = Raven(tiles, tuple(rule for rule in rules if rule is not None))
    certify(puzzle)
    return puzzle


def certify(puzzle: Raven) -> None:
    """Raise Uncertified unless the eight tiles have exactly one ninth by all rules, which is the puzzle's answer; the
    puzzle's rules are the simplest; and no two attributes change together."""
    tiles = puzzle.tiles
    if len(tiles) != 9 or not all(is_known(tile) for tile in tiles):
        raise Uncertified(f"{len(tiles)} tiles, or one with an unknown shape, number, angle or colour; expected nine")
    changing = _list_changing(tiles)
    if not changing:
        raise Uncertified("all cells are equal: there is no rule to find")
    if "rotation" in changing and any(tile.shape not in ORIENTED for tile in tiles):
        raise Uncertified("the rotation changes, but some tiles have a shape whose rotation is not visible")
    simplest = {attribute: find_simplest_rule(attribute, _values_of(tiles, attribute)) for attribute in ATTRIBUTES}
    for attribute, rule in simplest.items():
        if rule is None:
            predictions = set(find_explanations(attribute, _values_of(tiles[:ANSWER], attribute)).values())
            listed = ", ".join(sorted(map(str, predictions))) or "nothing"
            raise Uncertified(
                f"{attribute}: the rules predict {listed}; the matrix has {tiles[ANSWER].value(attribute)}"
            )
    if puzzle.rules != tuple(simplest[attribute] for attribute in changing):
        raise Uncertified("the rules in the puzzle are not those of its tiles")
    for one, other in combinations(changing, 2):
        if equality_pattern(_values_of(tiles, one)) == equality_pattern(_values_of(tiles, other)):
            raise Uncertified(f"{one} and {other} change together: two rules that look the same")


def _values_of(tiles: Sequence[Tile], attribute: Attribute) -> Filling:
    return tuple(tile.value(attribute) for tile in tiles)


def _list_changing(tiles: Sequence[Tile]) -> list[Attribute]:
    """Return the attributes that are not the same in all tiles."""
    return [attribute for attribute in ATTRIBUTES if len(set(_values_of(tiles, attribute))) > 1]
