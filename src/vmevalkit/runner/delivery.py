"""Outcomes of remote jobs into run folders, many at a time."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vmevalkit.core.jsonable import to_json
from vmevalkit.core.records import Run
from vmevalkit.jobs.order import Outcome
from vmevalkit.models.model import ModelSpec
from vmevalkit.runner.errands import Errand
from vmevalkit.runner.local import request_record
from vmevalkit.store.commit import file_digest, flush
from vmevalkit.store.journal import now
from vmevalkit.store.runs import Job, PendingRun, Shelf


class Delivery:
    """Commits outcomes of one model, and keeps the runs that they became."""

    def __init__(self, spec: ModelSpec, outputs: Path, scratch: Path) -> None:
        self._spec, self._outputs, self._shelf = spec, outputs, Shelf(scratch)
        self.runs: dict[Job, Run] = {}

    def commit(self, outcomes: list[Outcome[Errand]]) -> None:
        """Run folders for all, each whole at once; when this returns they are on the disk.

        The disk is waited for once, not for every file: until then the journal has the tickets, and whoever finds an
        open job there looks at its folder with suspicion."""
        for outcome in outcomes:
            errand = outcome.order.item
            pending = self._shelf.run(errand.folder, errand.job, errand.question, errand.run_id)
            run = pending.finish(self._run(outcome, pending), self._more(outcome))
            pending.publish()
            self.runs[errand.job] = run
        flush(self._outputs)

    def _run(self, outcome: Outcome[Errand], pending: PendingRun) -> Run:
        order, video, cost = outcome.order, None, outcome.charged_usd
        if outcome.status == "success":
            video = pending.video
            os.rename(order.film, video)  # noqa: PTH104
            cost = order.usd if cost is None else cost
        job = order.item.job
        return Run(
            experiment=job.experiment,
            model=job.model,
            question_id=job.question_id,
            domain=job.domain,
            sample=job.sample,
            run_id=pending.run_id,
            status=outcome.status,
            folder=pending.target,
            video=video,
            error=outcome.error,
            seconds=outcome.seconds,
            cost_usd=cost,
            placement=outcome.ticket.placement if outcome.ticket else None,
            question_digest=order.item.question_digest,
            video_digest=None if video is None else file_digest(video),
            prompt_variant=order.item.wishes.prompt_variant,
        )

    def _more(self, outcome: Outcome[Errand]) -> dict[str, Any]:
        """What a reader of the record may want to know besides."""
        ticket = outcome.ticket
        return {
            "request": {**request_record(outcome.order.request), "sent": _plain(ticket.sent if ticket else {})},
            "provider": {
                "name": self._spec.provider,
                "model": self._spec.vendor_id,
                "order": ticket.id if ticket else None,
                "answer": _plain(outcome.answer),
            },
            "timing": {"ordered_at": outcome.ordered_at, "finished_at": now()},
            "film": to_json(outcome.checked),
        }


def _plain(said: Any) -> Any:
    """As JSON has it, whatever an adapter put into it."""
    if said is None or isinstance(said, str | int | float):
        return said
    if isinstance(said, Mapping):
        return {str(name): _plain(value) for name, value in said.items()}
    if isinstance(said, list | tuple):
        return [_plain(value) for value in said]
    return str(said)
