"""The report in a real browser, opened from a file: it filters, sorts, plays and seeks, and runs no foreign text."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_experiment import HOSTILE
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


class Watched:
    """A browser page that records errors and requests outside of the report's folder."""

    def __init__(self, browser: object, folder: Path, width: int, height: int, scheme: str) -> None:
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[attr-defined]
        self.page = context.new_page()
        self.folder = folder.absolute().as_uri()
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", lambda message: self._hear(message))
        self.page.on("requestfailed", lambda request: self._fail(request))
        self.page.on("request", lambda request: self._see(request.url))

    def _hear(self, message: object) -> None:
        if message.type in ("error", "warning"):  # type: ignore[attr-defined]
            self.problems.append(message.text)  # type: ignore[attr-defined]

    def _fail(self, request: object) -> None:
        if "ERR_ABORTED" not in str(request.failure):  # type: ignore[attr-defined]  # a preview that was left
            self.problems.append(f"failed {request.url}")  # type: ignore[attr-defined]

    def _see(self, url: str) -> None:
        if not url.startswith(self.folder):
            self.problems.append(f"requested {url}")

    def open(self, name: str) -> None:
        self.page.goto(f"{self.folder}/{name}")
        self.page.wait_for_load_state()
        if not name.startswith("index"):
            self.page.wait_for_selector("body[data-ready]")


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    assert path, "install Chromium, or set CHROMIUM to its path"
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def view(browser: object, page: Path) -> Iterator[Watched]:
    watched = Watched(browser, page.parent, 1280, 900, "light")
    yield watched
    watched.page.context.close()
    assert not watched.problems


def cards(view: Watched) -> int:
    return int(view.page.locator("#grid .card").count())


def test_the_first_page_shows_figures_and_links_to_the_questions(view: Watched) -> None:
    view.open("index.html")
    page = view.page
    for image in page.locator("figure img").all():
        image.scroll_into_view_if_needed()
        page.wait_for_function("image => image.complete && image.naturalWidth > 100", arg=image.element_handle())
    assert page.locator("h1").count() == 1
    assert page.locator("#ranking table tbody tr").count() == 4
    assert "<b>beta</b> $x_$" in page.locator("#ranking table").inner_text()
    page.locator("#examples .card").first.click()
    page.wait_for_selector("body[data-ready]")
    assert page.locator("article.video").count() == 4


def test_the_gallery_filters_sorts_and_searches(view: Watched) -> None:
    view.open("gallery.html")
    page = view.page
    assert cards(view) == 48
    assert page.locator("#count").inner_text().startswith("120 of 120 videos; 1 to 48")
    page.select_option("[name=model]", "alpha")
    page.wait_for_function("() => document.getElementById('count').textContent.startsWith('30 of 120')")
    assert "model=alpha" in page.url
    page.select_option("[name=verdict]", "fail")
    page.select_option("[name=task]", "maze")
    page.wait_for_function("() => document.querySelectorAll('#grid .chip.pass').length === 0")
    fails = cards(view)
    assert 0 < fails < 10
    page.select_option("[name=sort]", "best")
    page.wait_for_function(
        "() => { const values = [...document.querySelectorAll('#grid .chip')].map(chip => parseInt(chip.textContent));"
        " return values.length && values.every((value, i) => i === 0 || value <= values[i - 1]); }"
    )
    shared = page.url
    page.select_option("[name=sort]", "worst")
    page.go_back()
    assert page.url == shared
    expect(page.locator("[name=sort]")).to_have_value("best")
    page.go_back()
    expect(page.locator("[name=sort]")).to_have_value("question")
    page.keyboard.press("/")
    page.keyboard.type("chess_0002 static")
    page.wait_for_function("() => document.getElementById('count').textContent.startsWith('None')")
    page.locator("button[type=reset]").click()
    page.wait_for_function("() => document.querySelectorAll('#grid .card').length === 48")
    page.keyboard.press("/")
    page.keyboard.type("chess_0002 static")
    page.wait_for_function("() => document.querySelectorAll('#grid .card').length === 1")
    assert view.page.evaluate("document.title") == "Gallery · made"


