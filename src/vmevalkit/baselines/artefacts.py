"""What providers do to films: padding, cropping, zoom, another colour, low rates, and things that pass over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import Literal

import cv2
import numpy as np

from vmevalkit.baselines.overlays import Passage, caption, hand
from vmevalkit.baselines.tricks import Reel
from vmevalkit.core.records import Placement
from vmevalkit.core.registry import Registry
from vmevalkit.media.fitting import fit
from vmevalkit.media.picture import Frame

Size = tuple[int, int]
Look = Callable[[Frame], Frame]
"""A frame to the frame that is shown, at any time of the film."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How a picture is laid on the canvas that a model works on."""

    size: Size
    mode: Literal["letterbox", "cover", "stretch"]
    colour: tuple[int, int, int] = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class Take:
    """A film as a provider would deliver it, before it is encoded. Its frames can be taken once."""

    frames: Iterator[Frame]
    fps: float
    placement: Placement | None
    """How the picture lies in the film, where it was fitted; a scorer may be told, or not."""
    crf: int
    audio: bool


@dataclass(frozen=True, slots=True)
class Artefact:
    """One thing that a provider does to a film. Everything random in it is drawn once a film."""

    name: str
    description: str
    look: Callable[[Random, Size], Look] | None = None
    """From a generator and the film's size to a change of every frame."""
    passage: Callable[[Random, Size], Passage] | None = None
    """The same for a change that depends on the time."""
    fits: Callable[[Random, Size], Fit] | None = None
    """A fit to another canvas, whose Placement the film keeps."""
    fps: float | None = None
    crf: int = 18
    audio: bool = False
    fade_in_s: float = 0.0
    """The film is longer by this, and comes up from black meanwhile."""
    fade_out_s: float = 0.0
    """The film is longer by this, and goes black meanwhile."""

    def take(self, reel: Reel, rng: Random, canvas: Size | None = None) -> Take:
        """The film through this artefact; on a canvas of this size, where one is asked for."""
        fps = self.fps or reel.fps
        first = next(reel.frames)
        size = (first.shape[1], first.shape[0])
        laid = self._fit(rng, size, canvas)
        placement = fit(first, laid.size, laid.mode, laid.colour)[1] if laid else None
        frames = _held(chain([first], reel.frames), round(self.fade_in_s * reel.fps), round(self.fade_out_s * reel.fps))
        seconds = reel.seconds + self.fade_in_s + self.fade_out_s
        if fps != reel.fps:
            frames = _resampled(frames, reel.fps, fps)
        if laid:
            frames = _each(frames, lambda frame: fit(frame, laid.size, laid.mode, laid.colour)[0])
            size = laid.size
        if self.look:
            frames = _each(frames, self.look(rng, size))
        if self.passage:
            passage, last = self.passage(rng, size), max(1, round(seconds * fps) - 1)
            frames = (passage(frame, min(i / last, 1.0)) for i, frame in enumerate(frames))
        if self.fade_in_s or self.fade_out_s:
            frames = (_dimmed(frame, self._light(i / fps, seconds)) for i, frame in enumerate(frames))
        return Take(frames, fps, placement, self.crf, self.audio)

    def _light(self, now_s: float, whole_s: float) -> float:
        """0 is black, 1 or more the full picture. A film that goes black stays so for a moment."""
        rising = now_s / self.fade_in_s if self.fade_in_s else 1.0
        falling = 1.5 * (whole_s - now_s) / self.fade_out_s - 0.5 if self.fade_out_s else 1.0
        return min(rising, falling)

    def _fit(self, rng: Random, size: Size, canvas: Size | None) -> Fit | None:
        own = self.fits(rng, size) if self.fits else None
        if canvas is None or (own is None and canvas == size):
            return own
        return Fit(canvas, own.mode, own.colour) if own else Fit(canvas, "letterbox")


def _each(frames: Iterator[Frame], change: Callable[[Frame], Frame]) -> Iterator[Frame]:
    """Every frame changed; one that is shown again is changed once."""
    before: Frame | None = None
    changed: Frame | None = None
    for frame in frames:
        if changed is None or frame is not before:
            before, changed = frame, change(frame)
        yield changed


def _held(frames: Iterator[Frame], lead: int, tail: int) -> Iterator[Frame]:
    """The first frame ``lead`` times more, the last one ``tail`` times more."""
    last = next(frames)
    for frame in chain([last] * (1 + lead), frames):
        last = frame
        yield frame
    yield from [last] * tail


def _resampled(frames: Iterator[Frame], fps: float, into_fps: float) -> Iterator[Frame]:
    """The same time line at another rate: at any time the frame that stood there."""
    shown = 0
    for i, frame in enumerate(frames):
        # Frame i stands from i / fps until (i + 1) / fps.
        until = (i + 1) / fps
        while shown / into_fps < until - 1e-9:
            yield frame
            shown += 1


def _even(length: float) -> int:
    return max(2, 2 * round(length / 2))


def _letterbox(dark: int, bright: int) -> Callable[[Random, Size], Fit]:
    """Bars of a grey between two levels, at the sides or above and below."""

    def fits(rng: Random, size: Size) -> Fit:
        level, scale, longer = rng.randint(dark, bright), rng.uniform(0.8, 1.1), rng.uniform(1.1, 1.5)
        wide = rng.random() < 0.5
        width, height = size[0] * scale * (longer if wide else 1.0), size[1] * scale * (1.0 if wide else longer)
        return Fit((_even(width), _even(height)), "letterbox", (level, level, level))

    return fits


