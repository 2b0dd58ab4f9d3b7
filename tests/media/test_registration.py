"""Registration: the image is found through everything that providers do to it."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from drawn_scenes import SCENES, board, maze, shapes
from video_scenes import FITS, degrade_frame, error_px, reading_size, timed

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Placement
from vmevalkit.media.fitting import fit
from vmevalkit.media.registration import MATCH_THRESHOLD, Registrar
from vmevalkit.media.video import TimedFrame, read_frames, write_video
from vmevalkit.media.view import ViewRect


@pytest.mark.parametrize("way", FITS)
@pytest.mark.parametrize("name", SCENES)
def test_the_image_is_found_through_every_fit(name: str, way: str) -> None:
    reference, other = SCENES[name](1), SCENES[name](2)
    video, placement = fit(reference, *FITS[way])  # type: ignore[arg-type]
    match = Registrar(reference, reading_size(reference)).start(timed([video]))
    assert error_px(match.view, ViewRect.from_placement(placement), reference) <= 0.5
    assert match.score > MATCH_THRESHOLD + 0.15
    wrong, _ = fit(other, *FITS[way])  # type: ignore[arg-type]
    assert Registrar(reference, reading_size(reference)).start(timed([wrong])).score < MATCH_THRESHOLD - 0.05


@pytest.mark.slow
@pytest.mark.parametrize("way", ["letterbox_grey", "letterbox_white", "cover_square", "odd"])
@pytest.mark.parametrize("name", SCENES)
def test_the_right_image_is_distinguished_through_a_bad_video(name: str, way: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    scores = {}
    for seed in (4, 5, 6):
        video, _ = fit(SCENES[name](seed), *FITS[way])  # type: ignore[arg-type]
        write_video(tmp_path / "a.mp4", [degrade_frame(video, rng, 1.3, 7) for _ in range(3)], 24, crf=38)
        registrar = Registrar(SCENES[name](4), reading_size(SCENES[name](4)))
        scores[seed] = registrar.start(list(read_frames(tmp_path / "a.mp4"))).score
    assert scores[4] > MATCH_THRESHOLD + 0.1
    assert max(scores[5], scores[6]) < MATCH_THRESHOLD - 0.05


@pytest.mark.parametrize("name", SCENES)
def test_levels_are_restored(name: str) -> None:
    reference = SCENES[name](11)
    video, _ = fit(reference, (640, 360), "letterbox", (128, 128, 128))
    bad = np.clip(video * np.array([0.92, 0.95, 0.9]) + np.array([-6, 4, -2]), 0, 255).astype(np.uint8)
    registrar = Registrar(reference, reading_size(reference))
    registrar.start(timed([bad]))
    image = registrar.register(TimedFrame(0.0, bad)).image
    clean = cv2.resize(reference, reading_size(reference), interpolation=cv2.INTER_AREA).astype(int)
    ground = np.median(clean.reshape(-1, 3), axis=0)
    flat = (np.abs(clean - ground).max(axis=2) < 2) & (cv2.erode(clean.astype(np.uint8), np.ones((9, 9))) > 200).all(2)
    flat |= name == "board"
    assert np.abs(np.median((image - clean)[flat], axis=0)).max() <= 4


def test_a_video_that_fades_in_is_matched_where_it_is_bright() -> None:
    reference = shapes(12)
    video, placement = fit(reference, (480, 270), "letterbox", (0, 0, 0))
    frames = [(video * min(1.0, i / 9)).astype(np.uint8) for i in range(20)]
    registrar = Registrar(reference, reading_size(reference))
    match = registrar.start(timed(frames)[:12])
    assert match.score > MATCH_THRESHOLD + 0.2
    assert match.seconds > 0.1
    assert error_px(match.view, ViewRect.from_placement(placement), reference) <= 0.5
    image = registrar.register(TimedFrame(1.0, video)).image
    assert np.abs(np.median(image.reshape(-1, 3), axis=0) - 255).max() <= 3


def test_an_empty_video_does_not_match() -> None:
    reference = maze(14)
    rng = np.random.default_rng(2)
    for frame in (
        np.zeros((270, 480, 3), np.uint8),
        np.full((270, 480, 3), 255, np.uint8),
        rng.integers(0, 256, (270, 480, 3)).astype(np.uint8),
        np.zeros((2, 2, 3), np.uint8),
    ):
        registrar = Registrar(reference, reading_size(reference))
        assert registrar.start(timed([frame] * 3)).score < 0.2
        assert registrar.register(TimedFrame(0.0, frame)).image.shape == (240, 416, 3)


def test_an_empty_image_can_be_registered() -> None:
    reference = np.full((200, 300, 3), 255, np.uint8)
    registrar = Registrar(reference, (150, 100))
    match = registrar.start(timed([np.full((180, 320, 3), 250, np.uint8)]))
    assert 0 <= match.score <= 1
    assert registrar.register(TimedFrame(0.0, np.zeros((180, 320, 3), np.uint8))).image.shape == (100, 150, 3)


def test_cropped_parts_are_marked_and_filled_from_the_image() -> None:
    reference = maze(15)
    video, placement = fit(reference, (480, 480), "cover")
    video = np.clip(video * 0.9, 0, 255).astype(np.uint8)
    registrar = Registrar(reference, (416, 240))
    registrar.start(timed([video]))
    frame = registrar.register(TimedFrame(0.0, video))
    assert frame.visible is not None
    left, _, width, _ = placement.box
    cut = -left / width * 416
    assert frame.visible[:, : round(cut) - 1].sum() == 0
    assert frame.visible[:, round(cut) + 1 : -round(cut) - 1].all()
    small = cv2.resize(reference, (416, 240), interpolation=cv2.INTER_AREA)
    assert (frame.image[~frame.visible] == small[~frame.visible]).all()
    assert np.abs(frame.image.astype(int) - small)[frame.visible].mean() < 6


def test_a_whole_image_is_completely_visible() -> None:
    reference = board(16)
    for way in ("letterbox_black", "stretch", "odd"):
        video, _ = fit(reference, *FITS[way])  # type: ignore[arg-type]
        registrar = Registrar(reference, (400, 400))
        registrar.start(timed([video]))
        assert registrar.register(TimedFrame(0.0, video)).visible is None


def test_a_known_placement_is_used() -> None:
    reference = shapes(18)
    canvas = np.full((540, 960, 3), 255, np.uint8)
    canvas[300:428, 700:828] = cv2.resize(reference, (128, 128), interpolation=cv2.INTER_AREA)
    placement = Placement((960, 540), (700.0, 300.0, 128.0, 128.0), (255, 255, 255))
    video = cv2.resize(canvas, (480, 270), interpolation=cv2.INTER_AREA)
    match = Registrar(reference, (256, 256), placement=placement).start(timed([video]))
    assert match.score > MATCH_THRESHOLD + 0.1
    assert error_px(match.view, ViewRect.from_placement(placement), reference) <= 1.0


def test_a_wrong_placement_is_corrected() -> None:
    reference = maze(19)
    video, truth = fit(reference, (640, 480), "letterbox", (0, 0, 0))
    wrong = Placement((640, 480), (100.0, 30.0, 300.0, 300.0))
    match = Registrar(reference, (416, 240), placement=wrong).start(timed([video]))
    assert match.score > MATCH_THRESHOLD + 0.15
    assert error_px(match.view, ViewRect.from_placement(truth), reference) <= 0.5


def test_an_image_anywhere_in_the_frame_is_found() -> None:
    reference = board(20)
    video = np.full((360, 640, 3), (40, 90, 60), np.uint8)
    video[40:280, 330:550] = cv2.resize(reference, (220, 240), interpolation=cv2.INTER_AREA)
    cv2.putText(video, "what is the best move?", (20, 340), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (255, 255, 255), 3)
    match = Registrar(reference, (400, 400)).start(timed([video]))
    assert match.score > MATCH_THRESHOLD + 0.1
    assert error_px(match.view, ViewRect(330 / 640, 40 / 360, 220 / 640, 240 / 360), reference) <= 1.0


def test_registering_without_a_start_starts_at_that_frame() -> None:
    reference = shapes(23)
    video, _ = fit(reference, (480, 270), "letterbox", (255, 255, 255))
    registrar = Registrar(reference, (256, 256))
    assert registrar.view is None
    frame = registrar.register(TimedFrame(2.5, video))
    assert frame.seconds == 2.5
    assert np.abs(frame.image.astype(int) - reference).mean() < 3


def test_videos_larger_than_the_reading_size_are_averaged() -> None:
    reference = shapes(24)
    video, _ = fit(reference, (1024, 1024), "stretch")
    noisy = np.clip(video + np.random.default_rng(0).normal(0, 20, video.shape), 0, 255).astype(np.uint8)
    registrar = Registrar(reference, (256, 256))
    registrar.start(timed([noisy]))
    image = registrar.register(TimedFrame(0.0, noisy)).image
    ground = (reference == 255).all(axis=2)
    assert image[ground].astype(float).std() < 8


def test_impossible_sizes_are_refused() -> None:
    with pytest.raises(UsageError, match="0x10"):
        Registrar(board(1), (0, 10))
    with pytest.raises(UsageError, match="pass those of its start"):
        Registrar(board(1), (40, 40)).start([])
