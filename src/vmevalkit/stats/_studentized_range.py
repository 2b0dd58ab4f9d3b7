"""The studentized range, by Gauss-Legendre sums over all values at once; scipy integrates each value adaptively."""

from __future__ import annotations

from functools import cache
from math import lgamma, log

import numpy as np
from scipy import special
from scipy.optimize import brentq

from vmevalkit.stats._arrays import Floats

_NORMAL_NODES, _SCALE_NODES = 160, 96
_NORMAL_END, _TAIL = 8.5, 1e-13
_CHUNK = 256


def studentized_range_sf(q: Floats, groups: int, df: int) -> Floats:
    """Return the chances that the range of so many group means over their error is above each q."""
    scales, weights = _scales(df)
    found = np.empty(len(q))
    step = max(1, _CHUNK // len(scales))
    for start in range(0, len(q), step):
        widths = q[start : start + step, None] * scales[None]
        found[start : start + step] = _range_cdf(widths.reshape(-1), groups).reshape(widths.shape) @ weights
    return np.clip(1 - found, 0.0, 1.0)


@cache
def studentized_range_quantile(share: float, groups: int, df: int) -> float:
    """Return the q below which this share of ranges is."""
    high = 4.0
    while studentized_range_sf(np.array([high]), groups, df)[0] > 1 - share:
        high *= 2

    def excess(q: float) -> float:
        return float(studentized_range_sf(np.array([q]), groups, df)[0]) - (1 - share)

    return float(brentq(excess, 0.0, high, xtol=1e-10))


@cache
def _scales(df: int) -> tuple[Floats, Floats]:
    """Return values of the estimated over the true standard deviation, and their weights."""
    low, high = (float(np.sqrt(2 * f(df / 2, _TAIL) / df)) for f in (special.gammaincinv, special.gammainccinv))
    nodes, weights = np.polynomial.legendre.leggauss(_SCALE_NODES)
    s = (high - low) / 2 * nodes + (high + low) / 2
    density = np.exp(df / 2 * log(df) - lgamma(df / 2) - (df / 2 - 1) * log(2) + (df - 1) * np.log(s) - df * s**2 / 2)
    return s, (high - low) / 2 * weights * density


@cache
def _normals() -> tuple[Floats, Floats, Floats]:
    """Return values of a standard normal variable, the chances of being below them, and their weights."""
    nodes, weights = np.polynomial.legendre.leggauss(_NORMAL_NODES)
    z = _NORMAL_END * nodes
    return z, special.ndtr(z), _NORMAL_END * weights * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)


def _range_cdf(widths: Floats, groups: int) -> Floats:
    """Return the chance that the range of so many standard normal values is below each width."""
    z, below, density = _normals()
    inside: Floats = below[None] - special.ndtr(z[None] - widths[:, None])
    chance: Floats = groups * (inside ** (groups - 1)) @ density
    return chance