def test_a_shared_link_opens_the_same_view(view: Watched) -> None:
    view.open("gallery.html#model=gamma&low=4&level=hard&tag=tag1")
    found = view.page.locator("#count").inner_text()
    assert cards(view) > 0
    assert all(int(text.split()[0]) >= 4 for text in view.page.locator("#grid .chip").all_inner_texts())
    assert view.page.locator("[name=model]").input_value() == "gamma"
    view.open("index.html")
    view.open("gallery.html#model=gamma&low=4&level=hard&tag=tag1")
    assert view.page.locator("#count").inner_text() == found


def test_pages_and_keys_of_the_gallery(view: Watched) -> None:
    view.open("gallery.html")
    page = view.page
    first = page.locator("#grid .card").first.inner_text()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("[...document.querySelectorAll('.card')].indexOf(document.activeElement)") == 1
    page.keyboard.press("ArrowDown")
    assert page.evaluate("[...document.querySelectorAll('.card')].indexOf(document.activeElement)") > 2
    page.locator(".pager [data-go='1']").first.click()
    # The hash is there before the view: hashchange comes later.
    expect(page.locator(".pager output").first).to_have_text("page 2 of 3")
    assert page.evaluate("location.hash") == "#page=2"
    assert page.locator("#grid .card").first.inner_text() != first
    page.locator("#grid .card").nth(3).click()
    page.wait_for_selector("article.video")
    page.go_back()
    page.wait_for_selector("body[data-ready=yes]")
    expect(page.locator(".pager output").first).to_have_text("page 2 of 3")


def test_a_question_plays_steps_and_seeks_from_a_finding(view: Watched) -> None:
    view.open("question.html#maze/maze_0000")
    page = view.page
    assert page.locator("article.video").count() == 4
    card = page.locator("article.video", has=page.locator(".findings .gating")).first
    video = card.locator("video")
    now = "video => video.currentTime"
    card.locator("[data-step='1']").click()
    page.wait_for_function("video => video.currentTime > 0.1", arg=video.element_handle())
    assert video.evaluate(now) == pytest.approx(1.5 / 12, abs=0.01)
    card.locator("[data-step='1']").click()
    page.wait_for_function("video => video.currentTime > 0.2", arg=video.element_handle())
    card.locator("[data-step='-1']").click()
    page.wait_for_function("video => video.currentTime < 0.2", arg=video.element_handle())
    card.locator(".findings .gating button").first.click()
    page.wait_for_function("video => Math.abs(video.currentTime - 1.25) < 0.01", arg=video.element_handle())
    box = card.locator(".timeline").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
    page.wait_for_function("video => Math.abs(video.currentTime - 0.5) < 0.1", arg=video.element_handle())
    page.select_option("#speed", "2")
    card.locator("button.play").click()
    page.wait_for_function("video => video.currentTime > 1", arg=video.element_handle())
    assert video.evaluate("video => video.playbackRate") == 2
    strip = card.locator(".strip img").first
    strip.scroll_into_view_if_needed()
    page.wait_for_function("image => image.complete && image.naturalWidth > 300", arg=strip.element_handle())
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("body[data-ready='maze/maze_0003']")
    page.go_back()
    page.wait_for_selector("body[data-ready='maze/maze_0000']")
    assert page.locator(".pair img").count() == 2


def test_hostile_text_is_shown_and_not_run(view: Watched) -> None:
    view.open("question.html#maze/maze_0000")
    page = view.page
    assert page.locator(".prompt").inner_text() == HOSTILE
    assert HOSTILE in page.locator(".findings").first.inner_text()
    assert page.locator(".video img[src=x]").count() == 0
    assert page.locator("article h3").nth(1).inner_text() in ("alpha", "<b>beta</b> $x_$", "static", "gamma")
    assert page.evaluate("document.title") == "maze/maze_0000 · made"
    view.open("gallery.html#q=onerror")
    assert HOSTILE[:40] in page.locator(".why").first.text_content()
    assert page.evaluate("document.title") == "Gallery · made"


