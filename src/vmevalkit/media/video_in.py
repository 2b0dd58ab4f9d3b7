"""Films in: one sequential decode, upright, in seconds, as small as the reader wants it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import av
import cv2
import numpy as np
from av.sidedata.sidedata import Type as SideData
from av.stream import Disposition
from av.video.reformatter import ColorRange, Colorspace, VideoReformatter
from numpy.typing import NDArray

from vmevalkit.core.errors import MediaError, NotAVideo
from vmevalkit.media.picture import Frame, Size

_UNSPECIFIED = 2
_NOT_FILMS = {"tty": "a text file", "ansi": "a text file"}
_FALLBACK_RATE = Fraction(24)


class TimedFrame(NamedTuple):
    """A frame of a film, and when it is shown."""

    seconds: float
    """Since the first frame."""
    frame: Frame


@dataclass(frozen=True, slots=True)
class VideoInfo:
    """What a film says of itself."""

    width: int
    """As displayed: a film that lies on its side is turned upright."""
    height: int
    fps: float
    """The mean rate."""
    codec: str
    seconds: float | None
    """None where the file does not say."""


def read_frames(path: Path | str, within: Size | None = None) -> Iterator[TimedFrame]:
    """Every frame that can be decoded, in order. ``within`` shrinks frames, never enlarges them, to fit a box.

    A film that is cut off or damaged gives what can be decoded. One without any frame raises NotAVideo.
    """
    with opened(path) as (container, stream):
        converter = Converter(within)
        clock = _Clock(stream)
        none = True
        for decoded in decode_all(container, stream):
            none = False
            yield TimedFrame(clock.seconds(decoded), converter.frame(decoded))
        if none:
            raise no_picture(path, stream)


def probe(path: Path | str) -> VideoInfo:
    """Size, rate, codec and length of a film, from its header and its first frame."""
    with opened(path) as (container, stream):
        first = next(decode_all(container, stream), None)
        if first is None:
            raise no_picture(path, stream)
        width, height = first.width, first.height
        if _turn(first)[0]:
            width, height = height, width
        seconds = None
        if stream.duration:
            seconds = float(stream.duration * stream.time_base)
        elif container.duration:
            seconds = container.duration / av.time_base
        return VideoInfo(width, height, float(_rate(stream)), stream.codec_context.codec.canonical_name, seconds)


@contextmanager
def opened(path: Path | str) -> Iterator[tuple[Any, Any]]:
    """The container and its film stream. Raises NotAVideo, which says what the file is instead."""
    place = Path(path)
    if not place.is_file():
        raise MediaError(f"there is no film at {place}" + (": it is a folder" if place.is_dir() else ""))
    if place.stat().st_size == 0:
        raise NotAVideo(f"{place} is an empty file")
    try:
        container = av.open(str(place), metadata_errors="replace")
    except (av.error.FFmpegError, OSError) as error:
        raise NotAVideo(f"{place} is not a film: {_nature(place)}") from error
    with container:
        if container.format.name in _NOT_FILMS:
            raise NotAVideo(f"{place} is not a film: it is {_NOT_FILMS[container.format.name]}")
        films = [s for s in container.streams.video if not s.disposition & Disposition.attached_pic]
        if not films:
            sound = "it holds audio only" if container.streams.audio else _nature(place)
            raise NotAVideo(f"{place} is not a film: {sound}")
        stream = films[0]
        if stream.codec_context is None:
            raise NotAVideo(f"{place} is in a codec for which there is no decoder here: re-encode it as H.264")
        stream.codec_context.thread_count = 1  # threads cost CPU time; films are spread over processes instead
        yield container, stream


def no_picture(path: Path | str, stream: Any) -> NotAVideo:
    name = stream.codec_context.name
    return NotAVideo(f"{path} holds no picture that can be decoded: its {name} data are cut off or broken")


def decode_all(container: Any, stream: Any) -> Iterator[Any]:
    """Decoded frames in display order. A packet that cannot be decoded is passed over."""
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
        except (StopIteration, av.error.FFmpegError):
            break
        yield from decode_packet(stream, packet)
    yield from decode_packet(stream, None)


def decode_packet(stream: Any, packet: Any) -> list[Any]:
    """The frames that a packet brings forth; None flushes the decoder."""
    try:
        return list(stream.codec_context.decode(packet))
    except (av.error.FFmpegError, EOFError):
        return []


class Converter:
    """Decoded frames to RGB: turned upright, shrunk into a box, by the film's own colour matrix and range."""

    def __init__(self, within: Size | None = None) -> None:
        self._within = within
        self._scaler = VideoReformatter()

    def frame(self, decoded: Any) -> Frame:
        sideways, mirror_x, mirror_y = _turn(decoded)
        size = decoded.width, decoded.height
        if self._within is not None:
            box = self._within[::-1] if sideways else self._within
            size = _shrunk(size, box)
        matrix = Colorspace.ITU601 if decoded.colorspace == _UNSPECIFIED else decoded.colorspace
        full = ColorRange.JPEG if decoded.color_range == ColorRange.JPEG else ColorRange.MPEG
        small = _halved(decoded, size)
        rgb = self._scaler.reformat(
            small,
            format="rgb24",
            src_colorspace=matrix,
            src_color_range=full,
            dst_color_range=ColorRange.JPEG,
            threads=1,
        )
        picture = _resampled(rgb.to_ndarray(), size)
        if sideways:
            picture = picture.transpose(1, 0, 2)
        if mirror_x or mirror_y:
            picture = picture[:: -1 if mirror_y else 1, :: -1 if mirror_x else 1]
        return np.ascontiguousarray(picture)


