"""Which scores of an experiment count: those on its current videos."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from vmevalkit.core.records import Run
from vmevalkit.store.runs import Job
from vmevalkit.store.scores import Scored

ScoreState = Literal["current", "outdated", "without_run"]
"""current: on the video that is there now. outdated: on an earlier video or puzzle of the job. without_run: the run was
removed."""


def match_run(scored: Scored, runs: Mapping[Job, Run]) -> tuple[ScoreState, Run | None]:
    """Return whether a score counts, and its run. Of a video made elsewhere, which has no run, every score counts.

    Records are compared; a video is read only where they differ."""
    run = runs.get(Job(scored.experiment, scored.model, scored.domain, scored.question_id, scored.sample))
    if run is not None and scored.is_of(run):
        return "current", run
    if scored.run_id is None:
        return "current", None
    return ("without_run", None) if run is None else ("outdated", run)
