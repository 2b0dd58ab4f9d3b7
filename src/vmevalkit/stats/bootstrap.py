"""Percentile bootstrap of a mean by resampling counts of values, so that its cost does not grow with n."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from vmevalkit.stats._arrays import Floats, Labels, as_floats, check_confidence, item_means
from vmevalkit.stats.records import Interval

CHUNK_CELLS = 4_000_000


def resample_means(values: Floats, n_bootstrap: int, seed: int) -> Floats:
    """Return means of resamples with replacement.

    A resample of n values is a multinomial draw of how often each distinct value occurs. The cost grows with the number
    of distinct values: five for scores, whatever n is.
    """
    distinct, counts = np.unique(values, return_counts=True)
    return resample_rows(distinct[:, None], counts, n_bootstrap, seed)[:, 0]


def resample_rows(rows: Floats, counts: np.ndarray, n_bootstrap: int, seed: int) -> Floats:
    """Return mean rows of resamples: a matrix with one line for each resample and one column for each of ``rows``."""
    rng = np.random.default_rng(seed)
    n = int(counts.sum())
    share = counts / n
    means = np.empty((n_bootstrap, rows.shape[1]))
    step = max(1, CHUNK_CELLS // len(rows))  # bounds memory where every row is distinct
    for start in range(0, n_bootstrap, step):
        size = min(step, n_bootstrap - start)
        means[start : start + size] = rng.multinomial(n, share, size=size) @ rows / n
    return means


def percentile_interval(draws: Floats, confidence: float) -> tuple[float, float]:
    """Return the equal-tailed percentiles of bootstrap draws."""
    tail = (1 - confidence) / 2
    low, high = np.percentile(draws, [100 * tail, 100 * (1 - tail)])
    return float(low), float(high)


def bootstrap_ci(data: ArrayLike, n_bootstrap: int = 10000, ci: float = 0.95, *, seed: int = 0) -> Interval:
    """Return the percentile bootstrap interval of the mean; ``low, high = bootstrap_ci(data)`` unpacks it.

    Every value counts as independent. With several samples a question use ``clustered_bootstrap_ci``.
    """
    check_confidence(ci, "ci")
    if n_bootstrap < 1:
        raise ValueError(f"n_bootstrap must be at least 1, not {n_bootstrap}")
    values = as_floats(data, "data")
    reason = _why_no_interval(values, "values")
    if reason:
        return Interval(None, None, ci, reason)
    return Interval(*percentile_interval(resample_means(values, n_bootstrap, seed), ci), ci)


def clustered_bootstrap_ci(
    data: ArrayLike, questions: Labels, n_bootstrap: int = 10000, ci: float = 0.95, *, seed: int = 0
) -> Interval:
    """Return the bootstrap interval of the mean of item means, with questions resampled whole."""
    return bootstrap_ci(item_means(data, questions).means, n_bootstrap, ci, seed=seed)


def _why_no_interval(values: Floats, what: str) -> str | None:
    if len(values) < 2:
        return f"a bootstrap needs two {what} or more, there are {len(values)}"
    if np.ptp(values) == 0:
        return f"all {len(values)} {what} are {values[0]:g}: resampling cannot show an error; use Wilson's interval"
    return None
