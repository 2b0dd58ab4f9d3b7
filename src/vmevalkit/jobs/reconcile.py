"""Orders whose answers were lost, found again in the provider's own list, where that leaves no doubt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime

from vmevalkit.models.model import Listed
from vmevalkit.store.journal import Entry, Intent, JobName


def unanswered(entries: Iterable[Entry]) -> Counter[str]:
    """How many orders with each prompt may be at the provider without a ticket."""
    return Counter(intent.prompt for entry in entries for intent in entry.unanswered)


def claimed(entries: Iterable[Entry]) -> set[str]:
    """The provider's names of the orders that have tickets."""
    return {str(entry.ticket["id"]) for entry in entries if entry.ticket is not None}


def matches(
    intents: Sequence[Intent], open_prompts: Counter[str], listed: Sequence[Listed], taken: Collection[str]
) -> dict[JobName, Listed]:
    """The order of each intent, where exactly one unclaimed order with its prompt was made after it, and no other open
    intent has that prompt. A wrong match would give a question the film of another one, so doubt leaves it out."""
    found = {}
    for intent in intents:
        since = _second(intent.time)
        possible = [
            order
            for order in listed
            if order.prompt == intent.prompt and order.id not in taken and _second(order.created_at) >= since
        ]
        if len(possible) == 1 and open_prompts[intent.prompt] == 1:
            found[intent.job] = possible[0]
    return found


def _second(time: datetime) -> datetime:
    """Providers tell whole seconds."""
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    return aware.astimezone(UTC).replace(microsecond=0)
