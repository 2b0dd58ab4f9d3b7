"""Holm's correction over a declared family of tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vmevalkit.stats._arrays import check_confidence


@dataclass(frozen=True, slots=True)
class AdjustedTest:
    """One test of a family after Holm's correction."""

    p_value: float | None
    """The p-value before the correction."""
    adjusted: float | None
    """Holm's adjusted p-value."""
    is_rejected: bool
    """Whether the null hypothesis is rejected with the family's error rate held at ``alpha``."""
    reason: str | None = None
    """Why the test has no p-value; it still counts in the family."""


@dataclass(frozen=True, slots=True)
class HolmFamily:
    """Every test of a declared family, corrected together."""

    tests: Mapping[str, AdjustedTest]
    """Each test by its name, in the order of declaration."""
    alpha: float
    """Chance of one or more false rejections in the whole family."""
    size: int
    """Number of tests declared, those without a p-value included."""


def holm(p_values: Mapping[str, float | None], alpha: float = 0.05) -> HolmFamily:
    """Return Holm's step-down correction of a declared family.

    A test that could not be made (None) stays in the family as a p-value of 1: dropping it after the data were seen
    would make the other tests look stronger than declared.
    """
    check_confidence(alpha, "alpha")
    for name, p in p_values.items():
        if p is not None and not 0 <= p <= 1:
            raise ValueError(f"the p-value of {name!r} must be between 0 and 1, not {p}")
    size = len(p_values)
    order = sorted(p_values, key=lambda name: 1.0 if p_values[name] is None else p_values[name] or 0.0)
    adjusted: dict[str, float | None] = {}
    largest = 0.0
    for rank, name in enumerate(order):
        p = p_values[name]
        if p is not None:
            largest = min(1.0, max(largest, (size - rank) * p))
        adjusted[name] = None if p is None else largest
    return HolmFamily({name: _adjusted_test(p_values[name], adjusted[name], alpha) for name in p_values}, alpha, size)


def _adjusted_test(p: float | None, adjusted: float | None, alpha: float) -> AdjustedTest:
    if p is None or adjusted is None:
        return AdjustedTest(None, None, False, "the test gave no p-value")
    return AdjustedTest(p, adjusted, adjusted <= alpha)
