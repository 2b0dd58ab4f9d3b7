"""Similarity and unexplained content: tolerant of blur, sensitive to differences."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_scenes import SCENES, board, maze

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.similarity import compute_similarity, measure_unexplained


def small(frame: np.ndarray) -> np.ndarray:
    scale = 200 / max(frame.shape)
    size = round(frame.shape[1] * scale), round(frame.shape[0] * scale)
    return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)


def degraded(frame: np.ndarray, blur: float, noise: float, seed: int = 0) -> np.ndarray:
    soft = cv2.GaussianBlur(frame.astype(np.float32), (0, 0), blur) if blur else frame.astype(np.float32)
    grain = np.random.default_rng(seed).normal(0, noise, frame.shape) if noise else 0
    return np.clip(soft + grain, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("name", SCENES)
def test_an_image_is_similar_to_itself_and_to_no_other(name: str) -> None:
    reference = small(SCENES[name](1))
    assert compute_similarity(reference, reference) == pytest.approx(1, abs=0.01)
    assert compute_similarity(reference, degraded(reference, 1.2, 6)) > 0.8
    for seed in range(2, 8):
        assert compute_similarity(reference, small(SCENES[name](seed))) < 0.5


def test_no_image_is_similar_to_a_plain_frame() -> None:
    reference = small(maze(1))
    for level in (0, 128, 255):
        assert compute_similarity(reference, np.full_like(reference, level)) < 0.05
    noise = np.random.default_rng(0).integers(0, 256, reference.shape).astype(np.uint8)
    assert compute_similarity(reference, noise) < 0.1


def test_missing_and_added_content_both_lower_the_similarity() -> None:
    reference = small(board(3))
    changed = reference.copy()
    changed[100:140, 25:175] = 230
    assert compute_similarity(reference, changed) < 0.7
    assert compute_similarity(changed, reference) < 0.7


def test_only_the_visible_region_counts() -> None:
    reference = small(maze(1))
    covered = reference.copy()
    covered[:, :100] = 90
    assert compute_similarity(reference, covered) < 0.1
    assert compute_similarity(reference, covered, (slice(0, reference.shape[0]), slice(106, 200))) > 0.95
    assert compute_similarity(reference, covered, (slice(0, 4), slice(0, 4))) == 0


def scene(extra: bool = False, wall: bool = True) -> np.ndarray:
    canvas = Canvas(200, 150)
    canvas.circle(60, 70, 20, (0, 0.6, 0))
    canvas.line([(120, 20), (120, 60)], (0, 0, 0), 3)
    if wall:
        canvas.line([(120, 60), (120, 130)], (0, 0, 0), 3)
    if extra:
        canvas.rectangle(140, 30, 30, 20, (0.9, 0.2, 0.2))
    return canvas.frame()


def test_the_same_scene_is_explained_through_blur_noise_and_a_shift() -> None:
    for image in (scene(), degraded(scene(), 1.2, 0), degraded(scene(), 0.8, 6), np.roll(scene(), 1, axis=(0, 1))):
        share, blob = measure_unexplained(image, scene())
        assert blob < 0.002
        assert share < 0.005


def test_something_added_is_measured() -> None:
    share, blob = measure_unexplained(degraded(scene(extra=True), 0.8, 5), scene())
    assert blob == pytest.approx(600 / 30000, rel=0.25)
    assert share == pytest.approx(blob, abs=0.003)


def test_a_missing_thin_wall_is_measured() -> None:
    _, blob = measure_unexplained(scene(wall=False), scene())
    assert blob == pytest.approx(3 * 70 / 30000, rel=0.4)
    _, blob = measure_unexplained(scene(), scene(wall=False))
    assert blob == pytest.approx(3 * 70 / 30000, rel=0.4)


def test_another_colour_is_not_explained() -> None:
    red = scene()
    green = (red[..., 1] > 100) & (red[..., 0] < 100)
    red[green] = (160, 0, 0)
    _, blob = measure_unexplained(red, scene())
    assert blob == pytest.approx(np.pi * 400 / 30000, rel=0.2)


def test_pixels_that_are_not_seen_do_not_count() -> None:
    seen = np.ones((150, 200), np.bool_)
    seen[:, 130:] = False
    share, blob = measure_unexplained(scene(extra=True), scene(), seen)
    assert (share, blob) == (0, 0)
    assert measure_unexplained(scene(extra=True), scene(), np.zeros((150, 200), np.bool_)) == (0, 0)


def test_the_largest_of_several_blobs_is_returned() -> None:
    image = scene()
    image[5:15, 5:15] = (200, 0, 0)
    image[120:140, 20:50] = (0, 0, 200)
    share, blob = measure_unexplained(image, scene())
    assert blob == pytest.approx(600 / 30000, rel=0.01)
    assert share == pytest.approx(700 / 30000, rel=0.01)


def test_blobs_are_computed_only_where_they_can_matter() -> None:
    image = scene(extra=True)
    share, blob = measure_unexplained(image, scene())
    assert measure_unexplained(image, scene(), least=share / 2) == (share, blob)
    assert measure_unexplained(image, scene(), least=2 * share) == (share, 0)
