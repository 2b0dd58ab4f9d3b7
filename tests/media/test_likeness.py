"""Likeness and what is left unexplained: blind to blur, sharp on what differs."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_scenes import SCENES, board, maze

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.likeness import likeness, unexplained


def small(frame: np.ndarray) -> np.ndarray:
    scale = 200 / max(frame.shape)
    size = round(frame.shape[1] * scale), round(frame.shape[0] * scale)
    return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)


def degraded(frame: np.ndarray, blur: float, noise: float, seed: int = 0) -> np.ndarray:
    soft = cv2.GaussianBlur(frame.astype(np.float32), (0, 0), blur) if blur else frame.astype(np.float32)
    grain = np.random.default_rng(seed).normal(0, noise, frame.shape) if noise else 0
    return np.clip(soft + grain, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("name", SCENES)
def test_a_picture_is_like_itself_and_no_other(name: str) -> None:
    reference = small(SCENES[name](1))
    assert likeness(reference, reference) == pytest.approx(1, abs=0.01)
    assert likeness(reference, degraded(reference, 1.2, 6)) > 0.8
    for seed in range(2, 8):
        assert likeness(reference, small(SCENES[name](seed))) < 0.5


def test_nothing_is_like_a_plain_frame() -> None:
    reference = small(maze(1))
    for level in (0, 128, 255):
        assert likeness(reference, np.full_like(reference, level)) < 0.05
    noise = np.random.default_rng(0).integers(0, 256, reference.shape).astype(np.uint8)
    assert likeness(reference, noise) < 0.1


def test_both_what_is_missing_and_what_is_added_take_away() -> None:
    reference = small(board(3))
    changed = reference.copy()
    changed[100:140, 25:175] = 230
    assert likeness(reference, changed) < 0.7
    assert likeness(changed, reference) < 0.7


def test_only_what_is_shown_counts() -> None:
    reference = small(maze(1))
    covered = reference.copy()
    covered[:, :100] = 90
    assert likeness(reference, covered) < 0.1
    assert likeness(reference, covered, (slice(0, reference.shape[0]), slice(106, 200))) > 0.95
    assert likeness(reference, covered, (slice(0, 4), slice(0, 4))) == 0


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
    for picture in (scene(), degraded(scene(), 1.2, 0), degraded(scene(), 0.8, 6), np.roll(scene(), 1, axis=(0, 1))):
        share, blob = unexplained(picture, scene())
        assert blob < 0.002
        assert share < 0.005


def test_something_added_is_measured() -> None:
    share, blob = unexplained(degraded(scene(extra=True), 0.8, 5), scene())
    assert blob == pytest.approx(600 / 30000, rel=0.25)
    assert share == pytest.approx(blob, abs=0.003)


def test_a_thin_wall_that_is_gone_is_measured() -> None:
    _, blob = unexplained(scene(wall=False), scene())
    assert blob == pytest.approx(3 * 70 / 30000, rel=0.4)
    _, blob = unexplained(scene(), scene(wall=False))
    assert blob == pytest.approx(3 * 70 / 30000, rel=0.4)


def test_another_colour_is_not_explained() -> None:
    red = scene()
    green = (red[..., 1] > 100) & (red[..., 0] < 100)
    red[green] = (160, 0, 0)
    _, blob = unexplained(red, scene())
    assert blob == pytest.approx(np.pi * 400 / 30000, rel=0.2)


def test_what_is_not_seen_does_not_count() -> None:
    seen = np.ones((150, 200), np.bool_)
    seen[:, 130:] = False
    share, blob = unexplained(scene(extra=True), scene(), seen)
    assert (share, blob) == (0, 0)
    assert unexplained(scene(extra=True), scene(), np.zeros((150, 200), np.bool_)) == (0, 0)


def test_the_largest_of_several_blobs_is_told() -> None:
    picture = scene()
    picture[5:15, 5:15] = (200, 0, 0)
    picture[120:140, 20:50] = (0, 0, 200)
    share, blob = unexplained(picture, scene())
    assert blob == pytest.approx(600 / 30000, rel=0.01)
    assert share == pytest.approx(700 / 30000, rel=0.01)


def test_blobs_are_only_looked_for_where_there_can_be_one() -> None:
    picture = scene(extra=True)
    share, blob = unexplained(picture, scene())
    assert unexplained(picture, scene(), least=share / 2) == (share, blob)
    assert unexplained(picture, scene(), least=2 * share) == (share, 0)
