"""Tracking through a video: zoom, drift, hands, cuts and empty frames."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from drawn_scenes import SCENES, board, maze
from video_scenes import MovingCamera, degrade_frame, timed, track_errors

from vmevalkit.media.fitting import fit
from vmevalkit.media.image import Frame
from vmevalkit.media.registration import Registrar
from vmevalkit.media.video import read_frames, write_video
from vmevalkit.media.view import ViewRect


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize(
    "camera", [MovingCamera(0.75, (0.04, -0.03)), MovingCamera(1.12, (-0.02, 0.03)), MovingCamera(0.93)]
)
def test_a_clean_video_is_tracked_within_half_a_pixel(name: str, camera: MovingCamera) -> None:
    reference = SCENES[name](7)
    base, placement = fit(reference, (640, 360), "letterbox", (0, 0, 0))
    frames, truths = zip(*camera.video(base, placement), strict=True)
    errors = track_errors(reference, timed(list(frames)), list(truths))
    assert np.percentile(errors, 95) <= 0.5
    assert max(errors) <= 0.8


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENES)
def test_a_bad_video_is_tracked_within_a_pixel(name: str, tmp_path: Path) -> None:
    reference = SCENES[name](8)
    base, placement = fit(reference, (848, 480), "letterbox", (128, 128, 128))
    frames, truths = zip(*MovingCamera(0.8, (0.03, 0.02), 30).video(base, placement), strict=True)
    rng = np.random.default_rng(8)
    write_video(tmp_path / "a.mp4", [degrade_frame(frame, rng, 2.0, 7) for frame in frames], 24, crf=32)
    errors = track_errors(reference, list(read_frames(tmp_path / "a.mp4", within=(520, 300))), list(truths))
    assert np.percentile(errors, 95) <= 1.0


@pytest.mark.parametrize("name", SCENES)
def test_a_hand_over_part_of_the_image_does_not_move_the_view(name: str) -> None:
    reference = SCENES[name](9)
    base, placement = fit(reference, (640, 360), "letterbox", (255, 255, 255))
    frames, truths = zip(*MovingCamera(0.9, count=40).video(base, placement), strict=True)
    videos = [np.ascontiguousarray(frame) for frame in frames]
    for i in range(12, 28):
        centre = (150 + 3 * i, 330 - 4 * i)
        cv2.ellipse(videos[i], centre, (70, 130), 25, 0, 360, (205, 160, 130), -1)
    errors = track_errors(reference, timed(videos), list(truths))
    assert np.percentile(errors, 95) <= 1.0
    assert max(errors[29:]) <= 0.5


def test_a_moving_dot_does_not_move_the_view() -> None:
    reference = maze(10)
    video, placement = fit(reference, (640, 360), "stretch")
    frames = []
    for i in range(30):
        frame = video.copy()
        cv2.circle(frame, (60 + 18 * i, 60 + 8 * i), 14, (0, 160, 0), -1, cv2.LINE_AA)
        frames.append(frame)
    assert max(track_errors(reference, timed(frames), [ViewRect.from_placement(placement)] * 30)) <= 0.3


@pytest.mark.parametrize("kind", ["black", "white", "noise"])
def test_tracking_continues_after_empty_frames(kind: str) -> None:
    reference = board(13)
    base, placement = fit(reference, (640, 360), "letterbox", (0, 0, 0))
    frames, truths = zip(*MovingCamera(0.9, count=30).video(base, placement), strict=True)
    rng = np.random.default_rng(1)
    blank: Callable[[], Frame] = {
        "black": lambda: np.zeros((360, 640, 3), np.uint8),
        "white": lambda: np.full((360, 640, 3), 255, np.uint8),
        "noise": lambda: rng.integers(0, 256, (360, 640, 3)).astype(np.uint8),
    }[kind]
    videos = [blank() if 10 <= i < 20 else frame for i, frame in enumerate(frames)]
    errors = track_errors(reference, timed(videos), list(truths))
    assert max(errors[24:]) <= 0.6


def test_without_tracking_the_view_stays() -> None:
    reference = board(17)
    base, placement = fit(reference, (640, 360), "letterbox", (0, 0, 0))
    registrar = Registrar(reference, (200, 200), follow=False)
    video = timed([frame for frame, _ in MovingCamera(0.75, count=12).video(base, placement)])
    start = registrar.start(video[:1]).view
    for one in video:
        registrar.register(one)
    assert registrar.view == start


def test_the_view_is_found_again_after_a_cut() -> None:
    reference = maze(21)
    wide, first = fit(reference, (640, 360), "letterbox", (0, 0, 0))
    boxed, second = fit(reference, (640, 360), "stretch")
    smaller = np.full((360, 640, 3), 255, np.uint8)
    smaller[60:300, 112:528] = cv2.resize(boxed, (416, 240), interpolation=cv2.INTER_AREA)
    truth = ViewRect(112 / 640, 60 / 360, 416 / 640, 240 / 360)
    errors = track_errors(
        reference, timed([wide] * 8 + [smaller] * 20), [ViewRect.from_placement(first)] * 8 + [truth] * 20
    )
    assert max(errors[:8]) <= 0.5
    assert max(errors[12:]) <= 0.5
    assert second.canvas == (640, 360)


def test_a_video_that_changes_its_size_is_tracked() -> None:
    reference = board(22)
    large, placement = fit(reference, (640, 360), "letterbox", (0, 0, 0))
    small = cv2.resize(large, (480, 270), interpolation=cv2.INTER_AREA)
    errors = track_errors(reference, timed([large] * 3 + [small] * 3), [ViewRect.from_placement(placement)] * 6)
    assert max(errors) <= 0.5


@pytest.mark.parametrize("seed", range(6))
def test_a_slide_that_pushes_another_out_is_found_at_its_place(seed: int) -> None:
    reference = board(seed)
    height, width = reference.shape[:2]
    pair = np.concatenate([reference, reference], axis=1)
    shares = [0.0] * 6 + [0.5 - 0.5 * np.cos(np.pi * i / 20) for i in range(21)] + [1.0] * 8
    rng = np.random.default_rng(seed)
    videos = [pair[:, round(share * width) : round(share * width) + width].astype(np.int16) for share in shares]
    noisy = [np.clip(frame + rng.normal(0, 3, frame.shape), 0, 255).astype(np.uint8) for frame in videos]
    registrar = Registrar(reference, (width // 2, height // 2))
    frames = timed(noisy)
    registrar.start(frames[:4])
    for frame in frames:
        registrar.register(frame)
    assert registrar.view is not None
    assert registrar.view.measure_distance(ViewRect(0, 0, 1, 1)) < 0.005
