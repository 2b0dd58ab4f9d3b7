"""``vmevalkit audit`` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner, Result

from vmevalkit.cli.main import make_app


def audit(*words: str) -> Result:
    return CliRunner().invoke(make_app(), ["audit", *words])


def test_it_prints_and_writes_a_certificate(tmp_path: Path) -> None:
    out, record = tmp_path / "docs" / "certificate.md", tmp_path / "certificate.json"
    words = ("--task", "maze", "--trick", "oracle", "static", "--films", "3", "--out", str(out), "--json", str(record))
    done = audit(*words)
    assert done.exit_code == 0, done.output
    assert "6 of 6 films got the verdict that they deserve. The certificate stands." in done.output.replace("\n", " ")
    assert "| maze | static | fail | 3 | 0 | 0.0% |" in out.read_text("utf-8")
    assert [cell["name"] for cell in json.loads(record.read_text("utf-8"))["cells"]] == ["oracle", "static"]


def test_one_film_is_made_again_with_its_evidence(tmp_path: Path) -> None:
    done = audit("--only", "maze/static/zoom_75/3", "--evidence", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert "deserves fail, got fail" in done.output
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".mp4", ".png"]


def test_a_place_that_cannot_be_written_is_refused_before_a_film_is_made(tmp_path: Path) -> None:
    taken = tmp_path / "a file"
    taken.write_text("mine")
    for words in (("--out", taken / "c.md"), ("--json", tmp_path), ("--notebook", taken / "n.jsonl")):
        done = audit("--task", "maze", "--trick", "static", "--films", "1", *map(str, words))
        assert done.exit_code == 1
        assert f"cannot write {words[1]}" in done.output.replace("\n", "")
        assert "deserve" not in done.output
    done = audit("--only", "maze/static/zoom_75/3", "--evidence", str(taken))
    assert done.exit_code == 1
    assert "cannot write" in done.output
    assert [path.name for path in tmp_path.iterdir()] == ["a file"]
    assert taken.read_text() == "mine"


def test_unknown_names_are_refused_with_the_nearest(tmp_path: Path) -> None:
    for words, told in (
        (("--task", "mase"), "did you mean 'maze'"),
        (("--scorer", "rule"), "did you mean 'rules'"),
        (("--task", "maze", "--films", "1", "--trick", "statik"), "did you mean 'static'"),
        (("--only", "maze/statik/zoom_75/0"), "did you mean 'static'"),
        (("--only", "maze/static"), "is no recipe"),
    ):
        done = audit(*words)
        assert done.exit_code == 2
        assert told in done.output
