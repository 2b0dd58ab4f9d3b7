"""Views: rectangles of a frame, extracted to the image."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.fitting import fit
from vmevalkit.media.pyramid import Pyramid
from vmevalkit.media.view import ViewRect, extract_view, find_view_slices, find_visible_slices, halve_frame
from vmevalkit.media.view_search import drop_near_duplicates, guess_from_bars, guess_from_sizes, search_whole_frame


def image() -> np.ndarray:
    canvas = Canvas(240, 160)
    canvas.circle(60, 50, 30, (0.8, 0, 0))
    canvas.rectangle(140, 80, 70, 50, (0, 0, 0.7))
    canvas.line([(20, 130), (110, 110)], (0, 0, 0), 5)
    return canvas.frame()


@pytest.mark.parametrize(
    ("size", "mode"),
    [((480, 320), "stretch"), ((300, 300), "letterbox"), ((400, 160), "stretch"), ((960, 640), "cover")],
)
def test_extracting_the_view_reverses_a_fit(size: tuple[int, int], mode: str) -> None:
    video, placement = fit(image(), size, mode)  # type: ignore[arg-type]
    back = extract_view(video, ViewRect.from_placement(placement), (240, 160))
    assert np.abs(back.astype(int) - image()).mean() < 2.5


def test_a_view_is_shifted_by_fractions_of_its_size_and_scaled_around_its_centre() -> None:
    view = ViewRect(0.2, 0.3, 0.4, 0.2)
    moved = view.move(0.5, 0.0, -1.0, 0.0)
    assert (moved.left, moved.top) == pytest.approx((0.4, 0.1))
    grown = view.move(0.0, 0.5, 0.0, 0.5)
    assert (grown.left, grown.top, grown.width, grown.height) == pytest.approx((0.1, 0.25, 0.6, 0.3))


def test_a_view_is_extrapolated_from_its_last_motion() -> None:
    extrapolate_from = ViewRect(0.2, 0.2, 0.5, 0.5).extrapolate_from(ViewRect(0.1, 0.25, 0.4, 0.6))
    assert (
        extrapolate_from.left,
        extrapolate_from.top,
        extrapolate_from.width,
        extrapolate_from.height,
    ) == pytest.approx((0.3, 0.15, 0.6, 0.4))


def test_cropped_parts_are_not_visible() -> None:
    assert find_visible_slices(ViewRect(0, 0, 1, 1), (100, 100), (50, 50)) is None
    assert find_visible_slices(ViewRect(0.1, 0.1, 0.5, 0.5), (100, 100), (50, 50)) is None
    assert find_visible_slices(ViewRect(-0.001, 0, 1.002, 1), (100, 100), (50, 50)) is None
    assert find_visible_slices(ViewRect(-0.5, 0, 2, 1), (100, 100), (40, 50)) == (slice(0, 50), slice(10, 30))
    assert find_visible_slices(ViewRect(0, 0.5, 1, 1), (100, 100), (40, 50)) == (slice(0, 25), slice(0, 40))


def test_extreme_views_are_implausible() -> None:
    assert ViewRect(0, 0, 1, 1).is_plausible
    assert ViewRect(-0.3, 0, 1.6, 1).is_plausible
    assert not ViewRect(0.4, 0.4, 0.05, 0.05).is_plausible
    assert not ViewRect(0.9, 0, 1, 1).is_plausible
    assert not ViewRect(0, 0, -1, 1).is_plausible


def test_halving_drops_an_odd_edge() -> None:
    frame = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    half = halve_frame(frame)
    assert half.shape == (2, 3, 3)
    assert half[0, 0, 0] == pytest.approx(frame[:2, :2, 0].mean(), abs=0.51)


@pytest.mark.parametrize(
    "view",
    [
        ViewRect(0.3, 0.2, 0.4, 0.5),
        ViewRect(-0.4, 0.1, 0.9, 1.5),
        ViewRect(0.9, 0.9, 0.4, 0.4),
        ViewRect(3, -3, 1, 1),
        ViewRect(0, 0, 1, 1),
    ],
)
@pytest.mark.parametrize("size", [(640, 360), (201, 333), (31, 17)])
def test_the_slices_of_a_view_contain_all_of_its_visible_pixels(view: ViewRect, size: tuple[int, int]) -> None:
    left, top, width, height = view.to_pixels(size)
    for part, start, length, count in zip(
        find_view_slices(view, size), (top, left), (height, width), size[::-1], strict=True
    ):
        shown = [pixel for pixel in range(count) if start - 1 < pixel < start + length]
        assert 0 <= part.start < part.stop <= count
        assert set(shown) <= set(range(part.start, part.stop))
        assert part.stop - part.start <= max(32, len(shown) + 2 * (16 + 9))


@pytest.mark.parametrize("size", [(640, 360), (201, 333)])
@pytest.mark.parametrize("near", [ViewRect(0.3, 0.2, 0.5, 0.5), ViewRect(-0.2, 0.4, 0.7, 0.9)])
def test_a_pyramid_around_a_view_equals_the_whole_one_there(size: tuple[int, int], near: ViewRect) -> None:
    frame = np.random.default_rng(2).integers(0, 256, (*size[::-1], 3)).astype(np.uint8)
    whole, close = Pyramid(frame), Pyramid(frame, near)
    for long_side in (40, 80, 400):
        for view in (
            near,
            near.move(0.035, 0.035, -0.035, -0.035),
            near.move(-0.035, 0.035, 0.035, 0.035),
        ):
            expected, scale = whole.select_blurred_level(view, (long_side, long_side))
            found, same = close.select_blurred_level(view, (long_side, long_side))
            assert (found.shape, same) == (expected.shape, scale)
            left, top, width, height = (length * scale for length in view.to_pixels(size))
            rows = slice(max(0, int(top) - 1), int(top + height) + 2)
            columns = slice(max(0, int(left) - 1), int(left + width) + 2)
            assert (found[rows, columns] == expected[rows, columns]).all()


@pytest.mark.parametrize("size", [(320, 180), (180, 320), (200, 200)])
@pytest.mark.parametrize("mode", ["letterbox", "cover", "stretch"])
def test_the_guesses_from_sizes_include_every_fit(size: tuple[int, int], mode: str) -> None:
    _, placement = fit(image(), size, mode)  # type: ignore[arg-type]
    assert nearest(guess_from_sizes((240, 160), size), ViewRect.from_placement(placement)) < 0.01


@pytest.mark.parametrize("colour", [(0, 0, 0), (128, 128, 128), (255, 255, 255), (90, 10, 10)])
def test_the_guesses_from_bars_find_the_image_for_any_colour(colour: tuple[int, int, int]) -> None:
    video = np.empty((300, 400, 3), np.uint8)
    video[:] = colour
    video[61:221, 123:363] = image()
    noisy = np.clip(video + np.random.default_rng(1).normal(0, 3, video.shape), 0, 255).astype(np.uint8)
    truth = ViewRect(123 / 400, 61 / 300, 240 / 400, 160 / 300)
    assert nearest(guess_from_bars(image(), noisy), truth) < 0.02


def test_a_plain_frame_gives_only_plausible_views() -> None:
    for level in (0, 255):
        frame = np.full((90, 160, 3), level, np.uint8)
        assert all(view.is_plausible for view in guess_from_bars(image(), frame))
        assert all(view.is_plausible for view in search_whole_frame(image(), frame))


@pytest.mark.parametrize(
    ("left", "top", "scale", "aspect"), [(0.1, 0.2, 0.5, 1.0), (0.35, 0.05, 0.4, 0.9), (0.0, 0.4, 0.6, 1.1)]
)
def test_the_search_of_the_whole_frame_finds_the_image(left: float, top: float, scale: float, aspect: float) -> None:
    video = np.full((360, 640, 3), 255, np.uint8)
    width, height = int(640 * scale * aspect**0.5), int(640 * scale / 1.5 / aspect**0.5)
    x, y = int(left * 640), int(top * 360)
    small = cv2.resize(image(), (width, height), interpolation=cv2.INTER_AREA)
    visible = small[: 360 - y, : 640 - x]
    video[y : y + visible.shape[0], x : x + visible.shape[1]] = visible
    video[320:350, 20:600:9] = 90
    assert nearest(search_whole_frame(image(), video), ViewRect(x / 640, y / 360, width / 640, height / 360)) < 0.06


def test_near_duplicates_are_dropped() -> None:
    views = [ViewRect(0, 0, 1, 1), ViewRect(0.001, 0, 1, 1), ViewRect(0.1, 0, 1, 1)]
    assert drop_near_duplicates(views) == [views[0], views[2]]
    assert drop_near_duplicates(views, 0.2) == [views[0]]


def nearest(views: list[ViewRect], truth: ViewRect) -> float:
    def corners(view: ViewRect) -> np.ndarray:
        return np.array([view.left, view.top, view.left + view.width, view.top + view.height])

    return min(float(np.abs(corners(view) - corners(truth)).max()) for view in views)
