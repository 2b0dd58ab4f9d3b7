"""Orders whose answers were lost, found again in the provider's own list, where that leaves no doubt."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime

from vmevalkit.models.model import Listed
from vmevalkit.store.journal import Entry, Intent, JobName


def unanswered(entries: Iterable[Entry]) -> list[Intent]:
    """Intents that may have become orders at the provider which nobody has a ticket for."""
    return [intent for entry in entries for intent in entry.unanswered]


def claimed(entries: Iterable[Entry]) -> set[str]:
    """The provider's names of the orders that have tickets, or had."""
    found: set[str] = set()
    for entry in entries:
        found.update(entry.had)
        if entry.ticket is not None:
            found.add(str(entry.ticket["id"]))
    return found


def matches(
    sought: Sequence[Intent],
    ours: Sequence[Intent],
    prompts_of_others: Collection[str],
    listed: Sequence[Listed],
    taken: Collection[str],
) -> dict[JobName, Listed]:
    """An order for each of the intents ``sought``, as far as the list shows one beyond doubt.

    ``ours`` are all open intents of jobs that this process alone may touch. Those with one prompt must be alike: then
    it does not matter whose order is whose, and their unclaimed orders are dealt out in the order of time. A wrong
    match would give a question the film of another one. So nothing is matched where anybody else has an open intent
    with the prompt, or where there are more orders than the open intents could have made.
    """
    found: dict[JobName, Listed] = {}
    for prompt in {intent.prompt for intent in sought} - set(prompts_of_others):
        group = sorted((intent for intent in ours if intent.prompt == prompt), key=_time)
        if len(group) > 1 and (not group[0].alike or len({intent.alike for intent in group}) > 1):
            continue
        since = _second(group[0].time)
        orders = sorted(
            (
                order
                for order in listed
                if order.prompt == prompt and order.id not in taken and _second(order.created_at) >= since
            ),
            key=lambda order: _second(order.created_at),
        )
        if len(orders) > len(group) or any(
            _second(order.created_at) < _second(intent.time) for order, intent in zip(orders, group, strict=False)
        ):
            continue
        jobs = [intent.job for intent in sorted(sought, key=_time) if intent.prompt == prompt]
        found.update(zip(jobs, orders, strict=False))
    return found


def _time(intent: Intent) -> datetime:
    return intent.time


def _second(time: datetime) -> datetime:
    """Providers tell whole seconds."""
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    return aware.astimezone(UTC).replace(microsecond=0)
