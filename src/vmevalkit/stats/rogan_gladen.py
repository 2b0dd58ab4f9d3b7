"""A success rate from machine labels, corrected by the machine's sensitivity and specificity."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy import special

from vmevalkit.stats._arrays import check_confidence
from vmevalkit.stats.intervals import wilson_of_rate
from vmevalkit.stats.records import Estimate, missing_estimate

METHOD = "Rogan-Gladen, interval of the ratio given that it was not refused"
GRID = 2001


@dataclass(frozen=True, slots=True)
class RoganGladen:
    """A rate corrected by sensitivity and specificity."""

    estimate: Estimate
    """The corrected rate; ``n`` is the number of machine labels."""
    machine_rate: float | None
    """Share of videos that the machine passed."""
    sensitivity: Estimate
    """Share of truly passed videos that the machine passed."""
    specificity: Estimate
    """Share of truly failed videos that the machine failed."""
    youden: Estimate
    """Sensitivity + specificity - 1; 0 is a machine that knows nothing."""
    reason: str | None = None
    """Why a number is missing."""


def rogan_gladen(
    machine_passed: float,
    machine_total: int,
    true_positives: float,
    positives: float,
    true_negatives: float,
    negatives: float,
    confidence: float = 0.95,
) -> RoganGladen:
    """Return the rate (machine rate + specificity - 1) / (sensitivity + specificity - 1).

    ``positives`` and ``negatives`` are videos with a human label that passed and failed, of which the machine was right
    about ``true_positives`` and ``true_negatives``; a video on which people are divided counts in part on
    either side. They must not be among the ``machine_total`` videos. The correction is refused where the interval of
    sensitivity + specificity - 1 includes 0: the rate could then be anything.
    """
    check_confidence(confidence)
    for name, part, whole in (
        ("machine_passed", machine_passed, machine_total),
        ("true_positives", true_positives, positives),
        ("true_negatives", true_negatives, negatives),
    ):
        if not 0 <= part <= whole + 1e-9:
            raise ValueError(f"{name} cannot be {part} of {whole}")
    sensitivity = _proportion(true_positives, positives, "no truly passed video has a label", confidence)
    specificity = _proportion(true_negatives, negatives, "no truly failed video has a label", confidence)
    youden = youden_index(sensitivity, specificity)
    machine_rate = machine_passed / machine_total if machine_total else None
    reason = _why_refused(youden, machine_rate)
    if reason:
        estimate = missing_estimate(reason, METHOD, machine_total, confidence)
        return RoganGladen(estimate, machine_rate, sensitivity, specificity, youden, None if machine_total else reason)
    rates = [(machine_passed, machine_total), (true_positives, positives), (true_negatives, negatives)]
    value = _corrected(*(part / whole for part, whole in rates))
    low, high = _interval(rates, youden, confidence)
    clipped = min(max(value, 0.0), 1.0)
    estimate = Estimate(clipped, min(low, clipped), max(high, clipped), machine_total, METHOD, confidence)
    return RoganGladen(estimate, machine_rate, sensitivity, specificity, youden)


def _proportion(part: float, whole: float, reason: str, confidence: float) -> Estimate:
    if whole == 0:
        return missing_estimate(reason, "Wilson", 0, confidence)
    rate = min(part / whole, 1.0)
    return Estimate(rate, *wilson_of_rate(rate, whole, confidence), round(whole), "Wilson", confidence)


def youden_index(sensitivity: Estimate, specificity: Estimate) -> Estimate:
    """Return sensitivity + specificity - 1, with Newcombe's interval from both Wilson intervals."""
    method = "Newcombe from Wilson intervals"
    n = sensitivity.n + specificity.n
    if (
        sensitivity.value is None
        or sensitivity.low is None
        or sensitivity.high is None
        or specificity.value is None
        or specificity.low is None
        or specificity.high is None
    ):
        reason = sensitivity.reason or specificity.reason or "sensitivity or specificity is unknown"
        return missing_estimate(reason, method, n, sensitivity.confidence)
    value = sensitivity.value + specificity.value - 1
    below = sqrt((sensitivity.value - sensitivity.low) ** 2 + (specificity.value - specificity.low) ** 2)
    above = sqrt((sensitivity.high - sensitivity.value) ** 2 + (specificity.high - specificity.value) ** 2)
    return Estimate(value, value - below, value + above, n, method, sensitivity.confidence)


def _why_refused(youden: Estimate, machine_rate: float | None) -> str | None:
    if machine_rate is None:
        return "there are no machine labels"
    if youden.value is None or youden.low is None or youden.high is None:
        return youden.reason
    if youden.low <= 0 <= youden.high:
        return (
            f"sensitivity + specificity - 1 is {youden.value:.2f} with an interval from {youden.low:.2f} to "
            f"{youden.high:.2f}, which includes 0: the machine may know nothing"
        )
    if youden.high < 0:
        return f"sensitivity + specificity - 1 is {youden.value:.2f}, below 0: machine labels may be swapped"
    return None


def _corrected(machine: float, sensitivity: float, specificity: float) -> float:
    return (machine + specificity - 1) / (sensitivity + specificity - 1)


def _interval(rates: list[tuple[float, float]], youden: Estimate, confidence: float) -> tuple[float, float]:
    """Return the smallest and the largest rate that the data do not exclude.

    At the true rate r the difference machine rate - r * sensitivity - (1 - r) * (1 - specificity) is 0 on average,
    however weak the machine is; this is Fieller's way of treating a ratio. The rate is only estimated where
    sensitivity + specificity - 1 came out well above 0, so the difference is judged in the distribution that it has
    after that selection: normal, cut off where the correction would have been refused. Without it the intervals of a
    machine that passed the check by luck would hold the true rate in 4 of 5 cases. Two passed and two failed videos
    are added to each share (Agresti and Coull), so that shares of 0 and 1 keep an error.
    """
    z2 = float(special.ndtri((1 + confidence) / 2)) ** 2
    shares = [(part + z2 / 2) / (whole + z2) for part, whole in rates]
    variances = [p * (1 - p) / (whole + z2) for p, (_, whole) in zip(shares, rates, strict=True)]
    r = np.linspace(0, 1, GRID)
    difference = shares[0] - r * shares[1] - (1 - r) * (1 - shares[2])
    variance = variances[0] + r**2 * variances[1] + (1 - r) ** 2 * variances[2]
    error = np.sqrt(variance)
    # The index is slope * difference plus a part that does not depend on the difference.
    slope = ((1 - r) * variances[2] - r * variances[1]) / variance
    with np.errstate(divide="ignore"):
        cut = difference - (youden.low or 0.0) / slope  # the difference at which the index's lower bound would be 0
    side = np.where(slope > 0, 1.0, -1.0)  # the difference is above its cut where the slope is positive
    beyond = np.where(slope == 0, 0.0, special.log_ndtr(-side * cut / error))
    plain = special.log_ndtr(-side * difference / error)
    tail = np.exp(np.minimum(plain - beyond, 0.0))
    # The other tail is judged without the cut: few labels have few outcomes, and one next to the cut is not rare.
    kept = r[(tail >= (1 - confidence) / 2) & (np.exp(plain) <= (1 + confidence) / 2)]
    return (float(kept.min()), float(kept.max())) if len(kept) else (0.0, 1.0)
