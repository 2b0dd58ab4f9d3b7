"""The trace of a video as a record: what was read from each frame. ``store.traces`` writes and reads it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Any

from vmevalkit.core.jsonable import dumps, to_json
from vmevalkit.tasks.task import AnyTask, FrameReading

READ, UNREADABLE, CARD = "r", "u", "c"
"""The letters of ``status``. A card is an unreadable frame that is part of a fade or the same as the one before."""
_DIGITS = 3


def make_trace_record(task: AnyTask, puzzle: Any, trace: Sequence[FrameReading[Any]]) -> dict[str, Any]:
    """Return the record of a trace. All lists but ``states`` have an item for each frame."""
    texts: dict[str, int] = {}
    states: list[Any] = []
    progress, accepted = [], []
    state: list[int | None] = []
    for before, reading in zip((None, *trace), trace, strict=False):
        if reading.state is None:
            state.append(None)
            continue
        if before is not None and before.state is reading.state:
            state.append(state[-1])
            continue
        rounded = _describe_state(reading.state)
        index = texts.setdefault(dumps(rounded), len(states))
        if index == len(states):
            states.append(rounded)
            progress.append(round(float(task.progress(puzzle, reading.state)), _DIGITS))
            accepted.append(bool(task.accepted(puzzle, reading.state)))
        state.append(index)
    seconds = [reading.seconds for reading in trace]
    step = median(after - before for before, after in pairwise(seconds)) if seconds[1:] else 0.0
    return {
        "duration_s": round(seconds[-1] + step, _DIGITS),
        "seconds": [round(each, _DIGITS) for each in seconds],
        "status": "".join(_describe_status(reading) for reading in trace),
        "progress": [None if index is None else progress[index] for index in state],
        "accepted": [None if index is None else accepted[index] for index in state],
        "unexplained": [_measure_unexplained(reading) for reading in trace],
        "state": state,
        "states": states,
    }


def _describe_status(reading: FrameReading[Any]) -> str:
    if reading.state is not None:
        return READ
    return CARD if reading.is_card else UNREADABLE


def _measure_unexplained(reading: FrameReading[Any]) -> float | None:
    return None if reading.blobs is None else round(sum(blob.area for blob in reading.blobs), _DIGITS)


def _describe_state(state: Any) -> Any:
    """Return a state as JSON values; in words where other people's task has a state that is no record."""
    try:
        return _round(to_json(state))
    except TypeError:
        return str(state)


def _round(value: Any) -> Any:
    if hasattr(value, "tolist"):  # an array or a scalar of numpy
        value = value.tolist()
    if isinstance(value, float):  # positions are in pixels, shares between 0 and 1
        return round(value, _DIGITS - (abs(value) >= 10) - (abs(value) >= 100))
    if isinstance(value, list):
        return [_round(item) for item in value]
    if isinstance(value, dict):
        return {key: _round(item) for key, item in value.items()}
    return value if value is None or isinstance(value, str | int) else str(value)
