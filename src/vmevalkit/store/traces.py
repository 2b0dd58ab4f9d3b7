"""Traces beside scores: what a scorer read from each frame of a video. docs/RESULTS.md documents the format.

States of neighbouring frames are nearly equal, so a file has the first state in full and of each further one only what
differs from the state before it in the list. ``read_trace`` puts them together again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import StoreError
from vmevalkit.store.records import compact_bytes, read_record

FORMAT = 1

_SEPARATOR = "/"


def trace_bytes(record: Mapping[str, Any]) -> bytes:
    """Return the content of a trace file. ``states`` of the record are JSON values in full."""
    states = list(record["states"])
    packed = states[:1] + [_diff(before, after) for before, after in pairwise(states)]
    return compact_bytes({"format": FORMAT, **record, "states": packed})


def read_trace(path: Path) -> dict[str, Any] | None:
    """Return a trace with all states in full; None where there is no file."""
    record = read_record(path)
    if record is None:
        return None
    try:
        if record["format"] != FORMAT:
            raise ValueError(f"its format is {record['format']}, not {FORMAT}")
        if not isinstance(record["states"], list):
            raise TypeError("its states are not a list")
        record["states"] = _unpack(record["states"])
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
        raise StoreError(f"{path} is not a trace ({error!r}); remove its score and score again") from error
    return record


def _diff(before: Any, after: Any) -> dict[str, Any]:
    return {_SEPARATOR.join(path): value for path, value in _find_changes(before, after, ())}


def _find_changes(before: Any, after: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the places where two JSON values differ, with the new content. A list of another length is one place."""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        for key, value in after.items():
            yield from _find_changes(before[key], value, (*path, key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, value in enumerate(after):
            yield from _find_changes(before[index], value, (*path, str(index)))
    elif before != after:
        yield path, after


def _unpack(packed: Sequence[Any]) -> list[Any]:
    states = list(packed[:1])
    for changes in packed[1:]:
        state = deepcopy(states[-1])
        for path, value in changes.items():
            state = _replace(state, path, value)
        states.append(state)
    return states


def _replace(state: Any, path: str, value: Any) -> Any:
    if not path:
        return value
    *way, last = path.split(_SEPARATOR)
    place = state
    for key in way:
        place = place[int(key) if isinstance(place, list) else key]
    place[int(last) if isinstance(place, list) else last] = value
    return state
