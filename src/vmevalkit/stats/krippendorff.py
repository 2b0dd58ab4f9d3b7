"""Krippendorff's alpha for any number of judges, with missing labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from vmevalkit.stats._arrays import Floats, check_confidence
from vmevalkit.stats.bootstrap import percentile_interval, resample_rows
from vmevalkit.stats.records import Estimate, missing_estimate

Metric = Literal["nominal", "ordinal", "interval", "ratio"]
METHOD = "bootstrap of units"


def krippendorffs_alpha(
    ratings: ArrayLike,
    metric: Metric = "ordinal",
    *,
    n_bootstrap: int = 10000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Return Krippendorff's alpha.

    ``ratings`` has one line for each judge and one column for each unit (a video); a missing label is NaN. Units with
    fewer than two labels carry no information. The interval resamples units.
    """
    check_confidence(confidence)
    matrix = np.asarray(ratings, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"ratings must be a matrix of judges by units, not an array of {matrix.ndim} dimensions")
    if metric not in ("nominal", "ordinal", "interval", "ratio"):
        raise ValueError(f"metric must be 'nominal', 'ordinal', 'interval' or 'ratio', not {metric!r}")
    usable = (~np.isnan(matrix)).sum(axis=0) >= 2
    matrix = matrix[:, usable]
    units = matrix.shape[1]
    if units == 0:
        return missing_estimate("no unit has two labels or more", METHOD, 0, confidence)
    values = np.unique(matrix[~np.isnan(matrix)])
    if len(values) < 2:
        return missing_estimate("every label is the same, so alpha is undefined", METHOD, units, confidence)
    counts = np.stack([(matrix == value).sum(axis=0) for value in values], axis=1).astype(np.float64)
    alpha = float(_alpha(_coincidences(counts).sum(axis=0)[None], values, metric)[0])
    if units < 2:
        return missing_estimate("one unit gives no error", METHOD, units, confidence, alpha)
    if alpha == 1:
        return missing_estimate("the judges agree on every unit", METHOD, units, confidence, alpha)
    rows, times = np.unique(counts, axis=0, return_counts=True)
    k = len(values)
    draws = resample_rows(_coincidences(rows).reshape(len(rows), k * k), times, n_bootstrap, seed) * units
    alphas = _alpha(draws.reshape(-1, k, k), values, metric)
    # A resample in which every label is the same has no disagreement to expect.
    low, high = percentile_interval(np.where(np.isnan(alphas), 1.0, alphas), confidence)
    return Estimate(alpha, low, high, units, METHOD, confidence)


def alpha_of_judges(
    labels: Mapping[str, Mapping[str, float]], metric: Metric = "ordinal", confidence: float = 0.95, seed: int = 0
) -> Estimate:
    """Return Krippendorff's alpha of labels given as ``{judge: {unit: label}}``."""
    units: Sequence[str] = sorted({unit for own in labels.values() for unit in own})
    matrix = [[own.get(unit, np.nan) for unit in units] for own in labels.values()]
    if not units:
        return missing_estimate("there are no labels", METHOD, 0, confidence)
    return krippendorffs_alpha(np.array(matrix), metric, confidence=confidence, seed=seed)


def _coincidences(counts: Floats) -> Floats:
    """Return for each unit its matrix of pairs of labels, weighted so that a unit counts as its number of labels."""
    total = counts.sum(axis=1)
    pairs: Floats = counts[:, :, None] * counts[:, None, :]
    pairs -= np.eye(counts.shape[1])[None] * counts[:, :, None]
    weighted: Floats = pairs / (total - 1)[:, None, None]
    return weighted


def _alpha(coincidences: Floats, values: Floats, metric: Metric) -> Floats:
    """Return alpha for each of a stack of coincidence matrices; NaN where no disagreement is expected."""
    margins = coincidences.sum(axis=2)
    n = margins.sum(axis=1)
    distance = _distance(values, margins, metric)
    observed = (coincidences * distance).sum(axis=(1, 2))
    expected = (margins[:, :, None] * margins[:, None, :] * distance).sum(axis=(1, 2)) / (n - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = np.where(expected > 0, 1 - observed / expected, np.nan)
    return result


def _distance(values: Floats, margins: Floats, metric: Metric) -> Floats:
    """Return squared distances of labels; those of ordinal labels depend on how often labels were given."""
    a, b = values[None, :, None], values[None, None, :]
    distance: Floats
    if metric == "nominal":
        distance = (a != b).astype(np.float64)
    elif metric == "interval":
        distance = (a - b) ** 2
    elif metric == "ratio":
        distance = ((a - b) / np.where(a + b == 0, 1.0, a + b)) ** 2
    else:
        middle = np.cumsum(margins, axis=1) - margins / 2
        distance = (middle[:, :, None] - middle[:, None, :]) ** 2
    return distance
