"""Which puzzles a dataset holds. Serial and cheap; drawing them comes later, in any number of processes.

Question i depends on the task, the seed, the knobs and i: never on how many are asked for, nor on who draws them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any, TypeVar

from vmevalkit.core.errors import Exhausted, Uncertified, UsageError
from vmevalkit.core.randomness import rng_for
from vmevalkit.tasks.task import Task

P = TypeVar("P")

_ATTEMPTS = 10_000
_ATTEMPTS_PER_PUZZLE = 40  # chance finds the last of N puzzles in N attempts on average; one in e^40 is not found


def plan(task: Task[P, Any, Any], n: int, seed: int, knobs: Any) -> list[P]:
    """The first ``n`` puzzles. Raises Exhausted where there are fewer."""
    check_number(task, n, knobs)
    return list(islice(puzzles(task, seed, knobs), n))


def check_number(task: Task[P, Any, Any], n: int, knobs: Any) -> None:
    """Refuse what cannot be planned, as far as that is known beforehand."""
    if n < 1:
        raise UsageError(f"{n} questions of {task.name} were asked for; ask for at least 1")
    capacity = task.capacity(knobs)
    if capacity is not None and n > capacity:
        raise Exhausted(f"{n} questions of {task.name} were asked for, but {_remedy(capacity, 'exist', knobs)}")


def puzzles(task: Task[P, Any, Any], seed: int, knobs: Any) -> Iterator[P]:
    """The puzzles of a dataset one after the other, as long as there are new ones; then it raises Exhausted."""
    listed = task.catalogue(knobs)
    if listed is None:
        yield from _sampled(task, seed, knobs)
        return
    order = list(range(len(listed)))
    rng_for(task.name, seed, "order").shuffle(order)
    for place in order:
        task.certify(listed[place])
        yield listed[place]
    raise Exhausted(f"no more questions of {task.name}: {_remedy(len(listed), 'exist', knobs)}")


def _sampled(task: Task[P, Any, Any], seed: int, knobs: Any) -> Iterator[P]:
    attempts = max(_ATTEMPTS, _ATTEMPTS_PER_PUZZLE * (task.capacity(knobs) or 0))
    used: set[Hashable] = set()
    while True:
        for attempt in range(attempts):
            try:
                puzzle = task.sample(rng_for(task.name, seed, len(used), attempt), knobs)
                key = task.key(puzzle)
                if key in used:
                    continue
                task.certify(puzzle)
            except Uncertified:
                continue
            break
        else:
            found = _remedy(len(used), f"were found in {attempts} attempts", knobs)
            raise Exhausted(f"no more questions of {task.name}: {found}")
        used.add(key)
        yield puzzle


def _remedy(number: int, verb: str, knobs: Any) -> str:
    fewer = f"ask for at most {number}, or " if number else ""
    return f"only {number} {verb} with {_words(knobs)}; {fewer}choose other knobs"


def _words(knobs: Any) -> str:
    if not is_dataclass(knobs):
        return str(knobs)
    return ", ".join(f"{field.name}={getattr(knobs, field.name)}" for field in fields(knobs)) or "these knobs"
