"""Distribution of scores over the five labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vmevalkit.stats._arrays import as_floats, check_confidence
from vmevalkit.stats.intervals import wilson
from vmevalkit.stats.records import Estimate, missing_estimate

SCORE_LABELS = {
    1: "Complete Failure",
    2: "Minimal Progress",
    3: "Partial Success",
    4: "Near Complete",
    5: "Perfect Success",
}
SUCCESS_SCORE = 4


@dataclass(frozen=True, slots=True)
class ScoreShare:
    """How often one score was given."""

    score: int
    """The score, from 1 to 5."""
    label: str
    """Its label in the specification."""
    count: int
    """Number of times it was given."""
    share: Estimate
    """Share of all scores, with Wilson's interval."""


@dataclass(frozen=True, slots=True)
class ScoreDistribution:
    """Counts of the five scores."""

    scores: tuple[ScoreShare, ...]
    """One entry for each score from 1 to 5."""
    success: Estimate
    """Share of scores of 4 and 5."""
    mean: float | None
    """Mean score."""
    n: int
    """Number of scores."""
    reason: str | None = None
    """Why a number is missing."""


def score_distribution(scores: ArrayLike, confidence: float = 0.95) -> ScoreDistribution:
    """Return how often each score from 1 to 5 was given. Intervals take scores as independent."""
    check_confidence(confidence)
    values = as_floats(scores, "scores")
    wrong = np.flatnonzero(~np.isin(values, list(SCORE_LABELS)))
    if wrong.size:
        raise ValueError(f"scores[{wrong[0]}] is {values[wrong[0]]:g}, not one of 1, 2, 3, 4, 5")
    n = len(values)
    counts = {score: int((values == score).sum()) for score in SCORE_LABELS}

    def share(count: int) -> Estimate:
        if n == 0:
            return missing_estimate("there are no scores", "Wilson", 0, confidence)
        return Estimate(count / n, *wilson(count, n, confidence), n, "Wilson", confidence)

    entries = tuple(ScoreShare(score, SCORE_LABELS[score], count, share(count)) for score, count in counts.items())
    successes = sum(count for score, count in counts.items() if score >= SUCCESS_SCORE)
    mean = float(values.mean()) if n else None
    return ScoreDistribution(entries, share(successes), mean, n, None if n else "there are no scores")
