"""Mixed model ``score ~ model * domain + (1 | question)``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from vmevalkit.stats._arrays import Coded, Floats, Labels, as_floats, check_same_length, encode
from vmevalkit.stats._random_intercept import RandomIntercept, fit_random_intercept
from vmevalkit.stats.records import HypothesisTest, missing_test


@dataclass(frozen=True, slots=True)
class FixedEffect:
    """One coefficient of the mixed model."""

    coefficient: float
    """Estimate, against the first model and the first domain in sorted order."""
    standard_error: float
    """Standard error."""
    z: float
    """Coefficient over its standard error."""
    p_value: float
    """Two-sided p-value of z."""


@dataclass(frozen=True, slots=True)
class MixedModel:
    """A fitted mixed model, by restricted maximum likelihood."""

    effects: Mapping[str, FixedEffect]
    """Each coefficient by its name, such as ``model[b]:domain[maze]``."""
    tests: Mapping[str, HypothesisTest]
    """F tests of model, domain and their interaction."""
    question_variance: float | None
    """Variance of the questions' intercepts."""
    residual_variance: float | None
    """Variance inside questions."""
    intraclass_correlation: float | None
    """Share of the variance that questions explain."""
    log_likelihood: float | None
    """Restricted log-likelihood."""
    n: int
    """Number of scores."""
    questions: int
    """Number of questions."""
    reason: str | None = None
    """Why there is no fit."""


def mixed_model(
    scores: ArrayLike, models: Labels, domains: Labels, questions: Labels, *, interaction: bool = True
) -> MixedModel:
    """Return the fit of ``score ~ model * domain + (1 | question)``.

    Model and domain are tested with equal weight for every level of the other one (type III). Denominators follow the
    between-within rule: domains vary between questions; models and the interaction vary inside them. In a balanced
    design these are the F tests of the split-plot analysis. A question belongs to one domain.
    """
    y = as_floats(scores, "scores")
    for labels, name in ((models, "models"), (domains, "domains"), (questions, "questions")):
        check_same_length(y, labels, f"scores and {name}")
    model, domain, question = encode(models), encode(domains), encode(questions)
    reason = _why_no_fit(y, model, domain, question, interaction)
    if reason:
        return MixedModel({}, {}, None, None, None, None, len(y), len(question.levels), reason)
    design, names = _design(model, domain, interaction)
    fit = fit_random_intercept(y, model.codes * len(domain.levels) + domain.codes, design, question.codes)
    total = fit.group_variance + fit.residual_variance
    return MixedModel(
        dict(zip(names, _effects(fit), strict=True)),
        _tests(fit, model, domain, len(question.levels), len(y), interaction),
        fit.group_variance,
        fit.residual_variance,
        fit.group_variance / total,
        fit.log_likelihood,
        len(y),
        len(question.levels),
    )


def _why_no_fit(y: Floats, model: Coded, domain: Coded, question: Coded, interaction: bool) -> str | None:
    for coded, what in ((model, "models"), (domain, "domains")):
        if len(coded.levels) < 2:
            return f"the mixed model needs two {what} or more, there are {len(coded.levels)}"
    _check_nesting(domain, question)
    if np.ptp(y) == 0:
        return f"all {len(y)} scores are {y[0]:g}"
    counts = np.bincount(
        model.codes * len(domain.levels) + domain.codes, minlength=len(model.levels) * len(domain.levels)
    )
    if interaction and (counts == 0).any():
        m, d = divmod(int(np.flatnonzero(counts == 0)[0]), len(domain.levels))
        return (
            f"{model.levels[m]} has no score in {domain.levels[d]}: leave one of them out, or fit without interaction"
        )
    width = len(counts) if interaction else len(model.levels) + len(domain.levels) - 1
    if len(question.levels) <= len(domain.levels):
        return f"{len(question.levels)} questions in {len(domain.levels)} domains show no variance between questions"
    if len(y) - len(question.levels) - (width - len(domain.levels)) < 1:
        return f"{len(y)} scores of {len(question.levels)} questions are too few for {width} effects"
    return _why_no_residual(y, model, domain, question, interaction)


