"""A person solves puzzles in a real browser, or breaks their rules; the rules score the videos."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import cos, radians, sin
from pathlib import Path
from typing import Any

import pytest

from vmevalkit.eval.api import score_video
from vmevalkit.media.video import probe
from vmevalkit.store.questions import load_questions
from vmevalkit.store.runs import find_runs, question_of
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.puzzle_loading import load_puzzle

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    assert path, "install Chromium, or set CHROMIUM to its path"
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


class Player:
    """A person at the page."""

    def __init__(self, browser: Any, address: str) -> None:
        self.page = browser.new_context(viewport={"width": 800, "height": 560}).new_page()
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", lambda line: self.problems.append(line.text) if line.type == "error" else None)
        self.page.goto(address)
        self.wait()

    def wait(self) -> None:
        self.page.wait_for_selector("body[data-state=idle], body[data-state=end]")

    def press(self, *keys: str) -> None:
        for key in keys:
            before = self.page.evaluate("recording.length")
            self.page.keyboard.press(key)
            # A slow machine may show the whole move between two looks at the queue; what was recorded stays.
            self.page.wait_for_function("before => recording.length > before", arg=before)
            self.wait()

    def find(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the picture is on the screen."""
        box = self.page.locator("#board").bounding_box()
        width, height = self.page.evaluate("[board.width, board.height]")
        scale = min(box["width"] / width, box["height"] / height)
        left = box["x"] + (box["width"] - scale * width) / 2
        return left + scale * x, box["y"] + (box["height"] - scale * height) / 2 + scale * y

    def drag(self, start: Sequence[float], end: Sequence[float]) -> None:
        self.page.mouse.move(*self.find(*start))
        self.page.mouse.down()
        self.page.mouse.move(*self.find(*end), steps=8)
        self.page.mouse.up()
        self.page.wait_for_function("() => targets.size === 0")
        self.wait()

    def finish(self) -> None:
        self.page.click("#finish")
        self.page.wait_for_selector("body[data-state=end]", timeout=60_000)
        assert self.problems == []
        self.page.context.close()


def load(questions: Path, name: str) -> tuple[Any, Any]:
    [question] = load_questions(questions, [name])
    return TASKS[name], load_puzzle(TASKS[name], question.metadata["puzzle"], question.folder)


def find_keys(task: Any, puzzle: Any) -> list[str]:
    """Return the arrow keys of the shortest solution, where each move is one step of a grid."""
    keys, path = [], task.path(puzzle)
    for before, after in pairwise(path):
        old, new = ({p.name: p for p in task.lay_out(puzzle, at)} for at in (before, after))
        dx, dy = next((new[n].x - old[n].x, new[n].y - old[n].y) for n in old if old[n] != new[n])
        keys.append(
            ("ArrowRight" if dx > 0 else "ArrowLeft") if abs(dx) > abs(dy) else "ArrowDown" if dy > 0 else "ArrowUp"
        )
    return keys


def score_only_run(outputs: Path) -> Any:
    [run] = find_runs(outputs, "first")
    assert (run.model, run.status) == ("human-anna", "success")
    assert run.video is not None
    return score_video(question_of(run), run.video)


def test_legal_moves_by_keys_solve_a_puzzle(
    browser: Any, serve: Callable[..., str], questions: Path, tmp_path: Path
) -> None:
    task, puzzle = load(questions, "sokoban")
    player = Player(browser, serve("sokoban"))
    player.press(*find_keys(task, puzzle))
    player.finish()
    score = score_only_run(tmp_path / "outputs")
    assert (score.passed, score.value, score.findings) == (True, 5, ())
    [run] = find_runs(tmp_path / "outputs", "first")
    info = probe(run.video)
    assert ((info.width, info.height), info.fps) == (task.size(puzzle), 24)


