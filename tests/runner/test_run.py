from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from vmevalkit.core.errors import Occupied, SetupError, StoreError, UnknownName, UsageError
from vmevalkit.core.records import Request
from vmevalkit.media.video import probe
from vmevalkit.models.model import ModelSpec
from vmevalkit.runner.generate import generate
from vmevalkit.runner.run import Summary, run
from vmevalkit.store.commit import file_digest, lock
from vmevalkit.store.questions import load_question, question_digest
from vmevalkit.store.runs import all_runs, find_runs, question_of


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    generate(["maze"], 2, out=tmp_path / "questions")
    return tmp_path / "questions"


def by_hand(questions: Path) -> Path:
    """A question that no baseline can film."""
    folder = questions / "doors_task" / "my_door"
    folder.mkdir(parents=True)
    shutil.copy(questions / "maze_task" / "maze_0000" / "first_frame.png", folder)
    (folder / "prompt.txt").write_text("Open the door.")
    return folder


def film(questions: Path, *models: str, **how: Any) -> Summary:
    how = {"seconds": 0.5, **how}
    return run(models or ("static",), questions, "first", questions.parent / "outputs", **how)


def visible(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.name != ".lock"}


def test_every_model_films_every_question(questions: Path) -> None:
    told: list[tuple[int, int]] = []
    summary = film(questions, "static", "oracle+letterbox_black", on_done=lambda *numbers: told.append(numbers))
    assert (summary.made, summary.kept, summary.failed) == (4, 0, ())
    assert told == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
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


def test_a_finished_job_is_not_done_again_and_samples_are_jobs_of_their_own(questions: Path) -> None:
    first = film(questions)
    again = film(questions, workers=2)
    assert (again.made, again.kept) == (0, 2)
    assert again.runs == first.runs
    more = film(questions, "static", "static", samples=2, workers=2)
    assert (more.made, more.kept) == (2, 2)
    assert sorted((made.question_id, made.sample) for made in more.runs) == [
        ("maze_0000", 0), ("maze_0000", 1), ("maze_0001", 0), ("maze_0001", 1),
    ]  # fmt: skip
    lost = more.runs[0].folder
    shutil.rmtree(lost)
    assert film(questions, samples=2).made == 1


def test_films_depend_on_model_question_and_sample_alone(questions: Path) -> None:
    here = film(questions, "noise", samples=2)
    there = run(["noise"], questions, "second", questions.parent / "elsewhere", samples=2, seconds=0.5, workers=2)
    assert [made.video_digest for made in here.runs] == [made.video_digest for made in there.runs]
    assert len({made.video_digest for made in here.runs}) == 4


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failed_job_is_a_record_and_not_a_crash(questions: Path, workers: int) -> None:
    by_hand(questions)
    summary = film(questions, workers=workers)
    [bad] = summary.failed
    assert (bad.question_id, bad.status, bad.video) == ("my_door", "failed", None)
    assert bad.error is not None
    assert bad.error.startswith("ModelError: the baseline 'static' films known puzzles")
    assert bad.error.endswith("my_door has none: use a real model")
    assert load_question(question_of(bad)).prompt == "Open the door."
    assert len(summary.runs) == 3
    assert (film(questions).made, len(film(questions).failed)) == (0, 1)
    again = film(questions, retry_failed=True)
    assert (again.made, len(again.failed)) == (1, 1)
    assert len(all_runs(questions.parent / "outputs", "first")) == 4


def test_a_baseline_skips_what_it_does_not_apply_to(questions: Path) -> None:
    by_hand(questions)
    summary = film(questions, "through_wall", domains=["maze"])
    assert len(summary.runs) + len(summary.not_applicable) == 2
    assert not summary.failed


def test_films_of_other_questions_are_refused_without_force(questions: Path) -> None:
    first = film(questions)
    generate(["maze"], 2, seed=1, out=questions, force=True)
    with pytest.raises(Occupied, match=r"'first' holds films of other questions .*another --experiment, or --force"):
        film(questions)
    assert find_runs(questions.parent / "outputs", "first") == list(first.runs)
    forced = film(questions, force=True)
    assert forced.made == 2
    assert all_runs(questions.parent / "outputs", "first") == list(forced.runs)


def test_bad_input_is_refused_before_anything_is_run(questions: Path) -> None:
    with pytest.raises(UnknownName, match="no model 'orcale'; did you mean 'oracle'"):
        film(questions, "static", "orcale")
    with pytest.raises(UnknownName, match=r"no domain in .* 'mase'; did you mean 'maze'"):
        film(questions, domains=["mase"])
    with pytest.raises(UsageError, match="0 samples"):
        film(questions, samples=0)
    with pytest.raises(UsageError, match="0 workers"):
        film(questions, workers=0)
    with pytest.raises(StoreError, match="vmevalkit generate"):
        film(questions.parent / "nowhere")
    (questions.parent / "empty").mkdir()
    with pytest.raises(StoreError, match=r"there are no questions in .*empty"):
        film(questions.parent / "empty")
    assert not (questions.parent / "outputs").exists()


def test_a_second_runner_of_the_same_model_is_refused(questions: Path) -> None:
    with lock(questions.parent / "outputs" / "first" / "static"):
        with pytest.raises(Occupied, match="another process is writing"):
            film(questions)
        assert film(questions, "oracle").made == 2


class Unprepared:
    """A model on this machine whose weights are missing."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec

    def generate(self, request: Request, into: Path) -> None:
        into.write_bytes(b"half a film")
        raise SetupError("no weights; download them first")


def test_what_must_be_set_up_first_is_said_once(tmp_path: Path) -> None:
    generate(["maze"], n=2, seed=1, out=tmp_path / "questions")
    row = ModelSpec("unprepared", "here", "unprepared", "tests", adapter=f"{__name__}:Unprepared")
    with pytest.raises(SetupError, match="no weights; download them first"):
        run(["unprepared"], tmp_path / "questions", "first", tmp_path / "outputs", catalogue={"unprepared": row})
    assert not [path for path in (tmp_path / "outputs").rglob("*") if path.is_file() and path.name != ".lock"]
