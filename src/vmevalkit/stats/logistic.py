"""Logistic model of success with question effects: conditional logit.

Each question has an intercept of its own, which drops out when the likelihood is conditioned on how many samples of the
question passed. So nothing is assumed about how difficult questions are distributed, and the estimates are consistent
with a few models a question, where a logit with one dummy a question is biased and a marginal (GEE) odds ratio depends
on which questions were asked. Domains drop out with the questions that are nested in them.

Several samples of one model on one question are not independent: some questions suit a model. They become the share
that passed, and the likelihood is the mean over all ways to draw one sample of each model (within-cluster resampling;
Hoffman, Sen and Weinberg 2001). Errors then come from how the questions differ, not from the likelihood's curvature.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from vmevalkit.stats._arrays import Floats, Integers, Labels, as_shares, check_confidence, check_same_length, encode
from vmevalkit.stats.records import HypothesisTest, missing_test

MAX_STEPS = 60
MAX_CONDITION = 1e10
LR_TEST = "likelihood ratio, conditional logit"
SCORE_TEST = "score test over questions, conditional logit"


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
    """Test that all fitted models are equal: the likelihood ratio, or where a model has several samples of a question
    the score test over questions."""
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
    """Questions that the same models answered, together."""

    members: Integers
    """The models."""
    rows: Integers
    """Lines of the table."""
    chances: Floats
    """For each question the chance of each number of passed samples, one sample drawn of each model."""


def conditional_logit(
    successes: ArrayLike, models: Labels, questions: Labels, reference: Any = None, confidence: float = 0.95
) -> ConditionalLogit:
    """Return the conditional logit ``success ~ model`` with an effect for each question.

    The reference is the first model in sorted order. A model that passed all or none of the questions on which models
    differ has infinite log odds; it gets a reason, and the others are fitted without it.
    """
    check_confidence(confidence)
    y = as_shares(successes)
    check_same_length(y, models, "successes and models")
    check_same_length(y, questions, "successes and questions")
    model, question = encode(models), encode(questions)
    if reference is not None and reference not in model.levels:
        raise ValueError(f"the reference {reference!r} is not one of the models {list(model.levels)}")
    if len(model.levels) < 2:
        return _no_fit(reference, f"two models or more are needed, there are {len(model.levels)}")
    table = _Table.build(y, model.codes, question.codes, len(model.levels), len(question.levels))
    has_shares = bool(((table.shares > 0) & (table.shares < 1)).any())
    reasons = table.drop_separated(model.levels)
    kept = [int(code) for code in table.models]
    base = model.levels[kept[0]] if reference is None and kept else reference
    if len(kept) < 2 or base in reasons:
        why = reasons.get(base, "fewer than two models have finite log odds")
        return _no_fit(base, why, dict.fromkeys(model.levels, why) | reasons)
    others = [code for code in kept if model.levels[code] != base]
    fit = _fit(table, others, has_shares)
    if fit is None:
        why = "the fit did not converge: some models share no question, or always win where they share one"
        return _no_fit(base, why, dict.fromkeys(model.levels, why) | reasons)
    odds = {level: _unknown_odds(why) for level, why in reasons.items()}
    errors = np.sqrt(np.diag(fit.covariance))
    df = table.informative - 1 if has_shares else np.inf
    for code, value, error in zip(others, fit.coefficients.tolist(), errors.tolist(), strict=True):
        odds[model.levels[code]] = _odds(value, error, df, confidence)
    return ConditionalLogit(
        {level: odds[level] for level in model.levels if level != base},
        base,
        fit.test,
        fit.log_likelihood,
        table.informative,
        len(question.levels) - table.informative,
    )


def _odds(value: float, error: float, df: float, confidence: float) -> ModelOdds:
    half = float(special.stdtrit(df, (1 + confidence) / 2)) * error
    return ModelOdds(value, error, value - half, value + half, float(2 * special.stdtr(df, -abs(value / error))))


def _unknown_odds(reason: str) -> ModelOdds:
    return ModelOdds(None, None, None, None, None, reason)


def _no_fit(reference: Any, reason: str, reasons: Mapping[Any, str] | None = None) -> ConditionalLogit:
    odds = {level: _unknown_odds(why) for level, why in (reasons or {}).items() if level != reference}
    return ConditionalLogit(odds, reference, missing_test(LR_TEST, reason), None, 0, 0, reason)


class _Table:
    """Share of passed samples of each question and model, reduced to what carries information."""

    def __init__(self, shares: Floats, has: NDArray[np.bool_]) -> None:
        self.shares = shares
        self.has = has
        self._keep_informative()

    @classmethod
    def build(cls, y: Floats, model: Integers, question: Integers, models: int, questions: int) -> _Table:
        cell = question * models + model
        shape = (questions, models)
        samples = np.bincount(cell, minlength=questions * models).reshape(shape)
        passed = np.bincount(cell, weights=y, minlength=questions * models).reshape(shape)
        return cls(passed / np.maximum(samples, 1), samples > 0)

    @property
    def informative(self) -> int:
        """Number of questions with passed and failed samples."""
        return len(self.shares)

    @property
    def models(self) -> Integers:
        """Codes of the models that have samples on informative questions."""
        return np.flatnonzero(self.has.sum(axis=0))

    def _keep_informative(self) -> None:
        total, passed = self.has.sum(axis=1), self.shares.sum(axis=1)
        keep = (passed > 0) & (passed < total) & (total > 1)
        self.shares, self.has = self.shares[keep], self.has[keep]

    def drop_separated(self, levels: tuple[Any, ...]) -> dict[Any, str]:
        """Remove models with infinite log odds until none is left; return why each was removed."""
        reasons = {}
        while True:
            total, passed = self.has.sum(axis=0), self.shares.sum(axis=0)
            for code in range(len(levels)):
                if levels[code] in reasons or 0 < passed[code] < total[code]:
                    continue
                how = "no question" if passed[code] == 0 else "every question"
                reasons[levels[code]] = f"{levels[code]} passed {how} on which the models differ: the odds are infinite"
                if total[code] == 0:
                    reasons[levels[code]] = f"{levels[code]} has no sample on a question on which the models differ"
                self.shares[:, code] = 0
                self.has[:, code] = False
                self._keep_informative()
                break
            else:
                return reasons

    def patterns(self) -> list[_Pattern]:
        """Return the questions in groups that the same models answered."""
        kinds, kind = np.unique(self.has, axis=0, return_inverse=True)
        found = []
        for index, has in enumerate(kinds):
            rows, members = np.flatnonzero(kind.reshape(-1) == index), np.flatnonzero(has)
            found.append(_Pattern(members, rows, count_distribution(self.shares[np.ix_(rows, members)])))
        return found


def count_distribution(chances: Floats) -> Floats:
    """Return for each line of chances the distribution of how many of independent events happen."""
    found = np.zeros((len(chances), chances.shape[1] + 1))
    found[:, 0] = 1
    for column in chances.T:
        found[:, 1:] = found[:, 1:] * (1 - column[:, None]) + found[:, :-1] * column[:, None]
        found[:, 0] *= 1 - column
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
    test: HypothesisTest
    """Test that all models are equal."""


@dataclass(frozen=True, slots=True)
class _Likelihood:
    """The conditional log-likelihood at one place."""

    value: float
    """The log-likelihood."""
    scores: Floats
    """Derivative of each question's part by each model."""
    information: Floats
    """Negative second derivative."""


