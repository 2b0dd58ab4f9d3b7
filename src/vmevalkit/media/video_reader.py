"""Read videos: one sequential decode to upright RGB frames with times in seconds, shrunk on request."""

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
from vmevalkit.media.image import Frame, Size
from vmevalkit.media.image_header import check_pixels, max_pixels

_UNSPECIFIED = 2
_NOT_VIDEOS = {"tty": "a text file", "ansi": "a text file"}
_FALLBACK_RATE = Fraction(24)


class TimedFrame(NamedTuple):
    """A frame of a video with its time."""

    seconds: float
    """Since the first frame."""
    frame: Frame


@dataclass(frozen=True, slots=True)
class VideoInfo:
    """Properties of a video."""

    width: int
    """As displayed: after the rotation that the file asks for."""
    height: int
    fps: float
    """The mean frame rate."""
    codec: str
    seconds: float | None
    """None where the file does not contain the length."""


def read_frames(path: Path | str, within: Size | None = None) -> Iterator[TimedFrame]:
    """Yield every frame that can be decoded, in order. ``within`` shrinks frames, never enlarges them, to fit a box.

    A truncated or damaged video gives the frames that can be decoded. One without any frame raises NotAVideo.
    """
    with open_video(path) as (container, stream):
        converter = RgbConverter(within)
        clock = _FrameClock(stream)
        is_empty = True
        for decoded in decode_all(container, stream):
            is_empty = False
            yield TimedFrame(clock.compute_seconds(decoded), converter.convert(decoded))
        if is_empty:
            raise make_undecodable_error(path, stream)


def probe(path: Path | str) -> VideoInfo:
    """Return size, frame rate, codec and length of a video, from its header and its first frame."""
    with open_video(path) as (container, stream):
        first = next(decode_all(container, stream), None)
        if first is None:
            raise make_undecodable_error(path, stream)
        width, height = first.width, first.height
        if _read_orientation(first)[0]:
            width, height = height, width
        seconds = None
        if stream.duration:
            seconds = float(stream.duration * stream.time_base)
        elif container.duration:
            seconds = container.duration / av.time_base
        return VideoInfo(width, height, float(_get_rate(stream)), stream.codec_context.codec.canonical_name, seconds)


@contextmanager
def open_video(path: Path | str) -> Iterator[tuple[Any, Any]]:
    """Open the container and its video stream. Raises NotAVideo, which says what the file is instead."""
    path = Path(path)
    if not path.is_file():
        raise MediaError(f"there is no video at {path}" + (": it is a folder" if path.is_dir() else ""))
    if path.stat().st_size == 0:
        raise NotAVideo(f"{path} is an empty file")
    try:
        container = av.open(str(path), metadata_errors="replace")
    except (av.error.FFmpegError, OSError) as error:
        raise NotAVideo(f"{path} is not a video: {_describe_file(path)}") from error
    with container:
        if container.format.name in _NOT_VIDEOS:
            raise NotAVideo(f"{path} is not a video: it is {_NOT_VIDEOS[container.format.name]}")
        videos = [s for s in container.streams.video if not s.disposition & Disposition.attached_pic]
        if not videos:
            contents = "it contains audio only" if container.streams.audio else _describe_file(path)
            raise NotAVideo(f"{path} is not a video: {contents}")
        stream = videos[0]
        if stream.codec_context is None:
            raise NotAVideo(f"{path} has a codec that this build cannot decode: re-encode it as H.264")
        check_pixels(max(1, stream.codec_context.width), max(1, stream.codec_context.height), path)
        stream.codec_context.options = {"max_pixels": str(max_pixels())}  # for frames larger than the header says
        stream.codec_context.thread_count = 1  # threads cost CPU time; videos are distributed over processes instead
        yield container, stream


def make_undecodable_error(path: Path | str, stream: Any) -> NotAVideo:
    name = stream.codec_context.name
    return NotAVideo(f"{path} contains no decodable image: its {name} data are truncated or damaged")


def decode_all(container: Any, stream: Any) -> Iterator[Any]:
    """Yield decoded frames in display order. A packet that cannot be decoded is skipped."""
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
        except (StopIteration, av.error.FFmpegError):
            break
        yield from decode_packet(stream, packet)
    yield from decode_packet(stream, None)


def decode_packet(stream: Any, packet: Any) -> list[Any]:
    """Return the frames that a packet completes; None flushes the decoder."""
    try:
        return list(stream.codec_context.decode(packet))
    except (av.error.FFmpegError, EOFError):
        return []


