"""Effect sizes of two independent groups."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats
from scipy.optimize import brentq

from vmevalkit.stats._arrays import Floats, as_floats, check_confidence
from vmevalkit.stats.records import Estimate, missing_estimate

LARGEST_D = 1000.0


@dataclass(frozen=True, slots=True)
class CohensD(float):
    """Cohen's d of two groups, first minus second: a float, NaN where it is missing, with what belongs to it."""

    value: float | None
    """Difference of means over the pooled standard deviation, with n - 1 as divisor."""
    low: float | None
    """Lower bound, from the noncentral t distribution."""
    high: float | None
    """Upper bound, from the noncentral t distribution."""
    hedges_g: float | None
    """``value`` corrected for its bias in small groups."""
    specification_value: float | None
    """The specification's formula, which pools variances with n as divisor; larger by about half of 1/n."""
    n: tuple[int, int]
    """Sizes of both groups."""
    reason: str | None = None
    """Why the numbers are missing."""

    def __new__(cls, value: float | None, *_: object, **__: object) -> CohensD:
        return float.__new__(cls, nan if value is None else value)


def cohens_d(group1: ArrayLike, group2: ArrayLike, confidence: float = 0.95) -> CohensD:
    """Return Cohen's d of two independent groups."""
    check_confidence(confidence)
    a, b = as_floats(group1, "group1"), as_floats(group2, "group2")
    sizes = (len(a), len(b))
    reason = _why_no_spread(a, b)
    if reason:
        return CohensD(None, None, None, None, None, sizes, reason)
    df = sizes[0] + sizes[1] - 2
    difference = float(a.mean() - b.mean())
    d = difference / sqrt(float(((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()) / df)
    population = sqrt(((sizes[0] - 1) * float(a.var()) + (sizes[1] - 1) * float(b.var())) / df)
    correction = np.exp(special.gammaln(df / 2) - special.gammaln((df - 1) / 2)) / sqrt(df / 2)
    hedges, specified = float(d * correction), difference / population
    if abs(d) > LARGEST_D:
        reason = f"the groups are {abs(d):.3g} deviations apart; the noncentral t gives no interval there"
        return CohensD(d, None, None, hedges, specified, sizes, reason)
    scale = sqrt(1 / sizes[0] + 1 / sizes[1])
    low, high = _noncentral_bounds(d / scale, df, confidence)
    return CohensD(d, low * scale, high * scale, hedges, specified, sizes)


def _why_no_spread(a: Floats, b: Floats) -> str | None:
    if min(len(a), len(b)) < 2:
        return f"both groups need two values or more, they have {len(a)} and {len(b)}"
    if np.ptp(a) == 0 and np.ptp(b) == 0:
        return "values do not vary inside either group"
    return None


def _noncentral_bounds(t: float, df: int, confidence: float) -> tuple[float, float]:
    """Return the noncentralities at which the observed t is in either tail."""
    tail = (1 - confidence) / 2

    def bound(target: float) -> float:
        width = 4.0
        while True:
            ends = [float(stats.nct.cdf(t, df, t + side * width)) - target for side in (-1, 1)]
            if ends[0] > 0 > ends[1]:
                return float(brentq(lambda nc: stats.nct.cdf(t, df, nc) - target, t - width, t + width, xtol=1e-10))
            width *= 2

    return bound(1 - tail), bound(tail)


def cliffs_delta(group1: ArrayLike, group2: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Return Cliff's delta: the chance that a value of group1 is the larger, less the chance that it is the smaller.

    It uses only the order of scores. The interval is Cliff's asymmetric one, with his unbiased variance.
    """
    check_confidence(confidence)
    method = "Cliff's asymmetric interval"
    a, b = as_floats(group1, "group1"), as_floats(group2, "group2")
    n, m = len(a), len(b)
    if min(n, m) < 1:
        return missing_estimate(f"both groups need values, they have {n} and {m}", method, n + m, confidence)
    rows, columns = _dominance(a, b) / m, -_dominance(b, a) / n
    delta = float(rows.mean())
    if min(n, m) < 2:
        return missing_estimate("an interval needs two values in both groups", method, n + m, confidence, delta)
    if abs(delta) == 1:
        reason = "the groups do not overlap, so no error can be estimated"
        return missing_estimate(reason, method, n + m, confidence, delta)
    variance = _delta_variance(a, b, rows, columns, delta)
    z = float(special.ndtri((1 + confidence) / 2))
    below = 1 - delta**2 + z * z * variance
    half = z * sqrt(variance) * sqrt((1 - delta**2) ** 2 + z * z * variance)
    low, high = ((delta - delta**3 + sign * half) / below for sign in (-1, 1))
    return Estimate(delta, max(-1.0, low), min(1.0, high), n + m, method, confidence)


def _dominance(values: Floats, others: Floats) -> Floats:
    """Return for each value how many others are smaller, less how many are larger."""
    ordered = np.sort(others)
    smaller = np.searchsorted(ordered, values, "left")
    larger = len(ordered) - np.searchsorted(ordered, values, "right")
    return (smaller - larger).astype(np.float64)


def _delta_variance(a: Floats, b: Floats, rows: Floats, columns: Floats, delta: float) -> float:
    n, m = len(a), len(b)
    ordered = np.sort(b)
    ties = float((np.searchsorted(ordered, a, "right") - np.searchsorted(ordered, a, "left")).sum())
    single = n * m - ties - n * m * delta**2  # sum of squared deviations of the signs
    by_row, by_column = float(((rows - delta) ** 2).sum()), float(((columns - delta) ** 2).sum())
    variance = (m**2 * by_row + n**2 * by_column - single) / (n * m * (n - 1) * (m - 1))
    return max(variance, (1 - delta**2) / (n * m - 1))
