"""Success by tag, by level and by puzzle parameter."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vmevalkit.stats._arrays import (
    Labels,
    as_floats,
    as_shares,
    check_confidence,
    check_same_length,
    encode,
    item_means,
)
from vmevalkit.stats.correlation import spearman
from vmevalkit.stats.rates import success_rate
from vmevalkit.stats.records import Estimate, missing_estimate


def success_by_level(
    successes: ArrayLike, levels: Labels, questions: Labels, confidence: float = 0.95
) -> dict[Any, Estimate]:
    """Return the success rate at each level of a factor, such as model, domain or difficulty."""
    y = as_shares(successes)
    check_same_length(y, levels, "successes and levels")
    check_same_length(y, questions, "successes and questions")
    level, question = encode(levels), encode(questions)
    return {
        name: success_rate(y[level.codes == code], question.codes[level.codes == code], confidence)
        for code, name in enumerate(level.levels)
    }


def success_by_tag(
    successes: ArrayLike, tags: Sequence[Iterable[Hashable]], questions: Labels, confidence: float = 0.95
) -> dict[Any, Estimate]:
    """Return the success rate of each tag. A sample may have several tags; it counts once under each."""
    y = as_shares(successes)
    check_same_length(y, tags, "successes and tags")
    check_same_length(y, questions, "successes and questions")
    question = encode(questions)
    rows: dict[Any, list[int]] = {}
    for row, own in enumerate(tags):
        for tag in dict.fromkeys(own):
            rows.setdefault(tag, []).append(row)
    return {tag: success_rate(y[rows[tag]], question.codes[rows[tag]], confidence) for tag in sorted(rows)}


@dataclass(frozen=True, slots=True)
class ParameterBin:
    """Success of the questions whose parameter is in one range."""

    low: float
    """Smallest parameter value in the bin."""
    high: float
    """Largest parameter value in the bin."""
    rate: Estimate
    """Success rate of the bin's questions."""


@dataclass(frozen=True, slots=True)
class ParameterTrend:
    """Success against one puzzle parameter."""

    bins: tuple[ParameterBin, ...]
    """Success in ranges of the parameter, in ascending order."""
    trend: Estimate
    """Spearman correlation of the parameter and the questions' success rates."""
    questions: int
    """Number of questions."""


def success_by_parameter(
    successes: ArrayLike, parameter: ArrayLike, questions: Labels, max_bins: int = 8, confidence: float = 0.95
) -> ParameterTrend:
    """Return success against a numeric puzzle parameter, such as the length of a maze's solution.

    Each distinct value is a bin where there are at most ``max_bins``; otherwise bins have about as many questions each.
    """
    check_confidence(confidence)
    if max_bins < 1:
        raise ValueError(f"max_bins must be at least 1, not {max_bins}")
    y, x = as_shares(successes), as_floats(parameter, "parameter")
    check_same_length(y, x, "successes and parameter")
    items = item_means(y, questions)
    if not len(y):
        return ParameterTrend((), missing_estimate("no question has a score", "Bonett-Wright", 0, confidence), 0)
    x_items, code = item_means(x, questions).means, encode(questions).codes
    if np.abs(x - x_items[code]).max() > 1e-9 * max(1.0, float(np.abs(x).max())):
        raise ValueError("samples of one question have several values of the parameter")
    bin_of_row = _bins(x_items, max_bins)[code]
    bins = tuple(
        ParameterBin(
            float(x[bin_of_row == b].min()),
            float(x[bin_of_row == b].max()),
            success_rate(y[bin_of_row == b], code[bin_of_row == b], confidence),
        )
        for b in np.unique(bin_of_row)
    )
    return ParameterTrend(bins, spearman(x_items, items.means, confidence), len(items.means))


def _bins(values: np.ndarray, max_bins: int) -> np.ndarray:
    distinct, codes = np.unique(values, return_inverse=True)
    if len(distinct) <= max_bins:
        return codes.reshape(-1)
    inner = np.unique(np.quantile(values, np.arange(1, max_bins) / max_bins))
    return np.searchsorted(inner, values, side="left")
