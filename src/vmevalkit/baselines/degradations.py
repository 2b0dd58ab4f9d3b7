"""What providers do to videos: padding, cropping, zoom, colour shifts, low frame rates and bitrates, and overlays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from random import Random

import cv2
import numpy as np

from vmevalkit.baselines.overlays import TimedEffect, make_caption_overlay, make_hand_overlay
from vmevalkit.baselines.tricks import FrameStream
from vmevalkit.core.records import Placement
from vmevalkit.core.registry import Registry
from vmevalkit.media.fitting import FitMode, fit
from vmevalkit.media.image import Frame, Size

FrameEffect = Callable[[Frame], Frame]
"""Maps a frame to the changed frame, alike at any time of the video."""


@dataclass(frozen=True, slots=True)
class CanvasFit:
    """How an image is fitted to the canvas of a model."""

    size: Size
    mode: FitMode
    colour: tuple[int, int, int] = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class DegradedVideo:
    """A video as a provider would deliver it, before encoding. Its frames can be read once."""

    frames: Iterator[Frame]
    fps: float
    placement: Placement | None
    """Where the image is in the video, if it was fitted to a canvas. A scorer may get it or not."""
    crf: int
    audio: bool


@dataclass(frozen=True, slots=True)
class Degradation:
    """One thing that a provider does to a video. Its random choices are made once per video."""

    name: str
    description: str
    make_frame_effect: Callable[[Random, Size], FrameEffect] | None = None
    """Makes a change of every frame, from a random generator and the video's size."""
    make_timed_effect: Callable[[Random, Size], TimedEffect] | None = None
    """Makes a change that depends on the time."""
    choose_fit: Callable[[Random, Size], CanvasFit] | None = None
    """Chooses another canvas, from a random generator and the video's size. The video keeps the Placement."""
    fps: float | None = None
    crf: int = 18
    audio: bool = False
    fade_in_s: float = 0.0
    """Seconds that are added at the start, during which the video fades in from black."""
    fade_out_s: float = 0.0
    """Seconds that are added at the end, during which the video fades to black."""

    def apply(self, stream: FrameStream, rng: Random, canvas: Size | None = None) -> DegradedVideo:
        """Return the video with this degradation, on a canvas of this size where one is given."""
        fps = self.fps or stream.fps
        first = next(stream.frames)
        size = (first.shape[1], first.shape[0])
        canvas_fit = self._choose_canvas_fit(rng, size, canvas)
        placement = fit(first, canvas_fit.size, canvas_fit.mode, canvas_fit.colour)[1] if canvas_fit else None
        frames = _extend_ends(
            chain([first], stream.frames), round(self.fade_in_s * stream.fps), round(self.fade_out_s * stream.fps)
        )
        seconds = stream.seconds + self.fade_in_s + self.fade_out_s
        if fps != stream.fps:
            frames = _change_rate(frames, stream.fps, fps)
        if canvas_fit:
            frames = _map_frames(
                frames, lambda frame: fit(frame, canvas_fit.size, canvas_fit.mode, canvas_fit.colour)[0]
            )
            size = canvas_fit.size
        if self.make_frame_effect:
            frames = _map_frames(frames, self.make_frame_effect(rng, size))
        if self.make_timed_effect:
            effect, last = self.make_timed_effect(rng, size), max(1, round(seconds * fps) - 1)
            frames = (effect(frame, min(i / last, 1.0)) for i, frame in enumerate(frames))
        if self.fade_in_s or self.fade_out_s:
            frames = (_dim(frame, self._brightness_at(i / fps, seconds)) for i, frame in enumerate(frames))
        return DegradedVideo(frames, fps, placement, self.crf, self.audio)

    def _brightness_at(self, now_s: float, length_s: float) -> float:
        """Return 0 for black, and 1 or more for the full image. After a fade-out the video stays black for a moment."""
        rising = now_s / self.fade_in_s if self.fade_in_s else 1.0
        falling = 1.5 * (length_s - now_s) / self.fade_out_s - 0.5 if self.fade_out_s else 1.0
        return min(rising, falling)

    def _choose_canvas_fit(self, rng: Random, size: Size, canvas: Size | None) -> CanvasFit | None:
        own = self.choose_fit(rng, size) if self.choose_fit else None
        if canvas is None or (own is None and canvas == size):
            return own
        return CanvasFit(canvas, own.mode, own.colour) if own else CanvasFit(canvas, "letterbox")


