"""Which videos an audit makes: every trick through every degradation, each puzzle through a few of them.

Video i of a trick shows puzzle i, whatever the number of videos, so each video can be made again from its id and seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from vmevalkit.baselines.degradations import DEGRADATIONS
from vmevalkit.core.errors import UsageError
from vmevalkit.core.randomness import rng_for
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.task import AnyTask

SHARES = {"easy": 12, "medium": 5, "hard": 3}
"""Puzzles of each difficulty in every twenty."""
_PLACED = "@placed"


@dataclass(frozen=True, slots=True)
class Condition:
    """A degradation, and whether the scorer is given the placement of the image."""

    degradation: str
    placed: bool = False

    def __str__(self) -> str:
        return self.degradation + _PLACED * self.placed


PLAIN = Condition("plain")
"""No degradation."""


@dataclass(frozen=True, slots=True)
class TrialId:
    """Names one video of an audit, such as ``maze/through_wall/zoom_75/17``. Id and seed determine the video."""

    task: str
    trick: str
    condition: Condition
    index: int
    """Index of the puzzle."""

    def __str__(self) -> str:
        return f"{self.task}/{self.trick}/{self.condition}/{self.index}"

    @classmethod
    def parse(cls, text: str) -> TrialId:
        parts = text.split("/")
        if len(parts) != 4 or not parts[3].isdigit():
            raise UsageError(
                f"{text!r} is not the id of a trial; write task/trick/degradation/index: maze/static/zoom_75/17"
            )
        degradation = DEGRADATIONS[parts[2].removesuffix(_PLACED)]
        condition = Condition(degradation.name, parts[2].endswith(_PLACED))
        if condition.placed and degradation.choose_fit is None:
            raise UsageError(
                f"{text!r} is not the id of a trial: {degradation.name} does not resize the image and has no placement"
            )
        return cls(parts[0], parts[1], condition, int(parts[3]))


def conditions() -> list[Condition]:
    """Return every degradation. Those that resize the image come twice: without and with the placement given."""
    placed = [Condition(degradation.name, True) for degradation in DEGRADATIONS.values() if degradation.choose_fit]
    return [Condition(name) for name in DEGRADATIONS] + placed


def assign_conditions(task: str, trick: str, indices: Sequence[int], seed: int) -> Iterator[TrialId]:
    """Yield a trial id for each puzzle. In each block of as many puzzles as there are conditions, every condition comes
    once, in a random order."""
    known = conditions()
    for place, index in enumerate(indices):
        block, position = divmod(place, len(known))
        if position == 0:
            order = rng_for("audit", seed, task, trick, "block", block).sample(known, len(known))
        yield TrialId(task, trick, order[position], index)


def plan_difficulties(task: AnyTask, n: int, seed: int) -> list[str]:
    """Return the difficulty of each puzzle: in every twenty, the counts of SHARES."""
    twenty = [name for name in task.difficulties for _ in range(SHARES.get(name, 0))] or list(task.difficulties)
    blocks = range(-(-n // len(twenty)))
    mixed = [rng_for("audit", seed, task.name, "mix", block).sample(twenty, len(twenty)) for block in blocks]
    return [name for block in mixed for name in block][:n]


def plan_puzzles(task: AnyTask, n: int, seed: int) -> list[tuple[str, Any]]:
    """Return the puzzles of an audit with their difficulties. They repeat where too few exist."""
    mixed = plan_difficulties(task, n, seed)
    planned = {}
    for name in dict.fromkeys(mixed):
        params = task.preset(name)
        capacity = task.capacity(params)
        wanted = mixed.count(name)
        planned[name] = plan(task, wanted if capacity is None else min(wanted, capacity), seed, params)
    taken = dict.fromkeys(planned, 0)
    made: list[tuple[str, Any]] = []
    for name in mixed:
        made.append((name, planned[name][taken[name] % len(planned[name])]))
        taken[name] += 1
    return made
