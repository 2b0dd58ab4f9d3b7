"""The random forest on data whose answer is known."""

from __future__ import annotations

import inspect
import sys

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from vmevalkit.stats.forest import FEATURES, roc_auc, success_forest
from vmevalkit.stats.records import MissingPackage


def simulate(seed: int, questions: int = 60) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Success depends on the family most, on the domain less, and on nothing else."""
    rng = np.random.default_rng(seed)
    question = np.repeat(np.arange(questions), 6)
    family = np.tile(np.arange(6), questions)
    domain, complexity = rng.integers(0, 4, questions)[question], rng.random(questions)[question]
    logit = 1.6 * (family - 2.5) + 0.8 * (domain - 1.5)
    success = (rng.random(len(logit)) < 1 / (1 + np.exp(-logit))).astype(float)
    names = np.array(["sora", "veo", "runway", "wan", "luma", "kling"])
    columns = (names[family], np.array(list("abcd"))[domain], complexity, rng.integers(1, 9, questions)[question])
    return dict(zip(FEATURES, columns, strict=True)), success, question


def test_importance_follows_the_effects() -> None:
    forest = success_forest(*simulate(0), trees=60)
    assert list(forest.importance)[:2] == ["model_family", "domain_type"]
    assert forest.auc > 0.8
    assert forest.accuracy > forest.majority
    assert sum(item.share for item in forest.importance.values()) == pytest.approx(1)
    noise = [forest.importance[name].share for name in ("task_complexity", "visual_elements")]
    assert max(noise) < 0.15


def test_a_question_that_the_trees_have_seen_is_not_evidence() -> None:
    """A feature that only names the question predicts its success among seen questions, and nothing among new ones."""
    rng = np.random.default_rng(1)
    question = np.repeat(np.arange(60), 6)
    solved = rng.integers(0, 2, 60)[question]
    success = np.where(rng.random(360) < 0.9, solved, 1 - solved).astype(float)
    forest = success_forest({"question_number": question.astype(float)}, success, question, trees=60)
    assert abs(forest.auc - 0.5) < 0.15


def test_the_same_seed_gives_the_same_forest() -> None:
    data = simulate(2, 20)
    assert success_forest(*data, trees=10, repeats=2) == success_forest(*data, trees=10, repeats=2)


def test_the_default_is_a_thousand_trees() -> None:
    assert inspect.signature(success_forest).parameters["trees"].default == 1000


def test_auc_equals_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 200), np.round(rng.random(200), 1)
    assert roc_auc(y, score) == pytest.approx(roc_auc_score(y, score), abs=1e-12)
    with pytest.raises(ValueError, match="needs passed and failed samples"):
        roc_auc([1, 1], [0.2, 0.3])


def test_reasons() -> None:
    features, success, question = simulate(0, 10)
    assert success_forest(features, success * 0, question).reason == "all 60 samples failed"
    assert success_forest(features, success * 0 + 1, question).reason == "all 60 samples passed"
    few = success_forest({"x": np.arange(4)}, [1, 0, 1, 0], [0, 0, 1, 1])
    assert few.reason == "5 folds need 10 questions or more, there are 2"


def test_wrong_calls() -> None:
    with pytest.raises(ValueError, match="feature 'x' must have the same length"):
        success_forest({"x": [1, 2]}, [1, 0, 1], [0, 1, 2])
    with pytest.raises(ValueError, match="at least one feature"):
        success_forest({}, [1, 0], [0, 1])


def test_without_scikit_learn_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    with pytest.raises(MissingPackage, match=r'pip install "vmevalkit\[stats\]"') as error:
        success_forest(*simulate(0, 20), trees=5)
    assert isinstance(error.value, ImportError)
