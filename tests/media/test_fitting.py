"""Fitting: the placement says where the image is, to the pixel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.core.errors import UsageError
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.fitting import fit, resample

sizes = st.tuples(st.integers(8, 300), st.integers(8, 300))
quick = settings(max_examples=80)


def draw_marked(width: int, height: int) -> np.ndarray:
    """Return a grey image with a red disc at a known place."""
    canvas = Canvas(width, height, (0.5, 0.5, 0.5))
    canvas.circle(0.45 * width, 0.55 * height, 0.08 * min(width, height), (1, 0, 0))
    return canvas.frame()


@quick
@given(sizes, sizes, st.sampled_from(["letterbox", "cover", "stretch"]))
def test_the_canvas_has_the_size_and_the_image_keeps_its_shape(
    size: tuple[int, int], wanted: tuple[int, int], mode: str
) -> None:
    frame = np.full((size[1], size[0], 3), 200, np.uint8)
    fitted, placement = fit(frame, wanted, mode, (1, 2, 3))  # type: ignore[arg-type]
    left, top, width, height = placement.box
    assert fitted.shape == (wanted[1], wanted[0], 3)
    assert placement.canvas == wanted
    if mode == "letterbox":
        assert left >= 0 and top >= 0 and left + width <= wanted[0] and top + height <= wanted[1]
        inside = np.zeros(fitted.shape[:2], bool)
        inside[int(top) : int(top + height), int(left) : int(left + width)] = True
        assert (fitted[inside] == 200).all()
        assert (fitted[~inside] == (1, 2, 3)).all()
        assert (placement.colour is None) == bool(inside.all())
    else:
        assert left <= 0 and top <= 0 and left + width >= wanted[0] and top + height >= wanted[1]
        assert (fitted == 200).all()
        assert placement.colour is None
    if mode != "stretch":
        assert abs(width / size[0] - height / size[1]) <= 1.01 / min(size)


@pytest.mark.parametrize("mode", ["letterbox", "cover", "stretch"])
@pytest.mark.parametrize("wanted", [(320, 180), (101, 207), (512, 512), (640, 200)])
def test_a_mark_is_where_the_placement_says(mode: str, wanted: tuple[int, int]) -> None:
    fitted, placement = fit(draw_marked(240, 200), wanted, mode)  # type: ignore[arg-type]
    left, top, width, height = placement.box
    red = np.clip(fitted[..., 0].astype(float) - fitted[..., 1] - 20, 0, None)
    x = red.sum(axis=0) @ (np.arange(wanted[0]) + 0.5) / red.sum()
    y = red.sum(axis=1) @ (np.arange(wanted[1]) + 0.5) / red.sum()
    assert x == pytest.approx(left + 0.45 * width, abs=0.3)
    assert y == pytest.approx(top + 0.55 * height, abs=0.3)


def test_fine_stripes_shrink_to_grey_without_moire() -> None:
    stripes = np.zeros((300, 300, 3), np.uint8)
    stripes[:, ::2] = 255
    small = resample(stripes, (97, 300))
    assert np.abs(small[:, 2:-2].astype(int) - 128).max() < 50
    assert np.abs(small.mean() - 127.5) < 2


def test_the_same_size_is_a_copy() -> None:
    frame = draw_marked(50, 40)
    again = resample(frame, (50, 40))
    assert (again == frame).all()
    assert not np.shares_memory(again, frame)


def test_impossible_sizes_are_refused() -> None:
    with pytest.raises(UsageError, match="0x5"):
        fit(draw_marked(50, 40), (0, 5), "cover")
    with pytest.raises(UsageError, match="squeeze"):
        fit(draw_marked(50, 40), (10, 5), "squeeze")  # type: ignore[arg-type]
