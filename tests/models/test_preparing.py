"""The first frame as it is sent: a table of sizes, held pixel by pixel."""

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
from vmevalkit.media.picture import Frame, encode_png, read_picture
from vmevalkit.models.catalogue import MODELS
from vmevalkit.models.model import ModelSpec
from vmevalkit.models.preparing import (
    BLACK,
    GREY,
    Prepared,
    Size,
    Way,
    as_it_is,
    film_size,
    limited,
    mime_of,
    nearest,
    nearest_ratio,
    prepare,
    ratio_canvas,
)

quick = settings(deadline=None, derandomize=True, max_examples=100)
sizes = st.tuples(st.integers(8, 2000), st.integers(8, 2000))

SQUARE, WIDE, TALL, HD = (512, 512), (800, 300), (300, 800), (1280, 720)

# Where the picture lies: left, top, width and height, worked out by hand from min(width ratio, height ratio).
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

# The canvas, and where the picture lies on it, with each of its pixels as it was.
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


def picture(size: Size) -> Frame:
    """Coloured fields with sharp edges, so that a shift by one pixel is seen."""
    width, height = size
    y, x = np.mgrid[0:height, 0:width]
    fields = np.stack([(x * 7 // width) * 36, (y * 5 // height) * 51, ((x + y) // 16 % 2) * 200], axis=-1)
    return fields.astype(np.uint8)


def asked(folder: Path, frame: Frame, **changes: object) -> Request:
    path = folder / "first_frame.png"
    path.write_bytes(encode_png(frame))
    return replace(Request("q_0001", "Go.", path, 8.0), **changes)  # type: ignore[arg-type]


def spec(way: Way, colour: tuple[int, int, int] = BLACK) -> ModelSpec:
    return ModelSpec("clay-1", "clay", "clay.v1", "clay", options={"fit": way, "colour": colour})


def decoded(prepared: Prepared) -> Frame:
    assert prepared.mime == mime_of(prepared.data)
    image = cv2.imdecode(np.frombuffer(prepared.data, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return np.asarray(image[..., ::-1], np.uint8)


def lanczos(frame: Frame, size: Size) -> Frame:
    return np.asarray(Image.fromarray(frame).resize(size, Image.Resampling.LANCZOS), np.uint8)


@pytest.mark.parametrize(("size", "target", "box"), LETTERBOXES, ids=str)
@pytest.mark.parametrize("colour", [GREY, BLACK])
def test_a_letterbox_pixel_by_pixel(
    size: Size, target: Size, box: tuple[int, int, int, int], colour: tuple[int, int, int], tmp_path: Path
) -> None:
    frame = picture(size)
    made = prepare(spec("letterbox", colour), asked(tmp_path, frame), target, "as_it_is", BLACK)
    left, top, width, height = box
    pixels = decoded(made)
    assert pixels.shape == (target[1], target[0], 3)
    bars = np.ones(pixels.shape[:2], bool)
    bars[top : top + height, left : left + width] = False
    assert (pixels[bars] == colour).all()
    inside = pixels[top : top + height, left : left + width]
    assert (inside == lanczos(frame, (width, height))).all()
    whole = (width, height) == target
    assert made.placement == Placement(target, tuple(map(float, box)), None if whole else colour)  # type: ignore[arg-type]
    assert made.size == target


@pytest.mark.parametrize(("size", "ratio", "canvas", "corner"), PADDED, ids=str)
def test_padding_keeps_every_pixel(
    size: Size, ratio: Size, canvas: Size, corner: tuple[int, int], tmp_path: Path
) -> None:
    frame = picture(size)
    made = prepare(spec("pad"), asked(tmp_path, frame), ratio, "as_it_is", GREY)
    pixels = decoded(made)
    left, top = corner
    assert made.size == canvas == (pixels.shape[1], pixels.shape[0])
    assert (pixels[top : top + size[1], left : left + size[0]] == frame).all()
    bars = np.ones(pixels.shape[:2], bool)
    bars[top : top + size[1], left : left + size[0]] = False
    assert (pixels[bars] == 0).all()


@pytest.mark.parametrize("ending", [".png", ".jpg", ".webp"])
def test_a_picture_as_it_is_keeps_its_bytes(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"first_frame{ending}"
    ok, data = cv2.imencode(ending, picture((60, 40)))
    assert ok
    path.write_bytes(data.tobytes())
    made = as_it_is(path)
    assert made.data == path.read_bytes()
    assert made.size == (60, 40)
    assert made.placement is None
    assert made.mime == {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp"}[ending]
    assert made.filename == f"first_frame{ending}"


def test_a_lying_name_is_not_believed(tmp_path: Path) -> None:
    ok, data = cv2.imencode(".jpg", picture((60, 40)))
    assert ok
    path = tmp_path / "first_frame.png"
    path.write_bytes(data.tobytes())
    assert as_it_is(path).mime == "image/jpeg"


@pytest.mark.parametrize("data", [b"", b"GIF89a" + bytes(50), b"BM" + bytes(50), b"RIFF0000WAVE", b"\x89PNG"])
def test_other_kinds_of_file_are_refused(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="PNG, JPEG or WebP"):
        mime_of(data)
    path = tmp_path / "first_frame.png"
    path.write_bytes(data)
    with pytest.raises(MediaError):
        as_it_is(path)


def test_grey_and_transparent_pictures_become_rgb(tmp_path: Path) -> None:
    grey = np.full((20, 30), 77, np.uint8)
    ghost = np.zeros((20, 30, 4), np.uint8)
    for name, image, expected in (("grey", grey, 77), ("ghost", ghost, 255)):
        path = tmp_path / f"{name}.png"
        assert cv2.imwrite(str(path), image)
        request = replace(asked(tmp_path, picture((8, 8))), first_frame=path)
        pixels = decoded(prepare(spec("letterbox"), request, (30, 20), "letterbox", BLACK))
        assert (pixels == expected).all()


@quick
@given(sizes, st.sampled_from([(16, 9), (9, 16), (1, 1), (4, 3), (21, 9)]))
def test_the_padded_canvas_holds_the_picture_and_has_the_ratio(size: Size, ratio: Size) -> None:
    width, height = ratio_canvas(size, ratio)
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
def test_the_listed_size_most_like_the_picture_is_chosen(size: Size, model: str, chosen: Size, tmp_path: Path) -> None:
    request = asked(tmp_path, picture(size))
    assert film_size(MODELS[model], request) == chosen
    assert film_size(MODELS[model], replace(request, size=(720, 1280))) == (720, 1280)


def test_ratios_are_chosen_by_shape_and_the_first_of_those_alike() -> None:
    assert nearest_ratio((512, 512), ("16:9", "1:1", "9:16")) == "1:1"
    assert nearest_ratio((1200, 300), ("16:9", "21:9")) == "21:9"
    assert nearest((100, 100), [(1280, 720), (720, 1280)]) == (1280, 720)
    assert nearest((100, 100), [(720, 1280), (1280, 720)]) == (720, 1280)
    with pytest.raises(UsageError, match="no sizes"):
        nearest((1, 1), [])


def test_data_uris_hold_the_very_bytes(tmp_path: Path) -> None:
    import base64

    made = prepare(spec("letterbox"), asked(tmp_path, picture(SQUARE)), HD, "letterbox", BLACK)
    head, _, body = made.data_uri.partition(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(body) == made.data
    assert made.summary["bytes"] == len(made.data)
    assert (read_picture(tmp_path / "first_frame.png") == picture(SQUARE)).all()


def test_the_adapter_s_way_is_used_where_the_row_names_none(tmp_path: Path) -> None:
    row = ModelSpec("clay-1", "clay", "clay.v1", "clay")
    request = asked(tmp_path, picture(SQUARE))
    grey = decoded(prepare(row, request, HD, "letterbox", GREY))
    assert (grey[0, 0] == GREY).all()
    assert prepare(row, request, None, "letterbox", GREY).placement is None
    covered = prepare(replace(row, options={"fit": "cover"}), request, HD, "letterbox", GREY)
    assert covered.placement is not None and covered.placement.box == (0.0, -280.0, 1280.0, 1280.0)
    with pytest.raises(UsageError, match="'crop'"):
        prepare(replace(row, options={"fit": "crop"}), request, HD, "letterbox", GREY)


def test_a_picture_is_weighed_as_it_travels(tmp_path: Path) -> None:
    made = prepare(spec("letterbox"), asked(tmp_path, picture(SQUARE)), HD, "letterbox", BLACK)
    row = spec("letterbox")
    assert limited(row, made, len(made.data)) is made
    with pytest.raises(UsageError, match="draw it smaller"):
        limited(row, made, len(made.data), encoded=True)
    with pytest.raises(UsageError, match="clay-1"):
        limited(row, made, len(made.data) - 1)
