"""The bootstrap by counts has the distribution of the bootstrap by values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from vmevalkit.stats.bootstrap import bootstrap_ci, clustered_bootstrap_ci, resample_means, resample_rows

SCORES = np.repeat([1.0, 2.0, 3.0, 4.0, 5.0], [248, 60, 3, 14, 125])


def loop_means(values: np.ndarray, n_bootstrap: int, seed: int) -> np.ndarray:
    """The specification's way: draw n values again and again."""
    rng = np.random.default_rng(seed)
    return np.array([rng.choice(values, len(values)).mean() for _ in range(n_bootstrap)])


def test_same_distribution_as_drawing_values() -> None:
    ours, loop = resample_means(SCORES, 4000, 1), loop_means(SCORES, 4000, 2)
    assert stats.ks_2samp(ours, loop).pvalue > 0.01
    error = SCORES.std() / np.sqrt(len(SCORES))
    assert ours.mean() == pytest.approx(SCORES.mean(), abs=4 * error / np.sqrt(4000))
    assert ours.std() == pytest.approx(error, rel=4 / np.sqrt(2 * 4000))


def test_equal_to_scipy_within_monte_carlo_error() -> None:
    low, high = bootstrap_ci(SCORES)
    rng = np.random.default_rng(0)
    theirs = stats.bootstrap((SCORES,), np.mean, n_resamples=9999, method="percentile", rng=rng).confidence_interval
    # The standard error of a 2.5% quantile of 10,000 normal draws is 2.7% of their deviation; two such errors differ.
    tolerance = 4 * 0.027 * np.sqrt(2) * SCORES.std() / np.sqrt(len(SCORES))
    assert (low, high) == pytest.approx(tuple(theirs), abs=tolerance)


def test_same_seed_same_interval() -> None:
    assert bootstrap_ci(SCORES, seed=4) == bootstrap_ci(SCORES, seed=4)
    assert bootstrap_ci(SCORES, seed=4) != bootstrap_ci(SCORES, seed=5)


def test_order_and_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=200)
    whole = bootstrap_ci(values)
    assert bootstrap_ci(rng.permutation(values)) == whole
    monkeypatch.setattr("vmevalkit.stats.bootstrap.CHUNK_CELLS", 1000)
    assert bootstrap_ci(values) == whole


def test_rows_are_resampled_together() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 1.0]])
    draws = resample_rows(rows, np.array([3, 5]), 500, 0)
    assert draws.sum(axis=1) == pytest.approx(np.ones(500))


def test_clusters_are_questions() -> None:
    values, questions = np.tile([1.0, 0.0], 30), np.repeat(np.arange(20), 3)
    means = [values[questions == q].mean() for q in range(20)]
    assert clustered_bootstrap_ci(values, questions) == bootstrap_ci(means)
    copied = clustered_bootstrap_ci(np.repeat(means, 9), np.repeat(np.arange(20), 9))
    assert tuple(copied) == pytest.approx(tuple(bootstrap_ci(means)), abs=1e-9)


def test_wrong_calls() -> None:
    with pytest.raises(ValueError, match="ci must be between 0 and 1"):
        bootstrap_ci([1, 2], ci=95)
    with pytest.raises(ValueError, match="n_bootstrap must be at least 1"):
        bootstrap_ci([1, 2], n_bootstrap=0)
