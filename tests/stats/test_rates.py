"""Rates and means with the error of questions; pass@k; rates per attempted and per delivered video."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from vmevalkit.stats.intervals import wilson
from vmevalkit.stats.rates import (
    delivery_rates,
    mean_score,
    pass_at_k,
    pass_at_k_of,
    pass_hat_k,
    pass_hat_k_of,
    success_rate,
)


def test_one_sample_a_question_is_wilson() -> None:
    values = [1] * 51 + [0] * 24
    for questions in (None, list(range(75))):
        rate = success_rate(values, questions)
        assert (rate.value, rate.n) == (0.68, 75)
        assert (rate.low, rate.high) == pytest.approx(wilson(51, 75), abs=1e-12)


def test_repeated_samples_of_a_question_are_not_new_questions() -> None:
    """Ten copies of every sample carry no more information than one."""
    values = np.array([1] * 8 + [0] * 12)
    once = success_rate(values, range(20))
    copied = success_rate(np.repeat(values, 10), np.repeat(np.arange(20), 10))
    assert (copied.low, copied.high, copied.n) == pytest.approx((once.low, once.high, 20))
    independent = success_rate(np.repeat(values, 10))
    assert independent.high - independent.low < (copied.high - copied.low) / 2


def test_questions_have_equal_weight() -> None:
    rate = success_rate([1, 1, 1, 1, 0, 0], ["a", "a", "a", "a", "b", "c"])
    assert rate.value == pytest.approx(1 / 3)


def test_mean_score_is_the_clustered_error_of_a_balanced_design() -> None:
    rng = np.random.default_rng(3)
    questions = np.repeat(np.arange(30), 4)
    values = rng.integers(1, 6, 120) + rng.normal(0, 1, 30)[questions]
    ours = mean_score(values, questions)
    means = values.reshape(30, 4).mean(axis=1)
    expected = stats.t.interval(0.95, 29, means.mean(), stats.sem(means))
    assert (ours.low, ours.high) == pytest.approx(expected, abs=1e-9)
    fit = sm.OLS(values, np.ones(120)).fit(cov_type="cluster", cov_kwds={"groups": questions, "use_correction": False})
    assert (ours.high - ours.value) / stats.t.ppf(0.975, 29) == pytest.approx(fit.bse[0] * np.sqrt(30 / 29), abs=1e-9)


def brute_force(outcomes: list[int], k: int) -> tuple[float, float]:
    draws = list(combinations(outcomes, k))
    return sum(any(draw) for draw in draws) / len(draws), sum(all(draw) for draw in draws) / len(draws)


@pytest.mark.parametrize("passed", range(6))
@pytest.mark.parametrize("k", range(1, 6))
def test_pass_k_is_the_mean_over_all_draws(passed: int, k: int) -> None:
    any_passed, all_passed = brute_force([1] * passed + [0] * (5 - passed), k)
    assert pass_at_k_of(5, passed, k) == pytest.approx(any_passed, abs=1e-12)
    assert pass_hat_k_of(5, passed, k) == pytest.approx(all_passed, abs=1e-12)


def test_pass_k_is_undefined_below_k() -> None:
    assert pass_at_k_of(2, 1, 3) is None
    assert pass_hat_k_of(2, 2, 3) is None
    both = pass_at_k([1, 0, 0, 1], ["a", "a", "b", "c"], 2)
    assert (both.estimate.value, both.estimate.n, both.questions_left_out) == (1.0, 1, 2)
    none = pass_hat_k([1, 0], ["a", "b"], 2)
    assert none.estimate.value is None
    assert none.estimate.reason == "none of 2 questions has 2 scored samples"


def test_pass_1_is_the_success_rate() -> None:
    rng = np.random.default_rng(0)
    values, questions = rng.integers(0, 2, 60), np.repeat(np.arange(15), 4)
    for statistic in (pass_at_k, pass_hat_k):
        assert statistic(values, questions, 1).estimate == success_rate(values, questions)


def test_pass_at_k_grows_and_pass_hat_k_falls() -> None:
    rng = np.random.default_rng(0)
    values, questions = rng.integers(0, 2, 60), np.repeat(np.arange(15), 4)
    at = [pass_at_k(values, questions, k).estimate.value for k in range(1, 5)]
    hat = [pass_hat_k(values, questions, k).estimate.value for k in range(1, 5)]
    assert at == sorted(at)
    assert hat == sorted(hat, reverse=True)


def test_delivery_rates() -> None:
    rates = delivery_rates(attempted=20, delivered=16, scored=14, successes=7)
    assert (rates.per_attempted.lowest, rates.per_attempted.highest) == (0.35, 0.45)
    assert (rates.per_delivered.lowest, rates.per_delivered.highest) == (7 / 16, 9 / 16)
    assert (rates.per_scored.value, rates.delivered_share.value) == (0.5, 0.8)
    assert rates.per_attempted.low == wilson(7, 20)[0]
    assert rates.per_attempted.high == wilson(9, 20)[1]


def test_delivery_rates_without_videos() -> None:
    rates = delivery_rates(3, 0, 0, 0)
    assert rates.per_attempted.lowest == 0
    assert rates.per_delivered.reason == "there is no video to count"
    assert rates.per_scored.reason == "no video was scored"


@pytest.mark.parametrize("counts", [(1, 2, 2, 2), (5, 4, 3, 4), (5, 4, 3, -1)])
def test_counts_that_grow_are_refused(counts: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="must not grow"):
        delivery_rates(*counts)


def test_wrong_calls() -> None:
    with pytest.raises(ValueError, match=r"successes\[1\] is 2, not between 0 and 1"):
        success_rate([1, 2])
    with pytest.raises(ValueError, match="same length, not 2 and 1"):
        success_rate([1, 0], ["a"])
    with pytest.raises(ValueError, match=r"values\[0\] is nan: leave unscored samples out"):
        mean_score([float("nan"), 1.0])
    with pytest.raises(ValueError, match="k must be at least 1"):
        pass_at_k([1], ["a"], 0)