def test_a_script_in_the_page_would_be_blocked(view: Watched) -> None:
    view.open("index.html")
    view.page.evaluate(
        "() => { const script = document.createElement('script'); script.textContent = 'document.title = \"run\"';"
        " document.body.append(script); }"
    )
    assert view.page.evaluate("document.title") == "made"
    assert any("Content Security Policy" in problem for problem in view.problems)
    view.problems.clear()


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (390, "dark"), (1280, "dark"), (2560, "light")])
def test_no_page_is_wider_than_the_window(browser: object, page: Path, width: int, scheme: str) -> None:
    watched = Watched(browser, page.parent, width, 900, scheme)
    for name in ("index.html", "gallery.html", "question.html#maze/maze_0000"):
        watched.open(name)
        assert watched.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, name
    watched.page.context.close()
    assert not watched.problems


def test_a_table_is_sorted_by_its_headings_and_links_into_the_gallery(view: Watched) -> None:
    view.open("index.html")
    table = view.page.locator("#ranking table")
    heading = table.locator("thead th").nth(2)

    def read() -> list[str]:
        return [row.strip() for row in table.locator("tbody tr th").all_inner_texts()]

    def read_rates() -> list[float]:
        return [float(text.rstrip("%")) for text in table.locator("tbody tr td:nth-child(3)").all_inner_texts()]

    original = read()
    assert heading.inner_text().startswith("success")
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert read_rates() == sorted(read_rates(), reverse=True)
    heading.locator("button").click()
    assert read_rates() == sorted(read_rates())
    heading.locator("button").click()
    assert (heading.get_attribute("aria-sort"), read()) == (None, original)
    table.get_by_role("link", name="static").click()
    view.page.wait_for_selector("body[data-ready]")
    assert view.page.locator("#count").inner_text().startswith("30 of 120")
    expect(view.page.locator("[name=model]")).to_have_value("static")


def test_models_are_picked_and_the_address_keeps_them_and_the_moment(view: Watched) -> None:
    view.open("question.html#maze/maze_0000")
    page = view.page
    page.locator(".picker summary").click()
    page.get_by_role("checkbox", name="static").uncheck()
    assert page.locator("article.video").count() == 3
    page.select_option("#size", "small")
    assert page.locator(".videos.small").count() == 1
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Space")
    page.wait_for_function("() => [...document.querySelectorAll('video')].some(video => !video.paused)")
    page.keyboard.press("Space")
    page.wait_for_function("() => [...document.querySelectorAll('video')].every(video => video.paused)")
    page.wait_for_function("() => location.hash.includes('t=')")
    assert "size=small" in page.url and "models=" in page.url
    shared = "question.html" + page.url.split("question.html")[1]
    view.open("index.html")
    view.open(shared)
    assert page.locator("article.video").count() == 3
    assert page.locator(".videos.small").count() == 1


def test_the_questions_that_one_model_gets_right_and_another_wrong(view: Watched) -> None:
    view.open("gallery.html#right=alpha&wrong=gamma")
    names = view.page.locator("#grid .name span:first-child").all_inner_texts()
    chips = view.page.locator("#grid .chip").all_inner_texts()
    assert names and set(names) == {"alpha", "gamma"} and names.count("alpha") == names.count("gamma")
    assert all(int(chip.split()[0]) >= 4 for name, chip in zip(names, chips, strict=True) if name == "alpha")
    keys = view.page.locator("#grid .words > .soft").all_inner_texts()
    assert keys[::2] == keys[1::2], "the two videos of a question stand side by side"
