from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from vmevalkit.core.errors import ConflictError, SetupError, StoreError, UnknownName, UsageError
from vmevalkit.core.records import Request
from vmevalkit.datasets.generate import generate
from vmevalkit.media.video import probe
from vmevalkit.models.model import ModelSpec
from vmevalkit.runs.run import RunSummary, run
from vmevalkit.store.atomic import file_digest, lock
from vmevalkit.store.questions import load_question, question_digest
from vmevalkit.store.runs import find_runs, load_all_runs, question_of


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    generate(["maze"], 2, out=tmp_path / "questions")
    return tmp_path / "questions"


def add_question_by_hand(questions: Path) -> Path:
    """Write a question without a puzzle, which the oracle cannot solve."""
    folder = questions / "doors_task" / "my_door"
    folder.mkdir(parents=True)
    shutil.copy(questions / "maze_task" / "maze_0000" / "first_frame.png", folder)
    (folder / "prompt.txt").write_text("Open the door.")
    return folder


def run_models(questions: Path, *models: str, **how: Any) -> RunSummary:
    how = {"seconds": 0.5, **how}
    return run(models or ("static",), questions, "first", questions.parent / "outputs", **how)


def visible(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.name != ".lock"}


def test_every_model_runs_on_every_question(questions: Path) -> None:
    counts: list[tuple[int, int]] = []
    summary = run_models(questions, "static", "oracle+letterbox_black", on_done=lambda *numbers: counts.append(numbers))
    assert (summary.made, summary.kept, summary.failed) == (4, 0, ())
    assert counts == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
    assert summary.runs == tuple(
        sorted(find_runs(questions.parent / "outputs", "first"), key=lambda r: (r.model != "static", r.question_id))
    )
    for made in summary.runs:
        assert made.video is not None
        assert probe(made.video).width > 0
        assert made.video_digest == file_digest(made.video)
        question = load_question(question_of(made))
        assert (question.id, question.domain) == (made.question_id, "maze")
        assert made.question_digest == question_digest(question)
    assert {made.placement is not None for made in summary.runs if made.model == "oracle+letterbox_black"} == {True}
    assert not [name for name in visible(questions.parent / "outputs") if name.startswith(".")]


@pytest.mark.slow
def test_a_finished_job_is_not_done_again_and_samples_are_jobs_of_their_own(questions: Path) -> None:
    first = run_models(questions)
    retry = run_models(questions, workers=2)
    assert (retry.made, retry.kept) == (0, 2)
    assert retry.runs == first.runs
    more = run_models(questions, "static", "static", samples=2, workers=2)
    assert (more.made, more.kept) == (2, 2)
    assert sorted((made.question_id, made.sample) for made in more.runs) == [
        ("maze_0000", 0), ("maze_0000", 1), ("maze_0001", 0), ("maze_0001", 1),
    ]  # fmt: skip
    lost = more.runs[0].folder
    shutil.rmtree(lost)
    assert run_models(questions, samples=2).made == 1


@pytest.mark.slow
def test_videos_depend_only_on_model_question_and_sample(questions: Path) -> None:
    first = run_models(questions, "noise", samples=2)
    second = run(["noise"], questions, "second", questions.parent / "elsewhere", samples=2, seconds=0.5, workers=2)
    assert [made.video_digest for made in first.runs] == [made.video_digest for made in second.runs]
    assert len({made.video_digest for made in first.runs}) == 4


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_failed_job_is_a_record_and_not_a_crash(questions: Path, workers: int) -> None:
    add_question_by_hand(questions)
    summary = run_models(questions, "oracle", workers=workers)
    [bad] = summary.failed
    assert (bad.question_id, bad.status, bad.video) == ("my_door", "failed", None)
    assert bad.error is not None
    assert bad.error.startswith("ModelError: the baseline 'oracle' needs a puzzle, and my_door has none; use ")
    assert load_question(question_of(bad)).prompt == "Open the door."
    assert len(summary.runs) == 3
    again = run_models(questions, "oracle")
    assert (again.made, len(again.failed)) == (0, 1)
    retry = run_models(questions, "oracle", retry_failed=True)
    assert (retry.made, len(retry.failed)) == (1, 1)
    assert len(load_all_runs(questions.parent / "outputs", "first")) == 4


def test_a_baseline_skips_what_it_does_not_apply_to(questions: Path) -> None:
    add_question_by_hand(questions)
    summary = run_models(questions, "through_wall", domains=["maze"])
    assert len(summary.runs) + len(summary.not_applicable) == 2
    assert not summary.failed


def test_videos_of_other_questions_are_refused_without_force(questions: Path) -> None:
    first = run_models(questions)
    generate(["maze"], 2, seed=1, out=questions, force=True)
    with pytest.raises(
        ConflictError, match=r"'first' contains videos of other questions .*another --experiment \(--force would"
    ):
        run_models(questions)
    assert find_runs(questions.parent / "outputs", "first") == list(first.runs)
    forced = run_models(questions, force=True)
    assert forced.made == 2
    assert load_all_runs(questions.parent / "outputs", "first") == list(forced.runs)


def test_bad_input_is_refused_before_anything_is_run(questions: Path) -> None:
    with pytest.raises(UnknownName, match="no model 'orcale'; did you mean 'oracle'"):
        run_models(questions, "static", "orcale")
    with pytest.raises(UnknownName, match=r"no domain in .* 'mase'; did you mean 'maze'"):
        run_models(questions, domains=["mase"])
    with pytest.raises(UsageError, match="the number of samples is 0"):
        run_models(questions, samples=0)
    with pytest.raises(UsageError, match="the number of workers is 0"):
        run_models(questions, workers=0)
    with pytest.raises(StoreError, match="vmevalkit generate"):
        run_models(questions.parent / "nowhere")
    (questions.parent / "empty").mkdir()
    with pytest.raises(StoreError, match=r"there are no questions in .*empty"):
        run_models(questions.parent / "empty")
    assert not (questions.parent / "outputs").exists()


def test_a_second_runner_of_the_same_model_is_refused(questions: Path) -> None:
    with lock(questions.parent / "outputs" / "first" / "static"):
        with pytest.raises(ConflictError, match="another process is writing"):
            run_models(questions)
        assert run_models(questions, "oracle").made == 2


class Unprepared:
    """A model on this machine whose weights are missing."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec

    def generate(self, request: Request, into: Path) -> None:
        into.write_bytes(b"half a video")
        raise SetupError("no weights; download them first")


def test_missing_setup_is_reported_once(tmp_path: Path) -> None:
    generate(["maze"], n=2, seed=1, out=tmp_path / "questions")
    row = ModelSpec("unprepared", "here", "unprepared", "tests", adapter=f"{__name__}:Unprepared")
    with pytest.raises(SetupError, match="no weights; download them first"):
        run(["unprepared"], tmp_path / "questions", "first", tmp_path / "outputs", catalogue={"unprepared": row})
    assert not [path for path in (tmp_path / "outputs").rglob("*") if path.is_file() and path.name != ".lock"]
