"""Pearson's and Spearman's correlation with intervals."""

from __future__ import annotations

from math import atanh, sqrt, tanh

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from vmevalkit.stats._arrays import Floats, as_floats, check_confidence, check_same_length
from vmevalkit.stats.records import Estimate, missing_estimate

FISHER = "Fisher z"
BONETT_WRIGHT = "Bonett-Wright"


def pearson(first: ArrayLike, second: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Return Pearson's correlation with Fisher's interval."""
    x, y = as_floats(first, "first"), as_floats(second, "second")
    return _correlate(x, y, FISHER, confidence)


def spearman(first: ArrayLike, second: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Return Spearman's rank correlation with the interval of Bonett and Wright."""
    x, y = as_floats(first, "first"), as_floats(second, "second")
    return _correlate(stats.rankdata(x), stats.rankdata(y), BONETT_WRIGHT, confidence)


def _correlate(x: Floats, y: Floats, method: str, confidence: float) -> Estimate:
    check_confidence(confidence)
    check_same_length(x, y, "first and second")
    n = len(x)
    if n < 2:
        return missing_estimate(f"a correlation needs two pairs or more, there are {n}", method, n, confidence)
    for name, values in (("first", x), ("second", y)):
        if np.ptp(values) == 0:
            return missing_estimate(f"all values of the {name} variable are equal", method, n, confidence)
    a, b = x - x.mean(), y - y.mean()
    r = min(max(float(a @ b) / sqrt(float(a @ a) * float(b @ b)), -1.0), 1.0)
    if n < 4:
        return missing_estimate(f"an interval needs four pairs or more, there are {n}", method, n, confidence, r)
    if abs(r) > 1 - 1e-12:
        return missing_estimate("the correlation is perfect, so no error can be estimated", method, n, confidence, r)
    error = sqrt((1 + r * r / 2 if method == BONETT_WRIGHT else 1) / (n - 3))
    half = float(special.ndtri((1 + confidence) / 2)) * error
    return Estimate(r, tanh(atanh(r) - half), tanh(atanh(r) + half), n, method, confidence)
