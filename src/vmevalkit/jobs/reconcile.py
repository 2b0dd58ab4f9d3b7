"""Reconciliation: lost orders are matched with the provider's own list, where that is unambiguous.

First by what the list shows. All questions of a task may have one prompt, so this leaves orders of several questions
open: those are matched by what their videos show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from vmevalkit.core.remote import ProviderJob
from vmevalkit.store.journal import Intent, JobKey, JournalEntry

CLOCK_TOLERANCE = timedelta(minutes=10)
"""How far a provider's clock may be off from ours."""
_LONGEST_SUBMIT = timedelta(minutes=10)
"""An order that arrives later than this after its intent was sent by somebody else."""


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


def list_candidates(
    lost: Sequence[Intent], listed: Sequence[ProviderJob], claimed_ids: Collection[str]
) -> list[ProviderJob]:
    """Return the jobs that may belong to lost intents, the oldest first: their videos can show to which."""
    jobs = [job for job in listed if job.id not in claimed_ids and any(_may_be_of(job, intent) for intent in lost)]
    return sorted(jobs, key=lambda job: _whole_second(job.created_at))


def match_videos(
    lost: Sequence[Intent],
    ours: Sequence[Intent],
    inputs_of_others: Collection[str],
    candidates: Sequence[ProviderJob],
    shown: Mapping[str, str],
) -> dict[JobKey, ProviderJob]:
    """Return the provider's job of each lost intent whose question a video shows.

    ``shown`` has, by the id of a job, the input digest of the question that its video begins with. Samples of a
    question are interchangeable. Nothing is matched where another process has an unanswered intent for the same
    question, or where more videos show it than the intents could have caused."""
    found: dict[JobKey, ProviderJob] = {}
    for wanted in {intent.input_digest for intent in lost} - set(inputs_of_others):
        jobs = [job for job in candidates if shown.get(job.id) == wanted]
        if len(jobs) > sum(intent.input_digest == wanted for intent in ours):
            continue
        free = sorted((intent for intent in lost if intent.input_digest == wanted), key=_intent_time)
        for job in jobs:
            intent = next((intent for intent in free if _may_be_of(job, intent)), None)
            if intent is not None:
                free.remove(intent)
                found[intent.job] = job
    return found


def find_never_ordered(
    lost: Sequence[Intent],
    listed: Sequence[ProviderJob],
    entries: Iterable[JournalEntry],
    claimed_ids: Collection[str],
    complete_until: datetime,
) -> list[Intent]:
    """Return the intents that became no order: the list is complete up to them, and has no job that may be theirs.

    ``claimed_ids`` include the jobs of the other intents. The list must show an order of ours at the time that the
    journal has for it: else it may be that of another account, or the clocks may be hours apart. That order must not be
    later than the intent, by more than the clocks tolerate: a provider may keep its list for some days only."""
    tickets = {str(entry.ticket["id"]): entry.ticket_at for entry in entries if entry.ticket is not None}
    known = [
        ours
        for job in listed
        if (at := tickets.get(job.id)) is not None
        and abs(_whole_second(job.created_at) - (ours := _whole_second(datetime.fromisoformat(at)))) <= CLOCK_TOLERANCE
    ]
    return [
        intent
        for intent in lost
        if known
        and min(known) - CLOCK_TOLERANCE <= _whole_second(intent.time) <= complete_until
        and not list_candidates([intent], listed, claimed_ids)
    ]


def _may_be_of(job: ProviderJob, intent: Intent) -> bool:
    """Whether an order may be that of an intent, by its prompt, if the list shows it, and its time."""
    if job.prompt is not None and job.prompt != intent.prompt:
        return False
    delay = _whole_second(job.created_at) - _whole_second(intent.time)
    return -CLOCK_TOLERANCE <= delay <= _LONGEST_SUBMIT + CLOCK_TOLERANCE


def _are_interchangeable(intents: Sequence[Intent]) -> bool:
    digests = {intent.request_digest for intent in intents}
    return len(intents) == 1 or (len(digests) == 1 and "" not in digests)


def _intent_time(intent: Intent) -> datetime:
    return intent.time


def _whole_second(time: datetime) -> datetime:
    """Return the time as providers report it: in whole seconds."""
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    return aware.astimezone(UTC).replace(microsecond=0)
