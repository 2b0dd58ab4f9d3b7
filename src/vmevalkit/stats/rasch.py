"""Rasch difficulty of questions, by marginal maximum likelihood.

The chance that a model of ability a solves a question of difficulty b is 1 / (1 + exp(b - a)). Abilities are estimated
as fixed; difficulties are drawn from a normal distribution with mean 0, whose spread is estimated. So a question that
every model solved still has a finite difficulty, drawn towards the mean as far as the number of models requires.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from scipy.optimize import minimize

from vmevalkit.stats._arrays import Floats, Integers, Labels, as_shares, check_same_length, encode

MIN_MODELS = 10
MIN_QUESTIONS = 10
NODES = 61


@dataclass(frozen=True, slots=True)
class Difficulty:
    """Rasch difficulty of one question."""

    value: float
    """Posterior mean in logits; larger is harder."""
    error: float
    """Posterior standard deviation."""
    n: int
    """Number of samples."""


@dataclass(frozen=True, slots=True)
class Rasch:
    """A Rasch model of questions and models."""

    difficulties: Mapping[Any, Difficulty]
    """Each question."""
    abilities: Mapping[Any, float]
    """Each model, in logits: at difficulty 0 the odds of success are exp(ability)."""
    spread: float | None
    """Standard deviation of difficulties."""
    reliability: float | None
    """Share of the variance of difficulties that the posterior means recover."""
    log_likelihood: float | None
    """Marginal log-likelihood."""
    reason: str | None = None
    """Why there is no fit."""


def rasch(successes: ArrayLike, models: Labels, questions: Labels, *, min_models: int = MIN_MODELS) -> Rasch:
    """Return the Rasch difficulty of each question, or the reason where there are too few models or questions.

    With M models the responses alone give one question an error of at least 2 / sqrt(M) logits, so difficulties from
    few models are mostly noise. Models that passed everything or nothing have no finite ability and do not count.
    """
    y = as_shares(successes)
    check_same_length(y, models, "successes and models")
    check_same_length(y, questions, "successes and questions")
    model, question = encode(models), encode(questions)
    shape = (len(question.levels), len(model.levels))
    cell = question.codes * max(shape[1], 1) + model.codes
    samples = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
    passed: Floats = np.bincount(cell, weights=y, minlength=shape[0] * shape[1]).astype(np.float64).reshape(shape)
    usable = np.flatnonzero((passed.sum(axis=0) > 0) & (passed.sum(axis=0) < samples.sum(axis=0)))
    reason = _why_no_fit(len(usable), shape, passed[:, usable], samples[:, usable], min_models)
    if reason:
        return Rasch({}, {}, None, None, None, reason)
    return _fit(passed[:, usable], samples[:, usable], question.levels, [model.levels[int(i)] for i in usable])


def _why_no_fit(usable: int, shape: tuple[int, int], passed: Floats, samples: Integers, min_models: int) -> str | None:
    if usable < min_models:
        every = "" if usable == shape[1] else f" of {shape[1]} that passed something but not everything"
        error = f": the error of one question would be {2 / sqrt(usable):.1f} logits or more" if usable else ""
        return f"Rasch difficulty needs {min_models} models, there are {usable}{every}{error}"
    mixed = int(((passed.sum(axis=1) > 0) & (passed.sum(axis=1) < samples.sum(axis=1))).sum())
    if mixed < MIN_QUESTIONS:
        return f"Rasch difficulty needs {MIN_QUESTIONS} questions on which models differ, there are {mixed}"
    return None


def _fit(passed: Floats, samples: Integers, questions: tuple[Any, ...], models: list[Any]) -> Rasch:
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    log_weights = np.log(weights) - 0.5 * log(2 * np.pi)
    start = special.logit(passed.sum(axis=0) / samples.sum(axis=0))
    found = minimize(
        _negative_likelihood,
        np.append(start, 0.0),
        args=(passed, samples, nodes, log_weights),
        jac=True,
        method="BFGS",
        options={"gtol": 1e-7 * len(passed)},
    )
    abilities, spread = found.x[:-1], float(np.exp(found.x[-1]))
    if not spread > 1e-3:
        return Rasch({}, {}, None, None, None, "questions do not differ in difficulty beyond chance")
    joint = _joint(found.x, passed, samples, nodes, log_weights)
    posterior = np.exp(joint - special.logsumexp(joint, axis=1, keepdims=True))
    means = posterior @ (spread * nodes)
    errors = np.sqrt(np.maximum(posterior @ (spread * nodes) ** 2 - means**2, 0))
    counts = samples.sum(axis=1)
    return Rasch(
        {
            label: Difficulty(float(mean), float(error), int(n))
            for label, mean, error, n in zip(questions, means, errors, counts, strict=True)
        },
        dict(zip(models, abilities.tolist(), strict=True)),
        spread,
        float(1 - (errors**2).mean() / spread**2),
        -float(found.fun),
    )


def _joint(theta: Floats, passed: Floats, samples: Integers, nodes: Floats, log_weights: Floats) -> Floats:
    """Return the log of the chance of each question's results and of each node, together."""
    eta = theta[:-1, None] - np.exp(theta[-1]) * nodes[None, :]
    joint: Floats = passed @ eta - samples @ np.logaddexp(0, eta) + log_weights
    return joint


def _negative_likelihood(
    theta: Floats, passed: Floats, samples: Integers, nodes: Floats, log_weights: Floats
) -> tuple[float, Floats]:
    joint = _joint(theta, passed, samples, nodes, log_weights)
    total = special.logsumexp(joint, axis=1, keepdims=True)
    posterior = np.exp(joint - total)
    spread = np.exp(theta[-1])
    chance = special.expit(theta[:-1, None] - spread * nodes[None, :])
    # Residual of each question, model and node is passed - samples * chance; sums over nodes are weighted by posterior.
    by_model = passed.sum(axis=0) - (samples * (posterior @ chance.T)).sum(axis=0)
    by_node = passed.sum(axis=1, keepdims=True) - samples @ chance
    by_spread = -float((posterior * by_node * (spread * nodes)[None, :]).sum())
    return -float(total.sum()), -np.append(by_model, by_spread)
