"""The canvas: exact where it says so, anti-aliased elsewhere, the same every time."""

from __future__ import annotations

import gc
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.media.canvas import Canvas, blend, rgba, side_by_side
from vmevalkit.media.image import pixel_digest

exactly = settings(max_examples=60)


def darkness(frame: np.ndarray) -> float:
    """Covered area in pixels, for black on white."""
    return float((255 - frame[..., 0].astype(float)).sum() / 255)


@exactly
@given(st.integers(-5, 30), st.integers(-5, 30), st.integers(0, 30), st.integers(0, 30))
def test_a_rectangle_on_whole_pixels_is_exact(x: int, y: int, width: int, height: int) -> None:
    canvas = Canvas(24, 20)
    canvas.rectangle(x, y, width, height, "#102030")
    expected = np.full((20, 24, 3), 255, np.uint8)
    expected[max(0, y) : max(0, y + height), max(0, x) : max(0, x + width)] = (0x10, 0x20, 0x30)
    assert (canvas.frame() == expected).all()


@pytest.mark.parametrize("x", [3.0, 3.25, 3.5])
def test_a_rectangle_covers_its_area_wherever_it_lies(x: float) -> None:
    canvas = Canvas(32, 32)
    canvas.rectangle(x, 5.5, 10, 8, (0, 0, 0))
    assert darkness(canvas.frame()) == pytest.approx(80, abs=0.7)


@pytest.mark.parametrize(("radius", "at"), [(6.0, 16.0), (9.5, 15.3)])
def test_a_disc_has_its_area_and_its_centre(radius: float, at: float) -> None:
    canvas = Canvas(32, 32)
    canvas.circle(at, at, radius, (0, 0, 0))
    ink = 255 - canvas.frame()[..., 0].astype(float)
    assert ink.sum() / 255 == pytest.approx(np.pi * radius**2, rel=0.01)
    centres = np.arange(32) + 0.5
    assert float(ink.sum(axis=0) @ centres / ink.sum()) == pytest.approx(at, abs=0.05)
    assert float(ink.sum(axis=1) @ centres / ink.sum()) == pytest.approx(at, abs=0.05)


def test_y_counts_downwards() -> None:
    canvas = Canvas(20, 20)
    canvas.polygon([(0, 0), (20, 0), (0, 10)], (0, 0, 0))
    frame = canvas.frame()
    assert frame[0, 0, 0] == 0
    assert frame[19, 0, 0] == 255


def test_a_line_is_as_wide_as_asked() -> None:
    canvas = Canvas(60, 20)
    canvas.line([(10, 10), (50, 10)], (0, 0, 0), 4)
    assert darkness(canvas.frame()[:, 20:40]) == pytest.approx(80, abs=0.5)


def test_translucent_fills_mix_with_what_lies_below() -> None:
    canvas = Canvas(10, 10, (0, 0, 1))
    canvas.rectangle(0, 0, 10, 10, (1, 0, 0, 0.5))
    assert np.abs(canvas.frame()[5, 5].astype(int) - [128, 0, 127]).max() <= 1


def test_many_polygons_are_drawn_in_their_order_as_one_by_one() -> None:
    squares = np.array([[(2, 2), (12, 2), (12, 12), (2, 12)], [(6, 6), (16, 6), (16, 16), (6, 16)]], float)
    fills = [(1, 0, 0, 0.6), (0, 0, 1, 0.6)]
    together, singly = Canvas(20, 20), Canvas(20, 20)
    together.polygons(squares, fills, stroke=(0, 0, 0), width=1.5)
    for corners, fill in zip(squares, fills, strict=True):
        singly.polygon(corners, fill, (0, 0, 0), 1.5)
    assert np.abs(together.frame().astype(int) - singly.frame()).max() <= 1
    reversed_order = Canvas(20, 20)
    reversed_order.polygons(list(squares[::-1]), fills[::-1], stroke=(0, 0, 0), width=1.5)
    assert (together.frame() != reversed_order.frame()).any()


def test_no_polygons_leave_the_canvas_as_it_was() -> None:
    canvas = Canvas(8, 8)
    canvas.polygons([], np.empty((0, 4)))
    assert (canvas.frame() == 255).all()


@pytest.mark.parametrize("text", ["7", "Q", "12"])
def test_text_is_centred_on_its_ink(text: str) -> None:
    canvas = Canvas(80, 60)
    canvas.text(text, 40, 30, 36)
    rows = np.flatnonzero((canvas.frame() < 200).any(axis=(1, 2)))
    assert (rows[0] + rows[-1] + 1) / 2 == pytest.approx(30, abs=0.7)


def test_anchors_put_the_line_left_and_right_of_x() -> None:
    columns = {}
    for anchor in ("left", "centre", "right"):
        canvas = Canvas(120, 40)
        canvas.text("abc", 60, 20, 20, anchor=anchor)  # type: ignore[arg-type]
        columns[anchor] = np.flatnonzero((canvas.frame() < 200).any(axis=(0, 2)))
    assert columns["left"][0] >= 60
    assert columns["right"][-1] < 60
    assert columns["centre"][0] < 60 < columns["centre"][-1]


