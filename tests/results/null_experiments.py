"""Simulated experiments without any difference of models or domains, and the procedures that must not find one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
import pandas as pd

from vmevalkit.results.analysis import compare_two_way, correct_odds
from vmevalkit.results.comparison import choose_test
from vmevalkit.results.items import Items, make_domain_items, make_items
from vmevalkit.results.selection import SCORED
from vmevalkit.stats.anova import (
    Anova,
    friedman,
    kruskal_wallis,
    one_way_anova,
    repeated_measures_anova,
    tukey_hsd,
)
from vmevalkit.stats.breakdown import success_by_parameter
from vmevalkit.stats.comparison import PairedComparison, compare_paired
from vmevalkit.stats.effect import cliffs_delta, cohens_d
from vmevalkit.stats.logistic import conditional_logit
from vmevalkit.stats.mixed import mixed_model
from vmevalkit.stats.multiplicity import holm
from vmevalkit.stats.ranking import rank_bands

ALPHA = 0.05
MODELS, DOMAINS, QUESTIONS = 4, 3, 10
"""Four models on ten questions in each of three domains."""
DIFFICULTY, TASTE, NOISE = 1.0, 0.8, 0.8
"""Standard deviations of a video's quality: between questions, between models on a question, between samples."""
CUTS = (-0.5, -0.2, 0.1, 0.5)
"""Values 2, 3, 4 and 5 are above these qualities."""
SUCCESS_ABOVE = CUTS[2]
SHIFT = 0.5
"""How much better one model is where equivalence is tested."""


@dataclass(frozen=True, slots=True)
class Design:
    """How many labels an experiment has."""

    samples: int
    """Videos of each model on each question."""
    people: int
    """People who label each video; they always agree."""


DESIGNS = {
    "1 sample": Design(1, 1),
    "8 samples": Design(8, 1),
    "3 people": Design(2, 3),
}


