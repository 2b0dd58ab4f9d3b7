"""Rates corrected for the errors of a machine judge."""

from __future__ import annotations

import evalstats
import numpy as np
import pytest

from vmevalkit.stats.correction import prediction_powered_rate, tuned_weight
from vmevalkit.stats.intervals import wilson
from vmevalkit.stats.records import Estimate
from vmevalkit.stats.rogan_gladen import rogan_gladen, youden_index


def judge(truth: np.ndarray, sensitivity: float, specificity: float, rng: np.random.Generator) -> np.ndarray:
    draw = rng.random(len(truth))
    return np.where(truth == 1, draw < sensitivity, draw >= specificity).astype(float)


def videos(n: int, rate: float, sensitivity: float, specificity: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < rate).astype(float)
    return truth, judge(truth, sensitivity, specificity, rng)


def test_point_estimate_equals_evalstats_at_full_and_no_weight() -> None:
    """The estimate is linear in the weight: human labels at 0, the plain prediction-powered estimate at 1."""
    truth, machine = videos(1200, 0.4, 0.9, 0.8, 0)
    ours = prediction_powered_rate(machine[200:], machine[:200], truth[:200])
    full = evalstats.ppi.correct(
        np.mean,
        Y_lab=truth[:200],
        Y_hat_lab=machine[:200],
        Y_hat_unlab=machine[200:],
        power_tune=False,
        rng=np.random.default_rng(0),
    )
    expected = (1 - ours.weight) * ours.human_rate + ours.weight * full.estimate
    assert ours.estimate.value == pytest.approx(expected, abs=1e-12)


def test_weight_makes_the_error_least() -> None:
    truth, machine = videos(1200, 0.4, 0.9, 0.8, 0)
    own, others, human = machine[:200], machine[200:], truth[:200]
    best = tuned_weight(others, own, human)

    def variance(weight: float) -> float:
        spread = np.concatenate([own, others]).var()
        covariance = np.cov(human, own)[0, 1]
        labelled = human.var(ddof=1) - 2 * weight * covariance + weight**2 * spread
        return labelled / 200 + weight**2 * spread / 1000

    assert variance(best) <= min(variance(best - 0.01), variance(best + 0.01))


def test_a_good_judge_saves_labels_and_a_useless_one_costs_none() -> None:
    truth, good = videos(4000, 0.4, 0.97, 0.97, 1)
    helped = prediction_powered_rate(good[200:], good[:200], truth[:200])
    alone = wilson(int(truth[:200].sum()), 200)
    assert helped.weight > 0.8
    assert helped.labels_saved > 400
    assert helped.estimate.high - helped.estimate.low < 0.6 * (alone[1] - alone[0])
    useless = judge(truth, 0.5, 0.5, np.random.default_rng(2))
    plain = prediction_powered_rate(useless[200:], useless[:200], truth[:200])
    assert plain.weight < 0.15
    assert plain.estimate.high - plain.estimate.low < 1.1 * (alone[1] - alone[0])


def test_few_labels_of_a_kind_fall_back_to_wilson() -> None:
    truth, machine = videos(1000, 0.05, 0.9, 0.9, 3)
    rate = prediction_powered_rate(machine[100:], machine[:100], truth[:100])
    passed = int(truth[:100].sum())
    assert passed < 10
    assert not rate.used_machine
    assert (rate.estimate.low, rate.estimate.high) == wilson(passed, 100)
    assert rate.reason.endswith("fewer than 10: only human labels are used")
    mirrored = prediction_powered_rate(1 - machine[100:], 1 - machine[:100], 1 - truth[:100])
    assert "failed videos" in mirrored.reason


def test_missing_labels() -> None:
    nothing = prediction_powered_rate([1, 0], [], [])
    assert nothing.estimate.reason == "no video has a human label"
    assert nothing.machine_rate == 0.5
    all_labelled = prediction_powered_rate([], [1, 0], [1, 1])
    assert all_labelled.reason == "there are no videos with machine labels only"
    assert all_labelled.estimate.value == 1
    with pytest.raises(ValueError, match="machine_labelled and human must have the same length"):
        prediction_powered_rate([1], [1, 0], [1])
    with pytest.raises(ValueError, match=r"human\[0\] is 1.5, not between 0 and 1"):
        prediction_powered_rate([1], [1], [1.5])


def test_a_judge_that_always_says_the_same_has_no_weight() -> None:
    truth, _ = videos(1000, 0.4, 1, 1, 4)
    rate = prediction_powered_rate(np.ones(900), np.ones(100), truth[:100])
    assert rate.weight == 0
    assert rate.estimate.value == truth[:100].mean()


def test_rogan_gladen_textbook_formula() -> None:
    """Apparent rate .3, sensitivity .9, specificity .8: (.3 + .8 - 1) / .7."""
    result = rogan_gladen(300, 1000, 90, 100, 80, 100)
    assert result.estimate.value == pytest.approx(0.1 / 0.7, abs=1e-12)
    assert result.youden.value == pytest.approx(0.7)
    assert result.estimate.low < 0.1 / 0.7 < result.estimate.high


def test_rogan_gladen_stays_between_0_and_1() -> None:
    assert rogan_gladen(50, 1000, 90, 100, 80, 100).estimate.value == 0
    assert rogan_gladen(1000, 1000, 90, 100, 80, 100).estimate.value == 1


def test_more_labels_narrow_the_interval() -> None:
    few, many = rogan_gladen(300, 1000, 18, 20, 16, 20), rogan_gladen(300, 1000, 900, 1000, 800, 1000)
    assert many.estimate.high - many.estimate.low < (few.estimate.high - few.estimate.low) / 2


def test_a_judge_that_may_know_nothing_is_refused() -> None:
    refused = rogan_gladen(500, 1000, 12, 20, 10, 20)
    assert refused.estimate.value is None
    assert "includes 0: the machine may know nothing" in refused.estimate.reason
    assert refused.youden.low < 0 < refused.youden.high
    swapped = rogan_gladen(500, 1000, 5, 100, 5, 100)
    assert swapped.estimate.reason.endswith("below 0: machine labels may be swapped")
    assert rogan_gladen(0, 0, 9, 10, 9, 10).reason == "there are no machine labels"
    assert rogan_gladen(1, 2, 0, 0, 9, 10).estimate.reason == "no truly passed video has a label"
    with pytest.raises(ValueError, match="true_positives cannot be 3 of 2"):
        rogan_gladen(1, 2, 3, 2, 1, 1)


def test_youden_interval_is_newcombes() -> None:
    """Newcombe's interval of a difference of proportions, of sensitivity and 1 - specificity."""
    sensitivity, specificity = Estimate(0.9, *wilson(90, 100), 100, ""), Estimate(0.8, *wilson(40, 50), 50, "")
    ours = youden_index(sensitivity, specificity)
    from statsmodels.stats.proportion import confint_proportions_2indep

    theirs = confint_proportions_2indep(90, 100, 10, 50, method="newcomb", compare="diff")
    assert (ours.low, ours.high) == pytest.approx(theirs, abs=1e-9)
