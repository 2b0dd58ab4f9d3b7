"""Audits of scorers whose quality is known: a careful one, one that looks at the end alone, one that loses its way."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from dot_task import TASK, DotTask, careful, fooled, lost
from vmevalkit.audit.audit import examine, jobs_for, shoot
from vmevalkit.audit.certificate import Certificate, certify, to_record
from vmevalkit.audit.evidence import keep
from vmevalkit.audit.scorers import SCORERS, Scorer
from vmevalkit.audit.tables import markdown, summary, terminal
from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.media.picture import read_picture
from vmevalkit.tasks.task import Film

FILMS = 26
"""As many as there are artefacts, with those that are tried both ways."""


def audited(scorer: Scorer, tricks: tuple[str, ...] = (), films: int = FILMS) -> Certificate:
    trials = examine(jobs_for(TASK, films, 0, tricks), scorer)
    return certify(trials, scorer.__name__, 0)


@pytest.fixture(scope="module")
def of_careful() -> Certificate:
    return audited(careful, ("oracle", "faster", "static", "crossfade", "noise", "jumped", "wavering"))


def rows(certificate: Certificate) -> dict[str, bool]:
    return {cell.name: cell.ok for cell in certificate.cells}


def test_a_careful_scorer_gets_its_certificate(of_careful: Certificate) -> None:
    assert of_careful.failures == ()
    assert of_careful.ok
    assert "The certificate stands." in summary(of_careful)


def test_every_trick_that_applies_is_filmed() -> None:
    applicable = [name for name, expected in TASK.tricks.items() if expected != "n/a"]
    sizes = Counter(job.recipe.trick for job in jobs_for(TASK, FILMS, 0))
    assert list(sizes) == [*applicable, "jumped", "wavering", "odd"]
    assert "reversed" not in sizes
    assert 0 < sizes.pop("odd") < FILMS  # half of the puzzles have this film
    assert set(sizes.values()) == {FILMS}


def test_the_numbers_of_a_certificate(of_careful: Certificate) -> None:
    cell = of_careful.cells[0]
    assert (cell.task, cell.name, cell.expected, cell.n, cell.passed) == ("dot", "oracle", "pass", FILMS, FILMS)
    assert (cell.low, cell.high) == (0.8713, 1.0)
    assert of_careful.static_films == of_careful.static_at_zero == FILMS
    assert of_careful.versions == {"dot": "3"}
    assert of_careful.films == sum(cell.n for cell in of_careful.artefacts)


def test_a_scorer_that_looks_at_the_end_alone_is_refused() -> None:
    certificate = audited(fooled, ("oracle", "static", "cut_to_final", "crossfade", "halfway", "jumped"), films=13)
    assert not certificate.ok
    assert rows(certificate) == {
        "oracle": True, "static": True, "halfway": True,
        "cut_to_final": False, "crossfade": False, "jumped": False,
    }  # fmt: skip
    assert {failure.got for failure in certificate.failures} == {"pass"}
    assert "falls: dot/cut_to_final, dot/crossfade, dot/jumped" in summary(certificate)


def test_no_verdict_is_neither_pass_nor_fail_and_refuses_the_certificate() -> None:
    certificate = audited(lost, ("oracle", "static", "halfway"), films=4)
    oracle, static, halfway = certificate.cells
    assert oracle.ok
    assert (static.n, static.unscored, static.ok) == (0, 4, False)
    assert (halfway.n, halfway.unscored, halfway.ok) == (0, 4, False)
    got = {failure.recipe.split("/")[1]: failure for failure in certificate.failures}
    assert got["static"].got == "error"
    assert got["static"].told == "error: RuntimeError: the scorer lost its way"
    assert (got["halfway"].got, got["halfway"].told) == ("unscored", "unscored: no idea")


def test_one_wrong_verdict_in_a_hundred_is_forgiven_and_two_are_not() -> None:
    trials = examine(jobs_for(TASK, 2, 0, ("oracle",)), fooled)
    right, wrong = trials[0], examine(jobs_for(TASK, 1, 0, ("halfway",)), fooled)[0]
    wrong = replace(right, score=wrong.score)
    assert certify([right] * 99 + [wrong], "fooled", 0).ok
    assert not certify([right] * 98 + [wrong] * 2, "fooled", 0).ok


def test_an_artefact_that_surely_fools_the_scorer_refuses_the_certificate() -> None:
    """Of a few films one may be wrong by chance; three of 88 are more than that."""
    jobs = jobs_for(TASK, 40, 0, ("oracle",))
    plain, caption = (
        next(job for job in jobs if job.recipe.condition.artefact == name) for name in ("plain", "caption")
    )
    one, other = examine([plain, caption], careful)
    wrong = replace(other, score=examine(jobs_for(TASK, 1, 0, ("halfway",)), careful)[0].score)
    by_chance = certify([one] * 300 + [other] * 87 + [wrong], "careful", 0)
    assert by_chance.ok
    fallen = certify([one] * 300 + [other] * 85 + [wrong] * 3, "careful", 0)
    assert [cell.ok for cell in fallen.cells] == [True]
    assert not fallen.ok
    assert "The certificate falls: dot/caption." in summary(fallen)
    assert to_record(fallen)["artefacts"][1]["ok"] is False


def test_a_static_film_that_gets_an_outcome_refuses_the_certificate() -> None:
    trials = examine(jobs_for(TASK, 1, 0, ("static",)), careful)
    assert certify(trials, "careful", 0).ok
    trial = replace(trials[0], score=replace(trials[0].score, outcome=0.4))
    certificate = certify([trial], "generous", 0)
    assert not certificate.ok
    assert "outcome of static films (0.00 in 0 of 1)" in summary(certificate)


def test_an_audit_of_nothing_is_no_certificate() -> None:
    assert not certify([], "careful", 0).ok


def test_workers_do_not_change_the_trials() -> None:
    jobs = jobs_for(TASK, 3, 7, ("oracle", "jumped"))
    assert examine(jobs, careful, workers=2) == examine(jobs, careful)


def test_films_are_made_again_from_their_recipes(tmp_path: Path) -> None:
    few, many = jobs_for(TASK, 5, 1, ("odd",)), jobs_for(TASK, 30, 1, ("odd",))
    assert few == many[: len(few)]
    shoot(few[0], tmp_path / "a.mp4")
    shoot(many[0], tmp_path / "b.mp4")
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()


def test_only_a_placed_film_tells_its_placement(tmp_path: Path) -> None:
    for job in jobs_for(TASK, FILMS, 0, ("static",)):
        if job.recipe.condition.artefact in ("cover", "stretch", "letterbox_grey"):
            told = shoot(job, tmp_path / "film.mp4")
            assert (told is not None) == job.recipe.condition.placed


def test_evidence_is_a_film_a_strip_and_a_score(tmp_path: Path) -> None:
    job = jobs_for(TASK, 1, 0, ("jumped",))[0]
    trial, strip = keep(job, careful, tmp_path)
    assert trial.right
    picture = read_picture(strip)
    assert picture.shape[0] == 180
    assert picture.shape[1] > 8 * 150
    stem = strip.stem
    assert stem.startswith("dot-jumped-")
    assert json.loads((tmp_path / f"{stem}.json").read_text("utf-8"))["passed"] is False
    assert (tmp_path / f"{stem}.mp4").stat().st_size > 1000


def test_a_document_shows_every_row_and_how_to_make_a_failure_again() -> None:
    certificate = audited(fooled, ("oracle", "jumped"), films=3)
    text = markdown(certificate)
    assert "| dot | oracle | pass | 3 | 3 | 100.0% | 43.9 - 100.0% | yes |" in text
    assert "| dot | jumped | fail | 3 | 3 | 100.0% | 43.9 - 100.0% | NO |" in text
    assert "`vmevalkit audit --only RECIPE --seed 0 --scorer fooled`" in text
    for failure in certificate.failures:
        assert f"| `{failure.recipe}` |" in text
    assert text == markdown(audited(fooled, ("oracle", "jumped"), films=3))


def test_a_record_says_what_follows_from_the_counts() -> None:
    certificate = audited(fooled, ("jumped",), films=2)
    record = json.loads(json.dumps(to_record(certificate)))
    assert record["ok"] is False
    assert record["cells"][0]["rate"] == 1.0
    assert record["cells"][0]["ok"] is False
    assert len(record["failures"]) == 2


def test_terminal_tables_have_a_line_a_cell(of_careful: Certificate) -> None:
    by_trick, by_artefact = terminal(of_careful)
    assert by_trick.row_count == len(of_careful.cells)
    assert by_artefact.row_count == len(of_careful.artefacts)


def test_bad_calls_are_refused() -> None:
    with pytest.raises(UnknownName, match="no trick of dot 'jump'; did you mean 'jumped'"):
        jobs_for(TASK, 2, 0, ("jump",))
    with pytest.raises(UsageError, match="0 films"):
        jobs_for(TASK, 0, 0)
    with pytest.raises(UnknownName, match="no scorer 'rule'; did you mean 'rules'"):
        SCORERS["rule"]


def test_a_film_must_not_take_the_name_of_a_generic_trick() -> None:
    class Clash(DotTask):
        def films(self, puzzle: object, rng: object) -> dict[str, Film[float]]:  # type: ignore[override]
            return {"static": Film(lambda t: t, "pass", "a clash of names")}

    with pytest.raises(UsageError, match="dot has a film 'static' of its own"):
        jobs_for(Clash(), 1, 0)


def test_a_trick_of_the_tasks_own_may_have_more_films() -> None:
    few = jobs_for(TASK, 4, 0)
    more = jobs_for(TASK, 4, 0, (), 9)
    sizes = Counter(job.recipe.trick for job in more)
    assert (sizes["oracle"], sizes["jumped"]) == (4, 9)
    assert {job.recipe for job in few} < {job.recipe for job in more}
