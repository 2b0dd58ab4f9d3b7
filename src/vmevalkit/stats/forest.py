"""Random forest for success, with permutation importance on questions that the trees did not see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vmevalkit.stats._arrays import Floats, Integers, Labels, as_successes, check_same_length, encode
from vmevalkit.stats.records import MissingPackage

FEATURES = ("model_family", "domain_type", "task_complexity", "visual_elements")


@dataclass(frozen=True, slots=True)
class Importance:
    """Importance of one feature on questions that the trees did not see."""

    drop: float
    """Mean loss of the area under the ROC curve when the feature is permuted."""
    spread: float
    """Standard deviation of the loss over permutations; it is not the error of drawing other questions."""
    share: float | None
    """Share of the positive losses of all features."""
    reason: str | None = None
    """Why the share is missing."""


@dataclass(frozen=True, slots=True)
class Forest:
    """A random forest for success, validated in groups by question."""

    importance: Mapping[str, Importance]
    """Each feature, the most important first."""
    auc: float | None
    """Area under the ROC curve on questions that the trees did not see; 0.5 is chance."""
    accuracy: float | None
    """Share of right predictions on such questions."""
    majority: float | None
    """Share of the more frequent outcome: the accuracy of a constant guess."""
    n: int
    """Number of samples."""
    questions: int
    """Number of questions."""
    trees: int
    """Number of trees of each forest."""
    reason: str | None = None
    """Why there is no forest."""


def success_forest(
    features: Mapping[str, Labels],
    successes: ArrayLike,
    questions: Labels,
    *,
    trees: int = 1000,
    folds: int = 5,
    repeats: int = 5,
    seed: int = 42,
) -> Forest:
    """Return a random forest's view of what success depends on.

    ``features`` maps names to one value for each sample; the specification's four are in ``FEATURES``. Numbers are used
    as they are, other values as one column for each level. All samples of a question are in the same fold.
    """
    y = as_successes(successes)
    check_same_length(y, questions, "successes and questions")
    if not features:
        raise ValueError("the forest needs at least one feature")
    for name, column in features.items():
        check_same_length(y, column, f"successes and feature {name!r}")
    coded = encode(questions)
    n_questions = len(coded.levels)
    reason = None
    if n_questions < 2 * folds:
        reason = f"{folds} folds need {2 * folds} questions or more, there are {n_questions}"
    elif np.ptp(y) == 0:
        reason = f"all {len(y)} samples {'passed' if y[0] else 'failed'}"
    if reason:
        return Forest({}, None, None, None, len(y), n_questions, trees, reason)
    blocks = {name: _columns(column) for name, column in features.items()}
    rng = np.random.default_rng(seed)
    fold_of_question = rng.permutation(np.arange(n_questions) % folds)
    whole, permuted = _predict(blocks, y, fold_of_question[coded.codes], folds, trees, repeats, seed)
    auc = roc_auc(y, whole)
    drops = {name: np.array([auc - roc_auc(y, draw) for draw in draws]) for name, draws in permuted.items()}
    return Forest(
        _importance(drops),
        auc,
        float(((whole > 0.5) == (y == 1)).mean()),
        float(max(y.mean(), 1 - y.mean())),
        len(y),
        n_questions,
        trees,
    )


def _predict(
    blocks: Mapping[str, Floats], y: Floats, fold: Integers, folds: int, trees: int, repeats: int, seed: int
) -> tuple[Floats, dict[str, Floats]]:
    """Return the predicted chance of success of each sample, and again with each feature permuted in turn."""
    try:
        from sklearn.ensemble import RandomForestClassifier
    except ImportError as error:
        raise MissingPackage("scikit-learn", "The random forest") from error

    rng = np.random.default_rng(seed)
    whole, permuted = np.empty(len(y)), {name: np.empty((repeats, len(y))) for name in blocks}
    for k in range(folds):
        seen, unseen = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        forest = RandomForestClassifier(n_estimators=trees, random_state=seed, n_jobs=1)
        forest.fit(np.hstack([block[seen] for block in blocks.values()]), y[seen])
        whole[unseen] = _chance(forest, [block[unseen] for block in blocks.values()])
        for name, repeat in product(blocks, range(repeats)):
            order = rng.permutation(unseen)
            parts = [block[order if other == name else unseen] for other, block in blocks.items()]
            permuted[name][repeat, unseen] = _chance(forest, parts)
    return whole, permuted


def _chance(forest: Any, parts: list[Floats]) -> Floats:
    """Return the predicted chance of success of each line."""
    # Every line of the same features has the same prediction, and there are few kinds of lines.
    lines, kind = np.unique(np.hstack(parts), axis=0, return_inverse=True)
    place = np.flatnonzero(forest.classes_ == 1.0)
    if not place.size:  # every sample that the trees saw failed
        return np.zeros(kind.size)
    predicted: Floats = forest.predict_proba(lines)[:, place[0]][kind.reshape(-1)]
    return predicted


def _columns(column: Labels) -> Floats:
    array = np.asarray(column)
    if array.dtype.kind in "iufb":
        return array.astype(np.float64)[:, None]
    coded = encode(column)
    return np.eye(len(coded.levels))[coded.codes]


def _importance(drops: Mapping[str, Floats]) -> dict[str, Importance]:
    means = {name: float(drop.mean()) for name, drop in drops.items()}
    total = sum(max(mean, 0.0) for mean in means.values())
    found = {}
    for name in sorted(means, key=lambda name: -means[name]):
        spread = float(drops[name].std(ddof=1)) if len(drops[name]) > 1 else 0.0
        share = max(means[name], 0.0) / total if total > 0 else None
        reason = None if total > 0 else "no feature predicts success on new questions"
        found[name] = Importance(means[name], spread, share, reason)
    return found


def roc_auc(successes: ArrayLike, scores: ArrayLike) -> float:
    """Return the area under the ROC curve; ties count half."""
    y, s = as_successes(successes), np.asarray(scores, dtype=np.float64)
    positive = int(y.sum())
    negative = len(y) - positive
    if not positive or not negative:
        raise ValueError("the area under the ROC curve needs passed and failed samples")
    order = np.unique(s, return_inverse=True, return_counts=True)
    last = np.cumsum(order[2])
    ranks = (last - (order[2] - 1) / 2)[order[1].reshape(-1)]
    return float((ranks[y == 1].sum() - positive * (positive + 1) / 2) / (positive * negative))
