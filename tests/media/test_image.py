"""Image files: every frame is stored exactly, and other files are refused."""

from __future__ import annotations

import resource
import struct
import zlib
from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from vmevalkit.core.errors import MediaError, SetupError
from vmevalkit.media.image import encode_and_digest, encode_png, pixel_digest, read_image, read_image_header
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan

frames = arrays.arrays(np.uint8, st.tuples(st.integers(1, 24), st.integers(1, 24), st.just(3)))


@settings(max_examples=60)
@given(frames)
def test_every_frame_is_stored_exactly(frame: np.ndarray) -> None:
    decoded = cv2.imdecode(np.frombuffer(encode_png(frame), np.uint8), cv2.IMREAD_COLOR_RGB)
    assert (decoded == frame).all()


def test_an_image_is_read_from_a_path(tmp_path: Path) -> None:
    frame = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    (tmp_path / "a.png").write_bytes(encode_png(frame))
    assert (read_image(tmp_path / "a.png") == frame).all()
    assert (read_image(str(tmp_path / "a.png")) == frame).all()


def test_transparent_pixels_are_drawn_on_white(tmp_path: Path) -> None:
    image = np.zeros((2, 2, 4), np.uint8)
    image[0, 0] = (10, 20, 30, 255)
    image[0, 1] = (0, 0, 0, 128)
    cv2.imwrite(str(tmp_path / "a.png"), image)
    image = read_image(tmp_path / "a.png")
    assert tuple(image[0, 0]) == (30, 20, 10)
    assert np.abs(image[0, 1].astype(int) - 127).max() <= 1
    assert (image[1] == 255).all()


def test_grey_and_sixteen_bits_become_rgb(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "grey.png"), np.full((3, 4), 77, np.uint8))
    assert (read_image(tmp_path / "grey.png") == 77).all()
    cv2.imwrite(str(tmp_path / "deep.png"), np.full((3, 4, 3), 0x8040, np.uint16))
    assert (read_image(tmp_path / "deep.png") == 0x80).all()
    assert read_image(tmp_path / "deep.png").shape == (3, 4, 3)


@pytest.mark.parametrize("content", [b"", b"this is no image"])
def test_a_file_that_is_not_an_image_is_reported(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "b.png").write_bytes(content)
    with pytest.raises(MediaError, match=r"b\.png"):
        read_image(tmp_path / "b.png")


def test_a_missing_image_is_reported(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match=r"gone\.png"):
        read_image(tmp_path / "gone.png")


def test_only_rgb_frames_are_encoded() -> None:
    with pytest.raises(MediaError, match="float64"):
        encode_png(np.zeros((2, 2, 3)))  # type: ignore[arg-type]
    with pytest.raises(MediaError, match=r"\(2, 2, 4\)"):
        encode_png(np.zeros((2, 2, 4), np.uint8))


def test_the_digest_depends_on_pixels_and_shape() -> None:
    frame = np.zeros((4, 6, 3), np.uint8)
    other = frame.copy()
    other[3, 5, 2] = 1
    assert pixel_digest(frame) == pixel_digest(np.asfortranarray(frame))
    assert len({pixel_digest(frame), pixel_digest(other), pixel_digest(frame.reshape(6, 4, 3))}) == 3


def test_pictures_of_the_same_parts_in_other_places_have_different_digests() -> None:
    task = TASKS["sudoku"]
    puzzles = plan(task, 100, 3, task.preset("hard"))
    assert len({pixel_digest(task.final_frame(puzzle)) for puzzle in puzzles}) == 100


@settings(max_examples=60)
@given(st.integers(1, 9), st.integers(1, 9), st.randoms(use_true_random=False))
def test_the_digest_from_encoding_is_that_of_the_pixels(height: int, width: int, rng: Random) -> None:
    frame = np.frombuffer(rng.randbytes(height * width * 3), np.uint8).reshape(height, width, 3)
    png, digest = encode_and_digest(frame)
    assert png == encode_png(frame)
    assert digest == pixel_digest(frame)
    other = frame.copy()
    other[rng.randrange(height), rng.randrange(width), rng.randrange(3)] ^= 1 << rng.randrange(8)
    assert pixel_digest(other) != digest


@pytest.mark.parametrize("extension", [".png", ".jpg", ".webp"])
@pytest.mark.parametrize(("height", "width"), [(1, 1), (300, 513), (16, 4000)])
def test_the_header_gives_the_size_that_decoding_gives(tmp_path: Path, extension: str, height: int, width: int) -> None:
    for quality in (80, 101):  # WebP is lossless above 100
        frame = np.full((height, width, 3), 90, np.uint8)
        path = tmp_path / f"a{extension}"
        path.write_bytes(bytes(cv2.imencode(extension, frame, [cv2.IMWRITE_WEBP_QUALITY, quality])[1]))
        header = read_image_header(path)
        assert (header.height, header.width) == (height, width) == read_image(path).shape[:2]
        assert header.mime == {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp"}[extension]


def write_bomb(path: Path, side: int = 30_000) -> None:
    """Write a small PNG file that holds a very large image of one bit for each pixel."""
    row = bytes(1 + (side + 7) // 8)
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    chunks = (b"IHDR" + header, b"IDAT" + packed, b"IEND")
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + b"".join(struct.pack(">I", len(c) - 4) + c + struct.pack(">I", zlib.crc32(c)) for c in chunks)
    )


def test_an_image_with_too_many_pixels_is_not_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_bomb(tmp_path / "bomb.png")
    assert (tmp_path / "bomb.png").stat().st_size < 200_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(MediaError, match="30000x30000 pixels, more than the limit of 40,000,000") as caught:
        read_image(tmp_path / "bomb.png")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # kilobytes
    assert "VMEVALKIT_MAX_PIXELS" in str(caught.value)
    (tmp_path / "small.png").write_bytes(encode_png(np.zeros((5, 7, 3), np.uint8)))
    monkeypatch.setenv("VMEVALKIT_MAX_PIXELS", "34")
    with pytest.raises(MediaError, match="7x5 pixels"):
        read_image(tmp_path / "small.png")
    monkeypatch.setenv("VMEVALKIT_MAX_PIXELS", "many")
    with pytest.raises(SetupError, match="'many'"):
        read_image(tmp_path / "small.png")
