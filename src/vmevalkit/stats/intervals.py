"""Intervals for a proportion."""

from __future__ import annotations

from functools import cache
from math import sqrt
from statistics import NormalDist


@cache
def _z(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)


def wilson(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval. Unlike the textbook interval it does not shrink to nothing at 0 or n successes."""
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n} cannot be")
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not at {confidence}")
    if n == 0:
        return 0.0, 1.0
    z = _z(confidence)
    rate, spread = successes / n, z * z / n
    centre = (rate + spread / 2) / (1 + spread)
    half = sqrt(rate * (1 - rate) * spread + spread * spread / 4) / (1 + spread)
    # Rounding must not push a bound past the rate itself: at 0 and n successes one bound is exact.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return low, high
