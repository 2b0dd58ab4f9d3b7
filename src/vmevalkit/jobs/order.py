"""An order for one video, and its outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from vmevalkit.core.records import Request, RunStatus
from vmevalkit.core.remote import Ticket
from vmevalkit.store.journal import JobKey

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Order(Generic[P]):
    """One video to get from a provider: by a new order, or by the ticket of an earlier one."""

    job: JobKey
    request: Request
    input_digest: str
    """Digest of the question and of the prompt as it is sent."""
    video_path: Path
    """Where the video is downloaded to, temporarily."""
    payload: P
    """Data of the caller, returned with the outcome."""
    idempotency_key: str = ""
    usd: float | None = None
    """The price, where it is known."""
    ticket: Ticket | None = None
    """The ticket of an earlier call: it is polled, and no new order is sent."""
    request_digest: str = ""
    """Digest of everything that the provider gets: orders with the same digest are interchangeable."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[P]):
    """The result of an order."""

    order: Order[P]
    status: RunStatus
    error: str | None = None
    ticket: Ticket | None = None
    answer: Mapping[str, Any] = field(default_factory=dict)
    """The provider's last response."""
    check_result: Any = None
    """What the caller's check returned for the video, which is at the order's ``video_path``."""
    charged_usd: float | None = None
    """What the provider charged, where it reports that."""
    is_closed: bool = False
    """Whether the provider said that there will be no video. Otherwise a later call may poll again without paying."""
    ordered_at: str | None = None
    """Time of the ticket in ISO format."""
    seconds: float = 0.0
    """From the order, or from the start of this call, to the end."""
