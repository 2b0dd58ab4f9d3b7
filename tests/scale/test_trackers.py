"""Runs of Weights & Biases and of Trackio, written by the real packages without network, and read back."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from vmevalkit.core.errors import UsageError
from vmevalkit.exchange.export import export_rows
from vmevalkit.exchange.row import Row
from vmevalkit.exchange.trackers import summarize_lines
from vmevalkit.media.video_writer import write_video

pytestmark = pytest.mark.scale


def make_rows(folder: Path) -> list[Row]:
    """Return two videos of each of two models; one has no score."""
    video = folder / "video.mp4"
    write_video(video, [np.full((48, 64, 3), level, np.uint8) for level in range(0, 240, 20)], 24)
    score = {"value": 5, "passed": True, "failure_mode": "none", "explanation": "Solved."}
    fail = {"value": 1, "passed": False, "failure_mode": "static", "explanation": "Nothing moves."}
    rows = []
    for model, scores in (("alpha", [score, fail]), ("beta", [score, None])):
        for number, each in enumerate(scores):
            text = None if each is None else json.dumps({"RuleEvaluator": each})
            rows.append(
                Row("maze", f"maze_{number:04d}", "Go.", b"png", model=model, video=video.read_bytes(), scores=text)
            )
    return rows


def test_rates_leave_out_what_has_no_verdict() -> None:
    lines = [{"scorer": "R", "domain": "maze", "value": value} for value in (5, 4, 1, None)]
    rates = summarize_lines(lines)
    assert rates["R/maze/success"] == rates["R/all/success"] == pytest.approx(2 / 3)
    assert rates["R/all/mean_value"] == pytest.approx(10 / 3)


def test_questions_alone_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--experiment NAME"):
        export_rows([Row("maze", "maze_0000", "Go.", b"png")], "wandb", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_offline_runs_of_wandb_have_tables_and_videos(tmp_path: Path) -> None:
    out = export_rows(make_rows(tmp_path), "wandb", tmp_path / "out").folder
    runs = sorted(out.glob("wandb/offline-run-*"))
    assert len(runs) == 2
    for run in runs:
        [table] = run.glob("files/media/table/*.table.json")
        content = json.loads(table.read_text())
        assert len(content["data"]) == 2
        video = content["data"][0][content["columns"].index("video")]
        assert video.startswith("video/maze--maze_0000--")
        assert len([path for path in run.glob("files/media/videos/video/*.mp4") if path.stat().st_size > 0]) == 2
        assert list(run.glob("*.wandb"))
    assert not any(path.is_symlink() for path in out.rglob("*"))


PROGRAM = """
import sys
sys.path[:0] = {paths!r}
from pathlib import Path
from test_trackers import make_rows
from vmevalkit.exchange.export import export_rows
export_rows(make_rows(Path(sys.argv[1])), "trackio", Path(sys.argv[1]) / "out")
"""


def test_runs_of_trackio_have_tables_and_videos(tmp_path: Path) -> None:
    program = PROGRAM.format(paths=[str(Path(__file__).parent), *sys.path])
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    with sqlite3.connect(tmp_path / "out" / "vmevalkit.db") as database:
        rows = database.execute("select run_name, metrics from metrics order by run_name").fetchall()
    assert [name for name, _ in rows] == ["alpha", "beta"]
    assert json.loads(rows[0][1])["RuleEvaluator/maze/success"] == 0.5
    assert json.loads(rows[1][1])["RuleEvaluator/maze/success"] == 1.0
    assert len(list((tmp_path / "out" / "media").rglob("*.mp4"))) == 4
