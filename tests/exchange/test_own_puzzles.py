"""Questions whose pictures a user made: certified, calibrated and scored, or unscored with the reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw
from typer.testing import CliRunner

import vmevalkit
from vmevalkit.cli.main import make_app
from vmevalkit.exchange.importing import import_rows
from vmevalkit.exchange.read import read_rows
from vmevalkit.media.image import Frame
from vmevalkit.store.questions import load_question, question_digest

ROWS = (".....", ".x.x.", "...x.", "xx...", ".....")
FIELD = {
    "rows": 5, "columns": 5, "traps": [[r, c] for r, row in enumerate(ROWS) for c, k in enumerate(row) if k == "x"],
    "start": [0, 0], "goal": [4, 4],
}  # fmt: skip
SIDE, LEFT, TOP = 44, 60, 20


def draw(boat: tuple[float, float]) -> Frame:
    picture = Image.new("RGB", (340, 260), "#0b3954")
    pen = ImageDraw.Draw(picture)
    for r, row in enumerate(ROWS):
        for c, letter in enumerate(row):
            x, y = LEFT + SIDE * c, TOP + SIDE * r
            pen.rectangle((x, y, x + SIDE - 1, y + SIDE - 1), "#5d4037" if letter == "x" else "#7fc8f8", "#0b3954")
    pen.rectangle((LEFT + SIDE * 4 + 8, TOP + SIDE * 4 + 8, LEFT + SIDE * 5 - 9, TOP + SIDE * 5 - 9), "#d81b60")
    x, y = LEFT + SIDE * boat[1], TOP + SIDE * boat[0]
    pen.polygon([(x + 8, y + 14), (x + 36, y + 14), (x + 30, y + 32), (x + 14, y + 32)], "#ffffff")
    return np.asarray(picture)


def write(folder: Path, puzzle: dict[str, Any], **pictures: Any) -> Path:
    folder.mkdir(parents=True)
    Image.fromarray(draw((0, 0))).save(folder / "first_frame.png")
    (folder / "prompt.txt").write_text("Steer the boat to the buoy.")
    content = {"task": "trap_field", "puzzle": puzzle, "pictures": pictures}
    (folder / "puzzle.json").write_text(json.dumps(content))
    return folder


def test_the_import_says_of_each_question_whether_rules_score_it(tmp_path: Path) -> None:
    write(tmp_path / "own" / "right", FIELD)
    write(tmp_path / "own" / "wrong", {**FIELD, "traps": [*FIELD["traps"], [4, 0]]})  # type: ignore[list-item]
    write(tmp_path / "own" / "close", {**FIELD, "goal": [0, 2]})
    write(tmp_path / "own" / "broken", {**FIELD, "start": [9, 9]})
    done = import_rows(read_rows(tmp_path / "own"), tmp_path / "questions")
    assert (done.questions, done.scorable) == (3, 1)
    close, wrong = done.unscored
    assert "solved in 2 moves" in close and "the board is not found" in wrong
    [broken] = done.bad
    assert "the cell (9, 9) is outside of a board of 5 x 5" in broken.reason
    record = load_question(tmp_path / "questions" / "trap_field_task" / "right").metadata
    assert record["pictures"]["box"] == pytest.approx([LEFT, TOP, LEFT + 5 * SIDE, TOP + 5 * SIDE], abs=2)


def test_videos_of_own_questions_are_scored_or_unscored_with_the_reason(tmp_path: Path) -> None:
    box = [LEFT, TOP, LEFT + 5 * SIDE, TOP + 5 * SIDE]
    write(tmp_path / "own" / "right", FIELD, box=box)
    write(tmp_path / "own" / "wrong", {**FIELD, "traps": [*FIELD["traps"], [4, 0]]}, box=box)  # type: ignore[list-item]
    import_rows(read_rows(tmp_path / "own"), tmp_path / "questions")
    right, wrong = (tmp_path / "questions" / "trap_field_task" / name for name in ("right", "wrong"))
    around = [(0, k / 6) for k in range(13)] + [(k / 6, 2) for k in range(25)] + [(4, 2 + k / 6) for k in range(13)]
    through = [(k / 6, 0) for k in range(25)] + [(4, k / 6) for k in range(25)]
    videos = [np.stack([draw(place) for place in way]) for way in (around, through)]
    passed, failed = (vmevalkit.score_frames(right, video) for video in videos)
    assert passed.passed and not failed.passed
    assert [finding.name for finding in failed.findings if finding.gating] == ["illegal_move"]
    unscored = vmevalkit.score_frames(wrong, videos[0])
    assert unscored.value is None and "do not look like what the puzzle says" in unscored.explanation
    question = load_question(right)
    before = question_digest(question)
    Image.fromarray(draw((0, 1))).save(right / "first_frame.png")
    assert question_digest(question) != before  # other pictures are another question


def test_a_puzzle_file_that_is_none_is_reported(tmp_path: Path) -> None:
    for name, text in (("a", "{"), ("b", '{"task": "trap_field"}'), ("c", '{"task": "no_task", "puzzle": {}}')):
        (write(tmp_path / "own" / name, FIELD) / "puzzle.json").write_text(text)
    result = CliRunner().invoke(make_app(), ["import", str(tmp_path / "own"), "--questions", str(tmp_path / "q")])
    assert result.exit_code == 1
    for words in ("is not JSON", "must be an object with task and puzzle", "names the task 'no_task'"):
        assert words in result.output
