"""Registry, errors, randomness, settings."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from vmevalkit.core import settings
from vmevalkit.core.errors import UnknownName, UsageError, VMEvalKitError
from vmevalkit.core.randomness import rng_for
from vmevalkit.core.records import Question, Score
from vmevalkit.core.registry import Registry


def test_an_unknown_name_gets_the_nearest_known_one() -> None:
    models = Registry("model", lambda: {"luma-ray-2": 1, "veo-3.1": 2})
    with pytest.raises(UnknownName, match=r"no model .luma-ray2.; did you mean .luma-ray-2.\?"):
        models["luma-ray2"]


def test_a_name_that_is_near_to_none_gets_the_list() -> None:
    models = Registry("model", lambda: {"luma-ray-2": 1, "veo-3.1": 2})
    with pytest.raises(UnknownName, match=r"no model 'xxxxxxxx'; known: luma-ray-2, veo-3\.1"):
        models["xxxxxxxx"]


def test_a_registry_searches_once_and_only_at_first_use() -> None:
    looks: list[int] = []

    def find() -> dict[str, int]:
        looks.append(1)
        return {"a": 1}

    registry = Registry("thing", find)
    assert not looks
    assert list(registry) == ["a"]
    assert registry["a"] == 1
    assert len(registry) == 1
    assert looks == [1]


def test_errors_can_be_pickled() -> None:
    error = UnknownName("task", "mase", ["maze", "raven"])
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, UnknownName)
    assert isinstance(again, UsageError | VMEvalKitError)
    assert str(again) == str(error)


def test_randomness_depends_only_on_the_place() -> None:
    first = rng_for("maze", 42, 3, 0).random()
    assert rng_for("maze", 42, 3, 0).random() == first
    assert rng_for("maze", 42, 3, 1).random() != first
    # String seeds do not depend on the hash seed of the process.
    code = "from vmevalkit.core.randomness import rng_for; print(repr(rng_for('maze', 42, 3, 0).random()))"
    elsewhere = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(elsewhere.stdout) == first


def test_the_environment_takes_precedence_over_dotenv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("VMEVALKIT_TEST_A=file\nVMEVALKIT_TEST_B=file\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VMEVALKIT_TEST_A", "environment")
    settings._read_dotenv.cache_clear()
    assert settings.setting("VMEVALKIT_TEST_A") == "environment"
    assert settings.setting("VMEVALKIT_TEST_B") == "file"
    assert settings.setting("VMEVALKIT_TEST_C", "default") == "default"
    settings._read_dotenv.cache_clear()


def test_unscored_is_not_zero() -> None:
    score = Score.unscored("RuleEvaluator", "1", "the file cannot be decoded")
    assert score.value is None
    assert not score.scored
    assert not score.passed


def test_scores_and_questions_have_short_reprs(tmp_path: Path) -> None:
    passed = Score("RuleEvaluator", "1", value=5, solved=True, passed=True, outcome=1.0, process=1.0)
    assert repr(passed) == "Score(RuleEvaluator, 5, passed, outcome=1, process=1)"
    assert repr(Score.unscored("RuleEvaluator", "1", "no file")) == "Score(RuleEvaluator, unscored: 'no file')"
    question = Question("maze_0001", "maze", "Go.", Path("q"), {"puzzle": {"walls": list(range(1000))}})
    assert repr(question) == "Question(maze/maze_0001, folder='q')"


@pytest.mark.parametrize(
    ("score", "reward"),
    [
        (Score("s", "1", value=5, solved=True, passed=True, outcome=1.0, process=1.0), 1.0),
        (Score("s", "1", value=2, solved=True, outcome=1.0, process=0.9, legal_progress=0.4), 0.2),
        (Score("s", "1", value=2, outcome=0.0, process=1.0, legal_progress=1.0), 0.0),
        (Score("s", "1", value=3, outcome=0.6), 0.3),
        (Score("s", "1", value=3, outcome=0.6, process=1.0, failure_mode="partial"), 0.3),
        (Score("s", "1", value=1, failure_mode="static"), 0.0),
        (Score("judge", "1", value=4), 1.0),
        (Score("judge", "1", value=3), 1 / 3),
        (Score.unscored("s", "1", "no video"), 0.0),
    ],
)
def test_a_reward_is_defined_for_every_score(score: Score, reward: float) -> None:
    assert score.reward == pytest.approx(reward)
