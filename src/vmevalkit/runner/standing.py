"""Where a job of a remote model stands, by its journal and its runs, and what is to be done next."""

from __future__ import annotations

from typing import Literal

from vmevalkit.core.records import Run
from vmevalkit.runner.errands import Again
from vmevalkit.store.journal import Entry

Step = Literal["keep", "poll", "reconcile", "order"]
"""keep: nothing is to be done. poll: ask for what was ordered. reconcile: look whether it was ordered. order: order."""


def next_step(entry: Entry, run: Run | None, again: Again) -> Step:
    if run is not None and run.status == "success":
        return "keep"
    if entry.status is None and entry.intent is not None:
        return "reconcile" if entry.ticket is None else "poll"
    if entry.status == "uncertain" and entry.ticket is None:
        return "reconcile"
    may_come = entry.ticket is not None and not entry.closed and not again.anew
    if run is None:
        return "poll" if may_come else "order"
    if run.status == "failed":
        return ("poll" if may_come else "order") if again.failed else "keep"
    wanted = again.refused if run.status == "refused" else again.uncertain
    return "order" if wanted else "keep"
