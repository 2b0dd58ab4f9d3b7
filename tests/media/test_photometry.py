"""Gain and offset: estimated where the image is flat, corrected everywhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.photometry import Photometry, estimate_photometry, find_flat_pixels, median

quick = settings(max_examples=60)
gains = st.tuples(*[st.floats(0.7, 1.15)] * 3)
offsets = st.tuples(*[st.floats(-20, 20)] * 3)
NOISE = np.random.default_rng(5).normal(0, 3, (400, 3)).astype(np.float32)
IMAGE = np.random.default_rng(6).choice([0.0, 60.0, 130.0, 200.0, 255.0], (400, 3)).astype(np.float32)
EVEN = np.full(400, 1 / 400, np.float32)


def change_levels(image: np.ndarray, photometry: Photometry) -> np.ndarray:
    return (image * np.array(photometry.gain) + np.array(photometry.offset)).astype(np.float32)


@quick
@given(gains, offsets)
def test_the_levels_are_found_in_noise(gain: tuple[float, ...], offset: tuple[float, ...]) -> None:
    truth = Photometry(gain, offset)  # type: ignore[arg-type]
    found = estimate_photometry(change_levels(IMAGE, truth) + NOISE, IMAGE, EVEN)
    assert found is not None
    assert found.gain == pytest.approx(gain, abs=0.02)
    assert found.offset == pytest.approx(offset, abs=2)


@quick
@given(st.floats(0, 0.35), offsets)
def test_covered_pixels_are_ignored(share: float, offset: tuple[float, ...]) -> None:
    truth = Photometry((0.95, 0.9, 1.0), offset)  # type: ignore[arg-type]
    video = change_levels(IMAGE, truth) + NOISE
    video[: int(share * 400)] = (205, 160, 130)
    found = estimate_photometry(video, IMAGE, EVEN, Photometry((0.96, 0.91, 0.99), tuple(o + 1 for o in offset)))  # type: ignore[arg-type]
    assert found is not None
    assert np.abs(change_levels(IMAGE, found) - change_levels(IMAGE, truth)).max() < 4


def test_a_sudden_change_is_found_despite_the_guess() -> None:
    truth = Photometry((0.4, 0.4, 0.4), (0, 0, 0))
    found = estimate_photometry(change_levels(IMAGE, truth) + NOISE, IMAGE, EVEN, Photometry())
    assert found is not None
    assert found.gain == pytest.approx(truth.gain, abs=0.02)


def test_a_darker_white_image_is_a_gain() -> None:
    found = estimate_photometry(np.full((400, 3), 230, np.float32), np.full((400, 3), 255, np.float32), EVEN)
    assert found is not None
    assert found.gain == pytest.approx((230 / 255,) * 3, abs=0.01)
    assert found.offset == pytest.approx((0, 0, 0), abs=1)


def test_too_few_pixels_give_none() -> None:
    assert estimate_photometry(IMAGE[:5], IMAGE[:5], EVEN[:5]) is None


@quick
@given(gains, offsets)
def test_correcting_restores_the_levels(gain: tuple[float, ...], offset: tuple[float, ...]) -> None:
    photometry = Photometry(gain, offset)  # type: ignore[arg-type]
    image = np.random.default_rng(7).integers(60, 190, (8, 8, 3)).astype(np.uint8)
    video = np.round(change_levels(image, photometry))
    assert video.min() >= 0 and video.max() <= 255
    back = photometry.correct_levels(video.astype(np.uint8))
    assert np.abs(back.astype(int) - image).max() <= 2


def test_a_frame_with_the_right_levels_is_not_copied() -> None:
    frame = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    assert Photometry().correct_levels(frame) is frame


def test_flat_pixels_avoid_edges_and_cover_every_colour() -> None:
    canvas = Canvas(200, 120)
    canvas.rectangle(20, 20, 60, 60, (1, 0, 0))
    canvas.rectangle(120, 40, 12, 12, (0, 0, 0.5))
    for x in range(150, 190, 3):
        canvas.rectangle(x, 20, 1, 80, (0, 0, 0))
    frame = canvas.frame()
    rows, columns, weights = find_flat_pixels(frame, 300)
    colours = frame[rows, columns]
    assert {tuple(c) for c in colours.tolist()} == {(255, 255, 255), (255, 0, 0), (0, 0, 128)}
    for row, column in zip(rows, columns, strict=True):
        around = frame[row - 1 : row + 2, column - 1 : column + 2].reshape(-1, 3)
        assert np.ptp(around.astype(int), axis=0).max() <= 6
    shares = [weights[(colours == colour).all(axis=1)].sum() for colour in ((255, 255, 255), (255, 0, 0), (0, 0, 128))]
    assert sum(shares) == pytest.approx(1, abs=1e-4)
    assert max(shares) < 2 * min(shares)


def test_an_image_without_flat_pixels_has_none() -> None:
    frame = np.random.default_rng(1).integers(0, 256, (60, 60, 3)).astype(np.uint8)
    rows, _, weights = find_flat_pixels(frame, 100)
    assert len(rows) == len(weights) == 0


@given(st.lists(st.integers(0, 255), min_size=1, max_size=30))
def test_the_median_is_that_of_numpy(levels: list[int]) -> None:
    assert median(np.array(levels, np.uint8)) == np.median(levels)
    assert median(np.array(levels, np.float32) / 8) == np.median(np.array(levels) / 8)