class RgbConverter:
    """Converts decoded frames to RGB: upright, shrunk into a box, by the video's own colour matrix and range."""

    def __init__(self, within: Size | None = None) -> None:
        self._within = within
        self._scaler = VideoReformatter()

    def convert(self, decoded: Any) -> Frame:
        is_sideways, mirror_x, mirror_y = _read_orientation(decoded)
        size = decoded.width, decoded.height
        if self._within is not None:
            box = self._within[::-1] if is_sideways else self._within
            size = _fit_size(size, box)
        matrix = Colorspace.ITU601 if decoded.colorspace == _UNSPECIFIED else decoded.colorspace
        full = ColorRange.JPEG if decoded.color_range == ColorRange.JPEG else ColorRange.MPEG
        small = _halve_planes(decoded, size)
        rgb = self._scaler.reformat(
            small,
            format="rgb24",
            src_colorspace=matrix,
            src_color_range=full,
            dst_color_range=ColorRange.JPEG,
            threads=1,
        )
        image = resample_frame(rgb.to_ndarray(), size)
        if is_sideways:
            image = image.transpose(1, 0, 2)
        if mirror_x or mirror_y:
            image = image[:: -1 if mirror_y else 1, :: -1 if mirror_x else 1]
        return np.ascontiguousarray(image)


def _fit_size(size: Size, box: Size) -> Size:
    scale = min(1.0, box[0] / size[0], box[1] / size[1])
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _halve_planes(decoded: Any, size: Size) -> Any:
    """Return the frame at a half, a quarter, ... of its size, not smaller than ``size``.

    Averaging the planes before the colour conversion takes a quarter of the time of swscale, at the same quality.
    """
    while (
        decoded.format.name == "yuv420p" and not decoded.width % 4 and not decoded.height % 4
        and decoded.width >= 2 * size[0] and decoded.height >= 2 * size[1]
    ):  # fmt: skip
        half = av.VideoFrame(decoded.width // 2, decoded.height // 2, "yuv420p")
        for whole, plane in zip(decoded.planes, half.planes, strict=True):
            target = _view_pixels(plane)
            cv2.resize(_view_pixels(whole), (plane.width, plane.height), dst=target, interpolation=cv2.INTER_AREA)
        decoded = half
    return decoded


def _view_pixels(plane: Any) -> NDArray[np.uint8]:
    """Return a view of a plane without the padding of its lines."""
    return np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)[:, : plane.width]


def resample_frame(image: NDArray[Any], size: Size) -> NDArray[Any]:
    """Return a frame at a smaller size: halved while it is more than twice as large, then resampled bilinearly.

    That is fast, and without aliasing."""
    while image.shape[1] >= 2 * size[0] and image.shape[0] >= 2 * size[1]:
        even = image[: image.shape[0] // 2 * 2, : image.shape[1] // 2 * 2]
        if even.shape != image.shape:
            return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA))
        half = (image.shape[1] // 2, image.shape[0] // 2)
        image = np.asarray(cv2.resize(image, half, interpolation=cv2.INTER_AREA))
    if (image.shape[1], image.shape[0]) == size:
        return image
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_LINEAR))


def _read_orientation(decoded: Any) -> tuple[bool, bool, bool]:
    """Return whether to swap rows with columns, then to mirror x, then y, as the display matrix says."""
    data = decoded.side_data.get(SideData.DISPLAYMATRIX)
    if data is None:
        return False, False, False
    a, b, _, c, d = np.frombuffer(bytes(data), np.int32)[:5].tolist()
    if abs(b) > abs(a):
        return True, c < 0, b < 0
    return False, a < 0, d < 0


def _get_rate(stream: Any) -> Fraction:
    return Fraction(stream.average_rate or stream.guessed_rate or stream.base_rate or _FALLBACK_RATE)


class _FrameClock:
    """Computes the seconds of frames since the first one. They always increase."""

    def __init__(self, stream: Any) -> None:
        self._step = float(1 / _get_rate(stream))
        self._origin: float | None = None
        self._last = -self._step

    def compute_seconds(self, decoded: Any) -> float:
        seconds = self._last + self._step
        if decoded.pts is not None and decoded.time_base:
            stamp = float(decoded.pts * decoded.time_base)
            if self._origin is None:
                self._origin = stamp - seconds
            if stamp - self._origin > self._last:
                seconds = stamp - self._origin
        self._last = seconds
        return seconds


def _describe_file(path: Path) -> str:
    """Return what a file that is not a video seems to be, for the error message."""
    with path.open("rb") as file:
        head = file.read(4096)
    if head[4:8] == b"ftyp":
        return "it is an MP4 file without a complete index (moov), as after an interrupted download"
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError:
        return "its format is unknown"
    return f"it is a text file that starts with {text[:40]!r}"
