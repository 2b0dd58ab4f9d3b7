"""Failure classes and the failure profile of each model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vmevalkit.stats._arrays import Labels, check_confidence, check_same_length
from vmevalkit.stats.intervals import wilson
from vmevalkit.stats.records import Estimate, missing_estimate

NO_FAILURE = "none"
CLASS_OF_MODE = {
    "static": "Static Repetition",
    "incorrect_termination": "Incorrect Termination",
    "illegal_process": "Incorrect Termination",
    "not_shown": "Incorrect Termination",
    "partial": "Partial Execution",
    "misunderstood": "Complete Misunderstanding",
    "scene_broken": "Complete Misunderstanding",
}
FAILURE_CLASSES = ("Static Repetition", "Incorrect Termination", "Partial Execution", "Complete Misunderstanding")


@dataclass(frozen=True, slots=True)
class FailureProfile:
    """How one model's failed videos failed."""

    classes: Mapping[str, Estimate]
    """Share of each of the four classes among failed videos, with Wilson's interval."""
    modes: Mapping[str, int]
    """Number of videos of each failure mode."""
    failed: int
    """Number of failed videos."""
    total: int
    """Number of videos, those without a failure included."""


def failure_class(mode: str) -> str | None:
    """Return the specification's class of a failure mode, or None where the video did not fail."""
    if mode == NO_FAILURE:
        return None
    if mode not in CLASS_OF_MODE:
        raise ValueError(f"unknown failure mode {mode!r}; known are {', '.join([NO_FAILURE, *CLASS_OF_MODE])}")
    return CLASS_OF_MODE[mode]


def failure_profile(modes: Sequence[str], confidence: float = 0.95) -> FailureProfile:
    """Return the shares of the four failure classes among the failed videos."""
    check_confidence(confidence)
    counts = Counter(modes)
    by_class = dict.fromkeys(FAILURE_CLASSES, 0)
    for mode, count in counts.items():
        name = failure_class(mode)
        if name is not None:
            by_class[name] += count
    failed = sum(by_class.values())

    def share(count: int) -> Estimate:
        if failed == 0:
            return missing_estimate("no video failed", "Wilson", 0, confidence)
        return Estimate(count / failed, *wilson(count, failed, confidence), failed, "Wilson", confidence)

    found = {mode: counts[mode] for mode in CLASS_OF_MODE if counts[mode]}
    return FailureProfile({name: share(count) for name, count in by_class.items()}, found, failed, len(modes))


def failure_profiles(modes: Sequence[str], models: Labels, confidence: float = 0.95) -> dict[Any, FailureProfile]:
    """Return the failure profile of each model."""
    check_same_length(modes, models, "modes and models")
    by_model: dict[Any, list[str]] = {}
    for mode, model in zip(modes, models, strict=True):
        by_model.setdefault(model, []).append(mode)
    return {model: failure_profile(by_model[model], confidence) for model in sorted(by_model)}
