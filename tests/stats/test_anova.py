"""Analysis of variance and rank tests against scipy, statsmodels and evalstats."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from evalstats.core.paired import friedman_nemenyi
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.multicomp import pairwise_tukeyhsd

from vmevalkit.stats.anova import friedman, kruskal_wallis, one_way_anova, split_groups, tukey_hsd, two_way_anova

RNG = np.random.default_rng(2)
MODEL = np.repeat(["a", "b", "c"], 40)
DOMAIN = np.tile(np.repeat(["x", "y"], 20), 3)
SCORE = np.clip(np.round(3 + (MODEL == "c") + (DOMAIN == "y") * (MODEL == "a") + RNG.normal(0, 1, 120)), 1, 5)
UNBALANCED = RNG.random(120) < 0.6


def test_one_way_equals_scipy() -> None:
    ours = one_way_anova(SCORE, MODEL, "model")
    theirs = stats.f_oneway(*split_groups(SCORE, MODEL).values())
    term = ours.terms["model"]
    assert (term.f, term.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), abs=1e-9)
    assert (term.df, ours.terms["residual"].df) == (2, 117)


def test_one_way_textbook_example() -> None:
    """Three groups of six; F(2, 15) = 9.3 (from the article on the F test in common encyclopaedias)."""
    values = [6, 8, 4, 5, 3, 4, 8, 12, 9, 11, 6, 8, 13, 9, 11, 8, 7, 12]
    term = one_way_anova(values, np.repeat(["1", "2", "3"], 6)).terms["group"]
    assert term.sum_squares == pytest.approx(84)
    assert term.f == pytest.approx(42 / (68 / 15))
    assert term.partial_eta_squared == pytest.approx(84 / 152)


@pytest.mark.parametrize("rows", [np.ones(120, bool), UNBALANCED])
def test_two_way_equals_statsmodels(rows: np.ndarray) -> None:
    frame = pd.DataFrame({"score": SCORE[rows], "model": MODEL[rows], "domain": DOMAIN[rows]})
    theirs = anova_lm(ols("score ~ C(model) * C(domain)", frame).fit(), typ=2)
    ours = two_way_anova(SCORE[rows], MODEL[rows], DOMAIN[rows])
    for name, row in (("model", "C(model)"), ("domain", "C(domain)"), ("model:domain", "C(model):C(domain)")):
        term = ours.terms[name]
        expected = theirs.loc[row, ["sum_sq", "df", "F", "PR(>F)"]].to_numpy(float)
        assert [term.sum_squares, term.df, term.f, term.p_value] == pytest.approx(expected, abs=1e-6)
    assert ours.terms["residual"].sum_squares == pytest.approx(theirs.loc["Residual", "sum_sq"])


def test_the_interaction_has_its_own_degrees_of_freedom() -> None:
    """Six models, five domains, 15 questions each: (20, 420), not (20, 429)."""
    rng = np.random.default_rng(0)
    models, domains = np.repeat(np.arange(6), 75), np.tile(np.repeat(np.arange(5), 15), 6)
    ours = two_way_anova(rng.integers(1, 6, 450), models, domains)
    assert (ours.terms["model:domain"].df, ours.terms["residual"].df) == (20, 420)


def test_an_empty_combination_costs_a_degree_of_freedom() -> None:
    rows = ~((MODEL == "c") & (DOMAIN == "y"))
    ours = two_way_anova(SCORE[rows], MODEL[rows], DOMAIN[rows])
    assert ours.terms["model:domain"].df == 1
    assert ours.terms["model"].df == 2


@pytest.mark.slow
def test_tukey_equals_statsmodels_and_scipy() -> None:
    for rows in (np.ones(120, bool), UNBALANCED):
        ours = tukey_hsd(SCORE[rows], MODEL[rows])
        theirs = pairwise_tukeyhsd(SCORE[rows], MODEL[rows])
        found = list(ours.pairs.values())
        assert [-pair.difference for pair in found] == pytest.approx(theirs.meandiffs, abs=1e-9)
        assert [-pair.high for pair in found] == pytest.approx(theirs.confint[:, 0], abs=1e-4)
        groups = split_groups(SCORE[rows], MODEL[rows])
        reference = stats.tukey_hsd(*groups.values())
        assert [pair.p_value for pair in found] == pytest.approx(reference.pvalue[np.triu_indices(3, 1)], abs=1e-8)
        low = reference.confidence_interval(0.95).low[np.triu_indices(3, 1)]
        assert [pair.low for pair in found] == pytest.approx(low, abs=1e-6)


def test_kruskal_equals_scipy() -> None:
    ours, theirs = kruskal_wallis(SCORE, MODEL), stats.kruskal(*split_groups(SCORE, MODEL).values())
    assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), abs=1e-12)


def test_friedman_equals_scipy_and_evalstats() -> None:
    matrix = SCORE.reshape(3, 40)
    ours = friedman(SCORE, MODEL, np.tile(np.arange(40), 3))
    theirs = stats.friedmanchisquare(*matrix)
    assert (ours.test.statistic, ours.test.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), abs=1e-9)
    other = friedman_nemenyi(matrix[..., None], ["a", "b", "c"])
    assert ours.test.statistic == pytest.approx(other.statistic, abs=1e-9)
    assert 0 < ours.kendalls_w < 1


def test_friedman_uses_common_questions() -> None:
    questions = np.tile(np.arange(40), 3)
    rows = ~((MODEL == "a") & (questions == 7))
    ours = friedman(SCORE[rows], MODEL[rows], questions[rows])
    assert (ours.test.n, ours.questions_left_out) == (39, 1)
