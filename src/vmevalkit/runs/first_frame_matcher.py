"""The question of a video: the one whose first frame the video begins with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.core.errors import MediaError
from vmevalkit.media.image import Frame, read_image
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.registration import MATCH_THRESHOLD, Registrar
from vmevalkit.media.video import TimedFrame, read_frames

Floats = NDArray[np.float32]

_WITHIN = (480, 480)
_READING_SIDE = 256
_THUMB = (32, 32)
_CLEAR = 0.6
"""The right question differs from the video by less than this share of what the next one differs."""
_TOLERATED_LEVELS = 24
"""Differences up to this are those of an encoder."""


class FirstFrameMatcher:
    """Compares videos with the first frames of some questions, by their names."""

    def __init__(self, first_frames: Mapping[str, Path]) -> None:
        self._images = {name: read_image(path) for name, path in first_frames.items()}
        self._references = {name: _shrink(image) for name, image in self._images.items()}
        self._thumbs = {name: _make_thumb(image) for name, image in self._images.items()}

    def find(self, video: Path) -> str | None:
        """Return the question that a video begins with; None where it shows none of them, or several as well."""
        try:
            first = next(read_frames(video, _WITHIN))
        except MediaError:
            return None
        thumb = _make_thumb(first.frame)
        for name in sorted(self._images, key=lambda name: float(np.abs(self._thumbs[name] - thumb).mean())):
            aligned = self._align(name, first)
            if aligned is not None:
                return self._choose_nearest(aligned, self._images[name].shape)
        return None

    def _align(self, name: str, first: TimedFrame) -> RegisteredFrame | None:
        """Return the frame as the image would show it; None where it shows another image."""
        registrar = Registrar(self._images[name], self._references[name].shape[1::-1], follow=False)
        if registrar.start([first]).score < MATCH_THRESHOLD:
            return None
        return registrar.register(first)

    def _choose_nearest(self, aligned: RegisteredFrame, shape: tuple[int, ...]) -> str | None:
        """Return the image that the frame agrees with. The images of a task may differ in a few digits only, so that
        each of them aligns with the frame: then the difference decides."""
        same = [name for name, image in self._images.items() if image.shape == shape]
        differences = {name: _measure_difference(self._references[name], aligned) for name in same}
        best, *others = sorted(same, key=lambda name: differences[name])
        if others and differences[best] > _CLEAR * differences[others[0]]:
            return None
        return best


def _measure_difference(reference: Floats, aligned: RegisteredFrame) -> float:
    """Return the share of the pixels that differ by more than an encoder would make them."""
    levels = np.abs(_soften(aligned.image) - reference).max(axis=2)
    shown = levels if aligned.visible is None else levels[aligned.visible]
    return float((shown > _TOLERATED_LEVELS).mean())


def _shrink(image: Frame) -> Floats:
    scale = _READING_SIDE / max(image.shape[:2])
    size = max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale))
    return _soften(cv2.resize(image, size, interpolation=cv2.INTER_AREA))


def _soften(image: Frame) -> Floats:
    """Return the image without what a shift of a pixel changes."""
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 1.5), np.float32)


def _make_thumb(image: Frame) -> Floats:
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    return np.asarray(cv2.resize(grey, _THUMB, interpolation=cv2.INTER_AREA), np.float32)
