"""Limits of providers: concurrent orders, orders per minute, timeouts, and pauses before a retry."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random
from types import MappingProxyType

from vmevalkit.core.errors import Blocked, Throttled


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one provider, shared by all of its models."""

    in_flight: int = 4
    """Orders that are in progress at the same time."""
    orders_per_minute: float = 60.0
    poll_every_s: float = 5.0
    attempts: int = 8
    """How often one step is tried, where a repetition is harmless."""
    job_limit_s: float = 1800.0
    """How long to wait for a video. The ticket remains valid: a later call can poll it again."""
    call_limit_s: float = 120.0
    """How long to wait for one response."""
    fetch_limit_s: float = 900.0
    """How long to wait for one download."""
    video_limit_bytes: int = 1 << 30
    first_backoff_s: float = 1.0
    """The longest pause before the first retry; it doubles with each further retry."""
    longest_backoff_s: float = 60.0
    list_lag_s: float = 600.0
    """After this time an order is in the provider's list for certain."""
    longest_retry_after_s: float = 600.0
    """A provider that asks for a longer pause (Retry-After) gets no further order in this call."""


LIMITS: Mapping[str, Limits] = MappingProxyType(
    {
        "openai": Limits(in_flight=4, orders_per_minute=25),
        "vertex": Limits(in_flight=4, orders_per_minute=10, poll_every_s=10),
        "gemini": Limits(in_flight=4, orders_per_minute=10, poll_every_s=10),
        "runway": Limits(in_flight=3, orders_per_minute=30),
        "luma": Limits(in_flight=10, orders_per_minute=20),
        "luma-agents": Limits(in_flight=10, orders_per_minute=20),
        "wavespeed": Limits(in_flight=5, orders_per_minute=10, poll_every_s=3),
        "fal": Limits(in_flight=2, orders_per_minute=30, poll_every_s=5),
        "replicate": Limits(in_flight=4, orders_per_minute=60, poll_every_s=5),
        "kling": Limits(in_flight=3, orders_per_minute=20, poll_every_s=5),
        "minimax": Limits(in_flight=3, orders_per_minute=5, poll_every_s=10),
        "ark": Limits(in_flight=3, orders_per_minute=30, poll_every_s=5),
    }
)
"""Conservative defaults: the limits of an account depend on its tier. Options of the call take precedence."""


CHAT_LIMITS = Limits(in_flight=8, orders_per_minute=60, call_limit_s=60.0)
"""Limits of a chat model at a service: 60 requests per minute, and 60 seconds for an answer."""


def choose_chat_limits(
    limits: Limits, *, is_own: bool, in_flight: int | None = None, per_minute: float | None = None
) -> Limits:
    """Return the limits of a chat model or an image editor, with those that the user asks for.

    A server of one's own has no limit per minute, unless one is asked for: its queue is its own."""
    default = float("inf") if is_own else limits.orders_per_minute
    return replace(limits, in_flight=in_flight or limits.in_flight, orders_per_minute=per_minute or default)


def limits_of(provider: str) -> Limits:
    """Return the limits of a provider; general defaults for an unknown one."""
    return LIMITS.get(provider, Limits())


class RateLimiter:
    """Keeps all jobs of one provider within its limits."""

    def __init__(self, limits: Limits, rng: Random) -> None:
        self.limits = limits
        self.slots = asyncio.Semaphore(limits.in_flight)
        """Each order in progress has one."""
        self._rng = rng
        self._next_order = 0.0
        self._paused_until = 0.0
        self.block: Blocked | None = None
        """Why the provider accepts no order of this account, once it has said so. Then none is sent."""

    async def wait_to_submit(self) -> None:
        """Wait until one more order may be sent."""
        scheduled = max(time.monotonic(), self._next_order, self._paused_until)
        self._next_order = scheduled + 60.0 / self.limits.orders_per_minute
        while (wait := max(scheduled, self._paused_until) - time.monotonic()) > 0:
            await asyncio.sleep(wait)

    def get_pause_s(self) -> float:
        """Return how long the provider's Retry-After still holds back all orders. It may be called in any thread."""
        return max(0.0, self._paused_until - time.monotonic())

    def compute_backoff_s(self, attempt: int, error: Exception) -> float:
        """Return the pause after attempt number ``attempt``, counted from 1: random, up to a bound that doubles.

        The randomness keeps jobs that failed together from retrying together. A Retry-After of the provider is added,
        and pauses the orders of all jobs. Raises Blocked where it is longer than the limit."""
        bound = min(self.limits.longest_backoff_s, self.limits.first_backoff_s * 2.0 ** (attempt - 1))
        pause = self._rng.uniform(0.0, bound)
        if not isinstance(error, Throttled) or error.retry_after_s is None:
            return pause
        if not error.retry_after_s <= self.limits.longest_retry_after_s:
            raise Blocked(
                f"{error}; the provider asks for a pause of {error.retry_after_s:g} s (Retry-After), and a call waits "
                f"for {self.limits.longest_retry_after_s:g} s at most; run the command again later"
            )
        self._paused_until = max(self._paused_until, time.monotonic() + error.retry_after_s)
        return error.retry_after_s + pause
