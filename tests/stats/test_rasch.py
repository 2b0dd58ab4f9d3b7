"""Rasch difficulty: the likelihood by numeric integration, recovery of known difficulties, and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.optimize import approx_fprime

from vmevalkit.stats import rasch as module
from vmevalkit.stats.rasch import rasch


def simulate(models: int, questions: int, seed: int, spread: float = 1.3) -> tuple:
    rng = np.random.default_rng(seed)
    ability, difficulty = rng.normal(0, 1, models), rng.normal(0, spread, questions)
    chance = 1 / (1 + np.exp(difficulty[:, None] - ability[None, :]))
    passed = (rng.random(chance.shape) < chance).astype(float)
    model, question = np.meshgrid(np.arange(models), np.arange(questions))
    return passed, model.reshape(-1), question.reshape(-1), ability, difficulty


@pytest.mark.slow
def test_likelihood_equals_numeric_integration() -> None:
    passed, model, question, _, _ = simulate(10, 40, 0)
    fit = rasch(passed.reshape(-1), model, question)
    ability = np.array(list(fit.abilities.values()))

    def of_question(row: np.ndarray) -> float:
        def integrand(b: float) -> float:
            chance = 1 / (1 + np.exp(b - ability))
            return float(np.prod(np.where(row == 1, chance, 1 - chance)) * stats.norm.pdf(b, 0, fit.spread))

        return float(np.log(integrate.quad(integrand, -15, 15, limit=200)[0]))

    assert fit.log_likelihood == pytest.approx(sum(of_question(row) for row in passed), abs=1e-6)


def test_gradient_equals_differences() -> None:
    passed, _, _, _, _ = simulate(10, 40, 1)
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    arguments = (passed, np.ones_like(passed), nodes, np.log(weights) - 0.5 * np.log(2 * np.pi))
    theta = np.linspace(-1, 1, 11)
    numeric = approx_fprime(theta, lambda t: module._negative_likelihood(t, *arguments)[0], 1e-6)
    assert module._negative_likelihood(theta, *arguments)[1] == pytest.approx(numeric, abs=1e-3)


def test_difficulties_are_recovered() -> None:
    passed, model, question, ability, difficulty = simulate(40, 150, 2)
    fit = rasch(passed.reshape(-1), model, question)
    values = np.array([item.value for item in fit.difficulties.values()])
    errors = np.array([item.error for item in fit.difficulties.values()])
    centred = difficulty - difficulty.mean()
    assert np.corrcoef(values, centred)[0, 1] > 0.93
    assert (np.abs(values - values.mean() - centred) < 2 * errors).mean() > 0.9
    assert fit.spread == pytest.approx(1.3, abs=0.25)
    assert np.corrcoef(list(fit.abilities.values()), ability)[0, 1] > 0.97
    assert 0.8 < fit.reliability < 0.95


def test_a_question_that_every_model_solved_has_a_finite_difficulty() -> None:
    passed, model, question, _, _ = simulate(12, 60, 3)
    passed[0], passed[1] = 1, 0
    fit = rasch(passed.reshape(-1), model, question)
    values = {label: item.value for label, item in fit.difficulties.items()}
    assert values[0] == min(values.values()) < 0 < values[1] == max(values.values())
    assert np.isfinite(list(values.values())).all()


def test_missing_samples_and_models_without_information() -> None:
    passed, model, question, _, _ = simulate(13, 60, 4)
    passed[:, 5] = 0
    rows = np.random.default_rng(0).random(passed.size) < 0.8
    fit = rasch(passed.reshape(-1)[rows], model[rows], question[rows])
    assert fit.reason is None
    assert 5 not in fit.abilities
    assert len(fit.abilities) == 12


def test_refusals() -> None:
    passed, model, question, _, _ = simulate(6, 75, 5)
    few = rasch(passed.reshape(-1), model, question)
    assert (
        few.reason
        == "Rasch difficulty needs 10 models, there are 6: the error of one question would be 0.8 logits or more"
    )
    passed, model, question, _, _ = simulate(12, 5, 5)
    assert rasch(passed.reshape(-1), model, question).reason.startswith("Rasch difficulty needs 10 questions")
    constant = rasch(np.ones(750), np.tile(np.arange(10), 75), np.repeat(np.arange(75), 10))
    assert constant.reason.startswith("Rasch difficulty needs 10 models, there are 0 of 10 that passed something")
    rng = np.random.default_rng(0)
    # Exactly five of ten models pass every question: less spread than chance gives.
    rows = np.stack([rng.permutation([1.0] * 5 + [0.0] * 5) for _ in range(80)])
    even = rasch(rows.reshape(-1), np.tile(np.arange(10), 80), np.repeat(np.arange(80), 10))
    assert even.reason == "questions do not differ in difficulty beyond chance"
