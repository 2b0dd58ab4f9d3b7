"""How hard a provider may be asked: orders at once and a minute, pauses after a refusal, patience."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from vmevalkit.core.errors import Throttled


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one provider. All of its models share them."""

    in_flight: int = 4
    """Orders that are being worked on at once."""
    orders_per_minute: float = 60.0
    poll_every_s: float = 5.0
    attempts: int = 8
    """How often one step is tried, where trying again is harmless."""
    job_limit_s: float = 1800.0
    """How long a film is waited for. Its ticket stays: a later call can ask for it again."""
    call_limit_s: float = 120.0
    """How long one answer is waited for."""
    fetch_limit_s: float = 900.0
    film_limit_bytes: int = 1 << 30
    first_backoff_s: float = 1.0
    longest_backoff_s: float = 60.0


LIMITS: Mapping[str, Limits] = MappingProxyType(
    {
        "openai": Limits(in_flight=4, orders_per_minute=25),
        "vertex": Limits(in_flight=4, orders_per_minute=10, poll_every_s=10),
        "gemini": Limits(in_flight=4, orders_per_minute=10, poll_every_s=10),
        "runway": Limits(in_flight=3, orders_per_minute=30),
        "luma": Limits(in_flight=10, orders_per_minute=20),
        "luma-agents": Limits(in_flight=10, orders_per_minute=20),
        "wavespeed": Limits(in_flight=5, orders_per_minute=10, poll_every_s=3),
    }
)
"""Cautious starting points: what an account may do depends on its tier. Options of the call take precedence."""


def limits_of(provider: str) -> Limits:
    return LIMITS.get(provider, Limits())


class Gate:
    """Where all jobs of a provider pass."""

    def __init__(self, limits: Limits, rng: Random) -> None:
        self.limits = limits
        self.slots = asyncio.Semaphore(limits.in_flight)
        self._rng = rng
        self._next_order = 0.0
        self._closed_until = 0.0

    async def order_turn(self) -> None:
        """Wait until one more order may be sent."""
        loop = asyncio.get_running_loop()
        turn = max(loop.time(), self._next_order, self._closed_until)
        self._next_order = turn + 60.0 / self.limits.orders_per_minute
        while (wait := max(turn, self._closed_until) - loop.time()) > 0:
            await asyncio.sleep(wait)

    def pause_s(self, attempt: int, error: Exception) -> float:
        """How long to wait before attempt number ``attempt``, which is at least 1. What the provider asks for is kept
        to, and holds back the orders of all jobs; otherwise it is anything up to a bound that doubles, so that those
        who were turned away together do not return together."""
        bound = min(self.limits.longest_backoff_s, self.limits.first_backoff_s * 2.0 ** (attempt - 1))
        pause = self._rng.uniform(0.0, bound)
        if isinstance(error, Throttled) and error.retry_after_s is not None:
            until = asyncio.get_running_loop().time() + error.retry_after_s
            self._closed_until = max(self._closed_until, until)
            return error.retry_after_s + pause
        return pause
