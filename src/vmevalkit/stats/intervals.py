"""Intervals for a proportion, and for the difference of two on the same items."""

from __future__ import annotations

from functools import cache
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray


@cache
def _z(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)


def _check(successes: float, n: float, confidence: float) -> None:
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n} cannot be")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")


def clopper_pearson(successes: float, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a proportion: at every rate it holds the rate in ``confidence`` of cases or more.

    It is wider than Wilson's, which holds it in 95% of cases on average, and in 91% at 15 trials and a rate of 0.3."""
    from scipy import special

    _check(successes, n, confidence)
    if n == 0:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    low = float(special.betaincinv(successes, n - successes + 1, tail)) if successes else 0.0
    high = float(special.betaincinv(successes + 1, n - successes, 1 - tail)) if successes < n else 1.0
    return low, high


def upper_bound(errors: int, n: int, confidence: float = 0.95) -> float:
    """Return the exact one-sided bound: with ``confidence`` the rate of errors is not above it."""
    from scipy import special

    _check(errors, n, confidence)
    return float(special.betaincinv(errors + 1, n - errors, confidence)) if errors < n else 1.0


def wilson(successes: float, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval. Unlike the textbook interval it keeps a width at 0 and at n successes."""
    _check(successes, n, confidence)
    if n == 0:
        return 0.0, 1.0
    return wilson_of_rate(successes / n, n, confidence)


def wilson_of_rate(rate: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's interval of a rate observed in ``n`` trials; ``n`` may be an effective number of trials."""
    _check(rate, 1, confidence)
    if not n > 0:
        raise ValueError(f"the number of trials must be above 0, not {n}")
    z = _z(confidence)
    spread = z * z / n
    centre = (rate + spread / 2) / (1 + spread)
    half = sqrt(rate * (1 - rate) * spread + spread * spread / 4) / (1 + spread)
    # Rounding must not push a bound past the rate itself: at 0 and n successes one bound is exact.
    low = 0.0 if rate == 0 else min(rate, max(0.0, centre - half))
    high = 1.0 if rate == 1 else max(rate, min(1.0, centre + half))
    return low, high


def beta_binomial(
    successes: int, n: int, confidence: float = 0.95, prior: tuple[float, float] = (1.0, 1.0)
) -> tuple[float, float]:
    """Return the equal-tailed posterior interval of a rate with a Beta prior; the default prior is uniform."""
    from scipy.special import betaincinv  # scipy takes a tenth of a second, and Wilson does not need it

    _check(successes, n, confidence)
    if min(prior) <= 0:
        raise ValueError(f"both parameters of the Beta prior must be above 0, not {prior}")
    tail = (1 - confidence) / 2
    a, b = successes + prior[0], n - successes + prior[1]
    return float(betaincinv(a, b, tail)), float(betaincinv(a, b, 1 - tail))


def jeffreys(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Jeffreys' interval: prior Beta(1/2, 1/2), closed at 0 where nothing passed and at 1 where all did."""
    low, high = beta_binomial(successes, n, confidence, (0.5, 0.5))
    return (0.0 if successes == 0 else low), (1.0 if successes == n else high)


def unscored_bounds(successes: float, scored: int, total: int) -> tuple[float, float]:
    """Return the lowest and the highest rate over ``total`` videos: every unscored one fails, or every one passes."""
    if not 0 <= successes <= scored <= total:
        raise ValueError(f"{successes} successes of {scored} scored of {total} cannot be")
    if total == 0:
        return 0.0, 1.0
    return successes / total, (successes + (total - scored)) / total


def newcombe_paired(
    first: NDArray[np.float64], second: NDArray[np.float64], confidence: float = 0.95
) -> tuple[float, float]:
    """Return Newcombe's interval (square and add, method 10) of the difference of two rates on the same items.

    The arrays have a value from 0 to 1 for each item. The interval stays within -1 to 1, and is defined where all
    differences are equal."""
    n = len(first)
    if n == 0 or len(second) != n:
        raise ValueError(f"paired rates need the same items, and one or more: {n} and {len(second)}")
    p1, p2 = float(first.mean()), float(second.mean())
    (low1, high1), (low2, high2) = wilson_of_rate(p1, n, confidence), wilson_of_rate(p2, n, confidence)
    spread = float(first.std() * second.std())
    covariance = float(((first - p1) * (second - p2)).mean())
    if covariance > 0:
        covariance = max(0.0, covariance - 0.5 / n)  # the continuity correction of the method
    rho = covariance / spread if spread > 0 else 0.0
    below = sqrt(max(0.0, (p1 - low1) ** 2 - 2 * rho * (p1 - low1) * (high2 - p2) + (high2 - p2) ** 2))
    above = sqrt(max(0.0, (high1 - p1) ** 2 - 2 * rho * (high1 - p1) * (p2 - low2) + (p2 - low2) ** 2))
    return max(-1.0, p1 - p2 - below), min(1.0, p1 - p2 + above)
