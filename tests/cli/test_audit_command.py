"""``vmevalkit audit`` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from vmevalkit.cli.main import make_app


def audit(*args: str) -> Result:
    return CliRunner().invoke(make_app(), ["audit", *args])


@pytest.mark.slow
def test_it_prints_and_writes_a_certificate(tmp_path: Path) -> None:
    out, record = tmp_path / "docs" / "certificate.md", tmp_path / "certificate.json"
    options = ("--task", "maze", "--trick", "oracle", "static", "--videos", "2")
    result = audit(*options, "--out", str(out), "--json", str(record))
    assert result.exit_code == 0, result.output
    bounds = "maze: 0 of 2 cheats passed (at most 77.7%), 0 of 2 honest videos failed (at most 77.7%)."
    assert f"4 of 4 videos got the verdict that they deserve. {bounds}" in result.stdout.splitlines()
    assert "| maze | static | fail | 2 | 0 | 0.0% |" in out.read_text("utf-8")
    certificate = json.loads(record.read_text("utf-8"))
    assert [cell["name"] for cell in certificate["cells"]] == ["oracle", "static"]
    rows = [[cell.strip() for cell in line.split("\u2502")[1:-1]] for line in result.stdout.splitlines()]
    assert [row[:5] for row in rows if row] == [
        [cell["task"], cell["name"], cell["expected"], str(cell["n"]), str(cell["passed"])]
        for cell in (*certificate["cells"], *certificate["degradations"])
    ]
    assert "\u2026" not in result.stdout, "a table is cut in a pipe"


def test_one_trial_is_run_again_with_its_evidence(tmp_path: Path) -> None:
    result = audit("--only", "maze/static/zoom_75/3", "--evidence", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert "deserves fail, got fail" in result.output
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".mp4", ".png"]


def test_kinds_that_a_task_does_not_have_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from vmevalkit.audit import fresh_kinds

    only_maze = tuple(kind for kind in fresh_kinds.ROUNDS["round_1"] if kind.needs == ("maze",))
    monkeypatch.setattr(fresh_kinds, "ROUNDS", {"round_1": only_maze})
    result = audit("--kinds", "round_1", "--task", "sudoku", "--videos", "1")
    assert result.exit_code == 2
    assert "sudoku: no kind of round_1 is written for it" in " ".join(result.output.split())


def test_an_unwritable_path_is_refused_before_a_video_is_made(tmp_path: Path) -> None:
    taken = tmp_path / "a file"
    taken.write_text("mine")
    for args in (("--out", taken / "c.md"), ("--json", tmp_path), ("--trial-cache", taken / "n.jsonl")):
        result = audit("--task", "maze", "--trick", "static", "--videos", "1", *map(str, args))
        assert result.exit_code == 1
        assert f"cannot write {args[1]}" in result.output.replace("\n", "")
        assert "deserve" not in result.output
    result = audit("--only", "maze/static/zoom_75/3", "--evidence", str(taken))
    assert result.exit_code == 1
    assert "cannot write" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["a file"]
    assert taken.read_text() == "mine"


def test_unknown_names_are_refused_with_the_nearest(tmp_path: Path) -> None:
    for args, message in (
        (("--task", "mase"), "did you mean 'maze'"),
        (("--scorer", "rule"), "did you mean 'rules'"),
        (("--task", "maze", "--videos", "1", "--trick", "statik"), "did you mean 'static'"),
        (("--only", "maze/statik/zoom_75/0"), "did you mean 'static'"),
        (("--only", "maze/static"), "is not the id of a trial"),
    ):
        result = audit(*args)
        assert result.exit_code == 2
        assert message in result.output
