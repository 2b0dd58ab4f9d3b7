"""Intervals of a proportion against published values, statsmodels, evalstats and their own definitions."""

from __future__ import annotations

from math import sqrt

import pytest
from evalstats.core.resampling import jeffreys_ci, wilson_ci
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from vmevalkit.stats.intervals import (
    beta_binomial,
    clopper_pearson,
    jeffreys,
    unscored_bounds,
    upper_bound,
    wilson,
    wilson_of_rate,
)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(51, 75, 0.568, 0.775), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662)],
)
def test_known_values(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=6e-4)


@pytest.mark.parametrize(("successes", "n"), [(51, 75), (0, 10), (10, 10), (1, 75), (81, 263)])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_equal_to_statsmodels_and_evalstats(successes: int, n: int, confidence: float) -> None:
    ours = wilson(successes, n, confidence)
    assert ours == pytest.approx(proportion_confint(successes, n, 1 - confidence, method="wilson"), abs=1e-9)
    assert ours == pytest.approx(wilson_ci(successes, n, 1 - confidence), abs=1e-9)
    if 0 < successes < n:
        assert jeffreys(successes, n, confidence) == pytest.approx(jeffreys_ci(successes, n, 1 - confidence), abs=1e-9)


def test_jeffreys_is_closed_where_nothing_or_everything_passed() -> None:
    """Brown, Cai and DasGupta 2001: the bound at 0 of n is 0, and at n of n it is 1."""
    assert jeffreys(0, 10)[0] == 0
    assert jeffreys(10, 10)[1] == 1
    assert jeffreys(0, 10)[1] == pytest.approx(jeffreys_ci(0, 10, 0.05)[1], abs=1e-9)


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_bounds_solve_the_score_equation(pair: tuple[int, int]) -> None:
    """At a bound p the observed rate is 1.96 standard errors away, with the error of p itself."""
    successes, n = pair
    rate = successes / n
    low, high = wilson(successes, n)
    assert 0 <= low <= rate <= high <= 1
    for bound in {low, high} - {0.0, 1.0}:
        assert abs(rate - bound) == pytest.approx(1.959964 * sqrt(bound * (1 - bound) / n), rel=1e-3, abs=1e-9)


def test_nothing_is_known_without_videos() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert jeffreys(0, 0) == (0.0, 1.0)
    assert unscored_bounds(0, 0, 0) == (0.0, 1.0)


def test_wider_with_more_confidence() -> None:
    narrow, wide = wilson(5, 20, 0.8), wilson(5, 20, 0.99)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_beta_binomial_is_the_posterior() -> None:
    low, high = beta_binomial(3, 10, 0.9, (2.0, 5.0))
    assert stats.beta.cdf(low, 5, 12) == pytest.approx(0.05)
    assert stats.beta.cdf(high, 5, 12) == pytest.approx(0.95)


def test_effective_number_of_trials() -> None:
    assert wilson_of_rate(0.3, 10) == pytest.approx(wilson(3, 10))
    few, many = wilson_of_rate(0.3, 10.5), wilson_of_rate(0.3, 40)
    assert few[0] < many[0] < 0.3 < many[1] < few[1]


def test_unscored_videos_pass_or_fail() -> None:
    assert unscored_bounds(6, 8, 10) == (0.6, 0.8)


@pytest.mark.parametrize(("successes", "n", "confidence"), [(3, 2, 0.95), (-1, 2, 0.95), (1, 2, 1.0), (1, 2, 0.0)])
def test_impossible_numbers(successes: int, n: int, confidence: float) -> None:
    for interval in (wilson, jeffreys, beta_binomial):
        with pytest.raises(ValueError, match=r"cannot be|between 0 and 1"):
            interval(successes, n, confidence)


def test_impossible_arguments() -> None:
    with pytest.raises(ValueError, match="above 0"):
        beta_binomial(1, 2, 0.95, (0.0, 1.0))
    with pytest.raises(ValueError, match="above 0"):
        wilson_of_rate(0.5, 0)
    with pytest.raises(ValueError, match="cannot be"):
        unscored_bounds(3, 2, 5)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(0, 10, 0.0, 0.3085), (3, 10, 0.0667, 0.6525), (10, 10, 0.6915, 1.0)],
)
def test_clopper_pearson_is_the_published_interval(successes: int, n: int, low: float, high: float) -> None:
    assert clopper_pearson(successes, n) == pytest.approx((low, high), abs=1e-4)
    assert clopper_pearson(0, 0) == (0.0, 1.0)


def test_the_upper_bound_is_exact() -> None:
    """At the bound, so few errors are seen in one case of twenty."""
    for errors, n in ((0, 28), (1, 360), (3, 3745)):
        bound = upper_bound(errors, n)
        assert float(stats.binom.cdf(errors, n, bound)) == pytest.approx(0.05, rel=1e-6)
    assert upper_bound(0, 0) == upper_bound(4, 4) == 1.0
