"""The domain complexity table and the demand ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log10
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vmevalkit.stats._arrays import Labels
from vmevalkit.stats.breakdown import success_by_level
from vmevalkit.stats.correlation import spearman
from vmevalkit.stats.records import Estimate

VISUAL_LEVELS = ("low", "medium", "high", "extreme")


@dataclass(frozen=True, slots=True)
class DomainComplexity:
    """What a task states about the complexity of its puzzles."""

    state_space: int
    """Number of states that a puzzle of the domain can have."""
    constraint_types: int
    """Number of kinds of rules that a solution must satisfy."""
    solution_uniqueness: float
    """Share of puzzles with exactly one solution."""
    visual_complexity: str
    """One of ``VISUAL_LEVELS``."""

    def __post_init__(self) -> None:
        if self.state_space < 1:
            raise ValueError(f"state_space must be at least 1, not {self.state_space}")
        if not 0 <= self.solution_uniqueness <= 1:
            raise ValueError(f"solution_uniqueness must be between 0 and 1, not {self.solution_uniqueness}")
        if self.visual_complexity not in VISUAL_LEVELS:
            raise ValueError(f"visual_complexity {self.visual_complexity!r} is not one of {', '.join(VISUAL_LEVELS)}")

    @property
    def log10_state_space(self) -> float:
        """Decimal logarithm of the state space."""
        return log10(self.state_space)


@dataclass(frozen=True, slots=True)
class DomainDemand:
    """One line of the demand ranking."""

    rank: int
    """1 is the least demanding domain: the one with the highest success rate. Equal rates share a rank."""
    rate: Estimate
    """Success rate over all models, with the error of questions."""
    complexity: DomainComplexity | None
    """What the task states, where it was given."""


@dataclass(frozen=True, slots=True)
class DemandRanking:
    """Domains from the least to the most demanding, and how stated complexity follows that order."""

    domains: Mapping[Any, DomainDemand]
    """Each domain, the least demanding first."""
    correlations: Mapping[str, Estimate]
    """Spearman correlation of each stated number with the failure rate, over domains."""


def demand_ranking(
    successes: ArrayLike,
    domains: Labels,
    questions: Labels,
    complexity: Mapping[Any, DomainComplexity] | None = None,
    confidence: float = 0.95,
) -> DemandRanking:
    """Return the domains ranked by observed demand, beside the complexity that their tasks state."""
    stated = complexity or {}
    rates = success_by_level(successes, domains, questions, confidence)
    values = {domain: rate.value for domain, rate in rates.items() if rate.value is not None}
    ordered = sorted(values, key=lambda domain: -values[domain])
    ranking = {
        domain: DomainDemand(
            1 + sum(other > values[domain] + 1e-12 for other in values.values()), rates[domain], stated.get(domain)
        )
        for domain in ordered
    }
    known = [domain for domain in ordered if domain in stated]
    failure = np.array([1 - values[domain] for domain in known])
    numbers = {
        "state_space": [stated[domain].log10_state_space for domain in known],
        "constraint_types": [float(stated[domain].constraint_types) for domain in known],
        "solution_uniqueness": [stated[domain].solution_uniqueness for domain in known],
        "visual_complexity": [float(VISUAL_LEVELS.index(stated[domain].visual_complexity)) for domain in known],
    }
    return DemandRanking(ranking, {name: spearman(column, failure, confidence) for name, column in numbers.items()})