def _fit(table: _Table, others: list[int], has_shares: bool) -> _Fit | None:
    """Return the fit by Newton's method, or None where it does not converge."""
    patterns = table.patterns()
    full = np.zeros(table.shares.shape[1])
    at = null = _likelihood(full, table, patterns)
    for _ in range(MAX_STEPS):
        inner = at.information[np.ix_(others, others)]
        if np.linalg.cond(inner) > MAX_CONDITION:  # two sets of models that share no question
            return None
        step = np.linalg.solve(inner, at.scores.sum(axis=0)[others])
        scale = 1.0
        while True:
            trial = full.copy()
            trial[others] += scale * step
            after = _likelihood(trial, table, patterns)
            if after.value >= at.value - 1e-9 or scale < 1e-6:
                break
            scale /= 2
        full, at = trial, after
        if np.abs(full).max() > 20:
            return None
        if np.abs(step).max() < 1e-10:
            inverse = np.linalg.inv(at.information[np.ix_(others, others)]).astype(np.float64)
            if not has_shares:
                return _Fit(full[others], inverse, at.value, _likelihood_ratio(null, at, len(others)))
            n, scores = table.informative, at.scores[:, others]
            covariance = inverse @ (scores.T @ scores) @ inverse * n / max(n - 1, 1)
            return _Fit(full[others], covariance, at.value, _score_test(null.scores[:, others]))
    return None


