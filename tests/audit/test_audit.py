"""Audits of scorers whose quality is known: a careful one, one that looks at the end alone, one that loses its way."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from dot_task import TASK, DotTask, careful, fooled, lost
from vmevalkit.audit.audit import plan_trials, render_video, run_trials
from vmevalkit.audit.certificate import Certificate, certify, to_record
from vmevalkit.audit.evidence import save_evidence
from vmevalkit.audit.tables import markdown, summary, terminal
from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.core.scorer import Scorer
from vmevalkit.eval.scorers import SCORERS
from vmevalkit.media.image import read_image
from vmevalkit.tasks.task import StateTrajectory

VIDEOS = 26
"""As many as there are degradations, with those that are tried both ways."""


def audited(scorer: Scorer, tricks: tuple[str, ...] = (), videos: int = VIDEOS) -> Certificate:
    trials = run_trials(plan_trials(TASK, videos, 0, tricks), scorer)
    return certify(trials, scorer.evaluator, 0)


@pytest.fixture(scope="module")
def of_careful() -> Certificate:
    return audited(careful, ("oracle", "faster", "static", "crossfade", "noise", "jumped", "wavering"))


def rows(certificate: Certificate) -> dict[str, bool]:
    return {cell.name: cell.ok for cell in certificate.cells}


@pytest.mark.slow
def test_a_careful_scorer_gets_its_certificate(of_careful: Certificate) -> None:
    assert of_careful.failures == ()
    assert of_careful.is_within(0, 0)
    assert "dot: 0 of 104 cheats passed (at most 2.9%), 0 of 78 honest videos failed (at most 3.8%)." in summary(
        of_careful
    )


def test_every_trick_that_applies_is_generated() -> None:
    applicable = [name for name, expected in TASK.tricks.items() if expected != "n/a"]
    sizes = Counter(job.trial_id.trick for job in plan_trials(TASK, VIDEOS, 0))
    assert list(sizes) == [*applicable, "jumped", "wavering", "odd"]
    assert "reversed" not in sizes
    assert 0 < sizes.pop("odd") < VIDEOS  # half of the puzzles have this video
    assert set(sizes.values()) == {VIDEOS}


@pytest.mark.slow
def test_the_numbers_of_a_certificate(of_careful: Certificate) -> None:
    cell = of_careful.cells[0]
    assert (cell.task, cell.name, cell.expected, cell.n, cell.passed) == ("dot", "oracle", "pass", VIDEOS, VIDEOS)
    assert (cell.low, cell.high) == (0.8713, 1.0)
    assert of_careful.static_videos == of_careful.static_at_zero == VIDEOS
    assert of_careful.versions == {"dot": "3"}
    assert of_careful.videos == sum(cell.n for cell in of_careful.degradations)


@pytest.mark.slow
def test_a_scorer_that_looks_at_the_end_alone_is_found_out() -> None:
    certificate = audited(fooled, ("oracle", "static", "cut_to_final", "crossfade", "halfway", "jumped"), videos=13)
    assert not certificate.is_within(0, 0)
    assert rows(certificate) == {
        "oracle": True, "static": True, "halfway": True,
        "cut_to_final": False, "crossfade": False, "jumped": False,
    }  # fmt: skip
    assert {failure.got for failure in certificate.failures} == {"pass"}
    assert "dot: 39 of 65 cheats passed" in summary(certificate)


def test_no_verdict_is_neither_pass_nor_fail_and_refuses_the_certificate() -> None:
    certificate = audited(lost, ("oracle", "static", "halfway"), videos=4)
    oracle, static, halfway = certificate.cells
    assert oracle.ok
    assert (static.n, static.unscored, static.ok) == (0, 4, False)
    assert (halfway.n, halfway.unscored, halfway.ok) == (0, 4, False)
    got = {failure.trial_id.split("/")[1]: failure for failure in certificate.failures}
    assert got["static"].got == "error"
    assert got["static"].explanation == "error: RuntimeError: the scorer lost its way"
    assert (got["halfway"].got, got["halfway"].explanation) == ("unscored", "unscored: no idea")


def test_one_wrong_verdict_in_a_hundred_is_forgiven_and_two_are_not() -> None:
    trials = run_trials(plan_trials(TASK, 2, 0, ("oracle",)), fooled)
    right, wrong = trials[0], run_trials(plan_trials(TASK, 1, 0, ("halfway",)), fooled)[0]
    wrong = replace(right, score=wrong.score)
    one, two = certify([right] * 99 + [wrong], "fooled", 0), certify([right] * 98 + [wrong] * 2, "fooled", 0)
    assert [cell.ok for cell in (*one.cells, *two.cells)] == [True, False]
    assert one.is_within(0, 1) and not one.is_within(100, 0)
    assert [bounds.max_wrong_fail_rate for bounds in one.bounds] == [0.047]


def test_a_degradation_that_surely_fools_the_scorer_is_not_ok() -> None:
    """Of a few videos one may be wrong by chance; three of 88 are more than that."""
    jobs = plan_trials(TASK, 40, 0, ("oracle",))
    plain, caption = (
        next(job for job in jobs if job.trial_id.condition.degradation == name) for name in ("plain", "caption")
    )
    one, other = run_trials([plain, caption], careful)
    wrong = replace(other, score=run_trials(plan_trials(TASK, 1, 0, ("halfway",)), careful)[0].score)
    by_chance = certify([one] * 300 + [other] * 87 + [wrong], "careful", 0)
    assert [cell.is_plausible for cell in by_chance.degradations] == [True, True]
    fallen = certify([one] * 300 + [other] * 85 + [wrong] * 3, "careful", 0)
    assert [cell.ok for cell in fallen.cells] == [True]
    assert not fallen.is_within(0, 2)
    assert "dot: 3 of 388 honest videos failed (at most 2.0%)." in summary(fallen)
    assert to_record(fallen)["degradations"][1]["ok"] is False


def test_a_static_video_that_gets_an_outcome_is_an_error() -> None:
    trials = run_trials(plan_trials(TASK, 1, 0, ("static",)), careful)
    assert certify(trials, "careful", 0).is_within(0, 0)
    trial = replace(trials[0], score=replace(trials[0].score, outcome=0.4))
    certificate = certify([trial], "generous", 0)
    assert not certificate.is_within(0, 0)
    assert "Static videos got an outcome of 0.00 in 0 of 1." in summary(certificate)


def test_an_audit_of_nothing_is_no_certificate() -> None:
    assert not certify([], "careful", 0).is_within(0, 0)


def test_workers_do_not_change_the_trials() -> None:
    jobs = plan_trials(TASK, 3, 7, ("oracle", "jumped"))
    assert run_trials(jobs, careful, workers=2) == run_trials(jobs, careful)


def test_videos_are_made_again_from_their_ids(tmp_path: Path) -> None:
    few, many = plan_trials(TASK, 5, 1, ("odd",)), plan_trials(TASK, 30, 1, ("odd",))
    assert few == many[: len(few)]
    render_video(few[0], tmp_path / "a.mp4")
    render_video(many[0], tmp_path / "b.mp4")
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()


def test_only_a_placed_video_tells_its_placement(tmp_path: Path) -> None:
    for job in plan_trials(TASK, VIDEOS, 0, ("static",)):
        if job.trial_id.condition.degradation in ("cover", "stretch", "letterbox_grey"):
            told = render_video(job, tmp_path / "video.mp4")
            assert (told is not None) == job.trial_id.condition.placed


def test_evidence_is_a_video_a_strip_and_a_score(tmp_path: Path) -> None:
    job = plan_trials(TASK, 1, 0, ("jumped",))[0]
    trial, strip = save_evidence(job, careful, tmp_path)
    assert trial.is_right
    image = read_image(strip)
    assert image.shape[0] == 112 + 16  # the frame and its label
    assert image.shape[1] > 8 * 150
    stem = strip.stem
    assert stem.startswith("dot-jumped-")
    assert json.loads((tmp_path / f"{stem}.json").read_text("utf-8"))["passed"] is False
    assert (tmp_path / f"{stem}.mp4").stat().st_size > 1000


def test_a_document_shows_every_row_and_how_to_make_a_failure_again() -> None:
    certificate = audited(fooled, ("oracle", "jumped"), videos=3)
    text = markdown(certificate)
    assert "| dot | oracle | pass | 3 | 3 | 100.0% | 43.9 - 100.0% | yes |" in text
    assert "| dot | jumped | fail | 3 | 3 | 100.0% | 43.9 - 100.0% | NO |" in text
    assert "`vmevalkit audit --only TRIAL --seed 0 --scorer fooled`" in text
    for failure in certificate.failures:
        assert f"| `{failure.trial_id}` |" in text
    assert text == markdown(audited(fooled, ("oracle", "jumped"), videos=3))


def test_a_record_says_what_follows_from_the_counts() -> None:
    certificate = audited(fooled, ("jumped",), videos=2)
    record = json.loads(json.dumps(to_record(certificate)))
    assert record["bounds"] == [
        {
            "task": "dot", "cheats": 2, "wrong_passes": 2, "honest": 0, "wrong_fails": 0,
            "max_wrong_pass_rate": 1.0, "max_wrong_fail_rate": 1.0,
        }
    ]  # fmt: skip
    assert record["cells"][0]["rate"] == 1.0
    assert record["cells"][0]["ok"] is False
    assert len(record["failures"]) == 2


@pytest.mark.slow
def test_terminal_tables_have_a_line_a_cell(of_careful: Certificate) -> None:
    by_trick, by_degradation = terminal(of_careful)
    assert by_trick.row_count == len(of_careful.cells)
    assert by_degradation.row_count == len(of_careful.degradations)


def test_bad_calls_are_refused() -> None:
    with pytest.raises(UnknownName, match="no trick of dot 'jump'; did you mean 'jumped'"):
        plan_trials(TASK, 2, 0, ("jump",))
    with pytest.raises(UsageError, match="0 videos per trick"):
        plan_trials(TASK, 0, 0)
    with pytest.raises(UnknownName, match="no scorer 'rule'; did you mean 'rules'"):
        SCORERS["rule"]


def test_a_video_must_not_take_the_name_of_a_generic_trick() -> None:
    class Clash(DotTask):
        def cheats(self, puzzle: object, rng: object) -> dict[str, StateTrajectory[float]]:  # type: ignore[override]
            return {"static": StateTrajectory(lambda t: t, "pass", "a clash of names")}

    with pytest.raises(UsageError, match="dot has its own trick 'static'"):
        plan_trials(Clash(), 1, 0)


def test_a_trick_of_the_tasks_own_may_have_more_videos() -> None:
    few = plan_trials(TASK, 4, 0)
    more = plan_trials(TASK, 4, 0, (), 9)
    sizes = Counter(job.trial_id.trick for job in more)
    assert (sizes["oracle"], sizes["jumped"]) == (4, 9)
    assert {job.trial_id for job in few} < {job.trial_id for job in more}
