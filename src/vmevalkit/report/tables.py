"""Counts and rates over the scores of an experiment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vmevalkit.core.records import Score
from vmevalkit.stats.intervals import wilson


@dataclass(frozen=True, slots=True)
class Rate:
    """How one model did on one task, or on all."""

    scored: int
    unscored: int
    passed: int
    solved: int
    mean_value: float | None
    """Of the scored films; None where there is none."""
    low: float
    """Wilson bounds of the pass rate, 95%."""
    high: float

    @property
    def rate(self) -> float | None:
        return self.passed / self.scored if self.scored else None


def rate(scores: Iterable[Score]) -> Rate:
    """Unscored films are counted apart, never as 0."""
    every = list(scores)
    values = [score.value for score in every if score.value is not None]
    passed = sum(score.passed for score in every)
    low, high = wilson(passed, len(values))
    return Rate(
        scored=len(values),
        unscored=len(every) - len(values),
        passed=passed,
        solved=sum(score.solved for score in every),
        mean_value=sum(values) / len(values) if values else None,
        low=low,
        high=high,
    )


@dataclass(frozen=True, slots=True)
class Row:
    """One model's line of the table."""

    model: str
    overall: Rate
    by_domain: dict[str, Rate]


def table(scores: Sequence[tuple[str, str, Score]]) -> list[Row]:
    """``scores`` are (model, domain, score); the best model stands first."""
    models = sorted({model for model, _, _ in scores})
    domains = sorted({domain for _, domain, _ in scores})
    rows = [
        Row(
            model,
            rate(score for name, _, score in scores if name == model),
            {
                domain: rate(score for name, place, score in scores if (name, place) == (model, domain))
                for domain in domains
            },
        )
        for model in models
    ]
    return sorted(rows, key=lambda row: (-(row.overall.rate or 0.0), -(row.overall.mean_value or 0.0), row.model))
