"""How far the jobs are, for whoever watches."""

from __future__ import annotations

from dataclasses import dataclass, field

from vmevalkit.jobs.budget import Budget


@dataclass(slots=True)
class Tally:
    """Of one model. Each job is counted in one place at a time."""

    model: str
    kept: int = 0
    """Finished in an earlier call."""
    waiting: int = 0
    ordering: int = 0
    making: int = 0
    """Ordered, and being made by the provider or by this machine."""
    fetching: int = 0
    success: int = 0
    failed: int = 0
    refused: int = 0
    uncertain: int = 0

    @property
    def finished(self) -> int:
        return self.kept + self.success + self.failed + self.refused + self.uncertain

    @property
    def total(self) -> int:
        return self.finished + self.waiting + self.ordering + self.making + self.fetching

    def move(self, before: str, after: str) -> None:
        """One job goes on from one place to the next."""
        setattr(self, before, getattr(self, before) - 1)
        setattr(self, after, getattr(self, after) + 1)


@dataclass(slots=True)
class Board:
    """All models of a call. It changes while they are at work, and may be read at any time."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    budget: Budget | None = None

    def of(self, model: str) -> Tally:
        return self.tallies.setdefault(model, Tally(model))

    @property
    def finished(self) -> int:
        return sum(tally.finished for tally in self.tallies.values())

    @property
    def total(self) -> int:
        return sum(tally.total for tally in self.tallies.values())