def _likelihood_ratio(null: _Likelihood, at: _Likelihood, df: int) -> HypothesisTest:
    statistic = max(0.0, 2 * (at.value - null.value))
    return HypothesisTest(LR_TEST, statistic, (df,), float(special.chdtrc(df, statistic)), len(at.scores))


def _score_test(scores: Floats) -> HypothesisTest:
    """Return Hotelling's test that the questions' scores have a mean of 0."""
    n, k = scores.shape
    if n <= k:
        return missing_test(SCORE_TEST, f"{n} questions on which the models differ are too few for {k + 1} models", n)
    mean, covariance = scores.mean(axis=0), np.atleast_2d(np.cov(scores, rowvar=False))
    if np.linalg.cond(covariance) > MAX_CONDITION:
        return missing_test(SCORE_TEST, "some models have the same scores on every question", n)
    f = n * float(mean @ np.linalg.solve(covariance, mean)) * (n - k) / (k * (n - 1))
    return HypothesisTest(SCORE_TEST, f, (k, n - k), float(special.fdtrc(k, n - k, f)), n)


def _likelihood(beta: Floats, table: _Table, patterns: list[_Pattern]) -> _Likelihood:
    """Return the conditional log-likelihood with its derivatives over all models."""
    size = len(beta)
    value, information = float(beta @ table.shares.sum(axis=0)), np.zeros((size, size))
    scores = table.shares.copy()
    for pattern in patterns:
        members, weights = pattern.members, pattern.chances.sum(axis=0)
        chances, first, second = _moments(special.expit(beta[members]))
        value -= float(weights @ np.log(chances)) + weights.sum() * float(np.logaddexp(0, beta[members]).sum())
        means = first / chances
        scores[np.ix_(pattern.rows, members)] -= pattern.chances @ means.T
        curvature = second / chances - means[:, None] * means[None]
        information[np.ix_(members, members)] += curvature @ weights
    return _Likelihood(value, scores, information)


def _moments(p: Floats) -> tuple[Floats, Floats, Floats]:
    """Return, by the number of models that pass, its chance and the chances that model i, and models i and j, are among
    them.

    Models pass independently with chances p. Products of their generating polynomials without two models at a time are
    a product before, between and after them.
    """
    n = len(p)
    plain = [np.array([1 - q, q]) for q in p]
    once = [np.array([0.0, q]) for q in p]
    before, after = [np.ones(1)], [np.ones(1)]
    for poly in plain:
        before.append(np.convolve(before[-1], poly))
    for poly in reversed(plain):
        after.append(np.convolve(after[-1], poly))
    after.reverse()
    first, second = np.empty((n, n + 1)), np.empty((n, n, n + 1))
    for i in range(n):
        middle = np.convolve(before[i], once[i])
        first[i] = second[i, i] = np.convolve(middle, after[i + 1])
        for j in range(i + 1, n):
            second[i, j] = second[j, i] = np.convolve(np.convolve(middle, once[j]), after[j + 1])
            middle = np.convolve(middle, plain[j])
    return before[-1], first, second
