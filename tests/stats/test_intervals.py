"""Wilson's interval against published values and against its own definition."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.stats.intervals import wilson


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(51, 75, 0.568, 0.775), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662)],
)
def test_known_values(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=6e-4)


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@settings(deadline=None, derandomize=True)
def test_bounds_solve_the_score_equation(pair: tuple[int, int]) -> None:
    """At a bound p the observed rate lies 1.96 standard errors away, with the error of p itself."""
    successes, n = pair
    rate = successes / n
    low, high = wilson(successes, n)
    assert 0 <= low <= rate <= high <= 1
    for bound in {low, high} - {0.0, 1.0}:
        assert abs(rate - bound) == pytest.approx(1.959964 * sqrt(bound * (1 - bound) / n), rel=1e-3, abs=1e-9)


def test_nothing_is_known_without_films() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_wider_with_more_confidence() -> None:
    narrow, wide = wilson(5, 20, 0.8), wilson(5, 20, 0.99)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


@pytest.mark.parametrize(("successes", "n", "confidence"), [(3, 2, 0.95), (-1, 2, 0.95), (1, 2, 1.0), (1, 2, 0.0)])
def test_impossible_numbers(successes: int, n: int, confidence: float) -> None:
    with pytest.raises(ValueError, match=r"cannot be|between 0 and 1"):
        wilson(successes, n, confidence)
