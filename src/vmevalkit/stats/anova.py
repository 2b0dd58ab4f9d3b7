"""Analysis of variance, Tukey's comparisons, and the rank tests for ordinal scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from vmevalkit.stats._arrays import Coded, Floats, Labels, as_floats, check_confidence, check_same_length, encode
from vmevalkit.stats._studentized_range import studentized_range_quantile, studentized_range_sf
from vmevalkit.stats.ranking import question_matrix
from vmevalkit.stats.records import HypothesisTest, missing_test

REPEATED_MEASURES = "repeated measures, Greenhouse-Geisser"


def split_groups(values: ArrayLike, groups: Labels) -> dict[Any, Floats]:
    """Return the values of each group, by its label in sorted order."""
    array = as_floats(values)
    check_same_length(array, groups, "values and groups")
    coded = encode(groups)
    order = np.argsort(coded.codes, kind="stable")
    parts = np.split(array[order], np.cumsum(coded.counts)[:-1]) if len(array) else []
    return dict(zip(coded.levels, parts, strict=True))


def _why_no_test(groups: Mapping[Any, Floats]) -> str | None:
    """Return why groups cannot be compared, or None."""
    if len(groups) < 2:
        return f"a comparison needs two groups or more, there {'is' if len(groups) == 1 else 'are'} {len(groups)}"
    n = sum(len(group) for group in groups.values())
    if n <= len(groups):
        return f"{n} values in {len(groups)} groups leave nothing to estimate the error from"
    if max(float(group.max()) for group in groups.values()) == min(float(group.min()) for group in groups.values()):
        return f"all {n} values are equal"
    return None


@dataclass(frozen=True, slots=True)
class VarianceTerm:
    """One line of an analysis of variance."""

    name: str
    """The factor, the interaction or the residual."""
    sum_squares: float
    """Sum of squares."""
    df: int
    """Degrees of freedom."""
    f: float | None
    """F statistic; the residual has none."""
    p_value: float | None
    """P-value of F."""
    partial_eta_squared: float | None
    """Sum of squares over itself and the residual's."""
    reason: str | None = None
    """Why F is missing."""


@dataclass(frozen=True, slots=True)
class Anova:
    """An analysis of variance."""

    terms: Mapping[str, VarianceTerm]
    """Each term by its name, the residual last."""
    n: int
    """Number of values."""
    reason: str | None = None
    """Why there is no analysis."""


def _f_term(name: str, squares: float, df: int, residual: float, residual_df: int) -> VarianceTerm:
    f = (squares / df) / (residual / residual_df)
    p = float(special.fdtrc(df, residual_df, f))
    return VarianceTerm(name, squares, df, f, p, squares / (squares + residual))


def _residual_term(squares: float, df: int) -> VarianceTerm:
    return VarianceTerm("residual", squares, df, None, None, None, "the residual is what the terms are tested against")


def one_way_anova(values: ArrayLike, groups: Labels, name: str = "group") -> Anova:
    """Return the one-way analysis of variance. It takes every value as independent."""
    parts = split_groups(values, groups)
    n = sum(len(part) for part in parts.values())
    reason = _why_no_test(parts)
    if reason:
        return Anova({}, n, reason)
    grand = sum(float(part.sum()) for part in parts.values()) / n
    between = sum(len(part) * (float(part.mean()) - grand) ** 2 for part in parts.values())
    within = sum(float(((part - part.mean()) ** 2).sum()) for part in parts.values())
    if within <= 1e-12 * (between + within):
        return Anova({}, n, "values do not vary inside any group, so F is infinite")
    df = n - len(parts)
    return Anova({name: _f_term(name, between, len(parts) - 1, within, df), "residual": _residual_term(within, df)}, n)


