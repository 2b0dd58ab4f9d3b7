from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vmevalkit.core.errors import NotAVideo
from vmevalkit.media.video import write_video
from vmevalkit.media.wholeness import whole_film


def test_a_whole_film_says_what_it_is(tmp_path: Path) -> None:
    write_video(tmp_path / "film.mp4", [np.full((36, 64, 3), 9 * i, np.uint8) for i in range(8)], 8)
    info = whole_film(tmp_path / "film.mp4")
    assert (info.width, info.height, info.fps, info.seconds) == (64, 36, 8.0, 1.0)


@pytest.mark.parametrize("share", [0.3, 0.7, 0.98])
def test_a_film_that_was_cut_off_is_refused(tmp_path: Path, share: float) -> None:
    rng = np.random.default_rng(0)
    write_video(tmp_path / "film.mp4", [rng.integers(0, 255, (90, 160, 3), dtype=np.uint8) for _ in range(12)], 8)
    whole = (tmp_path / "film.mp4").read_bytes()
    (tmp_path / "cut.mp4").write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(NotAVideo, match="cut off"):
        whole_film(tmp_path / "cut.mp4")


def test_what_is_no_film_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.mp4").write_text("<html>Not found</html>")
    with pytest.raises(NotAVideo):
        whole_film(tmp_path / "page.mp4")
