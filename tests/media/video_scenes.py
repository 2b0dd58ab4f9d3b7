"""Videos of drawn scenes, and the error of a registered view."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from vmevalkit.core.records import Placement
from vmevalkit.media.image import Frame
from vmevalkit.media.registration import Registrar
from vmevalkit.media.video import TimedFrame
from vmevalkit.media.view import ViewRect

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
    """Return pixels of the image that differ from its background, as fractions of its size."""
    return _ink(reference.tobytes(), reference.shape[1])


def error_px(view: ViewRect, truth: ViewRect, reference: Frame) -> float:
    """Return the 95th percentile of the distance of the image's visible content from its true place, in pixels of the
    reading size."""
    places = ink(reference)
    corner, size = np.array([view.left, view.top]), np.array([view.width, view.height])
    true_corner, true_size = np.array([truth.left, truth.top]), np.array([truth.width, truth.height])
    shown = true_corner + places * true_size
    visible = ((shown > 0) & (shown < 1)).all(axis=1)
    off = (corner + places * size - shown)[visible] / true_size * reading_size(reference)
    return float(np.percentile(np.hypot(off[:, 0], off[:, 1]), 95))


def degrade_frame(frame: Frame, rng: np.random.Generator, blur: float, noise: float) -> Frame:
    """Return the frame darker by a different amount in each channel, blurred and noisy."""
    video = frame * np.array([0.93, 0.97, 0.9], np.float32) + np.array([-9, -13, 6], np.float32)
    video = cv2.GaussianBlur(video, (0, 0), blur)
    video += noise * rng.standard_normal(video.shape, np.float32)
    return np.clip(video, 0, 255).astype(np.uint8)


@dataclass(frozen=True)
class MovingCamera:
    """A video that zooms and drifts."""

    zoom_to: float = 1.0
    drift: tuple[float, float] = (0.0, 0.0)
    count: int = 48

    def video(self, base: Frame, placement: Placement) -> Iterator[tuple[Frame, ViewRect]]:
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
                ViewRect(
                    ((left - centre_x) * zoom + centre_x + dx) / width,
                    ((top - centre_y) * zoom + centre_y + dy) / height,
                    box_width * zoom / width,
                    box_height * zoom / height,
                ),
            )


def timed(frames: list[Frame], fps: float = 24) -> list[TimedFrame]:
    return [TimedFrame(i / fps, frame) for i, frame in enumerate(frames)]


def track_errors(reference: Frame, video: list[TimedFrame], truths: list[ViewRect]) -> list[float]:
    """Return the error in each frame."""
    registrar = Registrar(reference, reading_size(reference))
    registrar.start([t for t in video if t.seconds < 0.5])
    errors = []
    for one, truth in zip(video, truths, strict=True):
        registrar.register(one)
        assert registrar.view is not None
        errors.append(error_px(registrar.view, truth, reference))
    return errors
