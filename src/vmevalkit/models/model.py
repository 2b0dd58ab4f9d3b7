"""Model rows, and the two protocols that adapters implement: local and remote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Placement, Request
from vmevalkit.core.remote import RemoteModel
from vmevalkit.core.settings import setting
from vmevalkit.media.resolution import compute_tier, find_tier

ModelStatus = Literal["live", "preview", "retired"]


DEFAULT_TIER = 720
"""The resolution of all models that have it: videos are compared at the same one."""


@dataclass(frozen=True, slots=True)
class Price:
    """A published price."""

    usd: float
    per: Literal["second", "video"]
    as_of: str
    """The day it was looked up, such as ``2026-11-15``."""
    source: str
    """Where it was published."""
    seconds: float | None = None
    """The length that it is for; None for every length."""
    tier: int | None = None
    """The resolution that it is for, such as 720; None for every one."""
    audio: bool | None = None
    """Whether it is for videos with audio or for those without; None for both."""

    def compute_usd(self, seconds: float) -> float:
        return self.usd * seconds if self.per == "second" else self.usd

    def __str__(self) -> str:
        what = "s" if self.per == "second" else "video" if self.seconds is None else f"video of {self.seconds:g} s"
        tier = "" if self.tier is None else f" at {self.tier}p"
        audio = "" if self.audio is None else f" {'with' if self.audio else 'without'} audio"
        return f"${self.usd:g} per {what}{tier}{audio}"

    def is_for(self, seconds: float, tier: int | None, audio: bool) -> bool:
        """Return whether it is the price of such a video. ``tier`` is None where it is unknown."""
        return (
            self.seconds in (None, seconds)
            and (self.tier is None or tier is None or self.tier == tier)
            and self.audio in (None, audio)
        )


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One row of the catalogue. A request that the row does not allow is refused before anything is paid for."""

    name: str
    """The name that users write, such as ``luma-ray-2``."""
    provider: str
    """The service or the code that runs it, such as ``openai``. Rate limits and keys belong to the provider."""
    vendor_id: str
    """The vendor's name for the model."""
    family: str
    """Tables group models by family."""
    description: str = ""
    adapter: str = ""
    """The adapter's class, as ``module:Class``. It is imported when the model is used, and called with the row."""
    sizes: tuple[tuple[int, int], ...] = ()
    """Supported widths and heights; empty means any."""
    durations_s: tuple[float, ...] = ()
    """Supported lengths; empty means any."""
    fps: float | None = None
    """Frames per second of its videos, where the vendor documents it."""
    price: Price | None = None
    """None where the model is free, or where the price is unknown: see ``charged``."""
    prices: tuple[Price, ...] = ()
    """Prices that depend on the length, the resolution or audio, in place of ``price``."""
    charged: bool = False
    """Whether a video costs money."""
    status: ModelStatus = "live"
    retired_on: str | None = None
    replacement: str | None = None
    """The model to use instead of a retired one."""
    keys: tuple[str, ...] = ()
    """Settings that the model needs, such as ``OPENAI_API_KEY``; alternatives are written ``A|B``."""
    extra: str | None = None
    """The extra of this package that installs what the adapter imports, such as ``openai``."""
    packages: tuple[str, ...] = ()
    """Modules that the adapter imports. The model is ready when all are installed."""
    endpoint: str | None = None
    """The setting for another API address, such as ``OPENAI_BASE_URL``."""
    provider_host: str | None = None
    """The provider's own host. A service at another host may still offer a model that the provider has retired."""
    supported_params: frozenset[str] = frozenset({"seed"})
    """Parameters of a request that the provider supports: seed, enhance_prompt, temperature, ..."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the adapter for this model. ``prompt_required`` works for all: an empty prompt is refused."""

    def choose_seconds(self, requested: float | None, default: float) -> float:
        """Return the requested length, or the supported one nearest to the default."""
        if requested is not None or not self.durations_s:
            return default if requested is None else requested
        return min(self.durations_s, key=lambda seconds: (abs(seconds - default), -seconds))

    def choose_tier(self, size: tuple[int, int] | None = None) -> int | None:
        """Return the resolution of a video of this size, by default of the model's size nearest to 720p. None where
        the row lists no sizes."""
        fixed = str(self.options.get("resolution", ""))
        if size is None and fixed.removesuffix("p").isdigit():
            return int(fixed.removesuffix("p"))
        sizes = self.sizes if size is None else (size,)
        if not sizes:
            return None
        return find_tier(min(sizes, key=lambda size: abs(compute_tier(size) - DEFAULT_TIER)))

    @property
    def all_prices(self) -> tuple[Price, ...]:
        return self.prices or (() if self.price is None else (self.price,))

    def cost_usd(self, seconds: float, tier: int | None = None, audio: bool = False) -> float | None:
        """Return the price of one video; None where it is unknown. Without a tier it is the highest price."""
        if not self.charged:
            return 0.0
        fitting = [price.compute_usd(seconds) for price in self.all_prices if price.is_for(seconds, tier, audio)]
        return max(fitting, default=None)

    @property
    def is_served_elsewhere(self) -> bool:
        """Whether the endpoint's setting names another host than the provider's own."""
        address = setting(self.endpoint) if self.endpoint else None
        return address is not None and not (self.provider_host and self.provider_host in address)

    @property
    def retirement_notice(self) -> str | None:
        """The message that the model is retired, with its replacement; None where the model is available."""
        if self.status != "retired" or self.is_served_elsewhere:
            return None
        since = f" since {self.retired_on}" if self.retired_on else ""
        instead = f"use {self.replacement} instead" if self.replacement else "choose another model"
        other = f", or set {self.endpoint} to a service that still offers it" if self.endpoint else ""
        return f"{self.name} is retired by {self.provider}{since}; {instead}{other}"

    def refuse_retired(self) -> None:
        """Raise UsageError, with the replacement, where the model is retired."""
        if self.retirement_notice is not None:
            raise UsageError(self.retirement_notice)

    def validate(self, request: Request) -> None:
        """Raise UsageError where the row does not allow the request."""
        self.refuse_retired()
        if self.options.get("prompt_required") and not request.prompt.strip():
            raise UsageError(f"{self.name} does not accept an empty prompt; leave it out of this comparison")
        if request.seconds <= 0:
            raise UsageError(f"{self.name} was asked for a video of {request.seconds:g} s; it must be longer than 0 s")
        if self.durations_s and request.seconds not in self.durations_s:
            supported = ", ".join(f"{seconds:g}" for seconds in self.durations_s)
            raise UsageError(f"{self.name} does not support videos of {request.seconds:g} s; use one of {supported} s")
        if self.sizes and request.size is not None and request.size not in self.sizes:
            supported = ", ".join(f"{width}x{height}" for width, height in self.sizes)
            size = "x".join(map(str, request.size))
            raise UsageError(f"{self.name} does not support videos of {size}; use one of {supported}")


class LocalModel(Protocol):
    """A model that runs on this machine, in this process or in a child process that it waits for."""

    @property
    def spec(self) -> ModelSpec: ...

    def generate(self, request: Request, into: Path) -> Placement | None:
        """Write an mp4 to ``into``. Return where the first frame is on the model's canvas; None where it was not
        changed. Raises ModelError where the model makes no video."""
        ...


class RemoteVideoModel(RemoteModel, Protocol):
    """A video model behind a web API: a RemoteModel with its row of the catalogue."""

    @property
    def spec(self) -> ModelSpec: ...
