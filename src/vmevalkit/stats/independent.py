"""Two success rates on different questions: the difference with its interval."""

from __future__ import annotations

from math import sqrt

from numpy.typing import ArrayLike

from vmevalkit.stats._arrays import Labels
from vmevalkit.stats.rates import success_rate
from vmevalkit.stats.records import Estimate, missing_estimate

NEWCOMBE = "Newcombe's hybrid of two Wilson intervals"


def independent_difference(
    first: ArrayLike,
    questions_first: Labels,
    second: ArrayLike,
    questions_second: Labels,
    confidence: float = 0.95,
) -> Estimate:
    """Return the success rate of the first sample less that of the second, for samples of different questions.

    The interval combines the intervals of the two rates, whose error is that of questions. ``n`` is the smaller number
    of questions.
    """
    a, b = success_rate(first, questions_first, confidence), success_rate(second, questions_second, confidence)
    if a.value is None or b.value is None or a.low is None or a.high is None or b.low is None or b.high is None:
        return missing_estimate("one of the two has no score", NEWCOMBE, min(a.n, b.n), confidence)
    difference = a.value - b.value
    low = difference - sqrt((a.value - a.low) ** 2 + (b.high - b.value) ** 2)
    high = difference + sqrt((a.high - a.value) ** 2 + (b.value - b.low) ** 2)
    return Estimate(difference, max(-1.0, low), min(1.0, high), min(a.n, b.n), NEWCOMBE, confidence)