def _map_frames(frames: Iterator[Frame], change: FrameEffect) -> Iterator[Frame]:
    """Yield every frame changed. A repeated frame is changed once."""
    before: Frame | None = None
    changed: Frame | None = None
    for frame in frames:
        if changed is None or frame is not before:
            before, changed = frame, change(frame)
        yield changed


def _extend_ends(frames: Iterator[Frame], lead: int, tail: int) -> Iterator[Frame]:
    """Yield the first frame ``lead`` more times, and the last one ``tail`` more times."""
    last = next(frames)
    for frame in chain([last] * (1 + lead), frames):
        last = frame
        yield frame
    yield from [last] * tail


def _change_rate(frames: Iterator[Frame], fps: float, new_fps: float) -> Iterator[Frame]:
    """Yield the frames at another rate: at any time the frame that was shown then."""
    count = 0
    for i, frame in enumerate(frames):
        # Frame i is shown from i / fps until (i + 1) / fps.
        until = (i + 1) / fps
        while count / new_fps < until - 1e-9:
            yield frame
            count += 1


def _round_to_even(length: float) -> int:
    return max(2, 2 * round(length / 2))


def _letterbox(dark: int, bright: int) -> Callable[[Random, Size], CanvasFit]:
    """Choose bars of a grey between two levels, at the sides or above and below."""

    def choose_fit(rng: Random, size: Size) -> CanvasFit:
        level, scale, longer = rng.randint(dark, bright), rng.uniform(0.8, 1.1), rng.uniform(1.1, 1.5)
        wide = rng.random() < 0.5
        width, height = size[0] * scale * (longer if wide else 1.0), size[1] * scale * (1.0 if wide else longer)
        return CanvasFit((_round_to_even(width), _round_to_even(height)), "letterbox", (level, level, level))

    return choose_fit


def _cover(rng: Random, size: Size) -> CanvasFit:
    scale, kept = rng.uniform(0.85, 1.15), 1 / rng.uniform(1.08, 1.12)
    wide = rng.random() < 0.5
    width, height = size[0] * scale * (1.0 if wide else kept), size[1] * scale * (kept if wide else 1.0)
    return CanvasFit((_round_to_even(width), _round_to_even(height)), "cover")


def _stretch(rng: Random, size: Size) -> CanvasFit:
    scale, longer = rng.uniform(0.9, 1.1), rng.uniform(1.08, 1.12)
    wide = rng.random() < 0.5
    width, height = size[0] * scale * (longer if wide else 1.0), size[1] * scale * (1.0 if wide else longer)
    return CanvasFit((_round_to_even(width), _round_to_even(height)), "stretch")


def _zoom(rng: Random, size: Size) -> TimedEffect:
    """Shrink the image steadily to 75% around a point near the middle."""
    centre = rng.uniform(0.4, 0.6) * size[0], rng.uniform(0.4, 0.6) * size[1]

    def change(frame: Frame, x: float) -> Frame:
        scale = 1 - 0.25 * x
        shift = np.array([[scale, 0, centre[0] * (1 - scale)], [0, scale, centre[1] * (1 - scale)]])
        colour = [int(level) for level in frame[0, 0]]
        return np.asarray(cv2.warpAffine(frame, shift, size, borderMode=cv2.BORDER_CONSTANT, borderValue=colour))

    return change


