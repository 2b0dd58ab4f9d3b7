"""Logistic model of success with question effects: conditional logit.

Each question has an intercept of its own, which drops out when the likelihood is conditioned on how many samples of the
question passed. So nothing is assumed about how difficult questions are distributed, and the estimates are consistent
with a few samples a question, where a logit with one dummy a question is biased and a marginal (GEE) odds ratio depends
on which questions were asked. Domains drop out with the questions that are nested in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from vmevalkit.stats._arrays import Floats, Integers, Labels, as_successes, check_confidence, check_same_length, encode
from vmevalkit.stats.records import HypothesisTest, missing_test

MAX_STEPS = 60
MAX_CONDITION = 1e10
LR_TEST = "likelihood ratio, conditional logit"


@dataclass(frozen=True, slots=True)
class ModelOdds:
    """Log odds of one model against the reference model on the same question."""

    log_odds: float | None
    """Log of the odds ratio."""
    standard_error: float | None
    """Standard error of the log odds."""
    low: float | None
    """Lower bound of the log odds."""
    high: float | None
    """Upper bound of the log odds."""
    p_value: float | None
    """Two-sided p-value of log odds of 0."""
    reason: str | None = None
    """Why the numbers are missing."""


@dataclass(frozen=True, slots=True)
class ConditionalLogit:
    """A conditional logit of success on models, with question effects."""

    odds: Mapping[Any, ModelOdds]
    """Each model other than the reference."""
    reference: Any
    """Model that the others are compared with."""
    test: HypothesisTest
    """Likelihood ratio test that all fitted models are equal."""
    log_likelihood: float | None
    """Conditional log-likelihood."""
    questions: int
    """Questions on which the fitted models differ; only these carry information."""
    questions_left_out: int
    """Questions on which every sample passed or every sample failed."""
    reason: str | None = None
    """Why there is no fit."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    """Questions with the same number of samples of every model, together."""

    samples: Integers
    """Number of samples of each model."""
    passed: Mapping[int, int]
    """Number of questions for each number of passed samples."""


def conditional_logit(
    successes: ArrayLike, models: Labels, questions: Labels, reference: Any = None, confidence: float = 0.95
) -> ConditionalLogit:
    """Return the conditional logit ``success ~ model`` with an effect for each question.

    The reference is the first model in sorted order. A model that passed all or none of the questions on which models
    differ has infinite log odds; it gets a reason, and the others are fitted without it.
    """
    check_confidence(confidence)
    y = as_successes(successes)
    check_same_length(y, models, "successes and models")
    check_same_length(y, questions, "successes and questions")
    model, question = encode(models), encode(questions)
    if reference is not None and reference not in model.levels:
        raise ValueError(f"the reference {reference!r} is not one of the models {list(model.levels)}")
    if len(model.levels) < 2:
        return _no_fit(reference, f"two models or more are needed, there are {len(model.levels)}")
    table = _Table.build(y, model.codes, question.codes, len(model.levels), len(question.levels))
    reasons = table.drop_separated(model.levels)
    kept = [int(code) for code in table.models]
    base = model.levels[kept[0]] if reference is None and kept else reference
    if len(kept) < 2 or base in reasons:
        why = reasons.get(base, "fewer than two models have finite log odds")
        return _no_fit(base, why, dict.fromkeys(model.levels, why) | reasons)
    others = [code for code in kept if model.levels[code] != base]
    fit = _fit(table, others)
    if fit is None:
        why = "the fit did not converge: some models share no question, or always win where they share one"
        return _no_fit(base, why, dict.fromkeys(model.levels, why) | reasons)
    odds = {level: _unknown_odds(why) for level, why in reasons.items()}
    errors = np.sqrt(np.diag(fit.covariance))
    for code, value, error in zip(others, fit.coefficients.tolist(), errors.tolist(), strict=True):
        odds[model.levels[code]] = _odds(value, error, confidence)
    statistic, used = max(0.0, 2 * (fit.log_likelihood - fit.null)), table.informative
    p = float(special.chdtrc(len(others), statistic))
    return ConditionalLogit(
        {level: odds[level] for level in model.levels if level != base},
        base,
        HypothesisTest(LR_TEST, statistic, (len(others),), p, used),
        fit.log_likelihood,
        used,
        len(question.levels) - used,
    )


def _odds(value: float, error: float, confidence: float) -> ModelOdds:
    half = float(special.ndtri((1 + confidence) / 2)) * error
    return ModelOdds(value, error, value - half, value + half, float(2 * special.ndtr(-abs(value / error))))


def _unknown_odds(reason: str) -> ModelOdds:
    return ModelOdds(None, None, None, None, None, reason)


def _no_fit(reference: Any, reason: str, reasons: Mapping[Any, str] | None = None) -> ConditionalLogit:
    odds = {level: _unknown_odds(why) for level, why in (reasons or {}).items() if level != reference}
    return ConditionalLogit(odds, reference, missing_test(LR_TEST, reason), None, 0, 0, reason)


class _Table:
    """Samples and passed samples of each question and model, reduced to what carries information."""

    def __init__(self, samples: Integers, passed: Integers) -> None:
        self.samples = samples
        self.passed = passed
        self._keep_informative()

    @classmethod
    def build(cls, y: Floats, model: Integers, question: Integers, models: int, questions: int) -> _Table:
        cell = question * models + model
        shape = (questions, models)
        samples = np.bincount(cell, minlength=questions * models).reshape(shape)
        passed = np.bincount(cell, weights=y, minlength=questions * models).astype(np.int64).reshape(shape)
        return cls(samples, passed)

    @property
    def informative(self) -> int:
        """Number of questions with passed and failed samples."""
        return len(self.samples)

    @property
    def models(self) -> Integers:
        """Codes of the models that have samples on informative questions."""
        return np.flatnonzero(self.samples.sum(axis=0))

    def _keep_informative(self) -> None:
        total, passed = self.samples.sum(axis=1), self.passed.sum(axis=1)
        keep = (passed > 0) & (passed < total)
        self.samples, self.passed = self.samples[keep], self.passed[keep]

    def drop_separated(self, levels: tuple[Any, ...]) -> dict[Any, str]:
        """Remove models with infinite log odds until none is left; return why each was removed."""
        reasons = {}
        while True:
            total, passed = self.samples.sum(axis=0), self.passed.sum(axis=0)
            for code in range(len(levels)):
                if levels[code] in reasons or 0 < passed[code] < total[code]:
                    continue
                how = "no question" if passed[code] == 0 else "every question"
                reasons[levels[code]] = f"{levels[code]} passed {how} on which the models differ: the odds are infinite"
                if total[code] == 0:
                    reasons[levels[code]] = f"{levels[code]} has no sample on a question on which the models differ"
                self.samples[:, code] = self.passed[:, code] = 0
                self._keep_informative()
                break
            else:
                return reasons

    def patterns(self) -> list[_Pattern]:
        """Return the questions in groups with the same samples."""
        rows, kind = np.unique(self.samples, axis=0, return_inverse=True)
        totals = self.passed.sum(axis=1)
        found = []
        for index, row in enumerate(rows):
            passed, counts = np.unique(totals[kind.reshape(-1) == index], return_counts=True)
            found.append(_Pattern(row, dict(zip(passed.tolist(), counts.tolist(), strict=True))))
        return found


@dataclass(frozen=True, slots=True)
class _Fit:
    """A fit that converged."""

    coefficients: Floats
    """Log odds against the reference."""
    covariance: Floats
    """Covariance of the log odds."""
    log_likelihood: float
    """Conditional log-likelihood."""
    null: float
    """Conditional log-likelihood of equal models."""


def _fit(table: _Table, others: list[int]) -> _Fit | None:
    """Return the fit by Newton's method, or None where it does not converge."""
    patterns = table.patterns()
    successes = table.passed.sum(axis=0).astype(float)
    full = np.zeros(table.samples.shape[1])
    likelihood, gradient, information = _likelihood(full, patterns, successes)
    null = likelihood
    for _ in range(MAX_STEPS):
        inner = information[np.ix_(others, others)]
        if np.linalg.cond(inner) > MAX_CONDITION:  # two sets of models that share no question
            return None
        step = np.linalg.solve(inner, gradient[others])
        scale = 1.0
        while True:
            trial = full.copy()
            trial[others] += scale * step
            after = _likelihood(trial, patterns, successes)
            if after[0] >= likelihood - 1e-9 or scale < 1e-6:
                break
            scale /= 2
        full, (likelihood, gradient, information) = trial, after
        if np.abs(full).max() > 20:
            return None
        if np.abs(step).max() < 1e-10:
            covariance = np.linalg.inv(information[np.ix_(others, others)]).astype(np.float64)
            return _Fit(full[others], covariance, likelihood, null)
    return None


