"""Rank bands: which ranks of each model the data do not exclude."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vmevalkit.stats._arrays import Floats, Labels, as_floats, check_confidence, check_same_length, encode
from vmevalkit.stats.bootstrap import resample_rows
from vmevalkit.stats.comparison import mcnemar_exact, paired_t_test
from vmevalkit.stats.multiplicity import holm


@dataclass(frozen=True, slots=True)
class QuestionMatrix:
    """Item means of several models on their common questions."""

    means: Floats
    """One line for each common question, one column for each model."""
    questions: tuple[Any, ...]
    """Labels of the lines."""
    models: tuple[Any, ...]
    """Labels of the columns."""
    left_out: int
    """Questions that at least one model has no score for."""
    has_single_samples: bool
    """Whether every model has one sample for each common question."""


def question_matrix(values: ArrayLike, models: Labels, questions: Labels) -> QuestionMatrix:
    """Return the item means of every model on the questions that all models have scores for."""
    array = as_floats(values)
    check_same_length(array, models, "values and models")
    check_same_length(array, questions, "values and questions")
    by_model, by_question = encode(models), encode(questions)
    shape = (len(by_question.levels), len(by_model.levels))
    cells = by_question.codes * max(shape[1], 1) + by_model.codes
    counts = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
    sums = np.bincount(cells, weights=array, minlength=shape[0] * shape[1]).reshape(shape)
    complete = np.asarray((counts > 0).all(axis=1))
    kept = tuple(question for question, keep in zip(by_question.levels, complete, strict=True) if keep)
    means = sums[complete] / counts[complete]
    single = bool((counts[complete] == 1).all())
    return QuestionMatrix(means, kept, by_model.levels, int((~complete).sum()), single)


@dataclass(frozen=True, slots=True)
class RankBand:
    """Ranks of one model that the data do not exclude."""

    mean: float
    """Mean over the common questions."""
    rank: int
    """Rank by the mean; models with equal means share the better rank."""
    best: int
    """One more than the number of models that are significantly better."""
    worst: int
    """Number of models less those that are significantly worse."""
    share_first: float
    """Share of bootstrap resamples of the questions in which the model is first; ties are split."""


@dataclass(frozen=True, slots=True)
class RankBands:
    """A ranking of models with simultaneous bands."""

    bands: Mapping[Any, RankBand]
    """Band of each model, best mean first."""
    p_values: Mapping[tuple[Any, Any], float]
    """Holm's adjusted p-value of each pair."""
    questions: int
    """Common questions compared on."""
    questions_left_out: int
    """Questions that at least one model has no score for."""
    alpha: float
    """Chance that any band is wrong."""
    reason: str | None = None
    """Why there are no bands."""


def rank_bands(
    values: ArrayLike,
    models: Labels,
    questions: Labels,
    alpha: float = 0.05,
    *,
    n_bootstrap: int = 2000,
    seed: int = 0,
) -> RankBands:
    """Return the rank band of each model from all pairwise comparisons, corrected by Holm.

    Pairs with one sample of 0 or 1 a question are compared by McNemar's exact test, others by the paired t-test. All
    bands hold the true ranks together with a chance of at least 1 - alpha.
    """
    check_confidence(alpha, "alpha")
    matrix = question_matrix(values, models, questions)
    n, m = matrix.means.shape
    reason = _why_no_ranking(n, m)
    if reason:
        return RankBands({}, {}, n, matrix.left_out, alpha, reason)
    pairs = list(combinations(range(m), 2))
    exact = matrix.has_single_samples and bool(np.isin(matrix.means, (0.0, 1.0)).all())
    family = holm({f"{i} {j}": _pair_p(matrix.means[:, i] - matrix.means[:, j], exact) for i, j in pairs}, alpha)
    overall = matrix.means.mean(axis=0)
    better = np.zeros((m, m), dtype=bool)
    adjusted = {}
    for i, j in pairs:
        test = family.tests[f"{i} {j}"]
        adjusted[matrix.models[i], matrix.models[j]] = 1.0 if test.adjusted is None else test.adjusted
        if test.is_rejected:
            better[(i, j) if overall[i] > overall[j] else (j, i)] = True
    first = _share_first(matrix.means, n_bootstrap, seed)
    # Sums of the same values in another order differ in the last bit; such means are a tie.
    ranks = [1 + int((overall > mean + 1e-12).sum()) for mean in overall]
    bands = {
        matrix.models[i]: RankBand(
            float(overall[i]),
            ranks[i],
            1 + int(better[:, i].sum()),
            m - int(better[i].sum()),
            float(first[i]),
        )
        for i in sorted(range(m), key=lambda i: ranks[i])
    }
    return RankBands(bands, adjusted, n, matrix.left_out, alpha)


def _why_no_ranking(n: int, m: int) -> str | None:
    if m < 2:
        return f"a ranking needs two models or more, there are {m}"
    if n < 2:
        return f"a ranking needs two questions that all models have scores for, there are {n}"
    return None


def _pair_p(differences: Floats, exact: bool) -> float:
    """Return the p-value of one pair; differences without spread are compared by their signs."""
    if exact or np.ptp(differences) == 0:
        p = mcnemar_exact(int((differences > 0).sum()), int((differences < 0).sum())).p_value
        return 1.0 if p is None else p  # no question separates the two
    p = paired_t_test(differences).p_value
    return 1.0 if p is None else p


def _share_first(means: Floats, n_bootstrap: int, seed: int) -> Floats:
    rows, counts = np.unique(means, axis=0, return_counts=True)
    draws = resample_rows(rows, counts, n_bootstrap, seed)
    is_first = draws >= draws.max(axis=1, keepdims=True) - 1e-12
    share: Floats = (is_first / is_first.sum(axis=1, keepdims=True)).mean(axis=0)
    return share
