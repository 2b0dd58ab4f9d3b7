"""Which scores count, from records alone: the videos here are a few bytes that are never decoded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from vmevalkit.core.records import Question, Run, Score
from vmevalkit.results.selection import JOB, NOT_SCORED, OUTDATED, SCORED, WITHOUT_VIDEO, select_scorer
from vmevalkit.results.table import REASONS, load_results
from vmevalkit.store import scores
from vmevalkit.store.atomic import file_digest, remove_folder
from vmevalkit.store.questions import load_question, question_digest
from vmevalkit.store.runs import Job, new_run
from vmevalkit.store.scores import Scored, save_score

PASS = Score("RuleEvaluator", "1", value=5, solved=True, passed=True)


@pytest.fixture
def question(tmp_path: Path) -> Question:
    folder = tmp_path / "questions" / "doors_task" / "door"
    folder.mkdir(parents=True)
    (folder / "first_frame.png").write_bytes(b"image")
    (folder / "prompt.txt").write_text("Open it.")
    return load_question(folder)


def save_run(root: Path, question: Question, video: bytes | None = b"video", model: str = "m", sample: int = 0) -> Run:
    job = Job("first", model, question.domain, question.id, sample)
    with new_run(root / "outputs", job, question) as pending:
        run = Run(
            "first", model, question.id, question.domain, sample, pending.run_id, "failed", pending.target,
            error="no luck", question_digest=question_digest(question),
        )  # fmt: skip
        if video is None:
            return pending.finish(run)
        pending.video.write_bytes(video)
        digest = file_digest(pending.video)
        return pending.finish(replace(run, status="success", error=None, video=pending.video, video_digest=digest))


def save_verdict(root: Path, run: Run) -> Scored:
    """Write the score of a run as ``vmevalkit score`` does."""
    assert run.video is not None
    scored = Scored(
        "first", run.model, run.domain, run.question_id, "RuleEvaluator", PASS, run.sample, run.run_id,
        file_digest(run.video), question_digest(load_question(run.folder / "question")),
    )  # fmt: skip
    save_score(root / "evaluations", scored)
    return scored


def count_verdicts(root: Path) -> tuple[int, int, int, int]:
    """Return the numbers of counted, not scored, without a video, without a run."""
    frame = load_results("first", outputs=root / "outputs", evaluations=root / "evaluations")
    removed = int((frame["reason"] == REASONS["without_run"]).sum())
    own = frame[frame["annotator"].isna()]
    if own["scorer"].isna().all():
        states = [NOT_SCORED if status == "success" else WITHOUT_VIDEO for status in own["status"]]
    else:
        states = list(select_scorer(own, "RuleEvaluator").drop_duplicates(JOB)["state"])
    not_scored = states.count(NOT_SCORED) + states.count(OUTDATED)
    return states.count(SCORED), not_scored, states.count(WITHOUT_VIDEO), removed


def test_a_verdict_on_the_current_video_counts(tmp_path: Path, question: Question) -> None:
    save_verdict(tmp_path, save_run(tmp_path, question))
    assert count_verdicts(tmp_path) == (1, 0, 0, 0)


def test_records_are_enough_to_decide(tmp_path: Path, question: Question, monkeypatch: pytest.MonkeyPatch) -> None:
    run = save_run(tmp_path, question)
    save_verdict(tmp_path, run)
    monkeypatch.setattr(scores, "file_digest", lambda path: pytest.fail(f"{path} was read"))
    assert count_verdicts(tmp_path) == (1, 0, 0, 0)
    assert run.video is not None
    run.video.unlink()  # to save space
    assert count_verdicts(tmp_path) == (1, 0, 0, 0)


def test_a_verdict_on_an_earlier_video_does_not_count(tmp_path: Path, question: Question) -> None:
    run = save_run(tmp_path, question)
    save_verdict(tmp_path, run)
    remove_folder(run.folder)
    again = save_run(tmp_path, question, b"another video")
    assert count_verdicts(tmp_path) == (0, 1, 0, 0)
    save_verdict(tmp_path, again)
    assert count_verdicts(tmp_path) == (1, 0, 0, 0)


def test_a_verdict_on_the_same_video_of_another_question_does_not_count(tmp_path: Path, question: Question) -> None:
    run = save_run(tmp_path, question)
    save_verdict(tmp_path, run)
    remove_folder(run.folder)
    save_run(tmp_path, replace(question, prompt="Close it."))
    assert count_verdicts(tmp_path) == (0, 1, 0, 0)


def test_the_same_video_generated_again_needs_no_other_verdict(tmp_path: Path, question: Question) -> None:
    """``score`` keeps such a verdict, under the id of the earlier run."""
    run = save_run(tmp_path, question)
    save_verdict(tmp_path, run)
    save_run(tmp_path, question)
    assert count_verdicts(tmp_path) == (1, 0, 0, 0)


def test_a_video_that_was_edited_in_place_can_be_scored(tmp_path: Path, question: Question) -> None:
    run = save_run(tmp_path, question)
    assert run.video is not None
    run.video.write_bytes(b"cut shorter by hand")
    save_verdict(tmp_path, run)
    assert count_verdicts(tmp_path) == (1, 0, 0, 0)


def test_a_score_without_digests_is_matched_by_its_run(tmp_path: Path, question: Question) -> None:
    run = save_run(tmp_path, question)
    scored = replace(save_verdict(tmp_path, run), video_digest=None, puzzle_digest=None)
    save_score(tmp_path / "evaluations", scored)
    assert count_verdicts(tmp_path) == (1, 0, 0, 0)
    save_score(tmp_path / "evaluations", replace(scored, run_id="another"))
    assert count_verdicts(tmp_path) == (0, 1, 0, 0)


def test_each_sample_has_its_own_verdict(tmp_path: Path, question: Question) -> None:
    save_verdict(tmp_path, save_run(tmp_path, question, sample=1))
    save_run(tmp_path, question, sample=0)
    assert count_verdicts(tmp_path) == (1, 1, 0, 0)


def test_videos_made_elsewhere_need_no_run(tmp_path: Path, question: Question) -> None:
    elsewhere = Scored("first", "mine", "doors", "door", "RuleEvaluator", PASS, video_digest="v", puzzle_digest="p")
    save_score(tmp_path / "evaluations", elsewhere)
    assert count_verdicts(tmp_path) == (1, 0, 0, 0)
    save_run(tmp_path, question)
    assert count_verdicts(tmp_path) == (1, 1, 0, 0)


def test_annotations_are_not_mixed_with_scores(tmp_path: Path, question: Question) -> None:
    scored = save_verdict(tmp_path, save_run(tmp_path, question))
    save_score(tmp_path / "evaluations", replace(scored, evaluator="HumanEvaluator", annotator="Ann"))
    assert count_verdicts(tmp_path) == (1, 0, 0, 0)
