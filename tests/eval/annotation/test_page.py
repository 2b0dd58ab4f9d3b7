"""The annotation page in a real browser and over HTTP."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from annotated_experiment import make_experiment

from vmevalkit.core.errors import ConflictError
from vmevalkit.eval.annotation.human import HumanEvaluator
from vmevalkit.eval.annotation.plan import PlanOptions
from vmevalkit.store.scores import load_scores

pytestmark = [
    pytest.mark.browser,
    # Gradio's own server and client leave sockets and deprecated calls behind.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
QUESTIONS = 5
ITEMS = 2 * QUESTIONS


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("annotation")
    make_experiment(root, questions=QUESTIONS)
    return root / "outputs"


@pytest.fixture
def root(tmp_path: Path, videos: Path) -> Path:
    (tmp_path / "outputs").symlink_to(videos)
    return tmp_path


def find_free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Server:
    """The page of an experiment, served on a free port."""

    def __init__(self, root: Path, people: int = 2, password: str | None = None) -> None:
        options = PlanOptions(people=people, gold_share=0.0)
        self.evaluator = HumanEvaluator("first", root / "outputs", root / "evaluations", options)
        self.app = self.evaluator.launch_interface(port=find_free_port(), block=False, password=password)
        self.url = str(self.app.local_url)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.app.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"]
        )
        yield chromium
        chromium.close()


class Annotator:
    """A person at the page, who uses the keyboard."""

    def __init__(self, context: Any, url: str) -> None:
        self.page, self.url, self.trouble = context.new_page(), url, []
        self.page.set_default_timeout(120_000)  # a machine may be slow
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("request", self._note)

    def _note(self, request: Any) -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.trouble.append(request.url)

    def join(self, name: str | None) -> None:
        self.page.goto(self.url)
        self.page.wait_for_selector("#begin")
        if name is None:  # the browser knows the name
            self.page.wait_for_function("document.querySelector('#name input, #name textarea').value !== ''")
        else:
            self.page.fill("#name input, #name textarea", name)
        self.page.click("#begin")

    def wait_for_item(self, other_than: str | None = None) -> str | None:
        """Return the token of the item on the screen; None where everything is rated."""
        self.page.wait_for_function(
            "token => document.querySelector('.finished') || "
            "(document.querySelector('#viewer') && document.querySelector('#viewer').dataset.token !== token)",
            arg=other_than,
        )
        viewer = self.page.query_selector("#viewer")
        return viewer.get_attribute("data-token") if viewer and viewer.is_visible() else None

    def rate(self, token: str, key: str) -> str | None:
        self.page.keyboard.press(key)
        self.page.wait_for_selector("#score input:checked")
        self.page.keyboard.press("y")
        self.page.wait_for_selector("#legal input:checked")
        self.page.keyboard.press("Enter")
        return self.wait_for_item(token)

    def read_progress(self) -> str:
        return str(self.page.input_value("#progress input, #progress textarea"))


def test_two_annotators_rate_ten_items_each_with_the_keyboard(root: Path, browser: Any) -> None:
    with Server(root) as server:
        contexts = [browser.new_context(viewport={"width": 1280, "height": 720}) for _ in range(2)]
        people = [Annotator(context, server.url) for context in contexts]
        tokens: list[str | None] = []
        for person, name in zip(people, ("Ann", "Bo"), strict=True):
            person.join(name)
            tokens.append(person.wait_for_item())
        for turn in range(4):
            tokens = [person.rate(str(token), str(1 + turn)) for person, token in zip(people, tokens, strict=True)]
        # The time that is left depends on the machine.
        assert all(person.read_progress().startswith(f"4 of {ITEMS} rated, about ") for person in people)
        # A reload, and another day: the browser knows the name, and the work goes on where it was.
        people[0].join(None)
        tokens[0] = people[0].wait_for_item()
        assert people[0].read_progress().startswith(f"4 of {ITEMS} rated, about ")
        for person, token in zip(people, tokens, strict=True):
            current = token
            while current is not None:
                current = person.rate(current, "5")
        assert all(person.page.inner_text(".finished h2").startswith("Finished") for person in people)
        assert [person.trouble for person in people] == [[], []]
        for context in contexts:
            context.close()
    scores = load_scores(root / "evaluations", "first")
    assert len(scores) == 2 * ITEMS
    for name in ("Ann", "Bo"):
        values = sorted(scored.score.value or 0 for scored in scores if scored.annotator == name)
        assert values == sorted([1, 2, 3, 4] + [5] * (ITEMS - 4))
        assert all(scored.details and scored.details["seconds"] > 0 for scored in scores)


def test_the_video_plays_and_steps_through_its_frames(root: Path, browser: Any) -> None:
    with Server(root) as server:
        context = browser.new_context(viewport={"width": 390, "height": 844})
        person = Annotator(context, server.url)
        person.join("Ann")
        token = person.wait_for_item()
        page = person.page
        page.wait_for_function("document.querySelector('#viewer video').currentTime > 0.05")
        page.keyboard.press(" ")
        page.wait_for_function("document.querySelector('#viewer video').paused")
        page.keyboard.press("ArrowRight")
        page.wait_for_function("document.querySelector('#viewer .still').naturalWidth > 0")
        before = page.inner_text("#viewer .time")
        page.keyboard.press("ArrowRight")
        after = page.inner_text("#viewer .time")
        assert before.startswith("frame ") and after.startswith("frame ") and before != after
        page.keyboard.press("s")
        assert page.evaluate("document.querySelector('#viewer video').playbackRate") == 0.5
        page.keyboard.press("l")
        assert page.evaluate("document.querySelector('#viewer video').loop") is False
        # Nothing is wider than the phone, and the header's parts are whole, one below the other.
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        boxes = page.evaluate(
            "[...document.querySelectorAll('#top h1, #progress')].map(e => e.getBoundingClientRect()).map(b => "
            "[b.left, b.right, b.top, b.bottom])"
        )
        assert all(left >= 0 and right <= 390 and right - left > 150 for left, right, _, _ in boxes)
        assert boxes[0][3] <= boxes[1][2] + 1
        page.keyboard.press("n")
        page.wait_for_function("token => document.querySelector('#viewer').dataset.token !== token", arg=str(token))
        token = page.evaluate("document.querySelector('#viewer').dataset.token")
        assert person.rate(str(token), "2") is not None
        page.keyboard.press("u")
        person.page.wait_for_function(
            "token => document.querySelector('#viewer').dataset.token === token", arg=str(token)
        )
        assert load_scores(root / "evaluations", "first") == []
        assert person.trouble == []
        context.close()


def test_names_are_text_and_a_taken_name_needs_its_code(root: Path, browser: Any) -> None:
    with Server(root) as server:
        context = browser.new_context()
        person = Annotator(context, server.url)
        for name in ("<img src=x onerror=alert(1)>", "../../etc", "Ann..Bo"):
            person.join(name)
            person.page.wait_for_selector(".message")
        assert list((root / "evaluations" / "first" / "annotation").glob("*.jsonl")) == []
        person.join("Ann")
        assert person.wait_for_item() is not None
        other = Annotator(browser.new_context(), server.url)
        other.join("Ann")
        other.page.wait_for_selector(".message")
        assert "is taken" in other.page.inner_text(".message")
        assert person.trouble == other.trouble == []


def read_status(url: str, form: bytes | None = None) -> int:
    try:
        with urlopen(url, form, timeout=10) as answer:
            return int(answer.status)
    except HTTPError as error:
        error.close()
        return error.code


def test_only_the_copies_can_be_read(root: Path) -> None:
    secret = root / "secret.txt"
    secret.write_text("x")
    with Server(root) as server:
        joined = server.evaluator.service.join("Ann")
        assert joined.screen.item is not None
        record = root / "evaluations/first/annotation/resume_codes.json"
        video = joined.screen.item.video
        for path in (secret, record, video, "/etc/hostname", Path.cwd() / "README.md", "pyproject.toml"):
            for prefix in ("gradio_api/file=", "gradio_api/file/", "file=", "static/../../../../"):
                assert read_status(f"{server.url}{prefix}{path}") in (400, 401, 403, 404, 405, 422), (prefix, path)


@pytest.mark.parametrize("password", ["open sesame", "пароль 密码"])
def test_a_password_is_asked_for(root: Path, password: str) -> None:
    with Server(root, password=password) as server:
        assert read_status(f"{server.url}config") == 401
        for given, status in (("wrong", 400), ("неверно", 400), (password, 200)):
            form = urlencode({"username": "a", "password": given}).encode()
            assert read_status(f"{server.url}login", form) == status


def test_a_second_server_is_refused(root: Path) -> None:
    with Server(root), pytest.raises(ConflictError, match="another process"):
        Server(root)
    with Server(root):
        pass


def test_twenty_annotators_over_http_lose_no_label(root: Path) -> None:
    """Each annotator has a client of their own, as a browser is, and rates three videos or more. SECONDS=60 runs it
    for a minute."""
    from gradio_client import Client

    deadline = time.monotonic() + float(os.environ.get("SECONDS", "8"))
    with Server(root, people=20) as server:

        def work(number: int) -> int:
            client = Client(server.url, verbose=False)
            client.predict(f"Annotator {number}", "", api_name="/join")
            rated = 0
            while rated < 3 or time.monotonic() < deadline:
                if rated == ITEMS:
                    client.predict(api_name="/undo")
                    rated -= 1
                client.predict(str(1 + number % 5), "Yes", f"by {number}", api_name="/rate")
                rated += 1
            return rated

        with ThreadPoolExecutor(20) as pool:
            counts = list(pool.map(work, range(20)))
    scores = load_scores(root / "evaluations", "first")
    assert sum(counts) == len(scores) >= 60
    for scored in scores:
        number = int(str(scored.annotator).removeprefix("Annotator "))
        assert scored.score.value == 1 + number % 5 and scored.score.explanation == f"by {number}"
