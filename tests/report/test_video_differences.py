"""What a report says about videos that differ in more than their content."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vmevalkit.media.video import write_video
from vmevalkit.report.video_differences import list_video_differences
from vmevalkit.results.columns import make_frame
from vmevalkit.results.selection import BASELINE


def make_row(folder: Path, model: str, size: tuple[int, int], frames: int, **given: object) -> dict[str, object]:
    path = folder / f"{model}.mp4"
    write_video(path, [np.full((size[1], size[0], 3), 10 * i, np.uint8) for i in range(frames)], 8)
    return {
        "experiment": "first", "model": model, "domain": "maze", "question": "maze_0000", "sample": 0,
        "status": "success", "video": str(path), **given,
    }  # fmt: skip


def test_resolution_and_length_are_named_where_they_differ(tmp_path: Path) -> None:
    rows = [
        make_row(tmp_path, "wide", (1280, 720), 16),
        make_row(tmp_path, "square", (960, 960), 16),
        make_row(tmp_path, "small", (832, 480), 8),
        make_row(tmp_path, "static", (64, 64), 4, family=BASELINE),
    ]
    assert list_video_differences(make_frame(rows)) == [
        "the resolution of the videos differs between models: 480p (small); 720p (square, wide)",
        "the length of the videos differs between models: 1 s (small); 2 s (square, wide)",
    ]
    assert list_video_differences(make_frame([rows[0], rows[1], rows[3]])) == []


def test_a_file_that_is_not_a_video_is_left_out(tmp_path: Path) -> None:
    rows = [make_row(tmp_path, "one", (1280, 720), 8), make_row(tmp_path, "other", (832, 480), 8)]
    (tmp_path / "other.mp4").write_text("<html>no video</html>")
    assert list_video_differences(make_frame([*rows, {**rows[0], "model": "none", "video": None}])) == []
