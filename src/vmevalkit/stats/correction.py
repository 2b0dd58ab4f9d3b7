"""A success rate from many machine labels and few human ones.

``prediction_powered_rate`` needs human labels of videos that were drawn at random from all videos. ``rogan_gladen``
needs only how often the machine is right about passed and about failed videos.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from vmevalkit.stats._arrays import Floats, as_floats, as_shares, check_confidence, check_same_length
from vmevalkit.stats.intervals import wilson_of_rate
from vmevalkit.stats.records import Estimate, missing_estimate

MIN_EXPECTED = 10
PSEUDO = 1.0
PREDICTION_POWERED = "prediction-powered, power-tuned"
LABELS_ONLY = "Wilson on human labels"


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """A success rate estimated from machine and human labels."""

    estimate: Estimate
    """The corrected rate; ``n`` is the number of human labels."""
    machine_rate: float | None
    """Mean of all machine labels, uncorrected."""
    human_rate: float | None
    """Mean of the human labels alone."""
    weight: float | None
    """Weight of the machine labels (lambda): 0 ignores them, 1 takes them fully."""
    used_machine: bool
    """Whether machine labels entered the estimate."""
    labels_saved: float | None
    """Human labels that would give the same error without the machine, less those that were made."""
    reason: str | None = None
    """Why a number is missing, or why only human labels were used."""


def prediction_powered_rate(
    machine_unlabelled: ArrayLike, machine_labelled: ArrayLike, human: ArrayLike, confidence: float = 0.95
) -> CorrectedRate:
    """Return the prediction-powered success rate with the weight tuned for the least error.

    ``machine_labelled`` and ``human`` are labels of the same randomly drawn videos; ``machine_unlabelled`` are machine
    labels (0 or 1, or a chance) of all others. A human label is 0 or 1, or the share of several
    people. Below ten expected human labels of either kind the normal error does not hold, and the result is Wilson's
    interval of the human labels alone.
    """
    check_confidence(confidence)
    others, own = as_floats(machine_unlabelled, "machine_unlabelled"), as_floats(machine_labelled, "machine_labelled")
    truth = as_shares(human, "human")
    check_same_length(own, truth, "machine_labelled and human")
    n = len(truth)
    machine = np.concatenate([others, own])
    machine_rate = float(machine.mean()) if len(machine) else None
    if n == 0:
        reason = "no video has a human label"
        return CorrectedRate(
            missing_estimate(reason, LABELS_ONLY, 0, confidence), machine_rate, None, None, False, None, reason
        )
    rate = float(truth.mean())
    if not len(others):
        return _labels_only(truth, machine_rate, confidence, "there are no videos with machine labels only")
    if min(rate, 1 - rate) * n < MIN_EXPECTED:
        return _labels_only(truth, machine_rate, confidence, _too_few(n, rate))
    weight = tuned_weight(others, own, truth)
    value = rate + weight * float(others.mean() - own.mean())
    if min(value, 1 - value) * n < MIN_EXPECTED:
        return _labels_only(truth, machine_rate, confidence, _too_few(n, value))
    variance = _label_variance(truth, own, weight) / n + weight**2 * float(others.var()) / len(others)
    low, high = _logit_interval(value, sqrt(variance), n - 1, confidence)
    estimate = Estimate(value, low, high, n, PREDICTION_POWERED, confidence)
    saved = max(0.0, float(truth.var(ddof=1)) / variance - n)
    return CorrectedRate(estimate, machine_rate, rate, weight, True, saved)


def _too_few(n: int, rate: float) -> str:
    kind = "passed" if rate < 0.5 else "failed"
    expected = n * min(rate, 1 - rate)
    return (
        f"{n} human labels at a rate of {max(0.0, min(1.0, rate)):.0%} hold {max(expected, 0):.1f} {kind} videos, "
        f"fewer than {MIN_EXPECTED}: only human labels are used"
    )


def _labels_only(truth: Floats, machine_rate: float | None, confidence: float, reason: str) -> CorrectedRate:
    n, rate = len(truth), float(truth.mean())
    estimate = Estimate(rate, *wilson_of_rate(rate, n, confidence), n, LABELS_ONLY, confidence)
    return CorrectedRate(estimate, machine_rate, rate, None, False, None, reason)


def tuned_weight(others: Floats, own: Floats, truth: Floats) -> float:
    """Return the weight of machine labels that makes the error least, between 0 and 1."""
    n, m = len(truth), len(others)
    spread = float(np.concatenate([others, own]).var())
    if spread == 0 or n < 2:
        return 0.0
    covariance = float(np.cov(truth, own, ddof=1)[0, 1])
    return min(max(covariance / (spread * (1 + n / m)), 0.0), 1.0)


def _label_variance(truth: Floats, own: Floats, weight: float) -> float:
    """Return the variance of human label - weight * machine label, with one video of each kind added.

    A good machine errs on few labelled videos. Where the draw holds none of them the plain variance is near 0.
    """
    ends = float(own.min()), float(own.max())
    corners = [t - weight * m for t in (0.0, 1.0) for m in (min(ends[0], 0.0), max(ends[1], 1.0))]
    values = np.append(truth - weight * own, corners)
    counts = np.append(np.ones(len(truth)), np.full(len(corners), PSEUDO))
    mean = float(np.average(values, weights=counts))
    return float(np.average((values - mean) ** 2, weights=counts)) * len(truth) / (len(truth) - 1)


def _logit_interval(value: float, error: float, df: int, confidence: float) -> tuple[float, float]:
    """Return a t interval on the logit scale, which stays between 0 and 1."""
    half = float(special.stdtrit(df, (1 + confidence) / 2)) * error / (value * (1 - value))
    centre = float(special.logit(value))
    return float(special.expit(centre - half)), float(special.expit(centre + half))
