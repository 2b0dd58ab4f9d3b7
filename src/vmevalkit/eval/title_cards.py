"""Telling a fade or an end card from a video that hides what it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame

_SIDE = 96
"""Frames are compared at this width and height."""
_SAMPLES = 2 * _SIDE
"""Rows and columns of a frame that are averaged to the small size: averaging all pixels takes longer than reading the
frame, and whole numbers of samples are averaged ten times as fast."""
_FLAT_LEVELS = 6.0
"""A frame whose levels vary by less shows nothing: the end of a fade."""
PALE = 0.45
"""A frame with less than this share of the contrast of the scene that it shows is too pale to be read."""
FULL = 0.97
"""A frame with at least this share is not part of a fade."""
_FADE_STEP, _MAX_HELD = 0.01, 3
"""Least change of strength in a fade, and most frames without one: a video may repeat its frames."""
_SAME_SCENE = 0.96
"""Correlation of two frames that show the same scene, one of them paler."""
_FADE_CORRELATION = 0.85
"""The same where a frame is so pale that coding noise counts."""
_STILL_LEVELS = 2.0
"""Mean difference of two frames of a still card."""
_LIKE_SCENE, _MUCH_LIKE_SCENE = 0.35, 0.75
"""A still image that is correlated with the last scene from afar is that scene, blurred or in blocks: no card. The
correlation must be high where it has another mean colour."""
_SAME_MEAN = 8.0
"""Levels by which the mean colour of a blurred scene may differ."""
_SAME_COLOURS = 0.7
"""So is an image with the same colours in the same amounts, to this share; the ground of the scene does not count."""
_AFAR = _SIDE / 8
"""Blur of an image that is seen from afar, in pixels."""

_Plane = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class _SmallFrame:
    """A frame at the small size, with what comparisons need of it."""

    image: _Plane
    contrast: float
    """The standard deviation of the channel that varies most."""
    deviation: _Plane
    """All levels, less the mean of their channel."""
    length: float
    """The Euclidean length of the deviation."""

    @classmethod
    def from_image(cls, image: _Plane) -> _SmallFrame:
        mean, spread = cv2.meanStdDev(image)
        deviation = np.asarray(cv2.subtract(image, (*mean.ravel().tolist(), 0.0)), np.float32).ravel()
        return cls(image, float(spread.max()), deviation, float(np.sqrt(deviation @ deviation)))

    def correlate(self, other: _SmallFrame) -> float:
        """Return the correlation with another frame."""
        size = self.length * other.length
        return float(self.deviation @ other.deviation) / size if size > 0 else 0.0

    def blur(self) -> _SmallFrame:
        """Return the frame as it is seen from afar."""
        return self.from_image(np.asarray(cv2.GaussianBlur(self.image, (0, 0), _AFAR)))


class CardDetector:
    """Decides which frames are part of a fade or of a still card.

    A fade shows the last scene with less and less contrast, and ends in one colour. A still card is an image of its own
    that does not change. Noise, blur, blocks and wipes are neither: they hide what the video shows.
    """

    def __init__(self, opening: Sequence[Frame] = ()) -> None:
        """``opening`` are the first frames of the video: a video may fade in."""
        self._scene: _SmallFrame | None = None
        self._shrunk: tuple[Frame, _SmallFrame] | None = None
        self._opening: dict[int, tuple[Frame, _SmallFrame]] = {}
        self._last: _SmallFrame | None = None
        self._is_fading = True  # a video may begin with one colour
        self.is_still = False
        """Whether the last frame was a card that shows the same as the frame before it."""
        if opening:
            self._opening = {id(frame): (frame, _shrink(frame)) for frame in opening}
            self._scene = max((small for _, small in self._opening.values()), key=lambda small: small.contrast)

    def _shrink_once(self, frame: Frame) -> _SmallFrame:
        """Return the frame at the small size. Each frame is asked about two or three times."""
        if self._shrunk is None or self._shrunk[0] is not frame:
            self._shrunk = self._opening.pop(id(frame), None) or (frame, _shrink(frame))
        return self._shrunk[1]

    def measure_strength(self, frame: Frame) -> float:
        """Return the contrast of the next frame relative to the last scene, where it shows the same; otherwise 1."""
        small, scene = self._shrink_once(frame), self._scene
        if small.contrast < _FLAT_LEVELS and self._is_fading:
            return 0.0
        strength = 1.0
        if scene is not None and small.contrast < scene.contrast and self._shows_scene(small):
            strength = small.contrast / scene.contrast
        self._is_fading = strength < PALE
        return strength

    def remember(self, frame: Frame) -> None:
        """Take a frame that could be read. While a scene fades, the detector keeps it as it was before."""
        small = self._shrink_once(frame)
        self._last = None
        if self._scene is None or small.contrast >= self._scene.contrast or not self._shows_scene(small):
            self._scene = small

    def _shows_scene(self, small: _SmallFrame) -> bool:
        return self._scene is not None and small.correlate(self._scene) > _SAME_SCENE

    def _has_mean_colour(self, small: _SmallFrame) -> bool:
        assert self._scene is not None
        return float(np.abs((small.image - self._scene.image).mean(axis=(0, 1))).max()) < _SAME_MEAN

    def _resembles_scene(self, small: _SmallFrame) -> bool:
        """Return whether an image is the scene itself: blurred, in blocks, mirrored or in another order."""
        assert self._scene is not None
        from_afar = small.blur().correlate(self._scene.blur())
        if from_afar > (_LIKE_SCENE if self._has_mean_colour(small) else _MUCH_LIKE_SCENE):
            return True
        one, other = _measure_colours(small.image), _measure_colours(self._scene.image)
        ground = other.argmax()
        one[ground] = other[ground] = 0.0
        return float(np.minimum(one, other).sum()) > _SAME_COLOURS * max(float(one.sum()), float(other.sum()))

    def is_card(self, frame: Frame) -> bool:
        """Return whether the next frame, which cannot be read, is part of a fade or a card."""
        small = self._shrink_once(frame)
        last, self._last, self.is_still = self._last, small, False
        if self._scene is None:
            return small.contrast < _FLAT_LEVELS
        if small.contrast < _FLAT_LEVELS:
            return not self._has_mean_colour(small)
        likeness = small.correlate(self._scene)
        if likeness > _FADE_CORRELATION:  # with much contrast left it must be the whole scene: a part may be wiped off
            return small.contrast < self._scene.contrast * (1.0 if likeness > _SAME_SCENE else PALE)
        if last is None or float(np.abs(small.image - last.image).mean()) > _STILL_LEVELS:
            return False
        self.is_still = not self._resembles_scene(small)
        return self.is_still


def _measure_colours(image: _Plane) -> _Plane:
    """Return the share of the image that each colour has."""
    r, g, b = np.moveaxis(image.astype(np.uint8) >> 5, 2, 0).astype(np.int64)
    return np.asarray(np.bincount((r << 6 | g << 3 | b).ravel(), minlength=512) / r.size)


def find_fades(strengths: Sequence[float]) -> list[range]:
    """Return the runs of frames in which the scene becomes too pale to be read, or comes back, by their strengths.

    A scene that rests before or after a fade is not part of it, though it may have less contrast than an earlier one:
    things may have been removed.
    """
    fades: list[range] = []
    pale = [index for index, strength in enumerate(strengths) if strength < PALE]
    for index in pale:
        if fades and index in fades[-1]:
            continue
        last = next((place for place in range(index, len(strengths)) if strengths[place] >= PALE), len(strengths)) - 1
        start = index - _count_brightening(strengths[:index][::-1], strengths[index])
        fades.append(range(start, last + 1 + _count_brightening(strengths[last + 1 :], strengths[last])))
    return fades


def _count_brightening(strengths: Sequence[float], strength: float) -> int:
    """Return how many frames, away from a pale one, belong to its fade: they become stronger and stronger."""
    count = held = 0
    for place, other in enumerate(strengths, start=1):
        if other >= FULL:
            break
        if other > strength + _FADE_STEP:
            strength, count, held = other, place, 0
        elif (held := held + 1) > _MAX_HELD:
            break
    return count


def _shrink(frame: Frame) -> _SmallFrame:
    samples = cv2.resize(frame, (_SAMPLES, _SAMPLES), interpolation=cv2.INTER_NEAREST)
    small = cv2.resize(samples, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA)
    return _SmallFrame.from_image(np.asarray(small, np.float32))
