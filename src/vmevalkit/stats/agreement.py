"""Agreement of two judges: percent, Cohen's kappa and the confusion table, each with an interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from vmevalkit.stats._arrays import Floats, Integers, Labels, as_floats, check_confidence, check_same_length, encode
from vmevalkit.stats.intervals import wilson_of_rate
from vmevalkit.stats.records import Estimate, missing_estimate

Weights = Literal["unweighted", "linear", "quadratic"]
KAPPA = "large-sample error of Fleiss, Cohen and Everitt"


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often each label of the first judge met each label of the second."""

    labels: tuple[Any, ...]
    """Labels, sorted; both lines and columns."""
    counts: Integers
    """Line: label of the first judge. Column: label of the second judge."""
    shares: tuple[tuple[Estimate, ...], ...]
    """Share of each of the second judge's labels given the first judge's, with Wilson's interval."""
    n: int
    """Number of pairs."""


def confusion(
    first: Labels, second: Labels, labels: Sequence[Any] | None = None, confidence: float = 0.95
) -> Confusion:
    """Return the confusion table of two judges. ``labels`` names the scale where some labels may not occur."""
    check_confidence(confidence)
    levels, table = _counts(first, second, labels)
    counts = table.astype(np.int64)
    shares = tuple(
        tuple(
            _proportion(float(cell), float(line.sum()), "the first judge did not give this label", confidence)
            for cell in line
        )
        for line in counts
    )
    return Confusion(levels, counts, shares, int(counts.sum()))


def _counts(
    first: Labels, second: Labels, labels: Sequence[Any] | None, sample_weight: ArrayLike | None = None
) -> tuple[tuple[Any, ...], Floats]:
    check_same_length(first, second, "labels of the first and the second judge")
    both = encode([*np.asarray(first).tolist(), *np.asarray(second).tolist()])
    levels = both.levels if labels is None else tuple(labels)
    place = {level: index for index, level in enumerate(levels)}
    for level in both.levels:
        if level not in place:
            raise ValueError(f"label {level!r} is not one of {list(levels)}")
    codes = np.array([place[level] for level in both.levels], dtype=np.int64)[both.codes]
    n, k = len(first), len(levels)
    cells = codes[:n] * k + codes[n:]
    weights = np.ones(n) if sample_weight is None else as_floats(sample_weight, "sample_weight")
    check_same_length(first, weights, "labels and sample_weight")
    return levels, np.bincount(cells, weights=weights, minlength=k * k).astype(np.float64).reshape(k, k)


def _proportion(part: float, whole: float, reason: str, confidence: float) -> Estimate:
    if whole == 0:
        return missing_estimate(reason, "Wilson", 0, confidence)
    low, high = wilson_of_rate(min(part / whole, 1.0), whole, confidence)
    return Estimate(part / whole, low, high, round(whole), "Wilson", confidence)


def percent_agreement(
    first: Labels, second: Labels, confidence: float = 0.95, *, sample_weight: ArrayLike | None = None
) -> Estimate:
    """Return the share of pairs with equal labels, with Wilson's interval.

    ``sample_weight`` counts a pair as part of a video, where several people labelled it: the weights of one video sum
    to 1."""
    check_confidence(confidence)
    _, counts = _counts(first, second, None, sample_weight)
    return _proportion(float(np.trace(counts)), float(counts.sum()), "there are no pairs", confidence)


def cohens_kappa(
    first: Labels,
    second: Labels,
    weights: Weights = "unweighted",
    labels: Sequence[Any] | None = None,
    confidence: float = 0.95,
    *,
    sample_weight: ArrayLike | None = None,
) -> Estimate:
    """Return Cohen's kappa.

    Linear and quadratic weights give part credit to near labels. They use the labels' values where these are numbers,
    and their order otherwise. ``sample_weight`` is that of ``percent_agreement``.
    """
    check_confidence(confidence)
    levels, counts = _counts(first, second, labels, sample_weight)
    n = round(float(counts.sum()))
    if n == 0:
        return missing_estimate("there are no pairs", KAPPA, 0, confidence)
    shares = counts / counts.sum()
    credit = _credit(levels, weights)
    lines, columns = shares.sum(axis=1), shares.sum(axis=0)
    observed, expected = float((credit * shares).sum()), float(lines @ credit @ columns)
    if expected > 1 - 1e-12:
        return missing_estimate("both judges gave one and the same label throughout", KAPPA, n, confidence)
    kappa = (observed - expected) / (1 - expected)
    # Mean credit of each label against the other judge's margin.
    by_line, by_column = credit @ columns, lines @ credit
    inner = credit - (by_line[:, None] + by_column[None, :]) * (1 - kappa)
    variance = float((shares * inner**2).sum()) - (kappa - expected * (1 - kappa)) ** 2
    error = sqrt(max(variance, 0.0) / n) / (1 - expected)
    if error < 1e-9:
        return missing_estimate(
            "the judges agree on every pair, so no error can be estimated", KAPPA, n, confidence, kappa
        )
    half = float(special.ndtri((1 + confidence) / 2)) * error
    return Estimate(kappa, max(-1.0, kappa - half), min(1.0, kappa + half), n, KAPPA, confidence)


def _credit(levels: tuple[Any, ...], weights: Weights) -> Floats:
    if weights == "unweighted":
        return np.eye(len(levels))
    if weights not in ("linear", "quadratic"):
        raise ValueError(f"weights must be 'unweighted', 'linear' or 'quadratic', not {weights!r}")
    numeric = all(isinstance(level, (int, float)) for level in levels)
    scale = np.array(levels if numeric else range(len(levels)), dtype=np.float64)
    distance = np.abs(scale[:, None] - scale[None, :]) ** (1 if weights == "linear" else 2)
    largest = float(distance.max())
    return 1 - distance / largest if largest > 0 else np.ones_like(distance)
