"""The copies in a report are of files of the experiment alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vmevalkit.core.errors import StoreError
from vmevalkit.media.video import write_video
from vmevalkit.report.media_files import MediaCopier, QuestionSource, VideoSource


@pytest.mark.parametrize("with_videos", [True, False])
def test_no_frame_of_a_video_elsewhere_is_shown(tmp_path: Path, with_videos: bool) -> None:
    write_video(tmp_path / "private.mp4", [np.full((32, 48, 3), 9, np.uint8)] * 4, 8.0)
    (tmp_path / "run").mkdir()
    (tmp_path / "run/a.mp4").symlink_to(tmp_path / "private.mp4")
    source = QuestionSource("maze_0000", None, (VideoSource("m/maze_0000", str(tmp_path / "run/a.mp4")),))
    with pytest.raises(StoreError, match="leads outside"):
        MediaCopier(str(tmp_path / "report"), with_videos)(source)
    assert not [path for path in (tmp_path / "report").rglob("*") if path.is_file()]