def test_a_part_that_is_dragged_through_walls_is_an_illegal_move(
    browser: Any, serve: Callable[..., str], questions: Path, tmp_path: Path
) -> None:
    task, puzzle = load(questions, "sokoban")
    path = task.path(puzzle)
    ends = {part.name: part for part in task.lay_out(puzzle, path[-1])}
    player = Player(browser, serve("sokoban"))
    for part in task.lay_out(puzzle, path[0]):
        player.drag((part.x, part.y), (ends[part.name].x, ends[part.name].y))
    player.finish()
    score = score_only_run(tmp_path / "outputs")
    assert (score.solved, score.passed) == (True, False)
    assert "illegal_move" in {finding.name for finding in score.findings}


def test_cells_are_filled_by_mouse_and_by_keys(
    browser: Any, serve: Callable[..., str], questions: Path, tmp_path: Path
) -> None:
    task, puzzle = load(questions, "colouring")
    cells = {part.name: part for part in task.cells(puzzle)}
    player = Player(browser, serve("colouring"))
    for number, (name, look) in enumerate(task.answers(puzzle)[0].items()):
        player.page.mouse.click(*player.find(cells[name].x, cells[name].y))
        if number % 2:
            player.page.get_by_role("button", name=look, exact=True).click()
            player.page.wait_for_function(f"() => parts.get({name!r}).look === {look!r}")
            player.wait()
        else:
            player.press(str(task.contents(puzzle).index(look) + 1))
    player.finish()
    assert score_only_run(tmp_path / "outputs").passed is True


def test_hands_turn_together_by_key_and_alone_by_mouse(
    browser: Any, serve: Callable[..., str], questions: Path, tmp_path: Path
) -> None:
    task, puzzle = load(questions, "clock")
    player = Player(browser, serve("clock"))
    player.press(*["ArrowRight"] * (len(task.path(puzzle)) - 1))
    player.finish()
    assert score_only_run(tmp_path / "outputs").passed is True
    alone = Player(browser, serve("clock", person="ben"))
    angle = alone.page.evaluate("parts.get('minute').angle")

    def tip(degrees: float) -> tuple[float, float]:
        middle = task.centre(puzzle, task.pieces(puzzle)[1])
        return middle[0] + 100 * sin(radians(degrees)), middle[1] - 100 * cos(radians(degrees))

    alone.drag(tip(angle), tip(angle + 180))
    assert alone.page.evaluate("parts.get('minute').angle") == pytest.approx((angle + 180) % 360)
    alone.finish()
    [run] = find_runs(tmp_path / "outputs", "first", ["human-ben"])
    score = score_video(question_of(run), run.video)
    assert score.passed is False
    assert "illegal_move" in {finding.name for finding in score.findings}


def test_a_chosen_disc_is_lifted_by_key_and_starting_over_is_counted(
    browser: Any, serve: Callable[..., str], questions: Path, tmp_path: Path
) -> None:
    task, puzzle = load(questions, "hanoi")
    player = Player(browser, serve("hanoi"))
    # A key before the server has said which moves are legal waits for the answer.
    player.page.evaluate("begin(); makeMove('ArrowLeft')")
    player.page.get_by_text("Several parts can move that way").wait_for()
    top = next(part for part in task.lay_out(puzzle, task.start(puzzle)) if part.name == "disc1")
    player.page.mouse.click(*player.find(top.x, top.y))
    player.press("ArrowLeft")
    assert player.page.evaluate("parts.get('disc1').x") < top.x
    player.page.click("#restart")
    player.wait()
    for before, after in pairwise(task.path(puzzle)):
        old, new = ({p.name: p for p in task.lay_out(puzzle, at)} for at in (before, after))
        [name] = [name for name in old if old[name] != new[name]]
        player.drag((old[name].x, old[name].y), (new[name].x, new[name].y))
    player.finish()
    assert score_only_run(tmp_path / "outputs").passed is True
    [run] = find_runs(tmp_path / "outputs", "first")
    assert '"restarts": 1' in (run.folder / "metadata.json").read_text()