def _shrunk(size: Size, box: Size) -> Size:
    scale = min(1.0, box[0] / size[0], box[1] / size[1])
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _halved(decoded: Any, size: Size) -> Any:
    """The frame at a half, a quarter, ... of its size, still larger than ``size``.

    Averaging the planes before the colour conversion costs a quarter of shrinking in swscale, and is as clean.
    """
    while (
        decoded.format.name == "yuv420p" and not decoded.width % 4 and not decoded.height % 4
        and decoded.width >= 2 * size[0] and decoded.height >= 2 * size[1]
    ):  # fmt: skip
        half = av.VideoFrame(decoded.width // 2, decoded.height // 2, "yuv420p")
        for whole, plane in zip(decoded.planes, half.planes, strict=True):
            cv2.resize(_pixels(whole), (plane.width, plane.height), dst=_pixels(plane), interpolation=cv2.INTER_AREA)
        decoded = half
    return decoded


def _pixels(plane: Any) -> NDArray[np.uint8]:
    """A view of a plane, without the bytes that pad its lines."""
    return np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)[:, : plane.width]


def _resampled(picture: NDArray[Any], size: Size) -> NDArray[Any]:
    """Halved while it can be, then bilinear: below a factor of two that is clean, and fast."""
    while picture.shape[1] >= 2 * size[0] and picture.shape[0] >= 2 * size[1]:
        even = picture[: picture.shape[0] // 2 * 2, : picture.shape[1] // 2 * 2]
        if even.shape != picture.shape:
            return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA))
        half = (picture.shape[1] // 2, picture.shape[0] // 2)
        picture = np.asarray(cv2.resize(picture, half, interpolation=cv2.INTER_AREA))
    if (picture.shape[1], picture.shape[0]) == size:
        return picture
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_LINEAR))


def _turn(decoded: Any) -> tuple[bool, bool, bool]:
    """Whether to swap rows with columns, then to mirror x, then y, as the display matrix wants."""
    data = decoded.side_data.get(SideData.DISPLAYMATRIX)
    if data is None:
        return False, False, False
    a, b, _, c, d = np.frombuffer(bytes(data), np.int32)[:5].tolist()
    if abs(b) > abs(a):
        return True, c < 0, b < 0
    return False, a < 0, d < 0


def _rate(stream: Any) -> Fraction:
    return Fraction(stream.average_rate or stream.guessed_rate or stream.base_rate or _FALLBACK_RATE)


class _Clock:
    """Seconds of frames since the first one, always rising."""

    def __init__(self, stream: Any) -> None:
        self._step = float(1 / _rate(stream))
        self._origin: float | None = None
        self._last = -self._step

    def seconds(self, decoded: Any) -> float:
        seconds = self._last + self._step
        if decoded.pts is not None and decoded.time_base:
            stamp = float(decoded.pts * decoded.time_base)
            if self._origin is None:
                self._origin = stamp - seconds
            if stamp - self._origin > self._last:
                seconds = stamp - self._origin
        self._last = seconds
        return seconds


def _nature(place: Path) -> str:
    """What a file that is no film seems to be, for the message."""
    with place.open("rb") as file:
        head = file.read(4096)
    if head[4:8] == b"ftyp":
        return "it is an MP4 file without a whole index (moov), as when a download was cut off"
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError:
        return "its format is not known"
    return f"it is a text file that starts with {text[:40]!r}"
