"""What a scorer read from each frame, thinned out for the timeline of a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vmevalkit.store import layout
from vmevalkit.store.records import read_record

_MOST = 1e9
MOST_POINTS = 160
"""Points of a timeline; a page is about as many pixels wide."""


def read_timeline(score_file: Path) -> dict[str, list[Any]] | None:
    """Return seconds, progress and status of the trace beside a score; None where there is no such trace."""
    trace = read_record(layout.trace_file(score_file))
    if trace is None:
        return None
    seconds, progress, status = (trace.get(name) or [] for name in ("seconds", "progress", "status"))
    if not isinstance(seconds, list) or not isinstance(progress, list) or len(progress) != len(seconds):
        return None
    status = status if isinstance(status, str) and len(status) == len(seconds) else ""  # a letter for each frame
    if (
        not seconds
        or not all(map(_is_number, seconds))
        or not all(each is None or _is_number(each) for each in progress)
    ):
        return None
    step = max(1, -(-len(seconds) // MOST_POINTS))
    places = sorted({*range(0, len(seconds), step), len(seconds) - 1})
    return {
        "t": [round(float(seconds[place]), 3) for place in places],
        "p": [None if progress[place] is None else round(float(progress[place]), 3) for place in places],
        "s": [status[place] for place in places] if status else [],
    }


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST
