"""The page serves the files of a run, and nothing that a link leads to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vmevalkit.core.errors import StoreError
from vmevalkit.core.records import Question
from vmevalkit.eval.annotation.items import AnnotationItem
from vmevalkit.eval.annotation.media_files import MediaFiles
from vmevalkit.media.image import encode_png
from vmevalkit.media.video import write_video

FRAME = np.full((32, 48, 3), 200, np.uint8)


@pytest.fixture
def item(tmp_path: Path) -> AnnotationItem:
    (tmp_path / "run/question").mkdir(parents=True)
    (tmp_path / "run/video").mkdir()
    (tmp_path / "run/question/first_frame.png").write_bytes(encode_png(FRAME))
    write_video(tmp_path / "run/video/a.mp4", [FRAME] * 3, 8)
    question = Question("a", "maze", "Go.", tmp_path / "run/question")
    return AnnotationItem("token", question, tmp_path / "run/video/a.mp4")


def test_the_files_of_a_run_are_copied(item: AnnotationItem, tmp_path: Path) -> None:
    files = MediaFiles(tmp_path / "served").prepare(item)
    assert (files.folder / files.video).read_bytes() == item.video.read_bytes() and len(files.seconds) == 3


@pytest.mark.parametrize("name", ["video/b.mp4", "question/final_frame.png", "question/first_frame.png"])
def test_a_link_to_elsewhere_is_not_served(item: AnnotationItem, tmp_path: Path, name: str) -> None:
    write_video(tmp_path / "private.mp4", [FRAME] * 3, 8)
    link = tmp_path / "run" / name
    link.unlink(missing_ok=True)
    link.symlink_to(tmp_path / "private.mp4")
    if name.startswith("video"):
        item = replace(item, video=link)
    with pytest.raises(StoreError, match="leads outside"):
        MediaFiles(tmp_path / "served").prepare(item)
    assert not list((tmp_path / "served").rglob("*.mp4"))
