"""Making matrices: knobs, the puzzle, sampling, the proof of one answer."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

from vmevalkit.core.errors import Uncertified, UnknownName, UsageError
from vmevalkit.tasks.raven_task import matrices
from vmevalkit.tasks.raven_task.matrices import Nine
from vmevalkit.tasks.raven_task.rule_space import KINDS, Kind, Rule, explanations, look_of, name_of
from vmevalkit.tasks.raven_task.vocabulary import ATTRIBUTES, ORIENTED, Attribute, Tile, Value, is_known, tile_of

ANSWER = 8
"""The place of the missing cell."""
_TRIES = 200


@dataclass(frozen=True, slots=True)
class RavenKnobs:
    """What can be turned about matrices."""

    rules: int = 1
    """How many attributes change from cell to cell, each by a rule of its own; the others are the same everywhere."""
    kinds: tuple[Kind, ...] = ("progression", "sequence")
    """Which kinds of rules there are: progression, sequence, distribution, arithmetic."""
    attributes: tuple[Attribute, ...] = ATTRIBUTES
    """Which attributes may change: shape, number, rotation, colour."""

    def __post_init__(self) -> None:
        for names, known, what in ((self.kinds, KINDS, "kind of rule"), (self.attributes, ATTRIBUTES, "attribute")):
            for name in names:
                if name not in known:
                    raise UnknownName(what, name, known)
        able = [attribute for attribute in ATTRIBUTES if attribute in self.attributes]
        able = [attribute for attribute in able if matrices.kinds_for(attribute, self.kinds)]
        if not 1 <= self.rules <= len(able):
            raise UsageError(
                f"raven: rules={self.rules!r} is impossible with kinds={self.kinds} and attributes={self.attributes}; "
                f"{len(able)} attributes can change by these kinds of rules"
            )


@dataclass(frozen=True, slots=True)
class Raven:
    """One puzzle."""

    tiles: tuple[Tile, ...]
    """Row by row; the ninth is the answer, which the question does not show."""
    rules: tuple[Rule, ...]
    """The simplest rule of each attribute that changes."""
    seed: int | None = None
    """What the matrix was drawn from; None for one that was given."""

    @property
    def answer(self) -> Tile:
        return self.tiles[ANSWER]


def sample(rng: Random, knobs: RavenKnobs) -> Raven:
    """A matrix of its own seed: attributes, then a kind of rule for each, then one of all fillings of that kind."""
    seed = rng.getrandbits(32)
    return drawn_from(seed, knobs)


def drawn_from(seed: int, knobs: RavenKnobs) -> Raven:
    """The matrix of a seed."""
    dice = Random(seed)
    chosen = dice.choice(matrices.choices(knobs.attributes, knobs.kinds, knobs.rules))
    still = {a: dice.choice(matrices.still_values(a, chosen)) for a in ATTRIBUTES if a not in chosen}
    for _ in range(_TRIES):
        changing = {attribute: _filling(dice, attribute, knobs, "rotation" in chosen) for attribute in chosen}
        if len({look_of(nine) for nine in changing.values()}) == len(chosen):
            break
    else:
        raise Uncertified(f"no matrix in which {', '.join(chosen)} change differently in {_TRIES} tries")
    columns = [changing.get(attribute) or (still[attribute],) * 9 for attribute in ATTRIBUTES]
    rules = (name_of(attribute, nine) for attribute, nine in changing.items())
    tiles = tuple(tile_of(values) for values in zip(*columns, strict=True))
    return Raven(tiles, tuple(rule for rule in rules if rule is not None), seed)


def _filling(dice: Random, attribute: Attribute, knobs: RavenKnobs, oriented: bool) -> Nine:
    kind = dice.choice(matrices.kinds_for(attribute, knobs.kinds))
    return dice.choice(matrices.fillings(attribute, kind, oriented))


def key(puzzle: Raven) -> Hashable:
    """Matrices that differ in a cell are different questions, whatever rules they follow."""
    return puzzle.tiles


def solve(eight: Sequence[Tile]) -> Tile | None:
    """The ninth tile, if all rules that explain the eight, along rows or columns, agree on each of its attributes."""
    ninth: list[Value] = []
    for attribute in ATTRIBUTES:
        found = set(explanations(attribute, [tile.value(attribute) for tile in eight]).values())
        if len(found) != 1:
            return None
        ninth.append(found.pop())
    shape, number, angle_deg, colour = ninth
    tile = Tile(str(shape), int(number), int(angle_deg), str(colour))
    return tile if is_known(tile) else None


def completed(eight: Sequence[Tile]) -> Raven:
    """The puzzle of eight tiles. Raises Uncertified unless they determine the ninth."""
    if len(eight) != ANSWER or not all(is_known(tile) for tile in eight):
        raise Uncertified(f"wanted eight tiles of known shapes, numbers, angles and colours, not {list(eight)}")
    ninth = solve(eight)
    if ninth is None:
        raise Uncertified("the eight tiles follow no rule, or rules that do not agree on the ninth")
    tiles = (*eight, ninth)
    rules = (name_of(attribute, values_of(tiles, attribute)) for attribute in changing_in(tiles))
    puzzle = Raven(tiles, tuple(rule for rule in rules if rule is not None))
    certify(puzzle)
    return puzzle


def values_of(tiles: Sequence[Tile], attribute: Attribute) -> Nine:
    return tuple(tile.value(attribute) for tile in tiles)


def changing_in(tiles: Sequence[Tile]) -> list[Attribute]:
    """The attributes that are not the same in all tiles."""
    return [attribute for attribute in ATTRIBUTES if len(set(values_of(tiles, attribute))) > 1]


def certify(puzzle: Raven) -> None:
    """Raises Uncertified unless the eight tiles have exactly one ninth by all rules, which is the one it names; the
    rules it names are the simplest; and no two attributes change alike."""
    tiles = puzzle.tiles
    if len(tiles) != 9 or not all(is_known(tile) for tile in tiles):
        raise Uncertified(f"{len(tiles)} tiles, or one with an unknown shape, number, angle or colour; wanted nine")
    changing = changing_in(tiles)
    if not changing:
        raise Uncertified("all cells are equal: there is nothing to find out")
    if "rotation" in changing and any(tile.shape not in ORIENTED for tile in tiles):
        raise Uncertified("tiles turn, but some of them have a shape whose turn cannot be seen")
    names = {attribute: name_of(attribute, values_of(tiles, attribute)) for attribute in ATTRIBUTES}
    for attribute, name in names.items():
        if name is None:
            predicted = set(explanations(attribute, values_of(tiles[:ANSWER], attribute)).values())
            told = ", ".join(sorted(map(str, predicted))) or "nothing"
            raise Uncertified(
                f"{attribute}: the rules predict {told}; the matrix names {tiles[ANSWER].value(attribute)}"
            )
    if puzzle.rules != tuple(names[attribute] for attribute in changing):
        raise Uncertified("the rules that the matrix names are not those of its tiles")
    for one, other in combinations(changing, 2):
        if look_of(values_of(tiles, one)) == look_of(values_of(tiles, other)):
            raise Uncertified(f"{one} and {other} change together: two rules that look the same")
