"""Power of a paired comparison: what a number of questions can show, and how many questions a difference needs."""

from __future__ import annotations

from math import ceil, inf, sqrt

import numpy as np
from scipy import special, stats
from scipy.optimize import brentq

from vmevalkit.stats._arrays import check_confidence

MAX_QUESTIONS = 10_000_000


def paired_difference_sd(
    rate_first: float,
    rate_second: float,
    correlation: float = 0.0,
    *,
    samples: int = 1,
    noise_share: float | None = None,
) -> float:
    """Return the standard deviation over questions of the difference of two success rates.

    ``correlation`` is that of the two models' successes on one question. ``noise_share`` is the share of the one-sample
    variance that comes from sampling the same question again; only that share becomes smaller with more ``samples``, so
    it must be given where there are several.
    """
    for name, rate in (("rate_first", rate_first), ("rate_second", rate_second)):
        if not 0 <= rate <= 1:
            raise ValueError(f"{name} must be between 0 and 1, not {rate}")
    if samples < 1:
        raise ValueError(f"samples must be at least 1, not {samples}")
    if noise_share is None and samples > 1:
        raise ValueError(f"{samples} samples a question need noise_share: the part of the variance that they reduce")
    if noise_share is not None and not 0 <= noise_share <= 1:
        raise ValueError(f"noise_share must be between 0 and 1, not {noise_share}")
    spreads = sqrt(rate_first * (1 - rate_first)), sqrt(rate_second * (1 - rate_second))
    both = rate_first * rate_second + correlation * spreads[0] * spreads[1]
    if not max(0.0, rate_first + rate_second - 1) - 1e-12 <= both <= min(rate_first, rate_second) + 1e-12:
        raise ValueError(f"rates {rate_first} and {rate_second} cannot have a correlation of {correlation}")
    variance = spreads[0] ** 2 + spreads[1] ** 2 - 2 * correlation * spreads[0] * spreads[1]
    share = noise_share or 0.0
    return sqrt(max(variance, 0.0) * (1 - share + share / samples))


def _check_sd(sd: float) -> None:
    if not sd > 0:
        raise ValueError(f"sd must be above 0, not {sd}")


def paired_power(difference: float, sd: float, n: int, alpha: float = 0.05) -> float:
    """Return the power of the two-sided paired t-test on ``n`` questions; ``sd`` is that of the item differences."""
    check_confidence(alpha, "alpha")
    _check_sd(sd)
    if n < 2:
        raise ValueError(f"a paired test needs two questions or more, not {n}")
    critical = float(special.stdtrit(n - 1, 1 - alpha / 2))
    shift = abs(difference) / sd * sqrt(n)
    upper = float(stats.nct.sf(critical, n - 1, shift))
    lower = float(stats.nct.cdf(-critical, n - 1, shift))
    # scipy returns nan in a tail whose mass is below what a float can hold
    return min(1.0, (0.0 if np.isnan(upper) else upper) + (0.0 if np.isnan(lower) else lower))


def smallest_detectable_difference(sd: float, n: int, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest true difference that ``n`` questions show with the given power.

    A difference that was not found is evidence of equality only for differences larger than this one.
    """
    check_confidence(power, "power")
    if power <= alpha:
        raise ValueError(f"power {power} must be above alpha {alpha}")
    paired_power(0.0, sd, n, alpha)  # checks the arguments
    unit = sd / sqrt(n)
    upper = unit
    while paired_power(upper, sd, n, alpha) < power:
        upper *= 2
    return float(brentq(lambda d: paired_power(d, sd, n, alpha) - power, 0.0, upper, xtol=1e-12))


def required_questions(difference: float, sd: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """Return the smallest number of questions that shows ``difference`` with the given power."""
    check_confidence(power, "power")
    _check_sd(sd)
    if not 0 < abs(difference) < inf:
        raise ValueError(f"difference must not be 0, it is {difference}")
    low, high = 1, 2
    while paired_power(difference, sd, high, alpha) < power:
        low, high = high, high * 2
        if high > MAX_QUESTIONS:
            raise ValueError(f"a difference of {difference} needs more than {MAX_QUESTIONS} questions")
    while high - low > 1:
        middle = ceil((low + high) / 2)
        if paired_power(difference, sd, middle, alpha) < power:
            low = middle
        else:
            high = middle
    return high
