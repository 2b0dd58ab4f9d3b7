"""Registration: the picture is found under everything that providers do to it, and followed through the film."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from drawn_scenes import SCENES, board, maze, shapes

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Placement
from vmevalkit.media.fitting import fit
from vmevalkit.media.picture import Frame
from vmevalkit.media.registration import MATCH_THRESHOLD, Registrar
from vmevalkit.media.video import TimedFrame, read_frames, write_video
from vmevalkit.media.view import View

FITS = {
    "letterbox_black": ((640, 360), "letterbox", (0, 0, 0)),
    "letterbox_grey": ((640, 360), "letterbox", (128, 128, 128)),
    "letterbox_near_white": ((640, 360), "letterbox", (251, 251, 251)),
    "letterbox_white": ((640, 360), "letterbox", (255, 255, 255)),
    "letterbox_tall": ((360, 640), "letterbox", (0, 0, 0)),
    "cover": ((634, 364), "cover", (0, 0, 0)),
    "cover_square": ((480, 480), "cover", (0, 0, 0)),
    "stretch": ((640, 360), "stretch", (0, 0, 0)),
    "odd": ((523, 447), "stretch", (0, 0, 0)),
}


def reading_size(reference: Frame) -> tuple[int, int]:
    scale = 0.5 if reference.shape[1] > 600 else 1.0
    return round(reference.shape[1] * scale), round(reference.shape[0] * scale)


@lru_cache(maxsize=8)
def _ink(pixels: bytes, width: int) -> np.ndarray:
    reference = np.frombuffer(pixels, np.uint8).reshape(-1, width, 3)
    ground = np.median(reference.reshape(-1, 3), axis=0)
    rows, columns = np.nonzero(np.abs(reference.astype(int) - ground).max(axis=2) > 40)
    some = np.linspace(0, len(rows) - 1, 300).astype(int)
    return np.stack([(columns[some] + 0.5) / reference.shape[1], (rows[some] + 0.5) / reference.shape[0]], axis=1)


def ink(reference: Frame) -> np.ndarray:
    """Places of the picture that differ from its ground, as shares of its size."""
    return _ink(reference.tobytes(), reference.shape[1])


def error_px(view: View, truth: View, reference: Frame) -> float:
    """95% of the picture's visible ink is at most so far from where it should be, in pixels as the reader sees it."""
    places = ink(reference)
    corner, size = np.array([view.left, view.top]), np.array([view.width, view.height])
    true_corner, true_size = np.array([truth.left, truth.top]), np.array([truth.width, truth.height])
    shown = true_corner + places * true_size
    visible = ((shown > 0) & (shown < 1)).all(axis=1)
    off = (corner + places * size - shown)[visible] / true_size * reading_size(reference)
    return float(np.percentile(np.hypot(off[:, 0], off[:, 1]), 95))


def harmed(frame: Frame, rng: np.random.Generator, blur: float, noise: float) -> Frame:
    """Darker by another amount in each channel, soft and grainy."""
    film = frame * np.array([0.93, 0.97, 0.9], np.float32) + np.array([-9, -13, 6], np.float32)
    film = cv2.GaussianBlur(film, (0, 0), blur)
    film += noise * rng.standard_normal(film.shape, np.float32)
    return np.clip(film, 0, 255).astype(np.uint8)


@dataclass(frozen=True)
class Camera:
    """A film that zooms and drifts."""

    zoom_to: float = 1.0
    drift: tuple[float, float] = (0.0, 0.0)
    count: int = 48

    def film(self, base: Frame, placement: Placement) -> Iterator[tuple[Frame, View]]:
        height, width = base.shape[:2]
        for i in range(self.count):
            t = i / (self.count - 1)
            zoom = 1 + (self.zoom_to - 1) * t
            dx, dy = self.drift[0] * t * width, self.drift[1] * t * height
            x, y = (width / 2 - 0.5) * (1 - zoom) + dx, (height / 2 - 0.5) * (1 - zoom) + dy
            frame = cv2.warpAffine(
                base, np.array([[zoom, 0, x], [0, zoom, y]]), (width, height), borderMode=cv2.BORDER_REPLICATE
            )
            left, top, box_width, box_height = placement.box
            centre_x, centre_y = width / 2, height / 2
            yield (
                np.asarray(frame, np.uint8),
                View(
                    ((left - centre_x) * zoom + centre_x + dx) / width,
                    ((top - centre_y) * zoom + centre_y + dy) / height,
                    box_width * zoom / width,
                    box_height * zoom / height,
                ),
            )


def timed(frames: list[Frame], fps: float = 24) -> list[TimedFrame]:
    return [TimedFrame(i / fps, frame) for i, frame in enumerate(frames)]


def followed(reference: Frame, film: list[TimedFrame], truths: list[View]) -> list[float]:
    """The error in each frame."""
    registrar = Registrar(reference, reading_size(reference))
    registrar.start([t for t in film if t.seconds < 0.5])
    errors = []
    for one, truth in zip(film, truths, strict=True):
        registrar.sight(one)
        assert registrar.view is not None
        errors.append(error_px(registrar.view, truth, reference))
    return errors