def _check_nesting(domain: Coded, question: Coded) -> None:
    first = np.full(len(question.levels), -1, dtype=np.int64)
    first[question.codes] = domain.codes
    wrong = np.flatnonzero(first[question.codes] != domain.codes)
    if wrong.size:
        label = question.levels[question.codes[wrong[0]]]
        raise ValueError(f"question {label!r} is in two domains: give each question a label of its own")


def _why_no_residual(y: Floats, model: Coded, domain: Coded, question: Coded, interaction: bool) -> str | None:
    """Return a reason where models or combinations and questions explain every score, or cannot be separated."""
    design, _ = _design(model, domain, interaction)
    cell = model.codes * len(domain.levels) + domain.codes
    if np.linalg.matrix_rank(design[np.unique(cell)]) < design.shape[1]:
        return "models and domains are so distributed that their effects cannot be separated"
    sums = np.bincount(question.codes, weights=y)
    spread = y - (sums / question.counts)[question.codes]
    means = np.bincount(cell, weights=spread, minlength=len(design)) / np.maximum(
        np.bincount(cell, minlength=len(design)), 1
    )
    if float(((spread - means[cell]) ** 2).sum()) <= 1e-12 * float(((y - y.mean()) ** 2).sum()):
        return "models, domains and questions explain every score, so no error can be estimated"
    return None


def _design(model: Coded, domain: Coded, interaction: bool) -> tuple[Floats, list[str]]:
    """Return one design line for each combination, in treatment coding, and the names of the columns."""
    m, d = len(model.levels), len(domain.levels)
    of_model = np.kron(np.eye(m)[:, 1:], np.ones((d, 1)))
    of_domain = np.kron(np.ones((m, 1)), np.eye(d)[:, 1:])
    columns = [np.ones((m * d, 1)), of_model, of_domain]
    names = ["intercept", *(f"model[{level}]" for level in model.levels[1:])]
    names += [f"domain[{level}]" for level in domain.levels[1:]]
    if interaction:
        columns.append(np.kron(np.eye(m)[:, 1:], np.eye(d)[:, 1:]))
        names += [f"model[{a}]:domain[{b}]" for a in model.levels[1:] for b in domain.levels[1:]]
    return np.hstack(columns), names


def _effects(fit: RandomIntercept) -> list[FixedEffect]:
    errors = np.sqrt(np.diag(fit.covariance))
    effects = []
    for beta, error in zip(fit.coefficients.tolist(), errors.tolist(), strict=True):
        z = beta / error
        effects.append(FixedEffect(beta, error, z, float(2 * special.ndtr(-abs(z)))))
    return effects


def _tests(
    fit: RandomIntercept, model: Coded, domain: Coded, questions: int, n: int, interaction: bool
) -> dict[str, HypothesisTest]:
    """Return Wald F tests of contrasts of the combinations' means."""
    m, d = len(model.levels), len(domain.levels)
    design, _ = _design(model, domain, interaction)
    contrast_m = np.hstack([-np.ones((m - 1, 1)), np.eye(m - 1)])
    contrast_d = np.hstack([-np.ones((d - 1, 1)), np.eye(d - 1)])
    inside = n - questions - (design.shape[1] - d)
    tests = {
        "model": _wald(fit, np.kron(contrast_m, np.full((1, d), 1 / d)) @ design, inside, "F test of model", n),
        "domain": _wald(
            fit, np.kron(np.full((1, m), 1 / m), contrast_d) @ design, questions - d, "F test of domain", n
        ),
    }
    name = "F test of model:domain"
    if interaction:
        tests["model:domain"] = _wald(fit, np.kron(contrast_m, contrast_d) @ design, inside, name, n)
    else:
        tests["model:domain"] = missing_test(name, "the model was fitted without interaction", n)
    return tests


def _wald(fit: RandomIntercept, contrast: Floats, df: int, name: str, n: int) -> HypothesisTest:
    estimate = contrast @ fit.coefficients
    covariance = contrast @ fit.covariance @ contrast.T
    f = float(estimate @ np.linalg.solve(covariance, estimate)) / len(estimate)
    return HypothesisTest(name, f, (len(estimate), df), float(special.fdtrc(len(estimate), df, f)), n)
