"""Writes outcomes of remote jobs into run folders, many at a time."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from vmevalkit.core.jsonable import to_json
from vmevalkit.core.records import Run
from vmevalkit.jobs.order import Outcome
from vmevalkit.models.model import ModelSpec
from vmevalkit.runs.job_specs import JobSpec
from vmevalkit.runs.local import draft_run, make_request_record
from vmevalkit.store.atomic import file_digest, sync_filesystem
from vmevalkit.store.journal import now_text
from vmevalkit.store.runs import Job, PendingRun, RunStager

SHORT = 0.5
"""A video with less than this share of the requested length gets a remark."""


class RunWriter:
    """Writes the outcomes of one model, and collects the runs."""

    def __init__(self, spec: ModelSpec, outputs: Path, scratch: Path) -> None:
        self._spec, self._outputs, self._stager = spec, outputs, RunStager(scratch)
        self.runs: dict[Job, Run] = {}
        self.remarks: list[str] = []

    def write(self, outcomes: list[Outcome[JobSpec]]) -> None:
        """Write a run folder for each outcome. When this returns they are on the disk.

        The file system is synced once for all files. Until then the journal has the tickets, and the folder of a job
        that the journal has as open is checked before it is trusted."""
        for outcome in outcomes:
            job_spec = outcome.order.payload
            pending = self._stager.stage_run(job_spec.folder, job_spec.job, job_spec.load_question(), job_spec.run_id)
            run = pending.finish(self._make_run(outcome, pending), self._make_extra_record(outcome))
            pending.publish()
            if remark := find_remark(outcome):
                self.remarks.append(f"{job_spec.job.model} on {job_spec.job.question_id}: {remark}")
            self.runs[job_spec.job] = run
        sync_filesystem(self._outputs)

    def _make_run(self, outcome: Outcome[JobSpec], pending: PendingRun) -> Run:
        order, video, cost = outcome.order, None, outcome.charged_usd
        if outcome.status == "success":
            video = pending.video
            os.rename(order.video_path, video)  # noqa: PTH104
            cost = order.usd if cost is None else cost
        return replace(
            draft_run(order.payload, pending),
            status=outcome.status,
            video=video,
            error=outcome.error,
            seconds=outcome.seconds,
            cost_usd=cost,
            placement=outcome.ticket.placement if outcome.ticket else None,
            video_digest=None if video is None else file_digest(video),
        )

    def _make_extra_record(self, outcome: Outcome[JobSpec]) -> dict[str, Any]:
        """Return further keys of the record, for its readers."""
        ticket = outcome.ticket
        request = make_request_record(outcome.order.request)
        return {
            "family": self._spec.family,
            "request": {**request, "sent": _to_plain_json(ticket.sent if ticket else {})},
            "provider": {
                "name": self._spec.provider,
                "model": self._spec.vendor_id,
                "order": ticket.id if ticket else None,
                "answer": _to_plain_json(outcome.answer),
            },
            "timing": {"ordered_at": outcome.ordered_at, "finished_at": now_text()},
            "video_info": to_json(outcome.check_result),
            "remark": find_remark(outcome),
        }


def find_remark(outcome: Outcome[JobSpec]) -> str | None:
    """Return what is odd about a video that was delivered: it is much shorter than requested. None where nothing is."""
    seconds, requested = getattr(outcome.check_result, "seconds", None), outcome.order.request.seconds
    if outcome.status != "success" or seconds is None or seconds >= SHORT * requested:
        return None
    return f"the video lasts {seconds:.3g} s, and {requested:g} s were requested"


def _to_plain_json(value: Any) -> Any:
    """Return a value as JSON has it, whatever types an adapter used."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(name): _to_plain_json(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_to_plain_json(item) for item in value]
    return str(value)