def _likelihood(beta: Floats, patterns: list[_Pattern], successes: Floats) -> tuple[float, Floats, Floats]:
    """Return the conditional log-likelihood, its gradient and its information over all models."""
    size = len(beta)
    value, gradient, information = float(beta @ successes), successes.copy(), np.zeros((size, size))
    for pattern in patterns:
        members = np.flatnonzero(pattern.samples)
        chances, first, second = _moments(special.expit(beta[members]), pattern.samples[members])
        scale = float(pattern.samples[members] @ np.logaddexp(0, beta[members]))
        for passed, count in pattern.passed.items():
            mean = first[:, passed] / chances[passed]
            value -= count * (float(np.log(chances[passed])) + scale)
            gradient[members] -= count * mean
            information[np.ix_(members, members)] += count * (
                second[:, :, passed] / chances[passed] - np.outer(mean, mean)
            )
    return value, gradient, information


def _moments(p: Floats, samples: Integers) -> tuple[Floats, Floats, Floats]:
    """Return, by the number of passed samples in all, its chance and the sums of K_i and of K_i K_j weighted by chance.

    K_i, the passed samples of model i, are binomial and independent. Products of their generating polynomials without
    two models at a time are a product before, between and after them.
    """
    n, degree = len(p), int(samples.sum()) + 1
    plain = [stats.binom.pmf(np.arange(m + 1), m, q) for m, q in zip(samples, p, strict=True)]
    once = [np.arange(len(poly)) * poly for poly in plain]
    twice = [np.arange(len(poly)) * poly for poly in once]
    before, after = [np.ones(1)], [np.ones(1)]
    for poly in plain:
        before.append(np.convolve(before[-1], poly))
    for poly in reversed(plain):
        after.append(np.convolve(after[-1], poly))
    after.reverse()
    first, second = np.empty((n, degree)), np.empty((n, n, degree))
    for i in range(n):
        first[i] = np.convolve(np.convolve(before[i], once[i]), after[i + 1])
        second[i, i] = np.convolve(np.convolve(before[i], twice[i]), after[i + 1])
        middle = np.convolve(before[i], once[i])
        for j in range(i + 1, n):
            second[i, j] = second[j, i] = np.convolve(np.convolve(middle, once[j]), after[j + 1])
            middle = np.convolve(middle, plain[j])
    return before[-1], first, second
