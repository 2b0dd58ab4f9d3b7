"""Seeded randomness: one generator for each item, never the global one."""

from __future__ import annotations

from random import Random


def rng_for(*place: object) -> Random:
    """Return a generator that depends only on ``place``, such as ``("maze", seed, index, attempt)``."""
    return Random(":".join(str(part) for part in place))
