"""Which film belongs to which question, and which models an experiment has. No scorer reads a film here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from vmevalkit.core.errors import StoreError, UnknownName, UsageError
from vmevalkit.core.records import Placement, Question, Score
from vmevalkit.core.registry import Registry
from vmevalkit.eval import experiment
from vmevalkit.eval.experiment import check_models, score_experiment, score_videos
from vmevalkit.store.scores import load_scores


class Trusting:
    """A stand-in for a scorer: all films pass."""

    evaluator = "TrustingEvaluator"

    def version(self, question: Question) -> str:
        return "1"

    def score(self, question: Question, film: Path, placement: Placement | None, own_run: bool) -> Score:
        return Score(self.evaluator, "1", value=5, solved=True, passed=True)


@pytest.fixture(autouse=True)
def trusting(monkeypatch: pytest.MonkeyPatch) -> None:
    def find() -> Mapping[str, Trusting]:
        return {"rules": Trusting()}

    monkeypatch.setattr(experiment, "SCORERS", Registry("scorer", find))


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """Two domains that share an id, and one id that is alone."""
    for place in ("doors_task/shared", "locks_task/shared", "locks_task/lock"):
        folder = tmp_path / "questions" / place
        folder.mkdir(parents=True)
        (folder / "first_frame.png").write_bytes(b"picture")
        (folder / "prompt.txt").write_text(f"Open {place}.")
    return tmp_path / "questions"


def bring(root: Path, *names: str) -> Path:
    for name in names:
        (root / "films" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "films" / name).write_bytes(name.encode())
    return root / "films"


def test_the_folder_of_a_domain_tells_questions_of_one_id_apart(tmp_path: Path, questions: Path) -> None:
    films = bring(tmp_path, "doors_task/shared.mp4", "locks_task/shared/take_1.mp4", "lock.mp4")
    summary = score_videos(films, questions, "mine", tmp_path / "evaluations")
    found = {str(scoring.film.film.relative_to(films)): scoring.film.question.domain for scoring in summary.scorings}
    assert found == {"doors_task/shared.mp4": "doors", "locks_task/shared/take_1.mp4": "locks", "lock.mp4": "locks"}
    assert len(load_scores(tmp_path / "evaluations", "videos")) == 3


def test_the_folder_of_all_films_may_be_that_of_a_domain(tmp_path: Path, questions: Path) -> None:
    films = bring(tmp_path, "locks_task/shared.mp4")
    summary = score_videos(films / "locks_task", questions, "mine", tmp_path / "evaluations")
    assert [scoring.film.question.domain for scoring in summary.scorings] == ["locks"]


@pytest.mark.parametrize("name", ["shared.mp4", "doors_task/locks_task/shared.mp4"])
def test_a_film_that_may_answer_two_questions_is_refused(tmp_path: Path, questions: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"may answer any of 2 questions .* a folder doors_task or locks_task"):
        score_videos(bring(tmp_path, name), questions, "mine", tmp_path / "evaluations")
    assert not (tmp_path / "evaluations").exists()


def test_two_films_of_one_question_are_refused(tmp_path: Path, questions: Path) -> None:
    with pytest.raises(UsageError, match="two films claim the question lock"):
        score_videos(bring(tmp_path, "lock.mp4", "lock/take.mp4"), questions, "mine", tmp_path / "evaluations")


def test_a_folder_is_no_film(tmp_path: Path, questions: Path) -> None:
    films = bring(tmp_path, "lock.mp4/notes.txt", "lock/take.mp4", "stranger.mov")
    summary = score_videos(films, questions, "mine", tmp_path / "evaluations")
    assert [scoring.film.film.name for scoring in summary.scorings] == ["take.mp4"]
    assert summary.failed == ()
    assert len(summary.strangers) == 1
    assert summary.strangers[0].startswith("stranger.mov: neither its name nor its folder's")


def test_models_without_runs_are_refused_with_the_nearest(tmp_path: Path) -> None:
    for model in ("oracle", "org=2Fmodel"):
        (tmp_path / "a" / model / "maze_task").mkdir(parents=True)
    (tmp_path / "a" / "ordered").mkdir()
    check_models(["oracle", "org/model"], "a", tmp_path)
    with pytest.raises(UnknownName, match=r"no runs in .*a of the model 'orcle'; did you mean 'oracle'\?"):
        check_models(["oracle", "orcle"], "a", tmp_path)
    with pytest.raises(UnknownName, match="'zzz'; known: oracle, org/model"):
        check_models(["zzz"], "a", tmp_path)
    with pytest.raises(UnknownName, match="'ordered'"):
        check_models(["ordered"], "a", tmp_path)
    check_models(["oracle"], "nothing", tmp_path)


def test_an_experiment_without_runs_says_how_to_make_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=r"make them first: vmevalkit run --model MODEL --experiment a$"):
        score_experiment("a")
    with pytest.raises(StoreError, match=r"vmevalkit run --model oracle static --experiment a --outputs elsewhere$"):
        score_experiment("a", "elsewhere", models=["oracle", "static"])
