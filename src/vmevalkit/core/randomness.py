"""Seeded randomness: one generator for each item, never the global one."""

from __future__ import annotations

from random import Random


def rng_for(*place: object) -> Random:
    """A generator that depends on nothing but ``place``, such as ``("maze", seed, index, attempt)``."""
    return Random(":".join(str(part) for part in place))
