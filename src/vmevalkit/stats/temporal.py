"""The specification's six temporal metrics over the videos of an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from numpy.typing import ArrayLike

from vmevalkit.stats._arrays import Labels, as_floats, check_same_length
from vmevalkit.stats.rates import mean_score, success_rate
from vmevalkit.stats.records import Estimate

TEMPORAL_METRICS = (
    "consistency", "demonstration_clarity", "final_accuracy", "resolution_stability", "temporal_smoothness",
    "object_persistence",
)  # fmt: skip
KEPT = 0.9
"""From this value on, a video keeps what a metric measures."""


@dataclass(frozen=True, slots=True)
class TemporalShare:
    """One temporal metric over several videos."""

    kept: Estimate
    """Share of the videos whose metric is at least ``KEPT``."""
    mean: Estimate
    """Mean of the metric."""


def temporal_shares(
    values: Mapping[str, ArrayLike], questions: Labels, confidence: float = 0.95
) -> dict[str, TemporalShare]:
    """Return each metric over some videos, such as the successful ones, with the error of questions."""
    found = {}
    for name, column in values.items():
        numbers = as_floats(column, name)
        check_same_length(numbers, questions, f"{name} and questions")
        kept = (numbers >= KEPT).astype(float)
        found[name] = TemporalShare(
            success_rate(kept, questions, confidence), mean_score(numbers, questions, confidence)
        )
    return found
