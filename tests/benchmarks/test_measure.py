"""How a benchmark judges what it measured."""

from __future__ import annotations

import pytest

from benchmarks.measure import Claim, report


@pytest.mark.parametrize(
    ("measured", "wanted", "at_least", "mark"),
    [
        (40.0, 40.0, True, "ok  "), (39.96, 40.0, True, "near"), (1.78, 1.8, True, "near"), (31.9, 40.0, True, "MISS"),
        (1.5, 1.5, False, "ok  "), (1.7, 1.5, False, "near"), (1.81, 1.5, False, "MISS"),
    ],
)  # fmt: skip
def test_a_small_miss_is_near_and_does_not_fail(measured: float, wanted: float, at_least: bool, mark: str) -> None:
    claim = Claim("speed", measured, wanted, at_least=at_least)
    assert str(claim).startswith(mark)
    assert report("Speed", [claim]) == (mark != "MISS")
