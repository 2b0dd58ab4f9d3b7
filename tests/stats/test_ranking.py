"""Rank bands against evalstats and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from evalstats import bootstrap_ranks

from vmevalkit.stats.ranking import question_matrix, rank_bands

RNG = np.random.default_rng(5)
RATES = {"a": 0.9, "b": 0.55, "c": 0.5, "d": 0.05}
MATRIX = np.stack([(RNG.random(75) < rate).astype(float) for rate in RATES.values()])


def flat(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    models = np.repeat(list(RATES)[: len(matrix)], matrix.shape[1])
    return matrix.reshape(-1), models, np.tile(np.arange(matrix.shape[1]), len(matrix))


def test_bands_separate_what_differs_and_join_what_does_not() -> None:
    result = rank_bands(*flat(MATRIX))
    ranks = {model: (band.best, band.worst) for model, band in result.bands.items()}
    assert ranks == {"a": (1, 1), "b": (2, 3), "c": (2, 3), "d": (4, 4)}
    assert [band.rank for band in result.bands.values()] == [1, 2, 3, 4]
    assert result.p_values["b", "c"] > 0.05 > result.p_values["a", "b"]


def test_share_first_equals_evalstats_within_monte_carlo_error() -> None:
    close = MATRIX[1:3]
    ours = rank_bands(*flat(close), n_bootstrap=10_000)
    theirs = bootstrap_ranks(close[..., None], ["a", "b"], 10_000, np.random.default_rng(0), method="bootstrap")
    share = [band.share_first for _, band in sorted(ours.bands.items())]
    assert share == pytest.approx(theirs.p_best, abs=4 * np.sqrt(0.5 / 10_000))
    assert sum(share) == pytest.approx(1)


def test_a_band_from_few_questions_is_wide() -> None:
    result = rank_bands(*flat(MATRIX[:, :3]))
    assert all((band.best, band.worst) == (1, 4) for band in result.bands.values())


def test_equal_models_share_a_rank() -> None:
    result = rank_bands(*flat(np.stack([MATRIX[0], MATRIX[0]])))
    assert [band.rank for band in result.bands.values()] == [1, 1]
    assert [band.share_first for band in result.bands.values()] == [0.5, 0.5]
    assert result.p_values["a", "b"] == 1.0


def test_complete_separation_on_few_questions_is_judged_exactly() -> None:
    """Five questions cannot give a p-value below 1/16, however large the difference."""
    values = np.array([1.0] * 5 + [0.0] * 5)
    result = rank_bands(values, ["a"] * 5 + ["b"] * 5, list(range(5)) * 2)
    assert result.p_values["a", "b"] == pytest.approx(2 / 32)
    fractions = rank_bands(values / 2 + 0.25, ["a"] * 5 + ["b"] * 5, list(range(5)) * 2)
    assert fractions.p_values["a", "b"] == pytest.approx(2 / 32)


def test_several_samples_are_compared_by_t() -> None:
    values, models, questions = flat(MATRIX)
    noisy = np.clip(np.concatenate([values, values * 0.5 + 0.1]), 0, 1)
    result = rank_bands(noisy, np.tile(models, 2), np.tile(questions, 2))
    assert result.bands["a"].best == result.bands["a"].worst == 1


def test_questions_that_a_model_lacks_are_left_out() -> None:
    values, models, questions = flat(MATRIX)
    keep = ~((models == "d") & (questions < 10))
    matrix = question_matrix(values[keep], models[keep], questions[keep])
    assert (matrix.means.shape, matrix.left_out) == ((65, 4), 10)
    assert rank_bands(values[keep], models[keep], questions[keep]).questions_left_out == 10


def test_a_model_with_few_questions_widens_its_own_band_only() -> None:
    """Three models that 200 questions separate, and a fourth with five questions."""
    rng = np.random.default_rng(5)
    rates = {"a": 0.9, "b": 0.5, "c": 0.1}
    values = [float(rng.random() < rate) for rate in rates.values() for _ in range(200)]
    models, questions = [name for name in rates for _ in range(200)], list(range(200)) * 3
    without = rank_bands(values, models, questions)
    found = rank_bands([*values, 1, 0, 1, 0, 0], [*models, *"ddddd"], [*questions, *range(5)])
    assert [(without.bands[name].best, without.bands[name].worst) for name in "abc"] == [(1, 1), (2, 2), (3, 3)]
    assert [(found.bands[name].best, found.bands[name].worst) for name in "abcd"] == [(1, 2), (2, 3), (3, 4), (1, 4)]
    assert (found.common, found.questions_left_out) == ((5, 200), 195)
