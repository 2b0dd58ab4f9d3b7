"""Intervals hold the true value as often as they say: a short form here, a long one at night."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np
import pytest
from scipy import stats

from vmevalkit.stats.bootstrap import bootstrap_ci
from vmevalkit.stats.comparison import compare_paired, tost
from vmevalkit.stats.correction import prediction_powered_rate
from vmevalkit.stats.effect import cliffs_delta, cohens_d
from vmevalkit.stats.intervals import jeffreys, wilson
from vmevalkit.stats.krippendorff import krippendorffs_alpha
from vmevalkit.stats.logistic import conditional_logit
from vmevalkit.stats.mixed import mixed_model
from vmevalkit.stats.ranking import rank_bands
from vmevalkit.stats.rates import mean_score, success_rate
from vmevalkit.stats.rogan_gladen import rogan_gladen

JUDGES = {"good": (0.95, 0.93), "poor": (0.7, 0.6), "useless": (0.5, 0.5), "generous": (0.8, 0.2)}
Trial = Callable[[np.random.Generator], bool | None]


def covered_share(trial: Trial, runs: int, seed: int) -> tuple[float, int]:
    """Return how often trials hold, and how many were not refused (None)."""
    results = [trial(np.random.default_rng([seed, run])) for run in range(runs)]
    kept = [result for result in results if result is not None]
    return (float(np.mean(kept)) if kept else 1.0), len(kept)


def check(trial: Trial, runs: int, seed: int, nominal: float = 0.95, slack: float = 0.02) -> None:
    """Assert the coverage: not below nominal less ``slack``, but for three Monte Carlo errors."""
    share, kept = covered_share(trial, runs, seed)
    floor = nominal - slack
    assert share >= floor - 3 * sqrt(floor * (1 - floor) / max(kept, 1)), f"{share:.3f} of {kept}"


def draw_judged(rng: np.random.Generator, n: int, rate: float, judge: tuple[float, float]) -> tuple:
    truth = rng.random(n) < rate
    machine = np.where(truth, rng.random(n) < judge[0], rng.random(n) >= judge[1])
    return truth.astype(float), machine.astype(float)


def questions_trial(rng: np.random.Generator, questions: int, samples: int, shape: tuple[float, float]) -> bool:
    chance = np.repeat(rng.beta(*shape, questions), samples)
    rate = success_rate(rng.random(len(chance)) < chance, np.repeat(np.arange(questions), samples))
    return rate.low <= shape[0] / sum(shape) <= rate.high


def powered_trial(rng: np.random.Generator, rate: float, judge: tuple[float, float], n: int = 100) -> bool:
    truth, machine = draw_judged(rng, 1500, rate, judge)
    found = prediction_powered_rate(machine[n:], machine[:n], truth[:n]).estimate
    return found.low <= rate <= found.high


def gladen_trial(rng: np.random.Generator, rate: float, judge: tuple[float, float], n: int = 60) -> bool | None:
    _, machine = draw_judged(rng, 1500, rate, judge)
    right = rng.binomial(n, judge)
    found = rogan_gladen(int(machine.sum()), 1500, int(right[0]), n, int(right[1]), n).estimate
    return None if found.value is None else found.low <= rate <= found.high


@pytest.mark.parametrize(("questions", "samples"), [(15, 1), (15, 5), (75, 4)])
@pytest.mark.parametrize("shape", [(2.0, 2.0), (0.3, 2.7)])
def test_success_rates(questions: int, samples: int, shape: tuple[float, float]) -> None:
    check(lambda rng: questions_trial(rng, questions, samples, shape), 400, 1)


def test_samples_taken_as_independent_would_not_cover() -> None:
    """What the package guards against: Wilson on 15 questions of 8 samples each."""

    def naive(rng: np.random.Generator) -> bool:
        passed = int((rng.random(120) < np.repeat(rng.beta(0.5, 0.5, 15), 8)).sum())
        low, high = wilson(passed, 120)
        return low <= 0.5 <= high

    assert covered_share(naive, 400, 2)[0] < 0.75


@pytest.mark.parametrize("interval", [wilson, jeffreys])
def test_proportions_over_all_rates(interval: Callable[[int, int], tuple[float, float]]) -> None:
    """Mean coverage over rates from 1% to 99%, exactly: no simulation is needed."""
    n = 75
    bounds = np.array([interval(k, n) for k in range(n + 1)])
    rates = np.linspace(0.01, 0.99, 99)
    inside = (bounds[:, :1] <= rates) & (rates <= bounds[:, 1:])
    coverage = (stats.binom.pmf(np.arange(n + 1)[:, None], n, rates) * inside).sum(axis=0)
    assert coverage.mean() == pytest.approx(0.95, abs=0.01)


def test_means_and_bootstrap() -> None:
    scores, shares = np.array([1, 2, 3, 4, 5.0]), [0.55, 0.13, 0.01, 0.03, 0.28]
    true = float(scores @ shares)

    def trial(rng: np.random.Generator, of: Callable) -> bool:
        found = of(rng.choice(scores, 75, p=shares))
        return found.low <= true <= found.high

    check(lambda rng: trial(rng, mean_score), 400, 3)
    check(lambda rng: trial(rng, lambda x: bootstrap_ci(x, 1000)), 300, 3)


def test_paired_difference_and_effect_sizes() -> None:
    def paired(rng: np.random.Generator) -> bool:
        chance = rng.beta(1, 1, 60)
        first, second = rng.random(60) < chance, rng.random(60) < chance**2
        found = compare_paired(first, range(60), second, range(60), n_bootstrap=2).difference
        return found.low <= 1 / 2 - 1 / 3 <= found.high

    check(paired, 300, 4)

    def standardised(rng: np.random.Generator) -> bool:
        found = cohens_d(rng.normal(0.5, 1, 30), rng.normal(0, 1, 40))
        return found.low <= 0.5 <= found.high

    check(standardised, 200, 5)

    def ordinal(rng: np.random.Generator) -> bool:
        first, second = rng.choice(3, 40, p=[0.2, 0.3, 0.5]), rng.choice(3, 40, p=[0.4, 0.3, 0.3])
        found = cliffs_delta(first, second)
        return found.low <= 0.27 <= found.high

    check(ordinal, 300, 6)


def test_equivalence_is_seldom_claimed_at_the_margin() -> None:
    wrong, _ = covered_share(lambda rng: tost(rng.normal(0.1, 0.5, 60), 0.1).is_equivalent, 400, 7)
    assert wrong <= 0.05 + 3 * sqrt(0.05 * 0.95 / 400)


def test_rank_bands_hold_all_ranks_together() -> None:
    rates = [0.7, 0.5, 0.5, 0.3]
    possible = [(1, 1), (2, 3), (2, 3), (4, 4)]

    def trial(rng: np.random.Generator) -> bool:
        values = np.concatenate([rng.random(40) < rate for rate in rates])
        found = rank_bands(values, np.repeat(np.arange(4), 40), np.tile(np.arange(40), 4), n_bootstrap=1).bands
        return all(
            found[model].best <= first and last <= found[model].worst for model, (first, last) in enumerate(possible)
        )

    check(trial, 100, 8)


def test_mixed_and_conditional_models() -> None:
    def mixed(rng: np.random.Generator) -> bool:
        questions = np.repeat(np.arange(30), 3)
        models, domains = np.tile(np.arange(3), 30), questions % 2
        y = 0.5 * (models == 1) + rng.normal(0, 1, 30)[questions] + rng.normal(0, 1, 90)
        found = mixed_model(y, models, domains, questions, interaction=False).effects["model[1]"]
        return abs(found.coefficient - 0.5) <= 1.96 * found.standard_error

    check(mixed, 200, 9)

    def logit(rng: np.random.Generator) -> bool | None:
        questions, models = np.repeat(np.arange(80), 3), np.tile(np.arange(3), 80)
        eta = 0.8 * (models == 1) + rng.normal(0, 1.5, 80)[questions]
        found = conditional_logit(rng.random(240) < 1 / (1 + np.exp(-eta)), models, questions).odds[1]
        return None if found.low is None else found.low <= 0.8 <= found.high

    check(logit, 100, 10)


def test_krippendorffs_alpha() -> None:
    """Three judges who copy the truth with chance .7 and guess otherwise: alpha is .49."""

    def trial(rng: np.random.Generator) -> bool:
        truth = rng.integers(0, 3, 80)
        ratings = [np.where(rng.random(80) < 0.7, truth, rng.integers(0, 3, 80)) for _ in range(3)]
        found = krippendorffs_alpha(np.array(ratings, float), "nominal", n_bootstrap=500)
        return found.low <= 0.49 <= found.high

    check(trial, 150, 11)


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("rate", [0.1, 0.4])
def test_prediction_powered_rates(judge: str, rate: float) -> None:
    check(lambda rng: powered_trial(rng, rate, JUDGES[judge]), 400, 12)


@pytest.mark.parametrize("judge", ["good", "poor"])
@pytest.mark.parametrize("rate", [0.1, 0.4])
def test_corrected_rates(judge: str, rate: float) -> None:
    check(lambda rng: gladen_trial(rng, rate, JUDGES[judge]), 400, 13)


def test_a_useless_judge_is_refused_or_its_interval_still_holds() -> None:
    share, kept = covered_share(lambda rng: gladen_trial(rng, 0.1, JUDGES["useless"]), 1500, 14)
    assert kept < 0.05 * 1500
    assert share >= 0.93 - 3 * sqrt(0.93 * 0.07 / kept)


@pytest.mark.nightly
@pytest.mark.parametrize("questions", [10, 15, 30, 75])
@pytest.mark.parametrize("samples", [1, 3, 8])
@pytest.mark.parametrize("shape", [(0.5, 0.5), (2.0, 2.0), (1.0, 9.0), (0.2, 1.8), (50.0, 50.0)])
def test_success_rates_at_length(questions: int, samples: int, shape: tuple[float, float]) -> None:
    check(lambda rng: questions_trial(rng, questions, samples, shape), 3000, 21)


@pytest.mark.nightly
@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("rate", [0.05, 0.1, 0.2, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("labels", [40, 60, 100, 200, 300])
def test_prediction_powered_rates_at_length(judge: str, rate: float, labels: int) -> None:
    check(lambda rng: powered_trial(rng, rate, JUDGES[judge], labels), 3000, 22)


@pytest.mark.nightly
@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("rate", [0.05, 0.1, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("labels", [15, 25, 50, 100])
def test_corrected_rates_at_length(judge: str, rate: float, labels: int) -> None:
    check(lambda rng: gladen_trial(rng, rate, JUDGES[judge], labels), 6000, 23)
