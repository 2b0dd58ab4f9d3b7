"""Counts of jobs by stage, for progress displays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from vmevalkit.jobs.budget import Budget


@dataclass(slots=True)
class ModelProgress:
    """Counts of one model. Each job is counted in one stage at a time."""

    model: str
    kept: int = 0
    """Finished in an earlier call."""
    waiting: int = 0
    submitting: int = 0
    generating: int = 0
    """Ordered; the provider or this machine is generating the video."""
    downloading: int = 0
    success: int = 0
    failed: int = 0
    refused: int = 0
    uncertain: int = 0
    get_pause_s: Callable[[], float] = lambda: 0.0
    """Returns how long the provider's Retry-After still holds back all orders."""

    @property
    def finished(self) -> int:
        return self.kept + self.success + self.failed + self.refused + self.uncertain

    @property
    def total(self) -> int:
        return self.finished + self.waiting + self.submitting + self.generating + self.downloading

    def move(self, before: str, after: str) -> None:
        """Move one job from one stage to another."""
        setattr(self, before, getattr(self, before) - 1)
        setattr(self, after, getattr(self, after) + 1)


class JobTracker:
    """The stage of one job, counted in the progress of its model. A job starts as waiting."""

    __slots__ = ("_model_progress", "_stage")

    def __init__(self, model_progress: ModelProgress) -> None:
        self._model_progress, self._stage = model_progress, "waiting"

    def move_to(self, stage: str) -> None:
        self._model_progress.move(self._stage, stage)
        self._stage = stage

    def leave(self) -> None:
        """Count the job no longer: it was not run."""
        setattr(self._model_progress, self._stage, getattr(self._model_progress, self._stage) - 1)


@dataclass(slots=True)
class Progress:
    """Counts of all models of a call. It changes while jobs run, and may be read at any time."""

    models: dict[str, ModelProgress] = field(default_factory=dict)
    budget: Budget | None = None

    def of(self, model: str) -> ModelProgress:
        """Return the counts of one model."""
        return self.models.setdefault(model, ModelProgress(model))

    @property
    def finished(self) -> int:
        return sum(model_progress.finished for model_progress in self.models.values())

    @property
    def total(self) -> int:
        return sum(model_progress.total for model_progress in self.models.values())