def two_way_anova(
    values: ArrayLike, first: Labels, second: Labels, names: tuple[str, str] = ("model", "domain")
) -> Anova:
    """Return the two-way analysis of variance with the interaction tested, by type II sums of squares.

    Type II equals the textbook's sums in a balanced design and does not depend on the coding in an unbalanced one. A
    combination without values reduces the degrees of freedom of the interaction. Every value counts as independent.
    """
    array = as_floats(values)
    check_same_length(array, first, "values and the first factor")
    check_same_length(array, second, "values and the second factor")
    a, b = encode(first), encode(second)
    for coded, name in ((a, names[0]), (b, names[1])):
        if len(coded.levels) < 2:
            return Anova({}, len(array), f"two {name}s or more are needed, there are {len(coded.levels)}")
    counts, means, within = _cells(array, a, b)
    observed = counts > 0
    df = len(array) - int(observed.sum())
    if df < 1:
        return Anova({}, len(array), "one value in each combination leaves nothing to test the interaction against")
    if within <= 1e-12 * max(float(((array - array.mean()) ** 2).sum()), 1e-300):
        return Anova({}, len(array), "values do not vary inside any combination, so F is undefined")
    squares = _type_two(counts, means)
    interaction = f"{names[0]}:{names[1]}"
    terms = {}
    for name, (square, term_df) in zip((*names, interaction), squares, strict=True):
        if term_df < 1:
            reason = "empty combinations leave this term no degrees of freedom"
            terms[name] = VarianceTerm(name, square, term_df, None, None, None, reason)
        else:
            terms[name] = _f_term(name, square, term_df, within, df)
    terms["residual"] = _residual_term(within, df)
    return Anova(terms, len(array))


def _cells(values: Floats, a: Coded, b: Coded) -> tuple[Floats, Floats, float]:
    """Return counts and means of each combination, and the sum of squares inside them."""
    shape = (len(a.levels), len(b.levels))
    cell = a.codes * shape[1] + b.codes
    counts = np.bincount(cell, minlength=shape[0] * shape[1]).astype(float)
    means = np.bincount(cell, weights=values, minlength=shape[0] * shape[1]) / np.maximum(counts, 1)
    within = float(((values - means[cell]) ** 2).sum())
    return counts.reshape(shape), means.reshape(shape), within


def _type_two(counts: Floats, means: Floats) -> list[tuple[float, int]]:
    """Return (sum of squares, degrees of freedom) of both factors and the interaction.

    Least squares on the cell means, weighted by counts, has the same differences of sums of squares as on the values.
    """
    rows, columns = np.nonzero(counts)
    weights = np.sqrt(counts[rows, columns])
    y = means[rows, columns] * weights
    first = np.eye(counts.shape[0])[rows] * weights[:, None]
    second = np.eye(counts.shape[1])[columns] * weights[:, None]

    def fit(*parts: Floats) -> tuple[float, int]:
        design = np.hstack(parts)
        solution, _, rank, _ = np.linalg.lstsq(design, y, rcond=None)
        return float(((y - design @ solution) ** 2).sum()), int(rank)

    (left_first, rank_first), (left_second, rank_second) = fit(first), fit(second)
    left_both, rank_both = fit(first, second)
    return [
        (max(left_second - left_both, 0.0), rank_both - rank_second),
        (max(left_first - left_both, 0.0), rank_both - rank_first),
        (left_both, len(y) - rank_both),
    ]


def repeated_measures_anova(values: ArrayLike, models: Labels, questions: Labels) -> HypothesisTest:
    """Return the F test of models with question effects, on the questions that all models have values for.

    The degrees of freedom are reduced by Greenhouse and Geisser's epsilon, since pairs of models may differ in how
    much their values vary together. With two models it is the paired t-test.
    """
    matrix = question_matrix(values, models, questions)
    n, m = matrix.means.shape
    reason = None
    if m < 2:
        reason = f"two models or more are needed, there {'is' if m == 1 else 'are'} {m}"
    elif n < 2:
        reason = f"two questions that all models have scores for are needed, there are {n}"
    if reason:
        return missing_test(REPEATED_MEASURES, reason, n)
    centered = matrix.means - matrix.means.mean(axis=1, keepdims=True)
    effects = centered.mean(axis=0)
    covariance = np.cov(centered, rowvar=False)
    trace = float(np.trace(covariance))
    if trace <= 1e-12:
        return missing_test(
            REPEATED_MEASURES, "models differ equally on every question, so no error can be estimated", n
        )
    epsilon = trace**2 / ((m - 1) * float((covariance**2).sum()))
    f = n * float((effects**2).sum()) / trace
    df = ((m - 1) * epsilon, (m - 1) * (n - 1) * epsilon)
    return HypothesisTest(REPEATED_MEASURES, f, df, float(special.fdtrc(*df, f)), n)


