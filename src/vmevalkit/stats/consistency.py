"""How much a model's success varies between domains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vmevalkit.stats._arrays import Floats, Labels, as_shares, check_same_length, encode


@dataclass(frozen=True, slots=True)
class Consistency:
    """Spread of one model's success rates over domains."""

    mean_success: float
    """Mean of the domains' success rates."""
    std_success: float | None
    """Standard deviation of the domains' success rates, with the number of domains as divisor."""
    cv: float | None
    """Coefficient of variation: ``std_success`` over ``mean_success``."""
    domain_range: float | None
    """Highest less lowest success rate of a domain."""
    sampling_std: float | None
    """Standard deviation that equal domains of this size would show by chance alone."""
    consistency_rank: int | None
    """Rank by ``std_success``: 1 is the most consistent model; equal models share the better rank."""
    domains: int
    """Number of domains."""
    reason: str | None = None
    """Why a number is missing."""


def model_consistency(
    successes: ArrayLike, models: Labels, domains: Labels, questions: Labels
) -> dict[Any, Consistency]:
    """Return the consistency of each model. A domain's rate is the mean of its questions' rates."""
    y = as_shares(successes)
    for labels, name in ((models, "models"), (domains, "domains"), (questions, "questions")):
        check_same_length(y, labels, f"successes and {name}")
    model, domain, question = encode(models), encode(domains), encode(questions)
    rates: dict[Any, list[float]] = {}
    sizes: dict[Any, list[int]] = {}
    for code, level in enumerate(model.levels):
        mine = model.codes == code
        found = _domain_rates(y[mine], domain.codes[mine], question.codes[mine])
        rates[level], sizes[level] = found
    return consistency_of_rates(rates, sizes)


def _domain_rates(y: Floats, domain: Any, question: Any) -> tuple[list[float], list[int]]:
    rates, sizes = [], []
    for code in np.unique(domain):
        mine = domain == code
        _, items = np.unique(question[mine], return_inverse=True)
        means = np.bincount(items, weights=y[mine]) / np.bincount(items)
        rates.append(float(means.mean()))
        sizes.append(len(means))
    return rates, sizes


def consistency_of_rates(rates: Mapping[Any, list[float]], sizes: Mapping[Any, list[int]]) -> dict[Any, Consistency]:
    """Return the consistency of each model from its success rates by domain and the number of questions of each."""
    found = {model: _consistency(rates[model], sizes[model]) for model in rates}
    spreads = [record.std_success for record in found.values() if record.std_success is not None]
    return {
        model: record
        if record.std_success is None
        else replace(record, consistency_rank=1 + sum(other < record.std_success - 1e-12 for other in spreads))
        for model, record in found.items()
    }


def _consistency(rates: list[float], sizes: list[int]) -> Consistency:
    values = np.array(rates)
    mean = float(values.mean())
    if len(values) < 2:
        return Consistency(
            mean, None, None, None, None, None, len(values), "one domain shows no spread between domains"
        )
    std = float(values.std())
    # The variance of k rates with errors v_i about a common mean is (k - 1) / k times the mean of v_i.
    chance = float(np.mean(mean * (1 - mean) / np.array(sizes))) * (len(values) - 1) / len(values)
    cv = std / mean if mean > 0 else None
    reason = None if mean > 0 else "cv is undefined where nothing passed"
    return Consistency(mean, std, cv, float(np.ptp(values)), float(np.sqrt(chance)), 0, len(values), reason)