def _cover(rng: Random, size: Size) -> Fit:
    scale, kept = rng.uniform(0.85, 1.15), 1 / rng.uniform(1.08, 1.12)
    wide = rng.random() < 0.5
    width, height = size[0] * scale * (1.0 if wide else kept), size[1] * scale * (kept if wide else 1.0)
    return Fit((_even(width), _even(height)), "cover")


def _stretch(rng: Random, size: Size) -> Fit:
    scale, longer = rng.uniform(0.9, 1.1), rng.uniform(1.08, 1.12)
    wide = rng.random() < 0.5
    width, height = size[0] * scale * (longer if wide else 1.0), size[1] * scale * (1.0 if wide else longer)
    return Fit((_even(width), _even(height)), "stretch")


def _zoom(rng: Random, size: Size) -> Passage:
    """The picture shrinks steadily to 75% around a point near the middle."""
    centre = rng.uniform(0.4, 0.6) * size[0], rng.uniform(0.4, 0.6) * size[1]

    def shown(frame: Frame, x: float) -> Frame:
        scale = 1 - 0.25 * x
        shift = np.array([[scale, 0, centre[0] * (1 - scale)], [0, scale, centre[1] * (1 - scale)]])
        colour = [int(level) for level in frame[0, 0]]
        return np.asarray(cv2.warpAffine(frame, shift, size, borderMode=cv2.BORDER_CONSTANT, borderValue=colour))

    return shown


def _gain_offset(rng: Random, _size: Size) -> Look:
    """13 levels darker or brighter, and a cast: each channel up to 4% stronger or weaker."""
    offset = rng.choice((-13, 13))
    gains = np.array([rng.uniform(0.96, 1.04) for _ in range(3)])
    levels = np.arange(256.0)[:, None] * gains + offset
    table = np.clip(np.round(levels), 0, 255).astype(np.uint8)[:, None, :]
    return lambda frame: np.asarray(cv2.LUT(frame, table), np.uint8)


def _blur(rng: Random, size: Size) -> Look:
    sigma = rng.uniform(1.0, 2.0) * max(size[1] / 480, 0.75)
    return lambda frame: np.asarray(cv2.GaussianBlur(frame, (0, 0), sigma), np.uint8)


def _grain(rng: Random, size: Size) -> Passage:
    """Noise of 6 levels. A field of it is drawn once and shown from another corner in each frame."""
    dice = np.random.default_rng(rng.getrandbits(64))
    field = (6.0 * dice.standard_normal((size[1] + 64, size[0] + 64, 3), np.float32)).astype(np.int16)

    def shown(frame: Frame, _x: float) -> Frame:
        top, left = dice.integers(0, 64, 2)
        noise = field[top : top + size[1], left : left + size[0]]
        return np.asarray(cv2.add(frame, noise, dtype=cv2.CV_8U), np.uint8)

    return shown


def _odd(rng: Random, size: Size) -> Look:
    scale = rng.uniform(0.72, 0.95)
    odd = (round(size[0] * scale) | 1, round(size[1] * scale) | 1)
    return lambda frame: np.asarray(cv2.resize(frame, odd, interpolation=cv2.INTER_AREA), np.uint8)


def _dimmed(frame: Frame, light: float) -> Frame:
    return frame if light >= 1 else np.asarray(cv2.convertScaleAbs(frame, alpha=max(light, 0.0)), np.uint8)


def _all() -> Mapping[str, Artefact]:
    artefacts = (
        Artefact("plain", "nothing"),
        Artefact("letterbox_black", "black bars", fits=_letterbox(0, 0)),
        Artefact("letterbox_grey", "grey bars", fits=_letterbox(128, 128)),
        Artefact("letterbox_white", "nearly white bars", fits=_letterbox(251, 253)),
        Artefact("cover", "about a tenth of the picture cut off", fits=_cover),
        Artefact("stretch", "8 to 12% longer one way", fits=_stretch),
        Artefact("zoom_75", "a slow zoom out to 75%", passage=_zoom),
        Artefact("gain_offset", "13 levels darker or brighter, with a cast", look=_gain_offset),
        Artefact("blur", "a blur of 1 to 2 pixels", look=_blur),
        Artefact("noise_grain", "film grain of 6 levels", passage=_grain),
        Artefact("crf35", "H.264 at a low rate", crf=35),
        Artefact("odd_size", "smaller, with odd width and height", look=_odd),
        Artefact("fps8", "8 frames per second", fps=8.0),
        Artefact("fps16", "16 frames per second", fps=16.0),
        Artefact("fps24", "24 frames per second", fps=24.0),
        Artefact("fps30", "30 frames per second", fps=30.0),
        Artefact("audio", "a silent sound track", audio=True),
        Artefact("hand", "a hand over part of the picture for a while", passage=hand),
        Artefact("caption", "a line of text over part of the picture for a while", passage=caption),
        Artefact("fade_in", "a fade from black", fade_in_s=0.35),
        Artefact("end_card", "a fade to black at the end", fade_out_s=0.5),
    )
    return {artefact.name: artefact for artefact in artefacts}


ARTEFACTS: Registry[Artefact] = Registry("artefact", _all)
"""Every artefact by its name; ``plain`` changes nothing."""
