"""Filmstrips: the frames that are chosen, their size and their memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vmevalkit.media.filmstrip import LABEL_HEIGHT, make_filmstrip
from vmevalkit.media.image import Frame, encode_jpeg, read_image
from vmevalkit.media.video import write_video

FPS = 10.0


def write_grey_ramp(path: Path, count: int, size: tuple[int, int]) -> Path:
    """Write a video whose frames get steadily brighter, from 20 to 220."""
    levels = np.linspace(20, 220, count)
    write_video(path, (np.full((size[1], size[0], 3), round(level), np.uint8) for level in levels), FPS)
    return path


def read_levels(strip: Frame, count: int) -> list[int]:
    """Return the grey level in the middle of each frame of a strip."""
    width = strip.shape[1] / count
    row = (strip.shape[0] - LABEL_HEIGHT) // 2
    return [int(strip[row, int(width * (index + 0.5))].mean()) for index in range(count)]


def test_frames_are_chosen_at_equal_intervals_from_the_first_to_the_last(tmp_path: Path) -> None:
    strip = make_filmstrip(write_grey_ramp(tmp_path / "video.mp4", 41, (64, 48)), count=5)
    assert read_levels(strip, 5) == pytest.approx([20, 70, 120, 170, 220], abs=4)


def test_a_long_video_keeps_its_first_and_last_frame(tmp_path: Path) -> None:
    strip = make_filmstrip(write_grey_ramp(tmp_path / "video.mp4", 301, (32, 24)), count=4)
    levels = read_levels(strip, 4)
    assert (levels[0], levels[-1]) == pytest.approx((20, 220), abs=4)
    assert np.diff(levels) == pytest.approx([67, 67, 67], abs=12)


def test_a_video_with_fewer_frames_shows_all_of_them(tmp_path: Path) -> None:
    strip = make_filmstrip(write_grey_ramp(tmp_path / "video.mp4", 3, (64, 48)))
    assert read_levels(strip, 3) == pytest.approx([20, 120, 220], abs=4)


@pytest.mark.parametrize(
    ("size", "height", "expected"),
    [((320, 240), 120, 120), ((320, 240), 180, 180), ((64, 48), 120, 48), ((640, 80), 120, 30)],
)
def test_frames_shrink_to_the_height_and_are_never_enlarged(
    tmp_path: Path, size: tuple[int, int], height: int, expected: int
) -> None:
    strip = make_filmstrip(write_grey_ramp(tmp_path / "video.mp4", 4, size), 4, height)
    assert strip.shape[0] == expected + LABEL_HEIGHT


def test_the_label_is_drawn_below_the_frame(tmp_path: Path) -> None:
    strip = make_filmstrip(write_grey_ramp(tmp_path / "video.mp4", 4, (160, 120)), 4)
    assert (strip[-LABEL_HEIGHT:] < 128).any()


def test_a_strip_is_stored_as_jpeg(tmp_path: Path) -> None:
    strip = make_filmstrip(write_grey_ramp(tmp_path / "video.mp4", 4, (160, 120)), 4)
    (tmp_path / "strip.jpg").write_bytes(encode_jpeg(strip))
    assert np.abs(read_image(tmp_path / "strip.jpg").astype(int) - strip).mean() < 3
