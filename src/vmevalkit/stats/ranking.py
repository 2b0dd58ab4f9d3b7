"""Rank bands: which ranks of each model the data do not exclude."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vmevalkit.stats._arrays import Floats, Integers, Labels, as_floats, check_confidence, check_same_length, encode
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


@dataclass(frozen=True, slots=True)
class _Table:
    """Item means of several models, with gaps."""

    means: Floats
    """One line for each question, one column for each model; 0 where there is none."""
    counts: Integers
    """Samples of each model on each question."""
    questions: tuple[Any, ...]
    """Labels of the lines."""
    models: tuple[Any, ...]
    """Labels of the columns."""

    @property
    def has(self) -> NDArray[np.bool_]:
        """Whether a model has a score of a question."""
        return self.counts > 0

    def is_single_binary(self, first: int, second: int, rows: Integers) -> bool:
        """Return whether two models have one sample of 0 or 1 for each of some questions."""
        own = np.ix_(rows, np.array([first, second]))
        return bool((self.counts[own] == 1).all() and np.isin(self.means[own], (0.0, 1.0)).all())


def _tabulate(values: ArrayLike, models: Labels, questions: Labels) -> _Table:
    array = as_floats(values)
    check_same_length(array, models, "values and models")
    check_same_length(array, questions, "values and questions")
    by_model, by_question = encode(models), encode(questions)
    shape = (len(by_question.levels), len(by_model.levels))
    cells = by_question.codes * max(shape[1], 1) + by_model.codes
    counts = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
    sums = np.bincount(cells, weights=array, minlength=shape[0] * shape[1]).reshape(shape)
    return _Table(sums / np.maximum(counts, 1), counts, by_question.levels, by_model.levels)


def question_matrix(values: ArrayLike, models: Labels, questions: Labels) -> QuestionMatrix:
    """Return the item means of every model on the questions that all models have scores for."""
    table = _tabulate(values, models, questions)
    complete = np.asarray(table.has.all(axis=1))
    kept = tuple(question for question, keep in zip(table.questions, complete, strict=True) if keep)
    return QuestionMatrix(table.means[complete], kept, table.models, int((~complete).sum()))


@dataclass(frozen=True, slots=True)
class RankBand:
    """Ranks of one model that the data do not exclude."""

    mean: float
    """Mean over the model's own questions."""
    rank: int
    """One more than the number of models that have a larger mean on the questions both have scores for."""
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
    """Band of each model, the best rank first."""
    p_values: Mapping[tuple[Any, Any], float]
    """Holm's adjusted p-value of each pair."""
    questions: int
    """Questions that two models or more have scores for."""
    questions_left_out: int
    """Questions that at least one model has no score for; pairs that both have one are compared on them."""
    common: tuple[int, int]
    """Smallest and largest number of questions that two models have in common."""
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

    Each pair is compared on the questions that both have scores for, so a model with few questions widens the bands of
    its own pairs only. Pairs with one sample of 0 or 1 a question are compared by McNemar's exact test, others by the
    paired t-test. All bands hold the true ranks together with a chance of at least 1 - alpha.
    """
    check_confidence(alpha, "alpha")
    table = _tabulate(values, models, questions)
    m = len(table.models)
    pairs = list(combinations(range(m), 2))
    shared = [np.flatnonzero(table.has[:, i] & table.has[:, j]) for i, j in pairs]
    counts = [len(rows) for rows in shared]
    seen = int((table.has.sum(axis=1) > 1).sum())
    left_out, common = int((~table.has.all(axis=1)).sum()), (min(counts, default=0), max(counts, default=0))
    reason = _why_no_ranking(common[1], m)
    if reason:
        return RankBands({}, {}, seen, left_out, common, alpha, reason)
    differences = [table.means[rows, i] - table.means[rows, j] for (i, j), rows in zip(pairs, shared, strict=True)]
    exact = [table.is_single_binary(i, j, rows) for (i, j), rows in zip(pairs, shared, strict=True)]
    family = holm({str(k): _pair_p(d, exact[k]) for k, d in enumerate(differences)}, alpha)
    better, ahead = np.zeros((m, m), dtype=bool), np.zeros((m, m), dtype=bool)
    adjusted = {}
    for k, (i, j) in enumerate(pairs):
        test, mean = family.tests[str(k)], float(differences[k].mean()) if len(differences[k]) else 0.0
        adjusted[table.models[i], table.models[j]] = 1.0 if test.adjusted is None else test.adjusted
        if abs(mean) > 1e-12:  # sums of the same values in another order differ in the last bit; that is a tie
            winner, loser = (i, j) if mean > 0 else (j, i)
            ahead[winner, loser] = True
            better[winner, loser] = test.is_rejected
    first = _share_first(table, pairs, n_bootstrap, seed)
    ranks = 1 + ahead.sum(axis=0)
    bands = {
        table.models[i]: RankBand(
            float(table.means[table.has[:, i], i].mean()),
            int(ranks[i]),
            1 + int(better[:, i].sum()),
            m - int(better[i].sum()),
            float(first[i]),
        )
        for i in sorted(range(m), key=lambda i: int(ranks[i]))
    }
    return RankBands(bands, adjusted, seen, left_out, common, alpha)


def _why_no_ranking(most_common: int, m: int) -> str | None:
    if m < 2:
        return f"a ranking needs two models or more, there are {m}"
    if most_common < 2:
        return f"a ranking needs two questions that two models have scores for, there are {most_common}"
    return None


def _pair_p(differences: Floats, exact: bool) -> float:
    """Return the p-value of one pair; differences without spread are compared by their signs."""
    if len(differences) and (exact or np.ptp(differences) == 0):
        p = mcnemar_exact(int((differences > 0).sum()), int((differences < 0).sum())).p_value
        return 1.0 if p is None else p  # no question separates the two
    p = paired_t_test(differences).p_value
    return 1.0 if p is None else p


def _share_first(table: _Table, pairs: list[tuple[int, int]], n_bootstrap: int, seed: int) -> Floats:
    """Return how often each model wins against the most others, each on the questions that both have."""
    rows, counts = np.unique(np.where(table.has, table.means, -1.0), axis=0, return_counts=True)
    has = rows >= 0
    i, j = np.array(pairs).T
    differences = np.where(has[:, i] & has[:, j], rows[:, i] - rows[:, j], 0.0)
    draws = resample_rows(differences, counts, n_bootstrap, seed)
    signs = np.where(np.abs(draws) > 1e-12, np.sign(draws), 0.0)
    wins = np.zeros((n_bootstrap, len(table.models)))
    for k, (a, b) in enumerate(pairs):
        wins[:, a] += signs[:, k]
        wins[:, b] -= signs[:, k]
    is_first = wins >= wins.max(axis=1, keepdims=True) - 1e-12
    share: Floats = (is_first / is_first.sum(axis=1, keepdims=True)).mean(axis=0)
    return share
