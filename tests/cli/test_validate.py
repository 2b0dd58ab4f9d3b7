"""``vmevalkit validate``: agreement, disagreements with their evidence, changes, and the exit code."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw
from typer.testing import CliRunner, Result

from vmevalkit.cli.main import make_app
from vmevalkit.media.image import Frame
from vmevalkit.media.video_writer import write_video

ROWS = ("#####", "#...#", "#.#.#", "#...#", "#####")
WAY = [(1, 1), (1, 2), (1, 3), (2, 3), (3, 3)]
SIDE = 48


def draw(place: tuple[float, float]) -> Frame:
    picture = Image.new("RGB", (240, 240), "#fff8e1")
    pen = ImageDraw.Draw(picture)
    for r, row in enumerate(ROWS):
        for c, letter in enumerate(row):
            x, y = SIDE * c, SIDE * r
            pen.rectangle((x, y, x + SIDE - 1, y + SIDE - 1), "#33691e" if letter == "#" else "#fff8e1", "#999999")
    pen.rectangle((3 * SIDE, 3 * SIDE, 4 * SIDE - 1, 4 * SIDE - 1), "#01579b")
    x, y = SIDE * (place[1] + 0.5), SIDE * (place[0] + 0.5)
    pen.ellipse((x - 14, y - 14, x + 14, y + 14), "#e65100")
    return np.asarray(picture)


def walk(way: Sequence[tuple[float, float]]) -> list[Frame]:
    places = [
        (r + k / 8 * (to_r - r), c + k / 8 * (to_c - c))
        for (r, c), (to_r, to_c) in zip(way, way[1:], strict=False)  # noqa: RUF007
        for k in range(8)
    ]
    return [draw(place) for place in [*places, *[way[-1]] * 8]]


def make_folder(folder: Path, labels: dict[str, bool]) -> Path:
    """Write two videos, one legal and one through a wall, each with a label."""
    folder.mkdir()
    Image.fromarray(draw(WAY[0])).save(folder / "first.png")
    entries = []
    for name, way in (("legal", WAY), ("wall", [(1, 1), (3, 3)])):
        write_video(folder / f"{name}.mp4", walk(way), 24)
        entry: dict[str, Any] = {
            "id": name, "file": f"{name}.mp4", "first": "first.png", "model": "a model", "kind": "maze",
            "puzzle": {"rows": 5, "cols": 5, "grid": ROWS, "start": [1, 1], "goal": [3, 3]},
            "geometry": {"board_box": [0, 0, 240, 240]},
            "label": {"pass": labels[name], "sure": "high", "why": f"seen as {labels[name]}"},
        }  # fmt: skip
        entries.append(entry)
    road = {**entries[0], "id": "road", "kind": "roads", "puzzle": {}, "geometry": {}}
    (folder / "labels.json").write_text(json.dumps([*entries, road]))
    return folder


def run(*words: str) -> Result:
    return CliRunner().invoke(make_app(), ["validate", *words])


def test_agreement_and_what_no_task_reads(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "set", {"legal": True, "wall": False})
    result = run(str(folder))
    assert result.exit_code == 0, result.output
    assert "2 of 3 sure labels are right  (67%" in result.output
    assert "unscored: road (a model): no task reads 'roads'" in result.output
    assert run(str(folder), "--at-least", "0.7").exit_code == 1


def test_a_false_pass_is_an_error_with_evidence(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "set", {"legal": False, "wall": True})
    result = run(str(folder), "--evidence", str(tmp_path / "strips"), "--only", "legal", "--only", "wall")
    assert result.exit_code == 1
    assert "false pass: legal (a model)" in result.output and "false fail: wall (a model)" in result.output
    assert [path.name for path in (tmp_path / "strips").iterdir()] == ["wall.jpg"]


def test_changes_of_honest_videos(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "set", {"legal": True, "wall": False})
    names = ("gamma", "trail", "stops_short", "wall_opens", "straight_through")
    result = run(str(folder), "--find-boxes", "--perturb", *(word for name in names for word in ("--change", name)))
    assert result.exit_code == 0, result.output
    assert "2 of 2 harmless changes pass" in result.output
    assert "3 of 3 harmful changes fail" in result.output


@pytest.mark.parametrize(("text", "words"), [("{}", "is not a list"), ("[", "is not JSON"), ("[{}]", "lacks 'label'")])
def test_a_label_file_that_is_none(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "labels.json").write_text(text)
    result = run(str(tmp_path))
    assert result.exit_code != 0
    assert words in str(result.output) + str(result.exception)
