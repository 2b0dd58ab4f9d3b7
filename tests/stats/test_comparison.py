"""Paired comparisons against scipy, statsmodels and evalstats."""

from __future__ import annotations

import numpy as np
import pytest
from evalstats.core.stats_utils import correct_pvalues
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import DescrStatsW

from vmevalkit.stats.comparison import compare_paired, mcnemar_exact, paired_t_test, tost
from vmevalkit.stats.multiplicity import holm
from vmevalkit.stats.power import (
    paired_difference_sd,
    paired_power,
    required_questions,
    smallest_detectable_difference,
)

RNG = np.random.default_rng(11)
FIRST = (RNG.random(75) < 0.68).astype(float)
SECOND = np.where(RNG.random(75) < 0.6, FIRST, RNG.random(75) < 0.3).astype(float)


@pytest.mark.parametrize(("only_first", "only_second"), [(1, 9), (12, 3), (5, 5), (0, 4), (101, 59)])
def test_mcnemar_equals_statsmodels(only_first: int, only_second: int) -> None:
    theirs = mcnemar([[10, only_first], [only_second, 10]], exact=True)
    ours = mcnemar_exact(only_first, only_second)
    assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), abs=1e-12)


def test_paired_t_equals_scipy() -> None:
    ours = paired_t_test(FIRST - SECOND)
    theirs = stats.ttest_rel(FIRST, SECOND)
    assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), abs=1e-9)
    assert ours.df == (theirs.df,) == (74,)


def test_tost_equals_statsmodels() -> None:
    d = FIRST - SECOND
    for margin in (0.05, 0.3, 0.5):
        p, _, _ = DescrStatsW(d).ttost_mean(-margin, margin)
        ours = tost(d, margin)
        assert ours.p_value == pytest.approx(p, abs=1e-9)
        assert ours.is_equivalent == (p <= 0.05)
        assert ours.is_equivalent == (-margin < ours.low and ours.high < margin)


def test_no_difference_is_not_equivalence() -> None:
    """Ten questions without a significant difference do not show that two models are equal."""
    d = np.array([1, -1, 0, 0, 1, -1, 0, 0, 0, 1.0])
    assert paired_t_test(d).p_value > 0.05
    assert not tost(d, 0.1).is_equivalent


def test_holm_equals_statsmodels_and_evalstats() -> None:
    p = {"a": 0.011, "b": 0.02, "c": 0.0001, "d": 0.04, "e": 0.8}
    family = holm(p)
    rejected, adjusted, _, _ = multipletests(list(p.values()), 0.05, "holm")
    assert [test.adjusted for test in family.tests.values()] == pytest.approx(adjusted, abs=1e-12)
    assert [test.is_rejected for test in family.tests.values()] == list(rejected)
    theirs = correct_pvalues(np.array(list(p.values())), "holm")
    assert [test.adjusted for test in family.tests.values()] == pytest.approx(theirs, abs=1e-12)


def test_a_test_without_a_p_value_stays_in_the_family() -> None:
    family = holm({"a": 0.02, "b": None, "c": 0.03})
    assert family.size == 3
    assert family.tests["a"].adjusted == pytest.approx(0.06)
    assert family.tests["b"].reason == "the test gave no p-value"
    assert not family.tests["b"].is_rejected


@pytest.mark.parametrize(("difference", "sd", "n"), [(0.1, 0.5, 75), (0.213, 0.6, 75), (0.3, 0.4, 12), (0.0, 1.0, 5)])
def test_power_equals_statsmodels(difference: float, sd: float, n: int) -> None:
    theirs = TTestPower().power(difference / sd, n, 0.05)
    assert paired_power(difference, sd, n) == pytest.approx(theirs, abs=1e-8)


def test_smallest_difference_and_questions_invert_the_power() -> None:
    d = smallest_detectable_difference(0.6, 75)
    assert paired_power(d, 0.6, 75) == pytest.approx(0.8, abs=1e-9)
    assert d == pytest.approx(0.6 * TTestPower().solve_power(nobs=75, alpha=0.05, power=0.8), abs=1e-6)
    n = required_questions(0.1, 0.6)
    assert paired_power(0.1, 0.6, n) >= 0.8 > paired_power(0.1, 0.6, n - 1)