def _gain_offset(rng: Random, _size: Size) -> FrameEffect:
    """Make the image 13 levels darker or brighter, with a colour cast: each channel up to 4% stronger or weaker."""
    offset = rng.choice((-13, 13))
    gains = np.array([rng.uniform(0.96, 1.04) for _ in range(3)])
    levels = np.arange(256.0)[:, None] * gains + offset
    table = np.clip(np.round(levels), 0, 255).astype(np.uint8)[:, None, :]
    return lambda frame: np.asarray(cv2.LUT(frame, table), np.uint8)


def _blur(rng: Random, size: Size) -> FrameEffect:
    sigma = rng.uniform(1.0, 2.0) * max(size[1] / 480, 0.75)
    return lambda frame: np.asarray(cv2.GaussianBlur(frame, (0, 0), sigma), np.uint8)


def _grain(rng: Random, size: Size) -> TimedEffect:
    """Add noise of 6 levels. One field of noise is made, and each frame uses another crop of it."""
    noise_rng = np.random.default_rng(rng.getrandbits(64))
    field = (6.0 * noise_rng.standard_normal((size[1] + 64, size[0] + 64, 3), np.float32)).astype(np.int16)

    def change(frame: Frame, _x: float) -> Frame:
        top, left = noise_rng.integers(0, 64, 2)
        noise = field[top : top + size[1], left : left + size[0]]
        return np.asarray(cv2.add(frame, noise, dtype=cv2.CV_8U), np.uint8)

    return change


def _odd_size(rng: Random, size: Size) -> FrameEffect:
    scale = rng.uniform(0.72, 0.95)
    odd = (round(size[0] * scale) | 1, round(size[1] * scale) | 1)
    return lambda frame: np.asarray(cv2.resize(frame, odd, interpolation=cv2.INTER_AREA), np.uint8)


def _dim(frame: Frame, brightness: float) -> Frame:
    return frame if brightness >= 1 else np.asarray(cv2.convertScaleAbs(frame, alpha=max(brightness, 0.0)), np.uint8)


def _list_degradations() -> Mapping[str, Degradation]:
    degradations = (
        Degradation("plain", "nothing"),
        Degradation("letterbox_black", "black bars", choose_fit=_letterbox(0, 0)),
        Degradation("letterbox_grey", "grey bars", choose_fit=_letterbox(128, 128)),
        Degradation("letterbox_white", "nearly white bars", choose_fit=_letterbox(251, 253)),
        Degradation("cover", "about a tenth of the image cut off", choose_fit=_cover),
        Degradation("stretch", "8 to 12% longer one way", choose_fit=_stretch),
        Degradation("zoom_75", "a slow zoom out to 75%", make_timed_effect=_zoom),
        Degradation("gain_offset", "13 levels darker or brighter, with a colour cast", make_frame_effect=_gain_offset),
        Degradation("blur", "a blur of 1 to 2 pixels", make_frame_effect=_blur),
        Degradation("noise_grain", "video grain of 6 levels", make_timed_effect=_grain),
        Degradation("crf35", "H.264 at a low bitrate", crf=35),
        Degradation("odd_size", "smaller, with odd width and height", make_frame_effect=_odd_size),
        Degradation("fps8", "8 frames per second", fps=8.0),
        Degradation("fps16", "16 frames per second", fps=16.0),
        Degradation("fps24", "24 frames per second", fps=24.0),
        Degradation("fps30", "30 frames per second", fps=30.0),
        Degradation("audio", "a silent audio track", audio=True),
        Degradation("hand", "a hand over part of the image for a while", make_timed_effect=make_hand_overlay),
        Degradation(
            "caption", "a line of text over part of the image for a while", make_timed_effect=make_caption_overlay
        ),
        Degradation("fade_in", "a fade from black", fade_in_s=0.35),
        Degradation("end_card", "a fade to black at the end", fade_out_s=0.5),
    )
    return {degradation.name: degradation for degradation in degradations}


DEGRADATIONS: Registry[Degradation] = Registry("degradation", _list_degradations)
"""Every degradation by its name; ``plain`` changes nothing."""
