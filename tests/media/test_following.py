"""Registration through a film: zoom, drift, hands, cuts and empty frames."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from drawn_scenes import SCENES, board, maze
from filmed_scenes import Camera, followed, harmed, timed

from vmevalkit.media.fitting import fit
from vmevalkit.media.picture import Frame
from vmevalkit.media.registration import Registrar
from vmevalkit.media.video import read_frames, write_video
from vmevalkit.media.view import View


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("camera", [Camera(0.75, (0.04, -0.03)), Camera(1.12, (-0.02, 0.03)), Camera(0.93)])
def test_a_clean_film_is_followed_within_half_a_pixel(name: str, camera: Camera) -> None:
    reference = SCENES[name](7)
    base, placement = fit(reference, (640, 360), "letterbox", (0, 0, 0))
    frames, truths = zip(*camera.film(base, placement), strict=True)
    errors = followed(reference, timed(list(frames)), list(truths))
    assert np.percentile(errors, 95) <= 0.5
    assert max(errors) <= 0.8


@pytest.mark.parametrize("name", SCENES)
def test_a_bad_film_is_followed_within_a_pixel(name: str, tmp_path: Path) -> None:
    reference = SCENES[name](8)
    base, placement = fit(reference, (848, 480), "letterbox", (128, 128, 128))
    frames, truths = zip(*Camera(0.8, (0.03, 0.02), 30).film(base, placement), strict=True)
    rng = np.random.default_rng(8)
    write_video(tmp_path / "a.mp4", [harmed(frame, rng, 2.0, 7) for frame in frames], 24, crf=32)
    errors = followed(reference, list(read_frames(tmp_path / "a.mp4", within=(520, 300))), list(truths))
    assert np.percentile(errors, 95) <= 1.0


@pytest.mark.parametrize("name", SCENES)
def test_a_hand_over_part_of_the_picture_does_not_take_the_view_along(name: str) -> None:
    reference = SCENES[name](9)
    base, placement = fit(reference, (640, 360), "letterbox", (255, 255, 255))
    frames, truths = zip(*Camera(0.9, count=40).film(base, placement), strict=True)
    films = [np.ascontiguousarray(frame) for frame in frames]
    for i in range(12, 28):
        centre = (150 + 3 * i, 330 - 4 * i)
        cv2.ellipse(films[i], centre, (70, 130), 25, 0, 360, (205, 160, 130), -1)
    errors = followed(reference, timed(films), list(truths))
    assert np.percentile(errors, 95) <= 1.0
    assert max(errors[29:]) <= 0.5


def test_a_moving_dot_leaves_the_view_where_it_is() -> None:
    reference = maze(10)
    film, placement = fit(reference, (640, 360), "stretch")
    frames = []
    for i in range(30):
        frame = film.copy()
        cv2.circle(frame, (60 + 18 * i, 60 + 8 * i), 14, (0, 160, 0), -1, cv2.LINE_AA)
        frames.append(frame)
    assert max(followed(reference, timed(frames), [View.of(placement)] * 30)) <= 0.3


@pytest.mark.parametrize("kind", ["black", "white", "noise"])
def test_empty_frames_do_no_harm(kind: str) -> None:
    reference = board(13)
    base, placement = fit(reference, (640, 360), "letterbox", (0, 0, 0))
    frames, truths = zip(*Camera(0.9, count=30).film(base, placement), strict=True)
    rng = np.random.default_rng(1)
    blank: Callable[[], Frame] = {
        "black": lambda: np.zeros((360, 640, 3), np.uint8),
        "white": lambda: np.full((360, 640, 3), 255, np.uint8),
        "noise": lambda: rng.integers(0, 256, (360, 640, 3)).astype(np.uint8),
    }[kind]
    films = [blank() if 10 <= i < 20 else frame for i, frame in enumerate(frames)]
    errors = followed(reference, timed(films), list(truths))
    assert max(errors[24:]) <= 0.6


def test_without_following_the_view_stays() -> None:
    reference = board(17)
    base, placement = fit(reference, (640, 360), "letterbox", (0, 0, 0))
    registrar = Registrar(reference, (200, 200), follow=False)
    film = timed([frame for frame, _ in Camera(0.75, count=12).film(base, placement)])
    start = registrar.start(film[:1]).view
    for one in film:
        registrar.sight(one)
    assert registrar.view == start


def test_a_cut_to_another_framing_is_recovered() -> None:
    reference = maze(21)
    wide, first = fit(reference, (640, 360), "letterbox", (0, 0, 0))
    boxed, second = fit(reference, (640, 360), "stretch")
    smaller = np.full((360, 640, 3), 255, np.uint8)
    smaller[60:300, 112:528] = cv2.resize(boxed, (416, 240), interpolation=cv2.INTER_AREA)
    truth = View(112 / 640, 60 / 360, 416 / 640, 240 / 360)
    errors = followed(reference, timed([wide] * 8 + [smaller] * 20), [View.of(first)] * 8 + [truth] * 20)
    assert max(errors[:8]) <= 0.5
    assert max(errors[12:]) <= 0.5
    assert second.canvas == (640, 360)


def test_a_film_that_changes_its_size_is_followed() -> None:
    reference = board(22)
    large, placement = fit(reference, (640, 360), "letterbox", (0, 0, 0))
    small = cv2.resize(large, (480, 270), interpolation=cv2.INTER_AREA)
    errors = followed(reference, timed([large] * 3 + [small] * 3), [View.of(placement)] * 6)
    assert max(errors) <= 0.5
