from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from vmevalkit import load_results
from vmevalkit.core.errors import InvalidRecord, StoreError
from vmevalkit.core.records import Placement, Question, Run
from vmevalkit.results.entries import read_run_entry
from vmevalkit.store.questions import load_question, question_digest
from vmevalkit.store.runs import Job, find_runs, load_all_runs, load_job_runs, load_run, new_run, question_of

MODEL = "org/model+letterbox"


@pytest.fixture
def question(tmp_path: Path) -> Question:
    folder = tmp_path / "questions" / "doors_task" / "my door"
    folder.mkdir(parents=True)
    (folder / "first_frame.png").write_bytes(b"image")
    (folder / "prompt.txt").write_text("Open it.")
    (folder / "goal.txt").write_text("It is open.")
    (folder / "solution.mp4").write_bytes(b"a video that no model may see")
    return load_question(folder)


def make_run(
    outputs: Path, question: Question, sample: int = 0, failed: bool = False, experiment: str = "first"
) -> Run:
    job = Job(experiment, MODEL, question.domain, question.id, sample)
    with new_run(outputs, job, question) as pending:
        run = Run(
            experiment, MODEL, question.id, question.domain, sample, pending.run_id, "success", pending.target,
            video=pending.video, seconds=1.5, placement=Placement((1280, 720), (160.0, 0.0, 960.0, 720.0), (0, 0, 0)),
            question_digest=question_digest(question), video_digest="d" * 16,
        )  # fmt: skip
        if failed:
            return pending.finish(replace(run, status="failed", video=None, error="no video"))
        pending.video.write_bytes(b"video")
        return pending.finish(run)


def test_a_run_folder_is_complete_in_itself_and_comes_back(tmp_path: Path, question: Question) -> None:
    run = make_run(tmp_path / "outputs", question)
    assert run.folder.parent == tmp_path / "outputs" / "first" / "org=2Fmodel+letterbox" / "doors_task" / "my=20door"
    assert re.fullmatch(r"org=2Fmodel\+letterbox_my=20door_\d{8}_\d{6}", run.run_id)
    assert run.folder.name == run.run_id
    assert run.video is not None
    assert run.video.read_bytes() == b"video"
    assert {path.name for path in run.folder.iterdir()} == {"video", "question", "metadata.json"}
    assert load_run(run.folder) == run
    assert find_runs(tmp_path / "outputs", "first") == [run]
    copy = load_question(question_of(run))
    assert (copy.id, copy.domain, copy.prompt, copy.goal) == ("my door", "doors", "Open it.", "It is open.")
    assert question_digest(copy) == question_digest(question)
    assert not (copy.folder / "solution.mp4").exists()


def test_a_run_can_be_moved(tmp_path: Path, question: Question) -> None:
    run = make_run(tmp_path / "outputs", question)
    (tmp_path / "outputs").rename(tmp_path / "elsewhere")
    [moved] = find_runs(tmp_path / "elsewhere", "first")
    assert moved.video is not None
    assert moved.video.read_bytes() == b"video"
    assert replace(moved, folder=run.folder, video=run.video) == run


def test_runs_of_one_second_have_separate_folders_and_one_is_effective(tmp_path: Path, question: Question) -> None:
    outputs = tmp_path / "outputs"
    failed = make_run(outputs, question, failed=True)
    good = make_run(outputs, question)
    make_run(outputs, question, failed=True)
    sample = make_run(outputs, question, sample=1)
    other = make_run(outputs, question, failed=True, experiment="second")
    assert len(load_all_runs(outputs, "first")) == 4
    assert [run.status for run in load_job_runs(failed.folder.parent)] == ["failed", "success", "failed", "success"]
    assert find_runs(outputs, "first") == [good, sample]
    assert find_runs(outputs, "second") == [other]
    assert find_runs(outputs, "first", ["another model"]) == []
    assert find_runs(outputs, "nowhere") == []


def test_an_unfinished_run_is_hidden_and_cleaned_up(tmp_path: Path, question: Question) -> None:
    outputs = tmp_path / "outputs"
    job = Job("first", MODEL, question.domain, question.id)
    with pytest.raises(RuntimeError), new_run(outputs, job, question) as pending:
        pending.video.write_bytes(b"half")
        raise RuntimeError
    assert find_runs(outputs, "first") == []
    left = job.folder(outputs) / ".new-1-1-left"
    left.mkdir()
    make_run(outputs, question)
    assert not left.exists()


def test_a_damaged_record_is_named(tmp_path: Path, question: Question) -> None:
    run = make_run(tmp_path / "outputs", question)
    (run.folder / "metadata.json").unlink()
    assert find_runs(tmp_path / "outputs", "first") == []
    with pytest.raises(StoreError, match="not a finished run"):
        load_run(run.folder)


@pytest.mark.parametrize(
    "change",
    [
        {"status": "done"}, {"status": None}, {"status": "failed"}, {"video": None}, {"sample": True}, {"sample": -1},
        {"cost_usd": float("nan")}, {"cost_usd": 10**400}, {"seconds": "2"}, {"video": "../../../v.mp4"},
    ],
)  # fmt: skip
def test_a_record_that_contradicts_itself_is_reported_and_left_out(
    tmp_path: Path, question: Question, change: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    run, other = make_run(tmp_path / "outputs", question), make_run(tmp_path / "outputs", question, sample=1)
    record = json.loads((run.folder / "metadata.json").read_text())
    (run.folder / "metadata.json").write_text(json.dumps({**record, **change}))
    assert find_runs(tmp_path / "outputs", "first") == [other]
    assert "metadata.json is not the record of a run" in caplog.text
    with pytest.raises(InvalidRecord):
        read_run_entry(run.folder)
    for load in (load_run, lambda folder: load_job_runs(folder.parent)):  # a run that resumes must not order it again
        with pytest.raises(InvalidRecord):
            load(run.folder)


@pytest.mark.parametrize("name", ["question", "video", "video/my=20door.mp4", ".", "..", "../.."])
def test_a_link_out_of_an_experiment_is_refused(tmp_path: Path, question: Question, name: str) -> None:
    run = make_run(tmp_path / "outputs", question)
    place, private = Path(os.path.normpath(run.folder / name)), tmp_path / "private"
    place.rename(private)
    place.symlink_to(private)
    with pytest.raises(StoreError, match="leads outside"):
        find_runs(tmp_path / "outputs", "first")
    with pytest.raises(StoreError, match="leads outside"):
        load_results("first", outputs=tmp_path / "outputs", evaluations=tmp_path / "evaluations")
    place.unlink()
    private.rename(place)
    (tmp_path / "outputs/second").mkdir()
    (tmp_path / "outputs/second/m").symlink_to(run.folder.parents[2])
    assert len(find_runs(tmp_path / "outputs", "second")) == 1, "a link to another experiment beside it"