def test_bold_is_darker_and_blank_text_draws_nothing() -> None:
    ink = []
    for bold in (False, True):
        canvas = Canvas(60, 40)
        canvas.text("8", 30, 20, 30, bold=bold)
        ink.append(darkness(canvas.frame()))
    assert ink[1] > 1.1 * ink[0] > 0
    canvas = Canvas(60, 40)
    canvas.text(" ", 30, 20, 30)
    assert (canvas.frame() == 255).all()


def test_pasting_cuts_off_what_lies_outside_and_mixes_alpha() -> None:
    canvas = Canvas(10, 10, (0, 0, 0))
    red = np.zeros((6, 6, 3), np.uint8)
    red[..., 0] = 200
    canvas.paste(red, -3, 7)
    frame = canvas.frame()
    assert (frame[7:, :3, 0] == 200).all()
    assert int((frame[..., 0] == 200).sum()) == 9
    half = np.full((2, 2, 4), 255, np.uint8)
    half[..., 3] = 128
    canvas.paste(half, 5, 0)
    assert (canvas.frame()[0, 5] == 128).all()
    canvas.paste(red, 50, 50)
    assert int((canvas.frame()[..., 0] == 200).sum()) == 9


def test_a_frame_is_a_copy() -> None:
    canvas = Canvas(6, 6)
    before = canvas.frame()
    canvas.rectangle(0, 0, 6, 6, (0, 0, 0))
    assert (before == 255).all()


def test_a_canvas_never_shows_what_an_earlier_one_drew() -> None:
    for _ in range(6):
        canvas = Canvas(16, 16, (0.2, 0.4, 0.6))
        assert (canvas.frame() == (51, 102, 153)).all()
        canvas.circle(8, 8, 6, (0, 0, 0))
        del canvas


def test_the_same_calls_give_the_same_pixels() -> None:
    digests = set()
    for _ in range(3):
        canvas = Canvas(64, 64)
        canvas.circle(30.3, 31.7, 20.1, (0.2, 0.5, 0.7, 0.4), (0, 0, 0), 1.3)
        canvas.text("K", 32, 32, 40, bold=True)
        digests.add(pixel_digest(canvas.frame()))
    assert len(digests) == 1


def test_colours_are_read_from_numbers_and_hexadecimals() -> None:
    assert rgba("#ff8000") == (1.0, 128 / 255, 0.0, 1.0)
    assert rgba("#ff800080")[3] == 128 / 255
    assert rgba((0.1, 0.2, 0.3)) == (0.1, 0.2, 0.3, 1.0)


def test_blend_and_strip() -> None:
    black, white = np.zeros((4, 6, 3), np.uint8), np.full((4, 6, 3), 255, np.uint8)
    assert (blend(black, white, 0.0) == 0).all()
    assert np.abs(blend(black, white, 0.25).astype(int) - 64).max() <= 1
    strip = side_by_side([black, black], gap=3)
    assert strip.shape == (4, 15, 3)
    assert (strip[:, 6:9] == 255).all()


_DRAWING = """
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import pixel_digest
canvas = Canvas(120, 80)
canvas.circle(40, 40, 20.5, fill="#3b82f6", stroke="#000000", width=1.5)
canvas.text("9?", 90, 40, 30)
print(pixel_digest(canvas.frame()), "matplotlib" in sys.modules)
"""


@pytest.mark.parametrize(
    ("before", "imported"),
    [
        ("", False),
        ("import matplotlib.backends.backend_agg", True),
        # Where the extension modules do not load on their own, as from a wheel that must set up its libraries first.
        ("import importlib.machinery; importlib.machinery.EXTENSION_SUFFIXES.clear()", True),
    ],
)
def test_drawing_needs_no_import_of_matplotlib_and_does_not_mind_one(before: str, imported: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {before}\n{_DRAWING}"], capture_output=True, text=True, check=True
    )
    digest, was_imported = done.stdout.split()
    assert was_imported == str(imported)
    canvas = Canvas(120, 80)
    canvas.circle(40, 40, 20.5, fill="#3b82f6", stroke="#000000", width=1.5)
    canvas.text("9?", 90, 40, 30)
    assert digest == pixel_digest(canvas.frame())


@pytest.mark.parametrize("attribute", ["RendererAgg", "_to_bytes"])
def test_a_canvas_that_was_interrupted_while_it_was_made_is_deleted_silently(
    attribute: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    lost: list[BaseException | None] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: lost.append(args.exc_value))
    monkeypatch.setattr("vmevalkit.media.canvas._SPARE_RENDERERS", {})
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(f"vmevalkit.media.canvas.{attribute}", interrupt)
        Canvas(17, 19)
    gc.collect()
    assert lost == []
    assert (Canvas(17, 19).frame() == 255).all()