def simulate(rng: np.random.Generator, design: Design, shift: float = 0.0) -> pd.DataFrame:
    """Return the labels of one experiment, a row for each person and video.

    Questions differ in difficulty, and each model finds some of them easier than others do; no model and no domain is
    better than another. ``shift`` moves the first model.
    """
    questions = DOMAINS * QUESTIONS
    difficulty = rng.normal(0, DIFFICULTY, questions)
    taste = rng.normal(0, TASTE, (MODELS, questions))
    taste[0] += shift
    noise = rng.normal(0, NOISE, (MODELS, questions, design.samples))
    quality = (difficulty + taste)[:, :, None] + noise
    value = 1 + (quality[..., None] > np.array(CUTS)).sum(axis=-1)
    model, question, _ = np.indices(value.shape).reshape(3, -1)
    frame = pd.DataFrame(
        {
            "model": np.array([f"m{k}" for k in range(MODELS)])[model],
            "domain": np.array([f"d{k}" for k in range(DOMAINS)])[question // QUESTIONS],
            "item": question,
            "value": value.reshape(-1).astype(float),
            "success": (value.reshape(-1) >= 4).astype(float),
            "state": SCORED,
        }
    )
    return pd.concat([frame] * design.people, ignore_index=True)


def _is_low(p_value: float | None) -> bool:
    return p_value is not None and p_value < ALPHA


def _excludes_zero(low: float | None, high: float | None) -> bool:
    return low is not None and high is not None and not low <= 0 <= high


def _is_term_low(found: Anova, name: str) -> bool:
    return name in found.terms and _is_low(found.terms[name].p_value)


def _compare(items: Items, domain: str | None = None, margin: float | None = None) -> PairedComparison:
    sides = []
    for name in ("m0", "m1"):
        own = (items.model == name) & (True if domain is None else items.domain == domain)
        sides += [items.success[own], items.question[own]]
    return compare_paired(*sides, margin=margin, n_bootstrap=1000)


def find_differences(items: Items, rng: np.random.Generator) -> dict[str, bool]:
    """Return what each procedure that ``analyze``, ``compare`` and ``results`` print finds in one experiment."""
    value, model, question = items.value, items.model, items.question
    questions = make_domain_items(items)
    first, second = value[model == "m0"], value[model == "m1"]
    two_way, mixed = compare_two_way(items), mixed_model(value, model, items.domain, question).tests
    d, delta = cohens_d(first, second), cliffs_delta(first, second)
    logit = conditional_logit(items.success, model, question)
    odds = correct_odds(logit)
    # A parameter of the puzzles that has nothing to do with success.
    trend = success_by_parameter(
        items.success, rng.integers(3, 9, DOMAINS * QUESTIONS)[question].astype(float), question
    ).trend
    pair = _compare(items)
    domains = {name: choose_test(_compare(items, name)).p_value for name in np.unique(items.domain).tolist()}
    bands = rank_bands(items.success, model, question, n_bootstrap=10).bands
    return {
        "repeated measures, models": _is_low(repeated_measures_anova(value, model, question).p_value),
        "Friedman, models": _is_low(friedman(value, model, question).test.p_value),
        "mixed model, model": _is_low(mixed["model"].p_value),
        "mixed model, interaction": _is_low(mixed["model:domain"].p_value),
        "mixed model, domain": _is_low(mixed["domain"].p_value),
        "conditional logit, all models": _is_low(logit.test.p_value),
        "conditional logit, any model": odds is not None and any(test.is_rejected for test in odds.tests.values()),
        "one-way ANOVA, domains": _is_term_low(one_way_anova(questions.value, questions.domain, "domain"), "domain"),
        "Kruskal-Wallis, domains": _is_low(kruskal_wallis(questions.value, questions.domain).p_value),
        "Tukey, any pair of domains": any(
            _is_low(each.p_value) for each in tukey_hsd(questions.value, questions.domain).pairs.values()
        ),
        "trend of a puzzle parameter": _excludes_zero(trend.low, trend.high),
        "compare: McNemar or paired t-test": _is_low(choose_test(pair).p_value),
        "compare: t interval": _excludes_zero(pair.difference.low, pair.difference.high),
        "compare: bootstrap interval": _excludes_zero(pair.bootstrap.low, pair.bootstrap.high),
        "compare: any domain": any(test.is_rejected for test in holm(domains).tests.values()),
        "rank bands, any model": any((band.best, band.worst) != (1, MODELS) for band in bands.values()),
        "one-way ANOVA, models (unpaired)": _is_term_low(one_way_anova(value, model, "model"), "model"),
        "two-way ANOVA, model (unpaired)": _is_term_low(two_way, "model"),
        "two-way ANOVA, interaction (unpaired)": _is_term_low(two_way, "model:domain"),
        "Kruskal-Wallis, models (unpaired)": _is_low(kruskal_wallis(value, model).p_value),
        "Tukey, any pair of models (unpaired)": any(
            _is_low(each.p_value) for each in tukey_hsd(value, model).pairs.values()
        ),
        "Cohen's d, one pair (unpaired)": _excludes_zero(d.low, d.high),
        "Cliff's delta, one pair (unpaired)": _excludes_zero(delta.low, delta.high),
    }


def find_equivalence(items: Items) -> bool:
    """Return whether two models that differ by the whole margin are called equivalent."""
    found = _compare(items, margin=margin_of(SHIFT)).equivalence
    return found is not None and found.is_equivalent


def margin_of(shift: float) -> float:
    """Return the difference of success rates that a shift makes."""
    spread = NormalDist(0, sqrt(DIFFICULTY**2 + TASTE**2 + NOISE**2))
    return spread.cdf(shift - SUCCESS_ABOVE) - spread.cdf(-SUCCESS_ABOVE)


def measure_false_findings(design: Design, experiments: int, seed: int) -> dict[str, float]:
    """Return the share of simulated experiments in which each procedure finds what is not there."""
    found: Counter[str] = Counter()
    for number in range(experiments):
        rng = np.random.default_rng([seed, number])
        found.update(find_differences(make_items(simulate(rng, design)), rng))
        found["compare: equivalence at the margin"] += find_equivalence(make_items(simulate(rng, design, SHIFT)))
    return {name: number / experiments for name, number in found.items()}
