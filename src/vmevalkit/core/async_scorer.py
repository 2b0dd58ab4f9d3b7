"""The contract of scorers that make calls to a service, such as VLM judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeGuard, cast

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Question, Score
from vmevalkit.core.scorer import Scorer


@dataclass(frozen=True, slots=True)
class CallOptions:
    """How a scorer may call a service."""

    purpose: str = ""
    """What the calls are for, such as the experiment and the scorer: a budget counts all calls of its purpose."""
    max_usd: float | None = None
    """The budget, earlier calls included; None: no limit."""
    assumed_usd: float | None = None
    """The price of an answer where it is unknown."""
    in_flight: int | None = None
    """Calls at the same time; None leaves it to the scorer."""
    per_minute: float | None = None
    answers: Path | None = None
    """The folder of logged answers; None means that of the data folder."""
    retry_refused: bool = False
    """Whether what was refused earlier is asked again."""
    is_estimate: bool = False
    """Whether nothing is sent, so that no key is needed."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of ``jobs.limits.Limits``, such as the pauses before a retry."""
    progress: Any = None
    """A ``jobs.progress.Progress`` that is updated meanwhile."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with what belongs in its file beside it."""

    score: Score
    details: dict[str, Any] | None = None
    """Who judged, when, at what price: JSON values."""


class ScoringSession(Protocol):
    """The calls of one scorer, with limits, a budget and a log that all videos share."""

    at_once: int
    """Videos to work on at the same time."""

    @property
    def spent_usd(self) -> float:
        """What the calls of this purpose have cost, earlier ones included."""
        ...

    async def score(self, question: Question, video: Path, model_name: str | None = None) -> Judgement:
        """Return the verdict. The model's name must not reach the judge."""
        ...

    async def estimate_usd(self, question: Question, video: Path) -> tuple[int, float | None]:
        """Return how many calls a video needs, and the most that they cost; None where the price is unknown."""
        ...

    def stop(self) -> None:
        """Make no further call."""
        ...

    async def close(self) -> None: ...


class AsyncScorer(Protocol):
    """Scores by calls to a service: it waits rather than computes, so many videos are scored at once in one process."""

    @property
    def evaluator(self) -> str:
        """The name of its score files."""
        ...

    @property
    def final_state_only(self) -> bool:
        """Whether it sees only the end of a video. Then an audit holds it to the final state alone."""
        ...

    def version(self, question: Question) -> str:
        """Return the version of the scorer for this question. A score of another version is made again."""
        ...

    def open_session(self, options: CallOptions) -> ScoringSession:
        """Return a session. Called in a running event loop; raises SetupError where something is missing."""
        ...


AnyScorer = Scorer | AsyncScorer


def require_sync(scorer: AnyScorer, name: str) -> Scorer:
    """Return a scorer that computes. Raises UsageError where it makes calls instead."""
    if is_async(scorer):
        raise UsageError(f"the scorer {name} makes calls; it scores videos in a session, not one by one")
    return cast(Scorer, scorer)


def is_async(scorer: AnyScorer) -> TypeGuard[AsyncScorer]:
    """Return whether a scorer makes calls."""
    return hasattr(scorer, "open_session")
