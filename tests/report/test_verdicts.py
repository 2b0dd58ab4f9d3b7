"""Which scores count, from records alone: the films here are a few bytes that nobody decodes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from vmevalkit.core.records import Question, Run, Score
from vmevalkit.report.verdicts import read_verdicts, remarks
from vmevalkit.store import layout, scores
from vmevalkit.store.commit import file_digest, remove_folder
from vmevalkit.store.questions import load_question, question_digest
from vmevalkit.store.runs import Job, new_run
from vmevalkit.store.scores import Scored, save_score

PASS = Score("RuleEvaluator", "1", value=5, solved=True, passed=True)


@pytest.fixture
def question(tmp_path: Path) -> Question:
    folder = tmp_path / "questions" / "doors_task" / "door"
    folder.mkdir(parents=True)
    (folder / "first_frame.png").write_bytes(b"picture")
    (folder / "prompt.txt").write_text("Open it.")
    return load_question(folder)


def made(root: Path, question: Question, film: bytes | None = b"film", model: str = "m", sample: int = 0) -> Run:
    job = Job("first", model, question.domain, question.id, sample)
    with new_run(root / "outputs", job, question) as pending:
        run = Run(
            "first", model, question.id, question.domain, sample, pending.run_id, "failed", pending.target,
            error="no luck", question_digest=question_digest(question),
        )  # fmt: skip
        if film is None:
            return pending.finish(run)
        pending.video.write_bytes(film)
        digest = file_digest(pending.video)
        return pending.finish(replace(run, status="success", error=None, video=pending.video, video_digest=digest))


def judged(root: Path, run: Run) -> Scored:
    """As ``vmevalkit score`` leaves it."""
    assert run.video is not None
    scored = Scored(
        "first", run.model, run.domain, run.question_id, "RuleEvaluator", PASS, run.sample, run.run_id,
        file_digest(run.video), question_digest(load_question(run.folder / "question")),
    )  # fmt: skip
    save_score(root / "evaluations", scored)
    return scored


def standing(root: Path) -> tuple[int, int, int, int]:
    """Counted, not scored, without a film, gone."""
    found = read_verdicts("first", root / "outputs", root / "evaluations")
    return len(found.counted), len(found.not_scored), len(found.without_film), len(found.gone)


def test_a_verdict_on_the_film_that_is_there_counts(tmp_path: Path, question: Question) -> None:
    judged(tmp_path, made(tmp_path, question))
    assert standing(tmp_path) == (1, 0, 0, 0)


def test_records_are_enough_to_tell(tmp_path: Path, question: Question, monkeypatch: pytest.MonkeyPatch) -> None:
    run = made(tmp_path, question)
    judged(tmp_path, run)
    monkeypatch.setattr(scores, "file_digest", lambda path: pytest.fail(f"{path} was read"))
    assert standing(tmp_path) == (1, 0, 0, 0)
    assert run.video is not None
    run.video.unlink()  # to save space
    assert standing(tmp_path) == (1, 0, 0, 0)


def test_a_verdict_on_the_film_before_does_not_count(tmp_path: Path, question: Question) -> None:
    run = made(tmp_path, question)
    judged(tmp_path, run)
    remove_folder(run.folder)
    again = made(tmp_path, question, b"another film")
    assert standing(tmp_path) == (0, 1, 0, 0)
    judged(tmp_path, again)
    assert standing(tmp_path) == (1, 0, 0, 0)


def test_a_verdict_on_the_same_film_of_another_question_does_not_count(tmp_path: Path, question: Question) -> None:
    run = made(tmp_path, question)
    judged(tmp_path, run)
    remove_folder(run.folder)
    made(tmp_path, replace(question, prompt="Close it."))
    assert standing(tmp_path) == (0, 1, 0, 0)


def test_the_same_film_filmed_again_needs_no_other_verdict(tmp_path: Path, question: Question) -> None:
    """``score`` keeps such a verdict, under the id of the run before."""
    run = made(tmp_path, question)
    judged(tmp_path, run)
    made(tmp_path, question)
    assert standing(tmp_path) == (1, 0, 0, 0)


def test_a_film_that_was_changed_in_its_place_can_be_scored(tmp_path: Path, question: Question) -> None:
    run = made(tmp_path, question)
    assert run.video is not None
    run.video.write_bytes(b"cut shorter by hand")
    judged(tmp_path, run)
    assert standing(tmp_path) == (1, 0, 0, 0)


def test_a_score_without_digests_goes_by_the_run(tmp_path: Path, question: Question) -> None:
    run = made(tmp_path, question)
    scored = replace(judged(tmp_path, run), video_digest=None, puzzle_digest=None)
    save_score(tmp_path / "evaluations", scored)
    assert standing(tmp_path) == (1, 0, 0, 0)
    save_score(tmp_path / "evaluations", replace(scored, run_id="another"))
    assert standing(tmp_path) == (0, 1, 0, 0)


def test_each_sample_has_its_own_verdict(tmp_path: Path, question: Question) -> None:
    judged(tmp_path, made(tmp_path, question, sample=1))
    made(tmp_path, question, sample=0)
    assert standing(tmp_path) == (1, 1, 0, 0)


def test_what_the_rates_leave_out_is_told_with_the_remedy(tmp_path: Path, question: Question) -> None:
    (tmp_path / "evaluations" / "first").mkdir(parents=True)
    made(tmp_path, question)
    made(tmp_path, question, None, "n")
    made(tmp_path, question, None, "n", sample=1)
    gone = made(tmp_path, question, model="o")
    judged(tmp_path, gone)
    remove_folder(gone.folder)
    found = read_verdicts("first", tmp_path / "outputs", tmp_path / "evaluations")
    usual = remarks(found, "first", layout.OUTPUTS, layout.EVALUATIONS)
    assert usual == [
        "1 film has no current verdict: m 1; call vmevalkit score --experiment first",
        "2 runs have no film: n 2; the pass rates leave them out",
        "1 verdict is on a film no longer in data/outputs/first, and not counted",
    ]
    elsewhere = remarks(found, "first", Path("my films"), Path("verdicts"))
    assert elsewhere[0].endswith(
        "call vmevalkit score --experiment first --outputs 'my films' --evaluations verdicts"
    )  # fmt: skip
    judged(tmp_path, made(tmp_path, question))
    made(tmp_path, question, model="n")
    made(tmp_path, question, model="n", sample=1)
    again = read_verdicts("first", tmp_path / "outputs", tmp_path / "evaluations")
    assert remarks(again, "first", Path("a"), Path("b"))[0].startswith("2 films have no current verdict: n 2; call")


def test_films_from_elsewhere_need_no_run(tmp_path: Path, question: Question) -> None:
    brought = Scored("first", "mine", "doors", "door", "RuleEvaluator", PASS, video_digest="v", puzzle_digest="p")
    save_score(tmp_path / "evaluations", brought)
    assert standing(tmp_path) == (1, 0, 0, 0)
    made(tmp_path, question)
    assert standing(tmp_path) == (1, 1, 0, 0)


def test_what_people_say_is_not_mixed_with_what_a_scorer_says(tmp_path: Path, question: Question) -> None:
    scored = judged(tmp_path, made(tmp_path, question))
    save_score(tmp_path / "evaluations", replace(scored, evaluator="HumanEvaluator", annotator="Ann"))
    assert standing(tmp_path) == (1, 0, 0, 0)
