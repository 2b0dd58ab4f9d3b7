"""Reconciliation: lost orders are matched with the provider's own list, where that is unambiguous."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime

from vmevalkit.core.remote import ProviderJob
from vmevalkit.store.journal import Intent, JobKey, JournalEntry


def list_unanswered_intents(entries: Iterable[JournalEntry]) -> list[Intent]:
    """Return the intents that may have become orders without a known ticket."""
    return [intent for entry in entries for intent in entry.unanswered_intents]


def list_claimed_ids(entries: Iterable[JournalEntry]) -> set[str]:
    """Return the provider's ids of all orders that have, or had, tickets."""
    ids: set[str] = set()
    for entry in entries:
        ids.update(entry.earlier_order_ids)
        if entry.ticket is not None:
            ids.add(str(entry.ticket["id"]))
    return ids


def match_intents(
    lost: Sequence[Intent],
    ours: Sequence[Intent],
    prompts_of_others: Collection[str],
    listed: Sequence[ProviderJob],
    claimed_ids: Collection[str],
) -> dict[JobKey, ProviderJob]:
    """Return the provider's job of each intent in ``lost`` that the list shows unambiguously.

    ``ours`` are all unanswered intents of jobs that only this process may touch. Those with the same prompt must have
    the same request: then they are interchangeable, and their unclaimed jobs are assigned in order of time. A wrong
    match would give a question the video of another one. So nothing is matched where another process has an unanswered
    intent with the prompt, or where the list has more jobs than the intents could have caused.
    """
    found: dict[JobKey, ProviderJob] = {}
    for prompt in {intent.prompt for intent in lost} - set(prompts_of_others):
        group = sorted((intent for intent in ours if intent.prompt == prompt), key=_intent_time)
        if not _are_interchangeable(group):
            continue
        since = _whole_second(group[0].time)
        jobs = sorted(
            (
                job
                for job in listed
                if job.prompt == prompt and job.id not in claimed_ids and _whole_second(job.created_at) >= since
            ),
            key=lambda job: _whole_second(job.created_at),
        )
        if len(jobs) > len(group) or any(
            _whole_second(job.created_at) < _whole_second(intent.time) for job, intent in zip(jobs, group, strict=False)
        ):
            continue
        keys = [intent.job for intent in sorted(lost, key=_intent_time) if intent.prompt == prompt]
        found.update(zip(keys, jobs, strict=False))
    return found


def _are_interchangeable(intents: Sequence[Intent]) -> bool:
    digests = {intent.request_digest for intent in intents}
    return len(intents) == 1 or (len(digests) == 1 and "" not in digests)


def _intent_time(intent: Intent) -> datetime:
    return intent.time


def _whole_second(time: datetime) -> datetime:
    """Return the time as providers report it: in whole seconds."""
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    return aware.astimezone(UTC).replace(microsecond=0)
