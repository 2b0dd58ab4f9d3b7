"""The first frame as it is sent: a table of sizes, checked pixel by pixel."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from vmevalkit.core.errors import MediaError, UsageError
from vmevalkit.core.records import Placement, Request
from vmevalkit.media.image import Frame, encode_png, read_image
from vmevalkit.models.catalogue import MODELS
from vmevalkit.models.input_image import (
    BLACK,
    GREY,
    InputFit,
    PreparedImage,
    Size,
    check_image_bytes,
    choose_nearest_ratio,
    choose_nearest_size,
    choose_video_size,
    compute_padded_size,
    detect_mime,
    load_unchanged,
    prepare_image,
)
from vmevalkit.models.model import ModelSpec

quick = settings(max_examples=100)
sizes = st.tuples(st.integers(8, 2000), st.integers(8, 2000))

SQUARE, WIDE, TALL, HD = (512, 512), (800, 300), (300, 800), (1280, 720)

# The box of the image: left, top, width and height, computed by hand from min(width ratio, height ratio).
LETTERBOXES: list[tuple[Size, Size, tuple[int, int, int, int]]] = [
    (SQUARE, (1280, 720), (280, 0, 720, 720)),
    (SQUARE, (720, 1280), (0, 280, 720, 720)),
    (SQUARE, (1792, 1024), (384, 0, 1024, 1024)),
    (SQUARE, (1024, 1792), (0, 384, 1024, 1024)),
    (SQUARE, (1280, 768), (256, 0, 768, 768)),
    (SQUARE, (768, 1280), (0, 256, 768, 768)),
    (SQUARE, (1104, 832), (136, 0, 832, 832)),
    (SQUARE, (960, 960), (0, 0, 960, 960)),
    (SQUARE, (1584, 672), (456, 0, 672, 672)),
    (SQUARE, (1920, 1080), (420, 0, 1080, 1080)),
    (SQUARE, (256, 144), (56, 0, 144, 144)),
    (WIDE, (1280, 720), (0, 120, 1280, 480)),
    (WIDE, (720, 1280), (0, 505, 720, 270)),
    (WIDE, (960, 960), (0, 300, 960, 360)),
    (TALL, (1280, 720), (505, 0, 270, 720)),
    (TALL, (720, 1280), (120, 0, 480, 1280)),
    (HD, (1280, 720), (0, 0, 1280, 720)),
    (HD, (720, 1280), (0, 437, 720, 405)),
    ((641, 361), (1280, 720), (1, 0, 1278, 720)),
]

# The canvas and the corner of the image on it; the pixels do not change.
PADDED: list[tuple[Size, Size, Size, tuple[int, int]]] = [
    (SQUARE, (16, 9), (910, 512), (199, 0)),
    (SQUARE, (9, 16), (512, 910), (0, 199)),
    (WIDE, (16, 9), (800, 450), (0, 75)),
    (TALL, (16, 9), (1422, 800), (561, 0)),
    (TALL, (9, 16), (450, 800), (75, 0)),
    (HD, (16, 9), (1280, 720), (0, 0)),
    (HD, (1920, 1080), (1280, 720), (0, 0)),
    (HD, (1, 1), (1280, 1280), (0, 280)),
    ((1024, 768), (16, 9), (1365, 768), (170, 0)),
]


def image(size: Size) -> Frame:
    """Return coloured fields with sharp edges, so that a shift by one pixel is visible."""
    width, height = size
    y, x = np.mgrid[0:height, 0:width]
    fields = np.stack([(x * 7 // width) * 36, (y * 5 // height) * 51, ((x + y) // 16 % 2) * 200], axis=-1)
    return fields.astype(np.uint8)


def make_request(folder: Path, frame: Frame, **changes: object) -> Request:
    path = folder / "first_frame.png"
    path.write_bytes(encode_png(frame))
    return replace(Request("q_0001", "Go.", path, 8.0), **changes)  # type: ignore[arg-type]


def spec(way: InputFit, colour: tuple[int, int, int] = BLACK) -> ModelSpec:
    return ModelSpec("clay-1", "clay", "clay.v1", "clay", options={"fit": way, "colour": colour})


def decoded(prepared: PreparedImage) -> Frame:
    assert prepared.mime == detect_mime(prepared.data)
    image = cv2.imdecode(np.frombuffer(prepared.data, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return np.asarray(image[..., ::-1], np.uint8)


def resample_lanczos(frame: Frame, size: Size) -> Frame:
    return np.asarray(Image.fromarray(frame).resize(size, Image.Resampling.LANCZOS), np.uint8)


@pytest.mark.parametrize(("size", "target", "box"), LETTERBOXES, ids=str)
@pytest.mark.parametrize("colour", [GREY, BLACK])
def test_a_letterbox_is_correct_pixel_by_pixel(
    size: Size, target: Size, box: tuple[int, int, int, int], colour: tuple[int, int, int], tmp_path: Path
) -> None:
    frame = image(size)
    made = prepare_image(spec("letterbox", colour), make_request(tmp_path, frame), target, "unchanged", BLACK)
    left, top, width, height = box
    pixels = decoded(made)
    assert pixels.shape == (target[1], target[0], 3)
    bars = np.ones(pixels.shape[:2], bool)
    bars[top : top + height, left : left + width] = False
    assert (pixels[bars] == colour).all()
    inside = pixels[top : top + height, left : left + width]
    assert (inside == resample_lanczos(frame, (width, height))).all()
    whole = (width, height) == target
    assert made.placement == Placement(target, tuple(map(float, box)), None if whole else colour)  # type: ignore[arg-type]
    assert made.size == target


@pytest.mark.parametrize(("size", "ratio", "canvas", "corner"), PADDED, ids=str)
def test_padding_keeps_every_pixel(
    size: Size, ratio: Size, canvas: Size, corner: tuple[int, int], tmp_path: Path
) -> None:
    frame = image(size)
    made = prepare_image(spec("pad"), make_request(tmp_path, frame), ratio, "unchanged", GREY)
    pixels = decoded(made)
    left, top = corner
    assert made.size == canvas == (pixels.shape[1], pixels.shape[0])
    assert (pixels[top : top + size[1], left : left + size[0]] == frame).all()
    bars = np.ones(pixels.shape[:2], bool)
    bars[top : top + size[1], left : left + size[0]] = False
    assert (pixels[bars] == 0).all()


@pytest.mark.parametrize("ending", [".png", ".jpg", ".webp"])
def test_an_unchanged_image_keeps_its_bytes(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"first_frame{ending}"
    ok, data = cv2.imencode(ending, image((60, 40)))
    assert ok
    path.write_bytes(data.tobytes())
    made = load_unchanged(path)
    assert made.data == path.read_bytes()
    assert made.size == (60, 40)
    assert made.placement is None
    assert made.mime == {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp"}[ending]
    assert made.filename == f"first_frame{ending}"


def test_a_wrong_file_extension_is_ignored(tmp_path: Path) -> None:
    ok, data = cv2.imencode(".jpg", image((60, 40)))
    assert ok
    path = tmp_path / "first_frame.png"
    path.write_bytes(data.tobytes())
    assert load_unchanged(path).mime == "image/jpeg"


@pytest.mark.parametrize("data", [b"", b"GIF89a" + bytes(50), b"BM" + bytes(50), b"RIFF0000WAVE", b"\x89PNG"])
def test_other_kinds_of_file_are_refused(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="PNG, JPEG or WebP"):
        detect_mime(data)
    path = tmp_path / "first_frame.png"
    path.write_bytes(data)
    with pytest.raises(MediaError):
        load_unchanged(path)


def test_grey_and_transparent_images_become_rgb(tmp_path: Path) -> None:
    grey = np.full((20, 30), 77, np.uint8)
    ghost = np.zeros((20, 30, 4), np.uint8)
    for name, pixels_in, expected in (("grey", grey, 77), ("ghost", ghost, 255)):
        path = tmp_path / f"{name}.png"
        assert cv2.imwrite(str(path), pixels_in)
        request = replace(make_request(tmp_path, image((8, 8))), first_frame=path)
        pixels = decoded(prepare_image(spec("letterbox"), request, (30, 20), "letterbox", BLACK))
        assert (pixels == expected).all()


@quick
@given(sizes, st.sampled_from([(16, 9), (9, 16), (1, 1), (4, 3), (21, 9)]))
def test_the_padded_canvas_contains_the_image_and_has_the_ratio(size: Size, ratio: Size) -> None:
    width, height = compute_padded_size(size, ratio)
    assert width >= size[0] and height >= size[1]
    assert width == size[0] or height == size[1]
    assert abs(width * ratio[1] - height * ratio[0]) <= max(ratio) / 2 + 1e-9


@pytest.mark.parametrize(
    ("size", "model", "chosen"),
    [
        (SQUARE, "openai-sora-2", (1280, 720)),
        (TALL, "openai-sora-2", (720, 1280)),
        (HD, "openai-sora-2-pro", (1280, 720)),
        (SQUARE, "runway-gen4-turbo", (960, 960)),
        ((1024, 768), "runway-gen4-turbo", (1104, 832)),
        ((768, 1024), "runway-gen4-turbo", (832, 1104)),
        (HD, "runway-gen4-turbo", (1280, 720)),
        (WIDE, "runway-gen4-turbo", (1584, 672)),
        (TALL, "veo-3.1-generate", (720, 1280)),
        (SQUARE, "luma-ray-2", (720, 720)),
    ],
)
def test_the_listed_size_nearest_to_the_image_is_chosen(size: Size, model: str, chosen: Size, tmp_path: Path) -> None:
    request = make_request(tmp_path, image(size))
    assert choose_video_size(MODELS[model], request) == chosen
    assert choose_video_size(MODELS[model], replace(request, size=(720, 1280))) == (720, 1280)


def test_the_nearest_ratio_is_chosen_and_the_first_of_equal_ones() -> None:
    assert choose_nearest_ratio((512, 512), ("16:9", "1:1", "9:16")) == "1:1"
    assert choose_nearest_ratio((1200, 300), ("16:9", "21:9")) == "21:9"
    assert choose_nearest_size((100, 100), [(1280, 720), (720, 1280)]) == (1280, 720)
    assert choose_nearest_size((100, 100), [(720, 1280), (1280, 720)]) == (720, 1280)
    with pytest.raises(UsageError, match="no sizes"):
        choose_nearest_size((1, 1), [])


def test_data_uris_contain_the_same_bytes(tmp_path: Path) -> None:
    import base64

    made = prepare_image(spec("letterbox"), make_request(tmp_path, image(SQUARE)), HD, "letterbox", BLACK)
    head, _, body = made.data_uri.partition(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(body) == made.data
    assert made.summary["bytes"] == len(made.data)
    assert (read_image(tmp_path / "first_frame.png") == image(SQUARE)).all()


def test_the_adapters_fit_is_used_where_the_row_names_none(tmp_path: Path) -> None:
    row = ModelSpec("clay-1", "clay", "clay.v1", "clay")
    request = make_request(tmp_path, image(SQUARE))
    grey = decoded(prepare_image(row, request, HD, "letterbox", GREY))
    assert (grey[0, 0] == GREY).all()
    assert prepare_image(row, request, None, "letterbox", GREY).placement is None
    covered = prepare_image(replace(row, options={"fit": "cover"}), request, HD, "letterbox", GREY)
    assert covered.placement is not None and covered.placement.box == (0.0, -280.0, 1280.0, 1280.0)
    with pytest.raises(UsageError, match="'crop'"):
        prepare_image(replace(row, options={"fit": "crop"}), request, HD, "letterbox", GREY)


def test_the_byte_limit_counts_the_image_as_it_is_sent(tmp_path: Path) -> None:
    made = prepare_image(spec("letterbox"), make_request(tmp_path, image(SQUARE)), HD, "letterbox", BLACK)
    row = spec("letterbox")
    assert check_image_bytes(row, made, len(made.data)) is made
    with pytest.raises(UsageError, match="draw it smaller"):
        check_image_bytes(row, made, len(made.data), as_data_uri=True)
    with pytest.raises(UsageError, match="clay-1"):
        check_image_bytes(row, made, len(made.data) - 1)
