"""What a number of questions can show."""

from __future__ import annotations

import pytest

from vmevalkit.core.errors import UsageError
from vmevalkit.results.power import describe_power, plan_power
from vmevalkit.stats.power import paired_power


def test_the_needed_number_is_the_smallest_that_suffices() -> None:
    plan = plan_power(75, (0.5, 0.4))
    sd = (0.25 + 0.24) ** 0.5
    assert plan.needed is not None
    assert paired_power(0.1, sd, plan.needed) >= 0.8 > paired_power(0.1, sd, plan.needed - 1)
    assert paired_power(plan.detectable, sd, 75) == pytest.approx(0.8)
    text = "\n".join(describe_power(plan))
    assert f"A true difference of {100 * plan.detectable:.1f} percentage points or more is found with 80% power" in text
    assert f"takes {plan.needed} questions" in text


def test_correlated_models_need_fewer_questions() -> None:
    alone, together = plan_power(75, (0.5, 0.4)), plan_power(75, (0.5, 0.4), correlation=0.6)
    assert together.detectable < alone.detectable
    assert together.needed is not None and alone.needed is not None and together.needed < alone.needed


def test_equal_rates_have_a_detectable_difference_only() -> None:
    plan = plan_power(30, (0.5, 0.5))
    assert (plan.needed, plan.power_of_difference) == (None, None)
    assert len(describe_power(plan)) == 3
    assert "No difference is found with 80% power" in "\n".join(describe_power(plan_power(2, (0.5, 0.5))))


@pytest.mark.parametrize(
    ("questions", "rates", "more", "message"),
    [
        (75, (0.0, 0.0), {}, "no question separates the models"),
        (75, (0.5, 1.5), {}, "rate_second must be between 0 and 1, not 1.5"),
        (1, (0.5, 0.4), {}, "needs two questions or more, not 1"),
        (75, (0.5, 0.4), {"samples": 3}, "need noise_share"),
        (75, (0.9, 0.1), {"correlation": 0.9}, "cannot have a correlation of 0.9"),
        (75, (0.5, 0.4), {"power": 1.2}, "power must be between 0 and 1"),
    ],
)
def test_impossible_numbers_are_refused(
    questions: int, rates: tuple[float, float], more: dict[str, float], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        plan_power(questions, rates, **more)  # type: ignore[arg-type]
