"""Planning a dataset: which puzzles it holds. Planning is serial and cheap; drawing comes later, in any number of
processes.

Question i depends on the task, the seed, the params and i, never on the number of questions or of workers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from itertools import cycle, islice
from typing import Any, TypeVar

import orjson

from vmevalkit.core.errors import Exhausted, Uncertified, UsageError
from vmevalkit.core.randomness import rng_for
from vmevalkit.tasks.task import Task

P = TypeVar("P")

_ATTEMPTS = 10_000
_ATTEMPTS_PER_PUZZLE = 40  # chance finds the last of N puzzles in N attempts on average; one in e^40 is not found


def plan(task: Task[P, Any, Any], n: int, seed: int, params: Any) -> list[P]:
    """Return the first ``n`` puzzles. Raises Exhausted where there are fewer."""
    check_number(task, n, params)
    return list(islice(iterate_puzzles(task, seed, params), n))


def check_number(task: Task[P, Any, Any], n: int, params: Any) -> None:
    """Raise UsageError or Exhausted where so many questions surely cannot be planned."""
    if n < 1:
        raise UsageError(f"{n} questions of {task.name} were asked for; ask for at least 1")
    capacity = task.capacity(params)
    if capacity is not None and n > capacity:
        raise Exhausted(f"{n} questions of {task.name} were asked for, but {_explain_limit(capacity, 'exist', params)}")


def iterate_puzzles(task: Task[P, Any, Any], seed: int, params: Any) -> Iterator[P]:
    """Yield the puzzles of a dataset, each once. Raises Exhausted after the last one."""
    listed = task.catalogue(params)
    if listed is None:
        yield from _sample_puzzles(task, seed, params)
        return
    order = list(range(len(listed)))
    rng_for(task.name, seed, "order").shuffle(order)
    for place in order:
        task.certify(listed[place])
        yield listed[place]
    raise Exhausted(f"no more questions of {task.name}: {_explain_limit(len(listed), 'exist', params)}")


def iterate_mixed_puzzles(task: Task[P, Any, Any], seed: int, choices: Sequence[Any]) -> Iterator[P]:
    """Yield the puzzles of a dataset whose question i has the params ``choices[i % len(choices)]``, each once: params
    may overlap, so a puzzle of one is skipped in another. Raises Exhausted where the next one has no more puzzles."""
    if len(choices) == 1:
        yield from iterate_puzzles(task, seed, choices[0])
        return
    sources = [iterate_puzzles(task, seed, params) for params in choices]
    used: set[Hashable] = set()
    for source in cycle(sources):
        for puzzle in source:
            key = _shorten_key(task.key(puzzle))
            if key not in used:
                used.add(key)
                yield puzzle
                break


def _sample_puzzles(task: Task[P, Any, Any], seed: int, params: Any) -> Iterator[P]:
    attempts = max(_ATTEMPTS, _ATTEMPTS_PER_PUZZLE * (task.capacity(params) or 0))
    used: set[Hashable] = set()
    while True:
        for attempt in range(attempts):
            try:
                puzzle = task.sample(rng_for(task.name, seed, len(used), attempt), params)
                key = _shorten_key(task.key(puzzle))
                if key in used:
                    continue
                task.certify(puzzle)
            except Uncertified:
                continue
            break
        else:
            found = _explain_limit(len(used), f"were found in {attempts} attempts", params)
            raise Exhausted(f"no more questions of {task.name}: {found}")
        used.add(key)
        yield puzzle


def _shorten_key(key: Hashable) -> Hashable:
    """Return a digest of a key, which may be as large as its puzzle: the keys of all questions are kept."""
    try:
        text = orjson.dumps(key, option=orjson.OPT_NON_STR_KEYS, default=_sort_set)
    except TypeError:  # a key of a type of the task's own
        return key
    return blake2b(text, digest_size=12).digest()


def _sort_set(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    raise TypeError


def _explain_limit(number: int, verb: str, params: Any) -> str:
    fewer = f"ask for at most {number}, or " if number else ""
    return f"only {number} {verb} with {_describe(params)}; {fewer}choose other params"


def _describe(params: Any) -> str:
    if not is_dataclass(params):
        return str(params)
    return ", ".join(f"{field.name}={getattr(params, field.name)}" for field in fields(params)) or "these params"
