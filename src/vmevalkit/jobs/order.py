"""What a provider is to be asked for, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from vmevalkit.core.records import Request, RunStatus
from vmevalkit.models.model import Ticket
from vmevalkit.store.journal import JobName

I = TypeVar("I")  # noqa: E741


@dataclass(frozen=True, slots=True)
class Order(Generic[I]):
    """One film to be had, by ordering it or by asking for what was ordered."""

    job: JobName
    request: Request
    asked: str
    """Digest of the question and of how it is asked."""
    film: Path
    """Where to put the film for now."""
    item: I
    """Whatever the caller wants to find again with the outcome."""
    key: str = ""
    """Idempotency key of the order."""
    usd: float | None = None
    """The price, where it is known."""
    ticket: Ticket | None = None
    """Of an order that was sent in an earlier call: it is asked for, and not sent again."""
    ordered_at: str | None = None
    """When the ticket was had."""
    alike: str = ""
    """Digest of all that the provider is told: orders with the same one are interchangeable."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[I]):
    """What became of an order."""

    order: Order[I]
    status: RunStatus
    error: str | None = None
    ticket: Ticket | None = None
    answer: Mapping[str, Any] = field(default_factory=dict)
    """The provider's last word."""
    checked: Any = None
    """What the caller's check said of the film, which lies at the order's place."""
    charged_usd: float | None = None
    """What the provider says it charged."""
    closed: bool = False
    """Whether the provider has said that there will be no film. Otherwise a later call may ask again without paying."""
    ordered_at: str | None = None
    seconds: float = 0.0
    """From the order, or from the start of this call, to the end."""
