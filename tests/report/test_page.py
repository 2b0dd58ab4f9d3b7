"""The page of an experiment, from real questions, films and scores; and as a browser shows it."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from urllib.parse import unquote

import pytest

from vmevalkit.core.errors import StoreError
from vmevalkit.eval.experiment import score_experiment, score_videos
from vmevalkit.media.picture import read_picture
from vmevalkit.report.page import build_report
from vmevalkit.runner.generate import generate
from vmevalkit.runner.run import run

MODELS = ["oracle", "static", "oracle+letterbox_grey"]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("line")
    generate(["maze"], n=2, seed=1, out=root / "questions")
    run(MODELS, root / "questions", "first", root / "outputs")
    score_experiment("first", root / "outputs", root / "evaluations")
    return build_report("first", root / "outputs", root / "evaluations", root / "report")


def test_the_page_shows_every_film_and_its_verdict(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text.count('class="film"') == 6
    assert text.count("pass, 5") == 4
    assert text.count("fail, 1") == 2
    assert "static" in text
    assert "Wilson" in text


def test_everything_that_the_page_names_is_there(page: Path) -> None:
    links = re.findall(r'(?:src|href)="([^"#]+)"', page.read_text("utf-8"))
    assert len(links) == 6 * 4
    for link in links:
        assert (page.parent / unquote(link)).is_file(), link


def test_a_strip_shows_the_film(page: Path) -> None:
    strips = sorted((page.parent / "strips").glob("*.jpg"))
    assert strips
    height, width, _ = read_picture(strips[0]).shape
    assert width > 5 * height


def test_a_second_report_draws_no_strip_again(page: Path) -> None:
    root = page.parent.parent
    before = {path: path.stat().st_mtime_ns for path in (page.parent / "strips").iterdir()}
    build_report("first", root / "outputs", root / "evaluations", root / "report")
    assert {path: path.stat().st_mtime_ns for path in (page.parent / "strips").iterdir()} == before


def test_films_from_elsewhere_have_strips_too_and_may_move(page: Path, tmp_path: Path) -> None:
    root = page.parent.parent
    films = tmp_path / "place" / "films"
    films.mkdir(parents=True)
    shutil.copytree(root / "questions", tmp_path / "place" / "questions")
    for film in (root / "outputs" / "first" / "oracle").rglob("*.mp4"):
        shutil.copy(film, films / film.name)
    place = tmp_path / "place"
    summary = score_videos(films, place / "questions", "mine", place / "evaluations", "brought")
    assert [scoring.score.passed for scoring in summary.scorings if scoring.score] == [True, True]
    place.rename(tmp_path / "moved")
    moved = build_report("brought", tmp_path / "none", tmp_path / "moved" / "evaluations", tmp_path / "report")
    links = re.findall(r'(?:src|href)="([^"#]+)"', moved.read_text("utf-8"))
    assert len(links) == 2 * 4
    assert all((moved.parent / unquote(link)).is_file() for link in links)
    shutil.rmtree(tmp_path / "moved" / "films")
    bare = build_report("brought", tmp_path / "none", tmp_path / "moved" / "evaluations", tmp_path / "report")
    assert bare.read_text("utf-8").count("pass, 5") == 2


def cells(page: Path) -> dict[str, str]:
    """The words of each model's line of the table."""
    body = page.read_text("utf-8").split("<tbody>")[1].split("</tbody>")[0]
    lines = [" ".join(re.sub("<[^>]*>", " ", line).split()) for line in body.split("</tr>")]
    return {line.split()[0]: line for line in lines if line}


