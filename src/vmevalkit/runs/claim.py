"""Orders whose answers were lost: which there are, and the order of one of them as a person has looked it up."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from vmevalkit.core.errors import ConflictError, UsageError
from vmevalkit.core.remote import Ticket
from vmevalkit.jobs.reconcile import list_claimed_ids
from vmevalkit.jobs.remote_job import make_ticket_record
from vmevalkit.store import layout
from vmevalkit.store.atomic import lock
from vmevalkit.store.journal import Journal, read_entries, read_other_entries


@dataclass(frozen=True, slots=True)
class UncertainOrder:
    """A job whose order may have been paid for."""

    job: str
    """EXPERIMENT/MODEL/DOMAIN/QUESTION/SAMPLE, as ``claim`` takes it."""
    usd: float | None


def list_uncertain_orders(outputs: Path, experiment: str, models: Iterable[str]) -> list[UncertainOrder]:
    """Return the jobs of an experiment with an order that got no answer."""
    found = []
    for model in models:
        folder = layout.model_folder(outputs, experiment, model)
        for (domain, question_id, sample), entry in read_entries(layout.journals_of(folder)).items():
            if entry.intent is not None and entry.ticket is None and entry.status in (None, "uncertain"):
                name = f"{experiment}/{model}/{domain}/{question_id}/{sample}"
                found.append(UncertainOrder(name, entry.intent.usd))
    return found


def claim_order(job: str, order_id: str, outputs: Path) -> None:
    """Record that the provider's order ``order_id`` is that of a job, EXPERIMENT/MODEL/DOMAIN/QUESTION[/SAMPLE].

    The next run polls it and downloads its video. Raises UsageError where the job has no order without an answer, and
    ConflictError where the order belongs to another job."""
    parts = job.split("/")
    if len(parts) == 4:
        parts.append("0")
    if len(parts) != 5 or not parts[4].isdecimal() or not all(parts) or not order_id.strip():
        raise UsageError(
            f"{job!r} and {order_id!r} are not a job and an order; write EXPERIMENT/MODEL/DOMAIN/QUESTION[/SAMPLE] and "
            "the provider's id"
        )
    experiment, model, domain, question_id, sample = parts
    folder, key = layout.model_folder(outputs, experiment, model), (domain, question_id, int(sample))
    if not layout.journals_of(folder):
        raise UsageError(f"{folder} has no journal of orders; check the experiment, the model and --outputs")
    with lock(folder):
        entries = read_entries(layout.journals_of(folder))
        entry = entries.get(key)
        if entry is None or entry.intent is None or entry.ticket is not None:
            open_jobs = [order.job for order in list_uncertain_orders(outputs, experiment, [model])]
            raise UsageError(f"{job} has no order without an answer; those that have: {', '.join(open_jobs) or 'none'}")
        if order_id in list_claimed_ids([*entries.values(), *read_other_entries(outputs, folder)]):
            raise ConflictError(f"the order {order_id} belongs to another job already; nothing was changed")
        asyncio.run(_record_ticket(folder, key, order_id))


async def _record_ticket(folder: Path, key: tuple[str, str, int], order_id: str) -> None:
    journal = Journal(folder)
    try:
        await journal.record_ticket(key, make_ticket_record(Ticket(order_id)))
    finally:
        await journal.close()
