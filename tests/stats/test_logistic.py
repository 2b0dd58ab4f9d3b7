"""The conditional logit against statsmodels and by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from statsmodels.discrete.conditional_models import ConditionalLogit as Reference
from statsmodels.tools.sm_exceptions import ModelWarning

from vmevalkit.stats.logistic import conditional_logit


def simulate(questions: int, samples: int, seed: int, effects: tuple[float, ...] = (0.0, 1.0, -0.7)) -> tuple:
    rng = np.random.default_rng(seed)
    models = np.tile(np.repeat(np.arange(len(effects)), samples), questions)
    question = np.repeat(np.arange(questions), len(effects) * samples)
    logit = np.array(effects)[models] + rng.normal(0, 1.5, questions)[question]
    return (rng.random(len(logit)) < 1 / (1 + np.exp(-logit))).astype(float), models, question


@pytest.mark.parametrize("balanced", [True, False])
def test_equal_to_statsmodels(balanced: bool) -> None:
    y, models, questions = simulate(60, 1, 4)
    if not balanced:
        rows = np.random.default_rng(0).random(len(y)) < 0.7
        y, models, questions = y[rows], models[rows], questions[rows]
    design = np.stack([models == 1, models == 2], axis=1).astype(float)
    with pytest.warns(ModelWarning, match="no within-group variance"):
        theirs = Reference(y, design, groups=questions).fit(method="newton", disp=False)
    ours = conditional_logit(y, models, questions)
    assert [ours.odds[1].log_odds, ours.odds[2].log_odds] == pytest.approx(theirs.params, abs=1e-6)
    assert [ours.odds[1].standard_error, ours.odds[2].standard_error] == pytest.approx(theirs.bse, abs=1e-5)
    assert ours.log_likelihood == pytest.approx(theirs.llf, abs=1e-6)


def test_several_samples_are_the_mean_over_all_ways_to_draw_one_of_each_model() -> None:
    """Two samples of three models: the likelihood at the fit is the mean over the eight draws of one sample each."""
    y, models, questions = simulate(40, 2, 3)
    found = conditional_logit(y, models, questions)
    log_odds = np.array([0.0, found.odds[1].log_odds, found.odds[2].log_odds])
    cube = y.reshape(40, 3, 2)

    def draw_likelihood(picks: tuple[int, int, int], beta: np.ndarray) -> float:
        drawn = cube[:, np.arange(3), list(picks)]
        subsets = np.array(list(product((0, 1), repeat=3)))
        odds = np.exp(subsets @ beta)
        totals = np.array([odds[subsets.sum(axis=1) == t].sum() for t in range(4)])
        return float((drawn @ beta - np.log(totals[drawn.sum(axis=1).astype(int)])).sum())

    def mean_likelihood(beta: np.ndarray) -> float:
        return float(np.mean([draw_likelihood(picks, beta) for picks in product((0, 1), repeat=3)]))

    assert found.log_likelihood == pytest.approx(mean_likelihood(log_odds), abs=1e-9)
    for change in ([0, 0.01, 0], [0, -0.01, 0], [0, 0, 0.01], [0, 0, -0.01]):
        assert mean_likelihood(log_odds + np.array(change)) < found.log_likelihood


def test_copies_of_samples_are_no_information() -> None:
    y, models, questions = simulate(60, 1, 4)
    once, eight = (
        conditional_logit(y, models, questions),
        conditional_logit(*(np.tile(a, 8) for a in (y, models, questions))),
    )
    assert eight.odds[1].p_value == pytest.approx(once.odds[1].p_value)
    assert eight.test.p_value == pytest.approx(once.test.p_value)


def test_two_models_with_one_sample_are_mcnemars_odds() -> None:
    """With pairs the log odds are log(b / c), the textbook estimate from discordant pairs."""
    y = np.array([1, 0] * 9 + [0, 1] * 4 + [1, 1] * 20 + [0, 0] * 30)
    ours = conditional_logit(y, np.tile(["a", "b"], 63), np.repeat(np.arange(63), 2))
    assert ours.odds["b"].log_odds == pytest.approx(np.log(4 / 9), abs=1e-9)
    assert ours.odds["b"].standard_error == pytest.approx(np.sqrt(1 / 4 + 1 / 9), abs=1e-9)
    assert (ours.questions, ours.questions_left_out) == (13, 50)


def test_the_reference_changes_only_the_origin() -> None:
    y, models, questions = simulate(60, 1, 4)
    first, second = conditional_logit(y, models, questions), conditional_logit(y, models, questions, reference=1)
    assert second.odds[0].log_odds == pytest.approx(-first.odds[1].log_odds, abs=1e-8)
    assert second.test.statistic == pytest.approx(first.test.statistic, abs=1e-8)


def test_true_effects_are_recovered() -> None:
    y, models, questions = simulate(4000, 1, 9)
    ours = conditional_logit(y, models, questions)
    for level, effect in ((1, 1.0), (2, -0.7)):
        assert abs(ours.odds[level].log_odds - effect) < 4 * ours.odds[level].standard_error
    assert ours.test.p_value < 1e-10


def test_a_model_that_never_passes_gets_a_reason_and_the_others_a_fit() -> None:
    y, models, questions = simulate(60, 1, 4)
    y[models == 2] = 0
    ours = conditional_logit(y, models, questions)
    assert ours.odds[2].reason == "2 passed no question on which the models differ: the odds are infinite"
    pair = conditional_logit(y[models < 2], models[models < 2], questions[models < 2])
    assert ours.odds[1].log_odds == pytest.approx(pair.odds[1].log_odds)
    with_reference = conditional_logit(y, models, questions, reference=2)
    assert with_reference.reason.startswith("2 passed no question")
    assert with_reference.odds[0].log_odds is None


def test_reasons() -> None:
    assert conditional_logit([1, 0], ["a", "a"], [0, 1]).reason == "two models or more are needed, there are 1"
    everything = conditional_logit([1, 1, 1, 1], ["a", "b"] * 2, [0, 0, 1, 1])
    assert everything.reason == "fewer than two models have finite log odds"
    assert everything.odds["a"].reason == "a has no sample on a question on which the models differ"


def test_models_without_a_common_question_cannot_be_compared() -> None:
    """a and b share questions, c and d share others: nothing places the two pairs against each other."""
    models = ["a", "b"] * 4 + ["c", "d"] * 4
    ours = conditional_logit([1, 0, 0, 1] * 4, models, np.repeat(np.arange(8), 2))
    assert ours.reason.startswith("the fit did not converge")


def test_separation_by_groups_of_models() -> None:
    """a and b beat c and d on every question they share, though each of the four passes and fails some."""
    y = [1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0]
    models = ["a", "b", "a", "b", "c", "d", "c", "d", "a", "c", "b", "d"]
    assert conditional_logit(y, models, np.repeat(np.arange(6), 2)).reason.startswith("the fit did not converge")


def test_an_unknown_reference_is_a_wrong_call() -> None:
    with pytest.raises(ValueError, match="the reference 'z' is not one of the models"):
        conditional_logit([1, 0], ["a", "b"], [0, 0], reference="z")
