"""What a model is: a row that says what it can do, and one of two ways to ask it for a film."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Protocol

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Placement, Request
from vmevalkit.core.settings import setting

ModelStatus = Literal["live", "preview", "retired"]


@dataclass(frozen=True, slots=True)
class Price:
    """What a film costs, as somebody published it on a day."""

    usd: float
    per: Literal["second", "film"]
    as_of: str
    """The day it was read, such as ``2026-11-15``."""
    source: str
    """Where it was read."""

    def of(self, seconds: float) -> float:
        return self.usd * seconds if self.per == "second" else self.usd


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One row of the catalogue. What a row does not allow is refused before money is spent."""

    name: str
    """As users write it, such as ``luma-ray-2``."""
    provider: str
    """Whose service or code runs it, such as ``openai``; limits and keys belong to the provider."""
    vendor_id: str
    """What the vendor calls it."""
    family: str
    """For tables: models of one family stand together."""
    description: str = ""
    adapter: str = ""
    """Where its code is: ``module:Class``, called with the row. Imported only when the model is used."""
    sizes: tuple[tuple[int, int], ...] = ()
    """Width and height of the films it makes; empty means any."""
    durations_s: tuple[float, ...] = ()
    """Lengths that it can be asked for; empty means any."""
    fps: float | None = None
    """Frames per second of its films, where the vendor says."""
    price: Price | None = None
    """None where nothing is charged, or nobody knows: ``charged`` tells which."""
    charged: bool = False
    """Whether a film costs money."""
    status: ModelStatus = "live"
    retired_on: str | None = None
    replacement: str | None = None
    """The model to use instead of a retired one."""
    keys: tuple[str, ...] = ()
    """Settings that must be there, such as ``OPENAI_API_KEY``; where several would do, written ``A|B``."""
    extra: str | None = None
    """The extra of this package that brings what the adapter imports: ``pip install vmevalkit[openai]``."""
    packages: tuple[str, ...] = ()
    """Modules that the adapter imports; each must be found for the model to be ready."""
    endpoint: str | None = None
    """The setting that sends the provider's calls to another address, such as ``OPENAI_BASE_URL``."""
    home: str | None = None
    """The provider's own host: an endpoint elsewhere may still serve what the provider has retired."""
    takes: frozenset[str] = frozenset({"seed"})
    """Which parameters of a request the provider has a place for: seed, enhance_prompt, temperature, ..."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What else its adapter needs to know of this model. ``prompt_needed`` is for all: no empty prompt is taken."""

    def seconds_for(self, wanted: float | None, default: float) -> float:
        """The length to ask for: the one wanted, which must be allowed, or else the allowed one nearest the default."""
        if wanted is not None or not self.durations_s:
            return default if wanted is None else wanted
        return min(self.durations_s, key=lambda seconds: (abs(seconds - default), -seconds))

    def cost_usd(self, seconds: float) -> float | None:
        """The price of one film; None where it is not known."""
        if not self.charged:
            return 0.0
        return None if self.price is None else self.price.of(seconds)

    @property
    def served_elsewhere(self) -> bool:
        """Whether the endpoint's setting names another host than the provider's own."""
        address = setting(self.endpoint) if self.endpoint else None
        return address is not None and not (self.home and self.home in address)

    @property
    def retirement(self) -> str | None:
        """That nobody serves the model any more, with its replacement; None where it can be had."""
        if self.status != "retired" or self.served_elsewhere:
            return None
        since = f" since {self.retired_on}" if self.retired_on else ""
        instead = f"use {self.replacement} instead" if self.replacement else "choose another model"
        other = f", or set {self.endpoint} to a service that still has it" if self.endpoint else ""
        return f"{self.name} is retired by {self.provider}{since}; {instead}{other}"

    def refuse_retired(self) -> None:
        """Raise UsageError, with the replacement, where nobody serves the model any more."""
        if self.retirement is not None:
            raise UsageError(self.retirement)

    def allow(self, request: Request) -> None:
        """Raise UsageError where the row does not allow the request."""
        self.refuse_retired()
        if self.options.get("prompt_needed") and not request.prompt.strip():
            raise UsageError(f"{self.name} takes no empty prompt; leave it out of this comparison")
        if request.seconds <= 0:
            raise UsageError(f"a film of {request.seconds} s was asked of {self.name}; it must be longer than 0 s")
        if self.durations_s and request.seconds not in self.durations_s:
            known = ", ".join(f"{seconds:g}" for seconds in self.durations_s)
            raise UsageError(f"{self.name} makes no film of {request.seconds:g} s; ask for one of {known} s")
        if self.sizes and request.size is not None and request.size not in self.sizes:
            known = ", ".join(f"{width}x{height}" for width, height in self.sizes)
            wanted = "x".join(map(str, request.size))
            raise UsageError(f"{self.name} makes no film of {wanted}; ask for one of {known}")


class LocalModel(Protocol):
    """A model that runs in this process, or in one of its own that it waits for."""

    @property
    def spec(self) -> ModelSpec: ...

    def generate(self, request: Request, into: Path) -> Placement | None:
        """Write an mp4 at ``into``. Returns how the first frame was laid on the model's canvas, None where it was
        not changed. Raises ModelError where there is no film."""
        ...


@dataclass(frozen=True, slots=True)
class Ticket:
    """A job at a provider. It is on disk before the first poll, so that no film is paid for twice."""

    id: str
    """The provider's name for the job."""
    placement: Placement | None = None
    """How the first frame was laid on what was sent."""
    sent: Mapping[str, Any] = field(default_factory=dict)
    """The request as the provider got it, without keys and without the picture's bytes."""


@dataclass(frozen=True, slots=True)
class Pending:
    """The provider is still at work."""

    progress: float | None = None
    """From 0 to 1, where the provider tells."""


@dataclass(frozen=True, slots=True)
class Done:
    """A film can be fetched."""

    ticket: Ticket
    url: str | None = None
    """Where it lies; None where it is asked for by the ticket's id."""
    answer: Mapping[str, Any] = field(default_factory=dict)
    """What the provider said, without the film's bytes."""
    cost_usd: float | None = None
    """What the provider says it charged."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The provider made no film."""

    reason: str
    refused: bool = False
    """Whether its content policy was the reason: such a request is never tried again."""
    answer: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Listed:
    """An order in a provider's own list."""

    id: str
    created_at: datetime
    prompt: str | None = None


class RemoteModel(Protocol):
    """A model behind a service. The loop of submit, poll and fetch is not here: it exists once, in ``jobs``.

    None of the three tries again by itself: that too is the loop's. A call that asks for nothing that costs raises
    Throttled or Unreachable where it may be repeated.
    """

    @property
    def spec(self) -> ModelSpec: ...

    async def submit(self, request: Request, key: str) -> Ticket:
        """Order a film, once. ``key`` is sent as idempotency key where the provider takes one.

        Throttled and Unreachable mean that surely nothing was ordered, Uncertain that it cannot be known; Refused and
        any other ModelError are final."""
        ...

    async def poll(self, ticket: Ticket) -> Pending | Done | Failed: ...

    async def fetch(self, done: Done, into: Path, limit_bytes: int) -> None:
        """Stream the film to ``into``; ModelError where it is larger than the limit."""
        ...

    async def orders(self, since: datetime) -> list[Listed] | None:
        """What was ordered since, the newest included; None where the provider has no such list."""
        ...

    async def close(self) -> None:
        """Give back connections."""
        ...
