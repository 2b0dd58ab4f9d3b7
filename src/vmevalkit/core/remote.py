"""The contract between the job loop in ``jobs`` and a model behind a service.

    prepare(request) -> PreparedRequest              poll(ticket) -> Pending | Finished | Failed
    submit(prepared) -> Ticket                       fetch(finished, into)

An order is a submitted request: the provider works on it, and usually charges for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from vmevalkit.core.records import Placement, Request


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """A request as its adapter sends it, complete and valid. It is made before the intent to order is on disk."""

    body: Any
    """What ``submit`` sends: defined by the adapter."""
    sent: Mapping[str, Any] = field(default_factory=dict)
    """The same for records: without keys and without the image's bytes."""
    placement: Placement | None = None
    """Where the first frame is in the image."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """An order that the provider accepted. It is on disk before the first poll, so that no video is paid for twice."""

    id: str
    """The provider's id of the order."""
    placement: Placement | None = None
    """Where the first frame is in the image that was sent."""
    sent: Mapping[str, Any] = field(default_factory=dict)
    """The request as the provider got it, without keys and without the image's bytes."""

    @classmethod
    def for_request(cls, order_id: str, prepared: PreparedRequest) -> Ticket:
        """Return the ticket of a request that was submitted."""
        return cls(order_id, prepared.placement, prepared.sent)


@dataclass(frozen=True, slots=True)
class Pending:
    """The state of an order that the provider is working on."""

    progress: float | None = None
    """From 0 to 1, where the provider reports it."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The state of an order whose video can be fetched."""

    ticket: Ticket
    url: str | None = None
    """The address of the video; None where it is fetched by the ticket's id."""
    answer: Mapping[str, Any] = field(default_factory=dict)
    """The provider's response, without the video's bytes."""
    cost_usd: float | None = None
    """What the provider charged, where it reports that."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The state of an order that will have no video."""

    reason: str
    refused: bool = False
    """Whether the content policy is the reason. Such a request is not repeated automatically."""
    answer: Mapping[str, Any] = field(default_factory=dict)
    """The provider's response."""


@dataclass(frozen=True, slots=True)
class ProviderJob:
    """One order in the provider's own list of jobs."""

    id: str
    created_at: datetime
    prompt: str | None = None
    """None where the list has no prompts."""


class RemoteModel(Protocol):
    """A model behind a service.

    The methods make one call each and do not retry: the loop of submit, poll and fetch, with its retries and pauses,
    exists once, in ``jobs``. All but ``submit`` cost nothing: they raise Throttled or Unreachable where the call may be
    repeated. Every method raises Blocked where the provider accepts no call of this account.
    """

    async def prepare(self, request: Request) -> PreparedRequest:
        """Return the request as ``submit`` sends it: validated, with the image decoded in a thread and encoded.

        Nothing is ordered yet, so every error here is a plain failure of the job."""
        ...

    async def submit(self, prepared: PreparedRequest, key: str) -> Ticket:
        """Order one video. ``key`` is sent as idempotency key where the provider supports that.

        Throttled and Unreachable mean that nothing was ordered, Uncertain that this is unknown. Refused and every other
        ModelError are final."""
        ...

    async def poll(self, ticket: Ticket) -> Pending | Finished | Failed:
        """Return the state of an order."""
        ...

    async def fetch(self, done: Finished, into: Path, limit_bytes: int) -> None:
        """Download the video to ``into``. Raises ModelError where it is larger than ``limit_bytes``."""
        ...

    async def list_jobs(self, since: datetime) -> list[ProviderJob] | None:
        """Return all orders since a time, the newest included; None where the provider has no such list."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...