@dataclass(frozen=True, slots=True)
class TukeyPair:
    """One pair of groups in Tukey's comparison."""

    difference: float
    """Mean of the first group less that of the second."""
    low: float
    """Lower bound of the simultaneous interval."""
    high: float
    """Upper bound of the simultaneous interval."""
    p_value: float
    """P-value corrected for all pairs."""


@dataclass(frozen=True, slots=True)
class Tukey:
    """Tukey's honestly significant differences (Tukey-Kramer where group sizes differ)."""

    pairs: Mapping[tuple[Any, Any], TukeyPair]
    """Each pair of group labels."""
    confidence: float
    """Chance that all intervals hold together."""
    reason: str | None = None
    """Why there are no pairs."""


def tukey_hsd(values: ArrayLike, groups: Labels, confidence: float = 0.95) -> Tukey:
    """Return Tukey's comparison of all pairs of groups."""
    check_confidence(confidence)
    parts = split_groups(values, groups)
    reason = _why_no_test(parts)
    if not reason and all(np.ptp(part) == 0 for part in parts.values()):
        reason = "values do not vary inside any group"
    if reason:
        return Tukey({}, confidence, reason)
    labels, sizes = list(parts), np.array([len(part) for part in parts.values()])
    means = np.array([part.mean() for part in parts.values()])
    df = int(sizes.sum()) - len(labels)
    error = sum(float(((part - part.mean()) ** 2).sum()) for part in parts.values()) / df
    critical = studentized_range_quantile(confidence, len(labels), df)
    i, j = np.triu_indices(len(labels), 1)
    spreads = np.sqrt(error / 2 * (1 / sizes[i] + 1 / sizes[j]))
    differences = means[i] - means[j]
    p_values = studentized_range_sf(np.abs(differences) / spreads, len(labels), df)
    pairs = {
        (labels[a], labels[b]): TukeyPair(d, d - critical * spread, d + critical * spread, p)
        for a, b, d, spread, p in zip(
            i.tolist(), j.tolist(), differences.tolist(), spreads.tolist(), p_values.tolist(), strict=True
        )
    }
    return Tukey(pairs, confidence)


def kruskal_wallis(values: ArrayLike, groups: Labels) -> HypothesisTest:
    """Return the Kruskal-Wallis test, for ordinal scores of independent groups."""
    name = "Kruskal-Wallis"
    parts = split_groups(values, groups)
    n = sum(len(part) for part in parts.values())
    reason = _why_no_test(parts)
    if reason:
        return missing_test(name, reason, n)
    result = stats.kruskal(*parts.values())
    return HypothesisTest(name, float(result.statistic), (len(parts) - 1,), float(result.pvalue), n)


@dataclass(frozen=True, slots=True)
class Friedman:
    """Friedman's test of models on their common questions."""

    test: HypothesisTest
    """The test; ``n`` is the number of common questions."""
    kendalls_w: float | None
    """Agreement of the questions about the order of the models, from 0 to 1."""
    questions_left_out: int
    """Questions that at least one model has no score for."""
    reason: str | None = None
    """Why W is missing."""


def friedman(values: ArrayLike, models: Labels, questions: Labels) -> Friedman:
    """Return Friedman's test, for ordinal scores of three or more models on the same questions."""
    name = "Friedman"
    matrix = question_matrix(values, models, questions)
    n, m = matrix.means.shape
    reason = None
    if m < 3:
        reason = f"Friedman's test needs three models or more, there are {m}; compare two by the paired tests"
    elif n < 2:
        reason = f"Friedman's test needs two questions that all models have scores for, there are {n}"
    elif (np.ptp(matrix.means, axis=1) == 0).all():
        reason = "on every question all models have the same score"
    if reason:
        return Friedman(missing_test(name, reason, n), None, matrix.left_out, reason)
    result = stats.friedmanchisquare(*matrix.means.T)
    statistic = float(result.statistic)
    test = HypothesisTest(name, statistic, (m - 1,), float(result.pvalue), n)
    return Friedman(test, statistic / (n * (m - 1)), matrix.left_out)
