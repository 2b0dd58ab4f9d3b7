"""What a model is: a row that says what it can do, and one of two ways to ask it for a film."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Placement, Request

ModelStatus = Literal["available", "preview", "retired"]


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One row of the catalogue. What a row does not allow is refused before money is spent."""

    name: str
    """As users write it, such as ``luma-ray-2``."""
    provider: str
    """Whose service or code runs it; the file in ``models`` with this name."""
    vendor_id: str
    """What the vendor calls it."""
    family: str
    """For tables: models of one family stand together."""
    description: str = ""
    sizes: tuple[tuple[int, int], ...] = ()
    """Width and height of the films it makes; empty means any."""
    durations_s: tuple[float, ...] = ()
    """Lengths that it can be asked for; empty means any."""
    usd_per_second: float | None = None
    """Price of a second of film; None where nothing is charged, or nobody knows."""
    status: ModelStatus = "available"

    def allow(self, request: Request) -> None:
        """Raise UsageError where the row does not allow the request."""
        if self.status == "retired":
            raise UsageError(f"{self.name} is retired by {self.provider}; choose another model")
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


@dataclass(frozen=True, slots=True)
class Pending:
    """The provider is still at work."""

    progress: float | None = None
    """From 0 to 1, where the provider tells."""


@dataclass(frozen=True, slots=True)
class Done:
    """A film can be fetched."""

    ticket: Ticket
    url: str
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The provider made no film."""

    reason: str
    retryable: bool = False
    """Whether the same request may succeed another time."""


class RemoteModel(Protocol):
    """A model behind a service. The loop of submit, poll and fetch is not here: it exists once, in ``jobs``."""

    @property
    def spec(self) -> ModelSpec: ...

    def submit(self, request: Request) -> Ticket:
        """Order a film. Raises ModelError where the provider refuses."""
        ...

    def poll(self, ticket: Ticket) -> Pending | Done | Failed: ...

    def fetch(self, done: Done, into: Path) -> None:
        """Write the film, an mp4, at ``into``."""
        ...
