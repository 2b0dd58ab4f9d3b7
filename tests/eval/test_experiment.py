"""Which video belongs to which question, and which models an experiment has. No scorer reads a video here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from vmevalkit.core.errors import StoreError, UnknownName, UsageError
from vmevalkit.core.records import Placement, Question, Score
from vmevalkit.core.registry import Registry
from vmevalkit.eval import experiment
from vmevalkit.eval.experiment import ScoreSummary, require_models_with_runs, score_experiment, score_videos
from vmevalkit.store.scores import load_scores


class Trusting:
    """A stand-in for a scorer: all videos pass."""

    evaluator = "TrustingEvaluator"

    def version(self, question: Question) -> str:
        return "1"

    def score(self, question: Question, video: Path, placement: Placement | None, own_run: bool) -> Score:
        return Score(self.evaluator, "1", value=5, solved=True, passed=True)


@pytest.fixture(autouse=True)
def use_trusting_scorer(monkeypatch: pytest.MonkeyPatch) -> None:
    def find() -> Mapping[str, Trusting]:
        return {"rules": Trusting()}

    monkeypatch.setattr(experiment, "SCORERS", Registry("scorer", find))


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """Two domains that share an id, and one id that is alone."""
    for place in ("doors_task/shared", "locks_task/shared", "locks_task/lock"):
        folder = tmp_path / "questions" / place
        folder.mkdir(parents=True)
        (folder / "first_frame.png").write_bytes(b"image")
        (folder / "prompt.txt").write_text(f"Open {place}.")
    return tmp_path / "questions"


def bring(root: Path, *names: str) -> Path:
    for name in names:
        (root / "videos" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "videos" / name).write_bytes(name.encode())
    return root / "videos"


def test_the_folder_of_a_domain_tells_questions_of_one_id_apart(tmp_path: Path, questions: Path) -> None:
    videos = bring(tmp_path, "doors_task/shared.mp4", "locks_task/shared/take_1.mp4", "lock.mp4")
    summary = score_videos(videos, questions, "mine", tmp_path / "evaluations")
    found = {str(result.job.video.relative_to(videos)): result.job.question.domain for result in summary.results}
    assert found == {"doors_task/shared.mp4": "doors", "locks_task/shared/take_1.mp4": "locks", "lock.mp4": "locks"}
    assert len(load_scores(tmp_path / "evaluations", "mine")) == 3


def test_the_folder_of_all_videos_may_be_that_of_a_domain(tmp_path: Path, questions: Path) -> None:
    videos = bring(tmp_path, "locks_task/shared.mp4")
    summary = score_videos(videos / "locks_task", questions, "mine", tmp_path / "evaluations")
    assert [result.job.question.domain for result in summary.results] == ["locks"]


@pytest.mark.parametrize("name", ["shared.mp4", "doors_task/locks_task/shared.mp4"])
def test_a_video_that_may_answer_two_questions_is_refused(tmp_path: Path, questions: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"may answer any of 2 questions .* a folder doors_task or locks_task"):
        score_videos(bring(tmp_path, name), questions, "mine", tmp_path / "evaluations")
    assert not (tmp_path / "evaluations").exists()


def found(summary: ScoreSummary) -> dict[str, tuple[str, str, int]]:
    return {
        result.job.video.name: (result.job.model, result.job.question.id, result.job.sample)
        for result in summary.results
    }


def test_several_videos_of_a_question_are_its_samples(tmp_path: Path, questions: Path) -> None:
    videos = bring(tmp_path, "lock.mp4", "lock_seed3.mp4", "lock/b.mp4", "locksmith.mp4")
    summary = score_videos(videos, questions, "mine", tmp_path / "evaluations")
    assert found(summary) == {
        "b.mp4": ("mine", "lock", 0), "lock.mp4": ("mine", "lock", 1), "lock_seed3.mp4": ("mine", "lock", 2),
    }  # fmt: skip
    assert [line.split(":")[0] for line in summary.unmatched] == ["locksmith.mp4"]
    assert sorted(scored.sample for scored in load_scores(tmp_path / "evaluations", "mine")) == [0, 1, 2]


def test_numbered_samples_keep_their_numbers(tmp_path: Path, questions: Path) -> None:
    videos = bring(tmp_path, "lock_sample4.mp4", "lock_sample1.mp4")
    samples = found(score_videos(videos, questions, "mine", tmp_path / "evaluations"))
    assert {name: sample for name, (_, _, sample) in samples.items()} == {"lock_sample1.mp4": 1, "lock_sample4.mp4": 4}


def test_a_csv_file_maps_videos_to_questions_models_and_samples(tmp_path: Path, questions: Path) -> None:
    videos = bring(tmp_path, "a.mp4", "b.mp4", "c.mp4")
    table = videos / "map.csv"
    table.write_text("path,question,model,sample\na.mp4,lock,m1,\nb.mp4,locks/shared,m1,2\nc.mp4,lock,,1\n")
    summary = score_videos(table, questions, "rest", tmp_path / "evaluations", experiment="e")
    assert found(summary) == {"a.mp4": ("m1", "lock", 0), "b.mp4": ("m1", "shared", 2), "c.mp4": ("rest", "lock", 1)}
    assert len(load_scores(tmp_path / "evaluations", "e")) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("path,question\nno.mp4,lock\n", "line 2: there is no video .*no.mp4"),
        ("path,question\na.mp4,lok\n", "line 2: no question has the id 'lok'"),
        ("path,question\na.mp4,shared\n", "several questions have the id 'shared'; write doors/shared or locks/shared"),
        ("path,question,sample\na.mp4,lock,first\n", "the sample is 'first'; write a whole number"),
        ("path,question,seed\na.mp4,lock,1\n", "unknown column 'seed'; its columns are path, question, model, sample"),
        ("path\na.mp4\n", "has no column 'question'"),
        ("path,question\na.mp4,lock\nb.mp4,lock\n", "two videos are sample 0 of mine on lock"),
    ],
)
def test_a_wrong_map_is_refused_with_the_line(tmp_path: Path, questions: Path, text: str, message: str) -> None:
    table = bring(tmp_path, "a.mp4", "b.mp4") / "map.csv"
    table.write_text(text)
    with pytest.raises(UsageError, match=message):
        score_videos(table, questions, "mine", tmp_path / "evaluations")
    assert not (tmp_path / "evaluations").exists()


def test_a_folder_is_not_a_video(tmp_path: Path, questions: Path) -> None:
    videos = bring(tmp_path, "lock.mp4/notes.txt", "lock/take.mp4", "unmatched.mov")
    summary = score_videos(videos, questions, "mine", tmp_path / "evaluations")
    assert [result.job.video.name for result in summary.results] == ["take.mp4"]
    assert summary.failed == ()
    assert len(summary.unmatched) == 1
    assert summary.unmatched[0].startswith("unmatched.mov: neither its name nor its folder's")


def test_models_without_runs_are_refused_with_the_nearest(tmp_path: Path) -> None:
    for model in ("oracle", "org=2Fmodel"):
        (tmp_path / "a" / model / "maze_task").mkdir(parents=True)
    (tmp_path / "a" / "ordered").mkdir()
    require_models_with_runs(["oracle", "org/model"], "a", tmp_path)
    with pytest.raises(UnknownName, match=r"no model 'orcle' with runs in .*a; did you mean 'oracle'\?"):
        require_models_with_runs(["oracle", "orcle"], "a", tmp_path)
    with pytest.raises(UnknownName, match=r"'zzz' with runs in .*; known: oracle, org/model"):
        require_models_with_runs(["zzz"], "a", tmp_path)
    with pytest.raises(UnknownName, match="'ordered'"):
        require_models_with_runs(["ordered"], "a", tmp_path)
    require_models_with_runs(["oracle"], "nothing", tmp_path)


def test_an_experiment_without_runs_says_how_to_make_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=r"generate videos first: vmevalkit run --model MODEL --experiment a$"):
        score_experiment("a")
    with pytest.raises(StoreError, match=r"vmevalkit run --model oracle static --experiment a --outputs elsewhere$"):
        score_experiment("a", "elsewhere", models=["oracle", "static"])
