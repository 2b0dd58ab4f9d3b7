"""The difference of two rates on different questions, against published values."""

from __future__ import annotations

import pytest

from vmevalkit.stats.independent import independent_difference


def compare(passed_a: int, n_a: int, passed_b: int, n_b: int) -> tuple[float | None, float | None, float | None]:
    first = [1] * passed_a + [0] * (n_a - passed_a)
    second = [1] * passed_b + [0] * (n_b - passed_b)
    found = independent_difference(first, range(n_a), second, range(n_b))
    return found.value, found.low, found.high


@pytest.mark.parametrize(
    ("counts", "wanted"),
    [
        # Newcombe (1998), Statistics in Medicine 17, 873-890, table II, method 10.
        ((56, 70, 48, 80), (0.2, 0.0524, 0.3339)),
        ((9, 10, 3, 10), (0.6, 0.1705, 0.8090)),
        ((5, 56, 0, 29), (0.0893, -0.0381, 0.1926)),
        ((10, 10, 0, 10), (1.0, 0.6075, 1.0)),
    ],
)
def test_it_equals_the_published_table(counts: tuple[int, int, int, int], wanted: tuple[float, ...]) -> None:
    assert compare(*counts) == pytest.approx(wanted, abs=5e-5)


def test_several_samples_of_a_question_do_not_narrow_it_like_questions() -> None:
    single = independent_difference([1, 0, 1, 0], range(4), [0, 0, 1, 0], range(4))
    repeated = independent_difference([1, 0, 1, 0] * 5, [0, 1, 2, 3] * 5, [0, 0, 1, 0] * 5, [0, 1, 2, 3] * 5)
    assert repeated.n == single.n == 4
    assert repeated.low == pytest.approx(single.low)


def test_a_side_without_scores_gives_no_number() -> None:
    found = independent_difference([], [], [1, 0], [0, 1])
    assert found.value is None
    assert found.reason
