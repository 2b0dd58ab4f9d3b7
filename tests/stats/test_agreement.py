"""Agreement against statsmodels, scikit-learn, scipy and Krippendorff's published example."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa as reference_kappa

from vmevalkit.stats.agreement import cohens_kappa, confusion, percent_agreement
from vmevalkit.stats.correlation import pearson, spearman
from vmevalkit.stats.intervals import wilson
from vmevalkit.stats.krippendorff import alpha_of_judges, krippendorffs_alpha

RNG = np.random.default_rng(0)
FIRST = RNG.integers(1, 6, 150)
SECOND = np.clip(FIRST + RNG.choice([-1, 0, 0, 0, 1, 2], 150), 1, 5)

NAN = float("nan")
# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011): four observers, twelve units.
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]


@pytest.mark.parametrize(
    ("metric", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_krippendorffs_published_example(metric: str, value: float) -> None:
    alpha = krippendorffs_alpha(PUBLISHED, metric)
    assert alpha.value == pytest.approx(value, abs=5e-4)
    assert alpha.n == 11
    assert alpha.low < alpha.value < alpha.high


def test_alpha_of_two_complete_judges_by_hand() -> None:
    """Nominal alpha is 1 - (n - 1) * disagreements / sum of n_c * n_k."""
    values = np.concatenate([FIRST, SECOND])
    counts = np.bincount(values)
    pairs = len(values) ** 2 - (counts**2).sum()
    by_hand = 1 - (len(values) - 1) * 2 * (FIRST != SECOND).sum() / pairs
    assert krippendorffs_alpha([FIRST, SECOND], "nominal").value == pytest.approx(by_hand, abs=1e-12)


def test_alpha_from_labels_of_judges() -> None:
    labels = {
        f"judge{i}": {f"unit{j:02d}": value for j, value in enumerate(row) if value == value}
        for i, row in enumerate(PUBLISHED)
    }
    assert alpha_of_judges(labels) == krippendorffs_alpha(PUBLISHED)
    assert alpha_of_judges({}).reason == "there are no labels"


def test_alpha_reasons_and_wrong_calls() -> None:
    assert krippendorffs_alpha([[1, NAN], [NAN, 2]]).reason == "no unit has two labels or more"
    assert krippendorffs_alpha([[1, 1], [1, 1]]).reason == "every label is the same, so alpha is undefined"
    perfect = krippendorffs_alpha([[1, 2, 3], [1, 2, 3]])
    assert (perfect.value, perfect.reason) == (1.0, "the judges agree on every unit")
    with pytest.raises(ValueError, match="matrix of judges by units"):
        krippendorffs_alpha([1, 2])
    with pytest.raises(ValueError, match="metric must be"):
        krippendorffs_alpha([[1, 2], [1, 2]], "circular")


@pytest.mark.parametrize(
    ("weights", "theirs", "sklearn"),
    [("unweighted", None, None), ("linear", "linear", "linear"), ("quadratic", "quadratic", "quadratic")],
)
def test_kappa_equals_statsmodels_and_scikit_learn(weights: str, theirs: str | None, sklearn: str | None) -> None:
    table = np.zeros((5, 5))
    np.add.at(table, (FIRST - 1, SECOND - 1), 1)
    reference = reference_kappa(table, wt=theirs)
    ours = cohens_kappa(FIRST, SECOND, weights)
    assert ours.value == pytest.approx(reference.kappa, abs=1e-9)
    assert (ours.low, ours.high) == pytest.approx((reference.kappa_low, reference.kappa_upp), abs=1e-9)
    assert ours.value == pytest.approx(cohen_kappa_score(FIRST, SECOND, weights=sklearn), abs=1e-9)


def test_weights_use_values_of_labels_not_their_order() -> None:
    """Judges who never give a 3 and a 4 still differ by the distance of 2 and 5."""
    first, second = np.array([1, 2, 5, 1, 2, 5, 2]), np.array([1, 5, 5, 1, 2, 2, 1])
    full = cohens_kappa(first, second, "linear", labels=[1, 2, 3, 4, 5])
    assert cohens_kappa(first, second, "linear").value == pytest.approx(full.value)


def test_percent_and_confusion() -> None:
    same = int((FIRST == SECOND).sum())
    percent = percent_agreement(FIRST, SECOND)
    assert (percent.value, percent.low, percent.high) == (same / 150, *wilson(same, 150))
    table = confusion(FIRST, SECOND, labels=[1, 2, 3, 4, 5, 6])
    assert np.trace(table.counts) == same
    assert table.counts.sum() == table.n == 150
    assert table.shares[0][0].value == pytest.approx(table.counts[0, 0] / table.counts[0].sum())
    assert table.shares[5][0].reason == "the first judge did not give this label"
    with pytest.raises(ValueError, match="label 5 is not one of"):
        confusion(FIRST, SECOND, labels=[1, 2, 3, 4])


def test_judges_of_words() -> None:
    assert percent_agreement(["yes", "no"], ["yes", "yes"]).value == 0.5
    assert cohens_kappa(["yes", "no"] * 5, ["yes", "yes", "no", "no", "no"] * 2).n == 10


def test_kappa_reasons() -> None:
    assert cohens_kappa([], []).reason == "there are no pairs"
    assert cohens_kappa([1, 1], [1, 1]).reason == "both judges gave one and the same label throughout"
    perfect = cohens_kappa([1, 2, 1], [1, 2, 1])
    assert (perfect.value, perfect.low) == (1.0, None)
    with pytest.raises(ValueError, match="weights must be"):
        cohens_kappa([1, 2], [1, 2], "cubic")


def test_correlations_equal_scipy() -> None:
    theirs = stats.pearsonr(FIRST, SECOND)
    ours = pearson(FIRST, SECOND)
    assert ours.value == pytest.approx(theirs.statistic, abs=1e-12)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval(0.95)), abs=1e-9)
    ranked = spearman(FIRST, SECOND)
    assert ranked.value == pytest.approx(stats.spearmanr(FIRST, SECOND).statistic, abs=1e-12)
    half = stats.norm.ppf(0.975) * np.sqrt((1 + ranked.value**2 / 2) / 147)
    assert ranked.low == pytest.approx(np.tanh(np.arctanh(ranked.value) - half), abs=1e-12)


def test_correlation_reasons() -> None:
    assert pearson([1], [1]).reason == "a correlation needs two pairs or more, there are 1"
    assert pearson([1, 1, 1], [1, 2, 3]).reason == "all values of the first variable are equal"
    assert pearson([1, 2, 3], [1, 3, 2]).reason == "an interval needs four pairs or more, there are 3"
    assert spearman([1, 2, 3, 4], [1, 2, 3, 4]).reason.startswith("the correlation is perfect")
