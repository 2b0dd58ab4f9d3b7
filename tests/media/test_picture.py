"""PNG files: any frame survives, anything else is refused by name."""

from __future__ import annotations

from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from vmevalkit.core.errors import MediaError
from vmevalkit.media.picture import encode_and_digest, encode_png, pixel_digest, read_picture

frames = arrays.arrays(np.uint8, st.tuples(st.integers(1, 24), st.integers(1, 24), st.just(3)))


@settings(deadline=None, derandomize=True, max_examples=60)
@given(frames)
def test_every_frame_survives_the_file(frame: np.ndarray) -> None:
    decoded = cv2.imdecode(np.frombuffer(encode_png(frame), np.uint8), cv2.IMREAD_COLOR_RGB)
    assert (decoded == frame).all()


def test_a_picture_is_read_from_a_path(tmp_path: Path) -> None:
    frame = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    (tmp_path / "a.png").write_bytes(encode_png(frame))
    assert (read_picture(tmp_path / "a.png") == frame).all()
    assert (read_picture(str(tmp_path / "a.png")) == frame).all()


def test_transparency_is_laid_on_white(tmp_path: Path) -> None:
    image = np.zeros((2, 2, 4), np.uint8)
    image[0, 0] = (10, 20, 30, 255)
    image[0, 1] = (0, 0, 0, 128)
    cv2.imwrite(str(tmp_path / "a.png"), image)
    picture = read_picture(tmp_path / "a.png")
    assert tuple(picture[0, 0]) == (30, 20, 10)
    assert np.abs(picture[0, 1].astype(int) - 127).max() <= 1
    assert (picture[1] == 255).all()


def test_grey_and_sixteen_bits_become_rgb(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "grey.png"), np.full((3, 4), 77, np.uint8))
    assert (read_picture(tmp_path / "grey.png") == 77).all()
    cv2.imwrite(str(tmp_path / "deep.png"), np.full((3, 4, 3), 0x8040, np.uint16))
    assert (read_picture(tmp_path / "deep.png") == 0x80).all()
    assert read_picture(tmp_path / "deep.png").shape == (3, 4, 3)


@pytest.mark.parametrize("content", [b"", b"this is no picture"])
def test_what_is_no_picture_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "b.png").write_bytes(content)
    with pytest.raises(MediaError, match=r"b\.png"):
        read_picture(tmp_path / "b.png")


def test_a_missing_picture_is_named(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match=r"gone\.png"):
        read_picture(tmp_path / "gone.png")


def test_only_rgb_frames_are_encoded() -> None:
    with pytest.raises(MediaError, match="float64"):
        encode_png(np.zeros((2, 2, 3)))  # type: ignore[arg-type]
    with pytest.raises(MediaError, match=r"\(2, 2, 4\)"):
        encode_png(np.zeros((2, 2, 4), np.uint8))


def test_the_digest_tells_pixels_and_shapes_apart() -> None:
    frame = np.zeros((4, 6, 3), np.uint8)
    other = frame.copy()
    other[3, 5, 2] = 1
    assert pixel_digest(frame) == pixel_digest(np.asfortranarray(frame))
    assert len({pixel_digest(frame), pixel_digest(other), pixel_digest(frame.reshape(6, 4, 3))}) == 3


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.integers(1, 9), st.integers(1, 9), st.randoms(use_true_random=False))
def test_the_digest_that_comes_with_a_file_is_that_of_its_pixels(height: int, width: int, rng: Random) -> None:
    frame = np.frombuffer(rng.randbytes(height * width * 3), np.uint8).reshape(height, width, 3)
    png, digest = encode_and_digest(frame)
    assert png == encode_png(frame)
    assert digest == pixel_digest(frame)
    other = frame.copy()
    other[rng.randrange(height), rng.randrange(width), rng.randrange(3)] ^= 1 << rng.randrange(8)
    assert pixel_digest(other) != digest
