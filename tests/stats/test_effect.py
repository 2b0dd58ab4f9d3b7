"""Effect sizes against textbook values and definitions."""

from __future__ import annotations

import pickle
from itertools import product
from math import isnan

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.oneway import effectsize_oneway

from vmevalkit.stats.effect import cliffs_delta, cohens_d

RNG = np.random.default_rng(1)
A = RNG.integers(1, 6, 40).astype(float)
B = np.minimum(RNG.integers(1, 6, 55), 4).astype(float)


def test_cohens_d_is_t_scaled() -> None:
    d = cohens_d(A, B)
    t = stats.ttest_ind(A, B).statistic
    assert d.value == pytest.approx(t * np.sqrt(1 / 40 + 1 / 55), abs=1e-12)
    assert d.low < d.value < d.high
    theirs = effectsize_oneway(*(np.array([f(A), f(B)]) for f in (np.mean, lambda x: x.var(ddof=1), len)), "equal")
    # Cohen's f of two groups is d times the root of n1 n2 / n^2.
    assert abs(d.value) * np.sqrt(40 * 55) / 95 == pytest.approx(np.sqrt(theirs), abs=1e-9)


def test_cohens_d_is_a_float_with_more_attributes() -> None:
    d = cohens_d(A, B)
    assert isinstance(d, float) and d == d.value and f"{d:.2f}" == f"{d.value:.2f}"
    again = pickle.loads(pickle.dumps(d))
    assert (again, again.low, again.n) == (d, d.low, d.n)
    missing = cohens_d([1], [2, 2])
    assert isnan(missing) and missing.value is None and missing.reason


def test_cohens_d_as_the_specification_writes_it() -> None:
    pooled = np.sqrt((39 * np.var(A) + 54 * np.var(B)) / 93)
    assert cohens_d(A, B).specification_value == pytest.approx((A.mean() - B.mean()) / pooled, abs=1e-12)


def test_cohens_d_interval_inverts_the_noncentral_t() -> None:
    d = cohens_d(A, B, 0.9)
    t, scale = d.value / np.sqrt(1 / 40 + 1 / 55), np.sqrt(1 / 40 + 1 / 55)
    assert stats.nct.sf(t, 93, d.low / scale) == pytest.approx(0.05, abs=1e-8)
    assert stats.nct.cdf(t, 93, d.high / scale) == pytest.approx(0.05, abs=1e-8)


def test_hedges_correction_of_a_small_sample() -> None:
    """The correction at 10 degrees of freedom is .9228 (Hedges 1981, table 1)."""
    d = cohens_d([1, 2, 3, 4, 5, 6], [3, 4, 5, 6, 7, 9])
    assert d.hedges_g / d.value == pytest.approx(0.9228, abs=1e-4)


def test_cliffs_delta_is_the_mean_sign() -> None:
    signs = [np.sign(a - b) for a, b in product(A, B)]
    delta = cliffs_delta(A, B)
    assert delta.value == pytest.approx(np.mean(signs), abs=1e-12)
    u = stats.mannwhitneyu(A, B).statistic
    assert delta.value == pytest.approx(2 * u / (40 * 55) - 1, abs=1e-12)
    assert -1 <= delta.low < delta.value < delta.high <= 1


def test_cliffs_variance_by_its_definition() -> None:
    signs = np.sign(A[:, None] - B[None, :])
    n, m = signs.shape
    d = signs.mean()
    by_row, by_column = signs.mean(axis=1) - d, signs.mean(axis=0) - d
    variance = (m**2 * (by_row**2).sum() + n**2 * (by_column**2).sum() - ((signs - d) ** 2).sum()) / (
        n * m * (n - 1) * (m - 1)
    )
    z = stats.norm.ppf(0.975)
    half = z * np.sqrt(variance) * np.sqrt((1 - d**2) ** 2 + z**2 * variance)
    low = (d - d**3 - half) / (1 - d**2 + z**2 * variance)
    assert cliffs_delta(A, B).low == pytest.approx(low, abs=1e-9)


def test_groups_that_do_not_overlap() -> None:
    delta = cliffs_delta([4, 5], [1, 2, 3])
    assert delta.value == 1
    assert delta.reason == "the groups do not overlap, so no error can be estimated"
    assert cohens_d([1, 1], [2, 2]).reason == "values do not vary inside either group"
    far = cohens_d([0, 1e-9], [1e6, 1e6])
    assert far.value < -1e9
    assert far.reason.endswith("the noncentral t gives no interval there")
    assert cohens_d([1], [2, 2]).reason == "both groups need two values or more, they have 1 and 2"
