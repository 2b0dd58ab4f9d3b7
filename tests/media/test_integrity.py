from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vmevalkit.core.errors import NotAVideo
from vmevalkit.media.integrity import check_video
from vmevalkit.media.video import write_video


def test_a_complete_video_gives_its_properties(tmp_path: Path) -> None:
    write_video(tmp_path / "video.mp4", [np.full((36, 64, 3), 9 * i, np.uint8) for i in range(8)], 8)
    info = check_video(tmp_path / "video.mp4")
    assert (info.width, info.height, info.fps, info.seconds) == (64, 36, 8.0, 1.0)


@pytest.mark.parametrize("share", [0.3, 0.7, 0.98])
def test_a_truncated_video_is_refused(tmp_path: Path, share: float) -> None:
    rng = np.random.default_rng(0)
    write_video(tmp_path / "video.mp4", [rng.integers(0, 255, (90, 160, 3), dtype=np.uint8) for _ in range(12)], 8)
    whole = (tmp_path / "video.mp4").read_bytes()
    (tmp_path / "cut.mp4").write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(NotAVideo, match=r"truncated|interrupted download"):
        check_video(tmp_path / "cut.mp4")


def test_a_file_that_is_not_a_video_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.mp4").write_text("<html>Not found</html>")
    with pytest.raises(NotAVideo):
        check_video(tmp_path / "page.mp4")
