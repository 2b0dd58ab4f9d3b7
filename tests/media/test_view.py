"""Views: shares of a frame, undone to the picture."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vmevalkit.media.alignment import Pyramid
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.fitting import fit
from vmevalkit.media.view import View, halved, part_of, seen, undo
from vmevalkit.media.view_search import bar_guesses, distinct, searched, size_guesses


def picture() -> np.ndarray:
    canvas = Canvas(240, 160)
    canvas.circle(60, 50, 30, (0.8, 0, 0))
    canvas.rectangle(140, 80, 70, 50, (0, 0, 0.7))
    canvas.line([(20, 130), (110, 110)], (0, 0, 0), 5)
    return canvas.frame()


@pytest.mark.parametrize(
    ("size", "mode"),
    [((480, 320), "stretch"), ((300, 300), "letterbox"), ((400, 160), "stretch"), ((960, 640), "cover")],
)
def test_undoing_a_fit_gives_the_picture_back(size: tuple[int, int], mode: str) -> None:
    film, placement = fit(picture(), size, mode)  # type: ignore[arg-type]
    back = undo(film, View.of(placement), (240, 160))
    assert np.abs(back.astype(int) - picture()).mean() < 2.5


def test_a_view_moves_by_shares_of_itself_and_grows_about_its_centre() -> None:
    view = View(0.2, 0.3, 0.4, 0.2)
    moved = view.moved(0.5, 0.0, -1.0, 0.0)
    assert (moved.left, moved.top) == pytest.approx((0.4, 0.1))
    grown = view.moved(0.0, 0.5, 0.0, 0.5)
    assert (grown.left, grown.top, grown.width, grown.height) == pytest.approx((0.1, 0.25, 0.6, 0.3))


def test_a_view_goes_on_as_it_came() -> None:
    onward = View(0.2, 0.2, 0.5, 0.5).onward(View(0.1, 0.25, 0.4, 0.6))
    assert (onward.left, onward.top, onward.width, onward.height) == pytest.approx((0.3, 0.15, 0.6, 0.4))


def test_what_the_film_cuts_off_is_not_seen() -> None:
    assert seen(View(0, 0, 1, 1), (100, 100), (50, 50)) is None
    assert seen(View(0.1, 0.1, 0.5, 0.5), (100, 100), (50, 50)) is None
    assert seen(View(-0.001, 0, 1.002, 1), (100, 100), (50, 50)) is None
    assert seen(View(-0.5, 0, 2, 1), (100, 100), (40, 50)) == (slice(0, 50), slice(10, 30))
    assert seen(View(0, 0.5, 1, 1), (100, 100), (40, 50)) == (slice(0, 25), slice(0, 40))


def test_views_that_no_film_would_show_are_implausible() -> None:
    assert View(0, 0, 1, 1).plausible
    assert View(-0.3, 0, 1.6, 1).plausible
    assert not View(0.4, 0.4, 0.05, 0.05).plausible
    assert not View(0.9, 0, 1, 1).plausible
    assert not View(0, 0, -1, 1).plausible


def test_halving_drops_an_odd_edge() -> None:
    frame = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    half = halved(frame)
    assert half.shape == (2, 3, 3)
    assert half[0, 0, 0] == pytest.approx(frame[:2, :2, 0].mean(), abs=0.51)


@pytest.mark.parametrize(
    "view",
    [
        View(0.3, 0.2, 0.4, 0.5),
        View(-0.4, 0.1, 0.9, 1.5),
        View(0.9, 0.9, 0.4, 0.4),
        View(3, -3, 1, 1),
        View(0, 0, 1, 1),
    ],
)
@pytest.mark.parametrize("size", [(640, 360), (201, 333), (31, 17)])
def test_a_part_of_a_frame_holds_all_that_a_view_shows_of_it(view: View, size: tuple[int, int]) -> None:
    left, top, width, height = view.box(size)
    for part, start, length, count in zip(part_of(view, size), (top, left), (height, width), size[::-1], strict=True):
        shown = [pixel for pixel in range(count) if start - 1 < pixel < start + length]
        assert 0 <= part.start < part.stop <= count
        assert set(shown) <= set(range(part.start, part.stop))
        assert part.stop - part.start <= max(32, len(shown) + 2 * (16 + 9))


@pytest.mark.parametrize("size", [(640, 360), (201, 333)])
@pytest.mark.parametrize("near", [View(0.3, 0.2, 0.5, 0.5), View(-0.2, 0.4, 0.7, 0.9)])
def test_a_pyramid_near_a_view_is_there_as_the_whole_one_is(size: tuple[int, int], near: View) -> None:
    frame = np.random.default_rng(2).integers(0, 256, (*size[::-1], 3)).astype(np.uint8)
    whole, close = Pyramid(frame), Pyramid(frame, near)
    for long_side in (40, 80, 400):
        for view in (near, near.moved(0.035, 0.035, -0.035, -0.035), near.moved(-0.035, 0.035, 0.035, 0.035)):
            expected, scale = whole.soft(view, (long_side, long_side))
            found, same = close.soft(view, (long_side, long_side))
            assert (found.shape, same) == (expected.shape, scale)
            left, top, width, height = (length * scale for length in view.box(size))
            rows = slice(max(0, int(top) - 1), int(top + height) + 2)
            columns = slice(max(0, int(left) - 1), int(left + width) + 2)
            assert (found[rows, columns] == expected[rows, columns]).all()


@pytest.mark.parametrize("size", [(320, 180), (180, 320), (200, 200)])
@pytest.mark.parametrize("mode", ["letterbox", "cover", "stretch"])
def test_sizes_suggest_every_way_of_fitting(size: tuple[int, int], mode: str) -> None:
    _, placement = fit(picture(), size, mode)  # type: ignore[arg-type]
    assert nearest(size_guesses((240, 160), size), View.of(placement)) < 0.01


@pytest.mark.parametrize("colour", [(0, 0, 0), (128, 128, 128), (255, 255, 255), (90, 10, 10)])
def test_bars_of_any_colour_show_where_the_picture_is(colour: tuple[int, int, int]) -> None:
    film = np.empty((300, 400, 3), np.uint8)
    film[:] = colour
    film[61:221, 123:363] = picture()
    noisy = np.clip(film + np.random.default_rng(1).normal(0, 3, film.shape), 0, 255).astype(np.uint8)
    truth = View(123 / 400, 61 / 300, 240 / 400, 160 / 300)
    assert nearest(bar_guesses(picture(), noisy), truth) < 0.02


def test_a_plain_frame_gives_no_nonsense() -> None:
    for level in (0, 255):
        frame = np.full((90, 160, 3), level, np.uint8)
        assert all(view.plausible for view in bar_guesses(picture(), frame))
        assert all(view.plausible for view in searched(picture(), frame))


@pytest.mark.parametrize(
    ("left", "top", "scale", "aspect"), [(0.1, 0.2, 0.5, 1.0), (0.35, 0.05, 0.4, 0.9), (0.0, 0.4, 0.6, 1.1)]
)
def test_looking_everywhere_finds_the_picture(left: float, top: float, scale: float, aspect: float) -> None:
    film = np.full((360, 640, 3), 255, np.uint8)
    width, height = int(640 * scale * aspect**0.5), int(640 * scale / 1.5 / aspect**0.5)
    x, y = int(left * 640), int(top * 360)
    small = cv2.resize(picture(), (width, height), interpolation=cv2.INTER_AREA)
    visible = small[: 360 - y, : 640 - x]
    film[y : y + visible.shape[0], x : x + visible.shape[1]] = visible
    film[320:350, 20:600:9] = 90
    assert nearest(searched(picture(), film), View(x / 640, y / 360, width / 640, height / 360)) < 0.06


def test_near_repetitions_are_dropped() -> None:
    views = [View(0, 0, 1, 1), View(0.001, 0, 1, 1), View(0.1, 0, 1, 1)]
    assert distinct(views) == [views[0], views[2]]
    assert distinct(views, 0.2) == [views[0]]


def nearest(views: list[View], truth: View) -> float:
    def corners(view: View) -> np.ndarray:
        return np.array([view.left, view.top, view.left + view.width, view.top + view.height])

    return min(float(np.abs(corners(view) - corners(truth)).max()) for view in views)