@pytest.mark.parametrize("way", FITS)
@pytest.mark.parametrize("name", SCENES)
def test_the_picture_is_found_however_it_was_fitted(name: str, way: str) -> None:
    reference, other = SCENES[name](1), SCENES[name](2)
    film, placement = fit(reference, *FITS[way])  # type: ignore[arg-type]
    match = Registrar(reference, reading_size(reference)).start(timed([film]))
    assert error_px(match.view, View.of(placement), reference) <= 0.5
    assert match.score > MATCH_THRESHOLD + 0.15
    wrong, _ = fit(other, *FITS[way])  # type: ignore[arg-type]
    assert Registrar(reference, reading_size(reference)).start(timed([wrong])).score < MATCH_THRESHOLD - 0.05


@pytest.mark.parametrize("way", ["letterbox_grey", "letterbox_white", "cover_square", "odd"])
@pytest.mark.parametrize("name", SCENES)
def test_the_right_picture_is_told_from_another_through_a_bad_film(name: str, way: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    scores = {}
    for seed in (4, 5, 6):
        film, _ = fit(SCENES[name](seed), *FITS[way])  # type: ignore[arg-type]
        write_video(tmp_path / "a.mp4", [harmed(film, rng, 1.3, 7) for _ in range(3)], 24, crf=38)
        registrar = Registrar(SCENES[name](4), reading_size(SCENES[name](4)))
        scores[seed] = registrar.start(list(read_frames(tmp_path / "a.mp4"))).score
    assert scores[4] > MATCH_THRESHOLD + 0.1
    assert max(scores[5], scores[6]) < MATCH_THRESHOLD - 0.05


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
    base, placement = fit(reference, (960, 540), "letterbox", (128, 128, 128))
    frames, truths = zip(*Camera(0.8, (0.03, 0.02)).film(base, placement), strict=True)
    rng = np.random.default_rng(8)
    write_video(tmp_path / "a.mp4", [harmed(frame, rng, 2.0, 7) for frame in frames], 24, crf=37)
    errors = followed(reference, list(read_frames(tmp_path / "a.mp4", within=(520, 300))), list(truths))
    assert np.percentile(errors, 95) <= 1.0


@pytest.mark.parametrize("name", SCENES)
def test_a_hand_over_part_of_the_picture_does_not_take_the_view_along(name: str) -> None:
    reference = SCENES[name](9)
    base, placement = fit(reference, (640, 360), "letterbox", (255, 255, 255))
    frames, truths = zip(*Camera(0.9, count=40).film(base, placement), strict=True)
    films = [np.ascontiguousarray(frame) for frame in frames]
    for i in range(12, 28):
        centre = (250 + 3 * i, 330 - 4 * i)
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


@pytest.mark.parametrize("name", SCENES)
def test_levels_are_undone(name: str) -> None:
    reference = SCENES[name](11)
    film, _ = fit(reference, (640, 360), "letterbox", (128, 128, 128))
    bad = np.clip(film * np.array([0.92, 0.95, 0.9]) + np.array([-6, 4, -2]), 0, 255).astype(np.uint8)
    registrar = Registrar(reference, reading_size(reference))
    registrar.start(timed([bad]))
    picture = registrar.sight(TimedFrame(0.0, bad)).picture
    clean = cv2.resize(reference, reading_size(reference), interpolation=cv2.INTER_AREA).astype(int)
    ground = np.median(clean.reshape(-1, 3), axis=0)
    flat = (np.abs(clean - ground).max(axis=2) < 2) & (cv2.erode(clean.astype(np.uint8), np.ones((9, 9))) > 200).all(2)
    flat |= name == "board"
    assert np.abs(np.median((picture - clean)[flat], axis=0)).max() <= 4


def test_a_film_that_fades_in_is_matched_where_it_is_light() -> None:
    reference = shapes(12)
    film, placement = fit(reference, (480, 270), "letterbox", (0, 0, 0))
    frames = [(film * min(1.0, i / 9)).astype(np.uint8) for i in range(20)]
    registrar = Registrar(reference, reading_size(reference))
    match = registrar.start(timed(frames)[:12])
    assert match.score > MATCH_THRESHOLD + 0.2
    assert match.seconds > 0.1
    assert error_px(match.view, View.of(placement), reference) <= 0.5
    picture = registrar.sight(TimedFrame(1.0, film)).picture
    assert np.abs(np.median(picture.reshape(-1, 3), axis=0) - 255).max() <= 3


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


def test_a_film_of_nothing_scores_nothing() -> None:
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
        assert registrar.sight(TimedFrame(0.0, frame)).picture.shape == (240, 416, 3)


def test_a_picture_of_nothing_can_be_registered() -> None:
    reference = np.full((200, 300, 3), 255, np.uint8)
    registrar = Registrar(reference, (150, 100))
    match = registrar.start(timed([np.full((180, 320, 3), 250, np.uint8)]))
    assert 0 <= match.score <= 1
    assert registrar.sight(TimedFrame(0.0, np.zeros((180, 320, 3), np.uint8))).picture.shape == (100, 150, 3)


def test_what_the_film_cuts_off_is_marked_and_filled_from_the_picture() -> None:
    reference = maze(15)
    film, placement = fit(reference, (480, 480), "cover")
    film = np.clip(film * 0.9, 0, 255).astype(np.uint8)
    registrar = Registrar(reference, (416, 240))
    registrar.start(timed([film]))
    sighting = registrar.sight(TimedFrame(0.0, film))
    assert sighting.seen is not None
    left, _, width, _ = placement.box
    cut = -left / width * 416
    assert sighting.seen[:, : round(cut) - 1].sum() == 0
    assert sighting.seen[:, round(cut) + 1 : -round(cut) - 1].all()
    small = cv2.resize(reference, (416, 240), interpolation=cv2.INTER_AREA)
    assert (sighting.picture[~sighting.seen] == small[~sighting.seen]).all()
    assert np.abs(sighting.picture.astype(int) - small)[sighting.seen].mean() < 6


def test_a_whole_picture_is_wholly_seen() -> None:
    reference = board(16)
    for way in ("letterbox_black", "stretch", "odd"):
        film, _ = fit(reference, *FITS[way])  # type: ignore[arg-type]
        registrar = Registrar(reference, (400, 400))
        registrar.start(timed([film]))
        assert registrar.sight(TimedFrame(0.0, film)).seen is None


def test_without_following_the_view_stays() -> None:
    reference = board(17)
    base, placement = fit(reference, (640, 360), "letterbox", (0, 0, 0))
    registrar = Registrar(reference, (200, 200), follow=False)
    film = timed([frame for frame, _ in Camera(0.75, count=12).film(base, placement)])
    start = registrar.start(film[:1]).view
    for one in film:
        registrar.sight(one)
    assert registrar.view == start


def test_a_known_placement_is_enough() -> None:
    reference = shapes(18)
    canvas = np.full((540, 960, 3), 255, np.uint8)
    canvas[300:428, 700:828] = cv2.resize(reference, (128, 128), interpolation=cv2.INTER_AREA)
    placement = Placement((960, 540), (700.0, 300.0, 128.0, 128.0), (255, 255, 255))
    film = cv2.resize(canvas, (480, 270), interpolation=cv2.INTER_AREA)
    match = Registrar(reference, (256, 256), placement=placement).start(timed([film]))
    assert match.score > MATCH_THRESHOLD + 0.1
    assert error_px(match.view, View.of(placement), reference) <= 1.0


def test_a_wrong_placement_is_found_out() -> None:
    reference = maze(19)
    film, truth = fit(reference, (640, 480), "letterbox", (0, 0, 0))
    wrong = Placement((640, 480), (100.0, 30.0, 300.0, 300.0))
    match = Registrar(reference, (416, 240), placement=wrong).start(timed([film]))
    assert match.score > MATCH_THRESHOLD + 0.15
    assert error_px(match.view, View.of(truth), reference) <= 0.5


def test_a_picture_anywhere_in_the_frame_is_found() -> None:
    reference = board(20)
    film = np.full((360, 640, 3), (40, 90, 60), np.uint8)
    film[40:280, 330:550] = cv2.resize(reference, (220, 240), interpolation=cv2.INTER_AREA)
    cv2.putText(film, "what is the best move?", (20, 340), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (255, 255, 255), 3)
    match = Registrar(reference, (400, 400)).start(timed([film]))
    assert match.score > MATCH_THRESHOLD + 0.1
    assert error_px(match.view, View(330 / 640, 40 / 360, 220 / 640, 240 / 360), reference) <= 1.0


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


def test_a_sight_before_the_start_starts_there() -> None:
    reference = shapes(23)
    film, _ = fit(reference, (480, 270), "letterbox", (255, 255, 255))
    registrar = Registrar(reference, (256, 256))
    assert registrar.view is None
    sighting = registrar.sight(TimedFrame(2.5, film))
    assert sighting.seconds == 2.5
    assert np.abs(sighting.picture.astype(int) - reference).mean() < 3


def test_films_larger_than_the_reading_are_averaged() -> None:
    reference = shapes(24)
    film, _ = fit(reference, (1024, 1024), "stretch")
    noisy = np.clip(film + np.random.default_rng(0).normal(0, 20, film.shape), 0, 255).astype(np.uint8)
    registrar = Registrar(reference, (256, 256))
    registrar.start(timed([noisy]))
    picture = registrar.sight(TimedFrame(0.0, noisy)).picture
    ground = (reference == 255).all(axis=2)
    assert picture[ground].astype(float).std() < 8


def test_impossible_wishes_are_refused() -> None:
    with pytest.raises(UsageError, match="0x10"):
        Registrar(board(1), (0, 10))
    with pytest.raises(UsageError, match="first half second"):
        Registrar(board(1), (40, 40)).start([])