def test_sd_of_a_paired_difference_matches_simulation() -> None:
    """Two rates of .5 and .3 with correlation .4."""
    both = 0.15 + 0.4 * np.sqrt(0.25 * 0.21)
    rng = np.random.default_rng(0)
    cells = rng.choice(4, 200_000, p=[both, 0.5 - both, 0.3 - both, 0.2 + both])
    first, second = np.isin(cells, (0, 1)), np.isin(cells, (0, 2))
    assert paired_difference_sd(0.5, 0.3, 0.4) == pytest.approx((first * 1.0 - second).std(), abs=3e-3)
    assert paired_difference_sd(0.5, 0.3, 0.4, samples=4, noise_share=0.0) == paired_difference_sd(0.5, 0.3, 0.4)
    half = paired_difference_sd(0.5, 0.3, 0.4, samples=4, noise_share=1.0)
    assert half == pytest.approx(paired_difference_sd(0.5, 0.3, 0.4) / 2)


def test_comparison_on_all_questions() -> None:
    result = compare_paired(FIRST, range(75), SECOND, range(75), margin=0.2)
    assert (result.common, result.only_first, result.only_second) == (75, 0, 0)
    assert result.difference.value == pytest.approx((FIRST - SECOND).mean())
    interval = stats.ttest_rel(FIRST, SECOND).confidence_interval(0.95)
    assert (result.difference.low, result.difference.high) == pytest.approx(tuple(interval), abs=1e-9)
    assert result.bootstrap.low == pytest.approx(result.difference.low, abs=0.02)
    table = [[0, int(((FIRST == 1) & (SECOND == 0)).sum())], [int(((FIRST == 0) & (SECOND == 1)).sum()), 0]]
    assert result.mcnemar.p_value == pytest.approx(mcnemar(table, exact=True).pvalue)
    assert result.equivalence == tost(FIRST - SECOND, 0.2)
    sd = float((FIRST - SECOND).std(ddof=1))
    assert result.smallest_detectable.value == pytest.approx(smallest_detectable_difference(sd, 75))


def test_only_common_questions_count_and_the_others_are_reported() -> None:
    result = compare_paired([1, 1, 0, 1], ["a", "b", "c", "x"], [0, 1, 0], ["c", "b", "y"])
    assert (result.common, result.only_first, result.only_second) == (2, 2, 1)
    assert (result.mean_first, result.mean_second) == (0.5, 0.5)
    nothing = compare_paired([1], ["a"], [1], ["b"])
    assert nothing.reason == "the two models have no question in common"
    assert nothing.mcnemar.reason == nothing.reason


def test_several_samples_become_item_means() -> None:
    first = compare_paired([1, 0, 1, 1], ["a", "a", "b", "b"], [0, 0, 1, 0], ["a", "a", "b", "b"])
    assert first.difference.value == pytest.approx(0.5)
    assert first.mcnemar.reason == "McNemar's test needs one sample of 0 or 1 for each question"


def test_wrong_calls() -> None:
    with pytest.raises(ValueError, match="margin must be above 0"):
        tost([0.1, 0.2], 0)
    with pytest.raises(ValueError, match="p-value of 'a' must be between 0 and 1"):
        holm({"a": 1.5})
    with pytest.raises(ValueError, match="must not be negative"):
        mcnemar_exact(-1, 2)
    with pytest.raises(ValueError, match="sd must be above 0"):
        paired_power(0.1, 0.0, 10)
    with pytest.raises(ValueError, match="two questions or more, not 1"):
        paired_power(0.1, 1.0, 1)
    with pytest.raises(ValueError, match="difference must not be 0"):
        required_questions(0.0, 1.0)
    with pytest.raises(ValueError, match="cannot have a correlation of 1"):
        paired_difference_sd(0.9, 0.1, 1.0)
    with pytest.raises(ValueError, match="4 samples a question need noise_share"):
        paired_difference_sd(0.9, 0.5, 0.0, samples=4)
    with pytest.raises(ValueError, match="must be above alpha"):
        smallest_detectable_difference(1.0, 10, 0.05, 0.05)
    with pytest.raises(ValueError, match="more than"):
        required_questions(1e-9, 1.0)
