"""Counts and rates over the scores of an experiment."""

from __future__ import annotations

from collections import Counter, defaultdict
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
    not_scored: int = 0
    """Films that have no verdict yet."""
    without_film: int = 0
    """Runs that made no film."""

    @property
    def rate(self) -> float | None:
        """Of the scored films alone."""
        return self.passed / self.scored if self.scored else None

    @property
    def left_out(self) -> str:
        """What the rate does not count, in words; empty where it counts all."""
        parts = (
            (self.unscored, "unscored"),
            (self.not_scored, "not scored yet"),
            (self.without_film, "without a film"),
        )
        return ", ".join(f"{count} {what}" for count, what in parts if count)


def rate(scores: Iterable[Score], not_scored: int = 0, without_film: int = 0) -> Rate:
    """What has no verdict is counted apart, never as 0."""
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
        not_scored=not_scored,
        without_film=without_film,
    )


@dataclass(frozen=True, slots=True)
class Row:
    """One model's line of the table."""

    model: str
    overall: Rate
    by_domain: dict[str, Rate]


Cell = tuple[str, str]
"""A model and a domain."""


def table(
    scores: Sequence[tuple[str, str, Score]], not_scored: Sequence[Cell] = (), without_film: Sequence[Cell] = ()
) -> list[Row]:
    """``scores`` are (model, domain, score), the others a (model, domain) for each film or run; the best model stands
    first."""
    judged: dict[Cell, list[Score]] = defaultdict(list)
    for model, domain, score in scores:
        judged[model, domain].append(score)
    waiting, filmless = Counter(not_scored), Counter(without_film)
    cells = judged.keys() | waiting.keys() | filmless.keys()
    domains = sorted({domain for _, domain in cells})

    def over(model: str, names: Sequence[str]) -> Rate:
        mine = [(model, domain) for domain in names]
        return rate(
            [score for cell in mine for score in judged.get(cell, ())],
            sum(waiting[cell] for cell in mine),
            sum(filmless[cell] for cell in mine),
        )

    rows = [
        Row(model, over(model, domains), {domain: over(model, [domain]) for domain in domains})
        for model in sorted({model for model, _ in cells})
    ]
    return sorted(rows, key=lambda row: (-(row.overall.rate or 0.0), -(row.overall.mean_value or 0.0), row.model))
