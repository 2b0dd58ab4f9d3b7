"""Which films an audit makes: every trick meets every artefact, every puzzle a few of them.

Film i of a trick is of puzzle i, whatever the number of films, so each film can be made again from its recipe alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from vmevalkit.baselines.artefacts import ARTEFACTS
from vmevalkit.core.errors import UsageError
from vmevalkit.core.randomness import rng_for
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.task import AnyTask

SHARES = {"easy": 12, "medium": 5, "hard": 3}
"""How many of twenty puzzles are of each difficulty."""
_PLACED = "@placed"


@dataclass(frozen=True, slots=True)
class Condition:
    """An artefact, and whether the scorer is told how the picture was fitted."""

    artefact: str
    placed: bool = False

    def __str__(self) -> str:
        return self.artefact + _PLACED * self.placed


@dataclass(frozen=True, slots=True)
class Recipe:
    """The name of one film of an audit, such as ``maze/through_wall/zoom_75/17``. With a seed it is the whole film."""

    task: str
    trick: str
    condition: Condition
    index: int
    """Of the puzzle."""

    def __str__(self) -> str:
        return f"{self.task}/{self.trick}/{self.condition}/{self.index}"

    @classmethod
    def parse(cls, text: str) -> Recipe:
        parts = text.split("/")
        if len(parts) != 4 or not parts[3].isdigit():
            raise UsageError(f"{text!r} is no recipe: write task/trick/artefact/index, as maze/static/zoom_75/17")
        artefact = ARTEFACTS[parts[2].removesuffix(_PLACED)]
        condition = Condition(artefact.name, parts[2].endswith(_PLACED))
        if condition.placed and artefact.fits is None:
            raise UsageError(f"{text!r} is no recipe: {artefact.name} does not fit the picture, so it has no placement")
        return cls(parts[0], parts[1], condition, int(parts[3]))


def conditions() -> list[Condition]:
    """Every artefact; those that fit the picture both with and without telling the scorer."""
    told = [Condition(artefact.name, True) for artefact in ARTEFACTS.values() if artefact.fits]
    return [Condition(name) for name in ARTEFACTS] + told


def covering(task: str, trick: str, indices: Sequence[int], seed: int) -> Iterator[Recipe]:
    """A recipe for each puzzle: as many films as there are conditions meet each of them once, in a random order."""
    known = conditions()
    for place, index in enumerate(indices):
        block, position = divmod(place, len(known))
        if position == 0:
            order = rng_for("audit", seed, task, trick, "block", block).sample(known, len(known))
        yield Recipe(task, trick, order[position], index)


def difficulties(task: AnyTask, n: int, seed: int) -> list[str]:
    """The difficulty of each puzzle: in every twenty, as SHARES says."""
    twenty = [name for name in task.difficulties for _ in range(SHARES.get(name, 0))] or list(task.difficulties)
    blocks = range(-(-n // len(twenty)))
    mixed = [rng_for("audit", seed, task.name, "mix", block).sample(twenty, len(twenty)) for block in blocks]
    return [name for block in mixed for name in block][:n]


def puzzles(task: AnyTask, n: int, seed: int) -> list[tuple[str, Any]]:
    """The puzzles of an audit with their difficulties. Where too few exist, they come again."""
    mixed = difficulties(task, n, seed)
    planned = {}
    for name in dict.fromkeys(mixed):
        knobs = task.preset(name)
        capacity = task.capacity(knobs)
        wanted = mixed.count(name)
        planned[name] = plan(task, wanted if capacity is None else min(wanted, capacity), seed, knobs)
    taken = dict.fromkeys(planned, 0)
    made: list[tuple[str, Any]] = []
    for name in mixed:
        made.append((name, planned[name][taken[name] % len(planned[name])]))
        taken[name] += 1
    return made
