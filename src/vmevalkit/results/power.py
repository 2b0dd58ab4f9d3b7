"""What a number of questions can show, and how many questions a difference needs."""

from __future__ import annotations

from dataclasses import dataclass

from vmevalkit.core.errors import UsageError
from vmevalkit.results.words import count, percent, points
from vmevalkit.stats.power import (
    paired_difference_sd,
    paired_power,
    required_questions,
    smallest_detectable_difference,
)


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """Power of a paired comparison of two models."""

    questions: int
    """Number of questions that both models answer."""
    rates: tuple[float, float]
    """Assumed success rates of the two models."""
    correlation: float
    """Assumed correlation of their successes over questions."""
    samples: int
    """Videos of each question."""
    alpha: float
    """Level of the two-sided paired t-test."""
    power: float
    """Wanted chance of finding a true difference."""
    detectable: float
    """Smallest true difference that is found with this power."""
    power_of_difference: float | None
    """Chance of finding the difference of the two rates; None where they are equal."""
    needed: int | None
    """Questions that find the difference of the two rates with this power; None where they are equal."""


def plan_power(
    questions: int,
    rates: tuple[float, float],
    *,
    correlation: float = 0.0,
    samples: int = 1,
    noise_share: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
) -> PowerPlan:
    """Return what a comparison on ``questions`` can show, and how many questions the difference of the rates needs.

    ``noise_share`` is the share of a video's variance that comes from sampling the same question again; several samples
    reduce only this share. Raises UsageError where a number is impossible.
    """
    try:
        sd = paired_difference_sd(*rates, correlation, samples=samples, noise_share=noise_share)
        if sd == 0:
            raise ValueError(
                f"with success rates of {rates[0]:g} and {rates[1]:g} and a correlation of {correlation:g} no question "
                "separates the models, so no number of questions shows a difference; assume rates between 0 and 1"
            )
        difference = abs(rates[0] - rates[1])
        return PowerPlan(
            questions,
            rates,
            correlation,
            samples,
            alpha,
            power,
            smallest_detectable_difference(sd, questions, alpha, power),
            paired_power(difference, sd, questions, alpha) if difference else None,
            required_questions(difference, sd, alpha, power) if difference else None,
        )
    except ValueError as error:
        raise UsageError(str(error)) from error


def describe_power(plan: PowerPlan) -> list[str]:
    """Return the plan in sentences."""
    each = "one video" if plan.samples == 1 else f"{plan.samples} videos"
    first, second = (percent(rate, 1) for rate in plan.rates)
    lines = [
        f"Two models on the same {count(plan.questions, 'question')}, {each} of each; paired t-test, two-sided, level "
        f"{percent(plan.alpha)}.",
        f"Assumed: success rates of {first} and {second}, and a correlation of {plan.correlation:g} between the "
        "models' successes. A higher correlation needs fewer questions; vmevalkit compare measures the real spread.",
    ]
    if plan.detectable >= 1:
        lines.append(f"No difference is found with {percent(plan.power)} power: there are too few questions.")
    else:
        lines.append(
            f"A true difference of {_size(plan.detectable)} percentage points or more is found with "
            f"{percent(plan.power)} power. A smaller one is often missed."
        )
    if plan.needed is None or plan.power_of_difference is None:
        return lines
    difference = _size(plan.rates[0] - plan.rates[1])
    lines.append(f"A true difference of {difference} points is found with {percent(plan.power_of_difference)} power.")
    lines.append(f"To find it with {percent(plan.power)} power takes {count(plan.needed, 'question')}.")
    return lines


def _size(difference: float) -> str:
    return points(difference).lstrip("+-")