def test_a_film_that_was_replaced_is_not_counted_until_it_is_scored(tmp_path: Path) -> None:
    questions, outputs, evaluations = tmp_path / "questions", tmp_path / "outputs", tmp_path / "evaluations"
    generate(["maze"], n=2, seed=1, out=questions)
    run(["oracle"], questions, "first", outputs, seconds=1.0)
    score_experiment("first", outputs, evaluations)
    generate(["maze"], n=1, seed=2, out=questions, force=True)
    run(["oracle"], questions, "first", outputs, seconds=1.0, force=True)
    told: list[str] = []
    page = build_report("first", outputs, evaluations, tmp_path / "report", tell=told.append)
    assert "1/1 [21, 100] + 1 not scored yet" in cells(page)["oracle"]
    text = page.read_text("utf-8")
    assert text.count("pass, 5") == 1
    assert "<strong>maze_0000</strong>: not scored yet" in text
    assert len(told) == 1
    assert told[0].startswith("1 film has no current verdict: oracle 1; call vmevalkit score --experiment first")
    assert text.count("1 film has no current verdict") == 1
    score_experiment("first", outputs, evaluations)
    whole = build_report("first", outputs, evaluations, tmp_path / "report")
    assert "2/2 [34, 100] 100%" in cells(whole)["oracle"]
    assert "no current verdict" not in whole.read_text("utf-8")


def test_runs_without_a_film_are_on_the_page(tmp_path: Path) -> None:
    questions, outputs, evaluations = tmp_path / "questions", tmp_path / "outputs", tmp_path / "evaluations"
    generate(["maze"], n=1, seed=1, out=questions)
    door = questions / "doors_task" / "my_door"
    door.mkdir(parents=True)
    shutil.copy(questions / "maze_task" / "maze_0000" / "first_frame.png", door)
    (door / "prompt.txt").write_text("Open it.")
    run(["static"], questions, "first", outputs, seconds=1.0)
    run(["oracle"], questions, "first", outputs, seconds=1.0, domains=["doors"])
    score_experiment("first", outputs, evaluations)
    told: list[str] = []
    done: list[tuple[int, int]] = []
    page = build_report(
        "first", outputs, evaluations, tmp_path / "report", lambda *now: done.append(now), told.append
    )  # fmt: skip
    assert done == [(1, 1)]
    assert told == ["2 runs have no film: oracle 1, static 1; the pass rates leave them out"]
    assert cells(page)["static"].split(" ", 1)[1] == (
        "0% 0/1 [0, 79] + 1 without a film - + 1 without a film 0% 0/1 [0, 79] 1.00"
    )
    assert cells(page)["oracle"].split(" ", 1)[1] == "- + 1 without a film - + 1 without a film - -"
    text = page.read_text("utf-8")
    assert "<strong>my_door</strong>: no film; failed: ModelError: the baseline" in text
    assert "A pass rate is a share of the scored films" in text


def test_an_experiment_without_scores_says_how_to_make_them(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="vmevalkit score --experiment nothing"):
        build_report("nothing", tmp_path, tmp_path, tmp_path / "report")


@pytest.mark.browser
def test_a_browser_shows_the_page_and_plays_a_film(page: Path) -> None:
    from playwright.sync_api import sync_playwright

    browser_path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    assert browser_path, "install Chromium, or name it in CHROMIUM"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": 1200, "height": 900})
        errors: list[str] = []
        view.on("pageerror", lambda error: errors.append(str(error)))
        view.on("requestfailed", lambda request: errors.append(request.url))
        view.goto(page.absolute().as_uri())
        assert view.locator("#rates tbody tr").count() == 3
        assert view.locator("section.film").count() == 6
        film = view.locator("section.film").first
        film.scroll_into_view_if_needed()
        strip = film.locator("img.strip")
        strip.scroll_into_view_if_needed()
        view.wait_for_function("image => image.complete && image.naturalWidth > 300", arg=strip.element_handle())
        film.locator("summary").click()
        # A film that the browser cannot decode would leave its length unknown.
        length = film.locator("video").evaluate(
            "video => new Promise((done, fail) => { video.onloadedmetadata = () => done(video.duration);"
            " video.onerror = () => fail(video.error.message); video.load(); video.preload = 'auto'; })"
        )
        assert length > 3
        browser.close()
    assert not errors
