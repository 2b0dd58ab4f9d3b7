"""Write videos: H.264 in yuv420p with correct colour tags, to a temporary file that is then renamed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.video.reformatter import ColorRange, Colorspace, Interpolation, VideoReformatter

from vmevalkit.core.errors import MediaError, UsageError
from vmevalkit.media.image import Frame

_BT709 = 1
_FORMATS = {".mp4": "mp4", ".m4v": "mp4", ".mov": "mov", ".mkv": "matroska", ".webm": "webm"}
_CLEAN = Interpolation.AREA | Interpolation.ACCURATE_RND | Interpolation.FULL_CHR_H_INP
_AUDIO_RATE = 48_000


def write_video(
    path: Path | str, frames: Iterable[Frame], fps: float, *,
    crf: int = 18, preset: str = "veryfast", codec: str = "libx264", audio: bool = False,
) -> None:  # fmt: skip
    """Write a video of the frames, which must all have the same size. ``audio`` adds a silent track.

    An odd width or height gains one pixel by repeating the last column or row: 4:2:0 needs even sizes, and a repeated
    edge moves nothing.
    """
    target = Path(path)
    if target.suffix.lower() not in _FORMATS:
        raise UsageError(f"{target.name} has an unknown video extension; use one of {', '.join(_FORMATS)}")
    if not fps > 0:
        raise UsageError(f"fps must be positive, not {fps}")
    remaining = iter(frames)
    first = next(remaining, None)
    if first is None:
        raise MediaError(f"a video needs a frame, and there is none for {target}")
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        _encode(partial, target, first, remaining, fps, _make_options(codec, crf, preset), codec, audio)
        partial.replace(target)
    except (av.error.FFmpegError, OSError) as error:
        raise MediaError(f"cannot write the video {target} with {codec}: {error}") from error
    finally:
        partial.unlink(missing_ok=True)


def _encode(
    partial: Path, target: Path, first: Frame, rest: Iterable[Frame], fps: float,
    options: dict[str, str], codec: str, audio: bool,
) -> None:  # fmt: skip
    rate = Fraction(fps).limit_denominator(1001)
    container_format = _FORMATS[target.suffix.lower()]
    flags = {"movflags": "+faststart"} if container_format in ("mp4", "mov") else {}
    with av.open(str(partial), "w", format=container_format, container_options=flags) as container:
        video = _add_video_stream(container, codec, rate, _pad_to_even(first).shape, options)
        sound = _add_audio_stream(container, container_format) if audio else None
        converter = VideoReformatter()
        count = 0
        for frame in chain([first], rest):
            if frame.shape != first.shape:
                raise MediaError(f"frame {count} of {target} is {frame.shape}, the first is {first.shape}")
            rgb = av.VideoFrame.from_ndarray(np.ascontiguousarray(_pad_to_even(frame)), format="rgb24")
            image = converter.reformat(
                rgb, format="yuv420p", src_color_range=ColorRange.JPEG, dst_colorspace=Colorspace.ITU709,
                dst_color_range=ColorRange.MPEG, interpolation=_CLEAN, threads=1,
            )  # fmt: skip
            image.pts, image.time_base = count, 1 / rate
            container.mux(video.encode(image))
            count += 1
        container.mux(video.encode(None))
        if sound is not None:
            _write_silence(container, sound, float(count / rate))


def _add_video_stream(
    container: Any, codec: str, rate: Fraction, shape: tuple[int, ...], options: dict[str, str]
) -> Any:
    try:
        video = container.add_stream(codec, rate=rate)
    except (ValueError, av.error.FFmpegError) as error:
        raise UsageError(f"cannot encode with {codec!r} in {container.format.name}: {error}") from error
    video.height, video.width = shape[:2]
    video.pix_fmt = "yuv420p"
    context = video.codec_context
    context.time_base = 1 / rate
    context.thread_count = 1  # so that the bytes do not depend on the number of cores
    context.colorspace = context.color_primaries = context.color_trc = _BT709
    context.color_range = ColorRange.MPEG
    if codec == "mpeg4":
        context.bit_rate = int(0.2 * shape[0] * shape[1] * rate)
    context.options = options
    return video


def _make_options(codec: str, crf: int, preset: str) -> dict[str, str]:
    if codec == "libx264":
        # With AVX-512 its macroblock tree gives different estimates, and different bytes, from call to call.
        return {"crf": str(crf), "preset": preset, "x264-params": "cpu-independent=1"}
    if codec == "libx265":
        return {"crf": str(crf), "preset": preset, "x265-params": "log-level=none:pools=none"}
    if codec.startswith("libvpx"):
        return {"crf": str(crf), "b": "0", "deadline": "realtime", "cpu-used": "6"}
    if codec == "libsvtav1":
        return {"crf": str(crf), "preset": preset if preset.isdigit() else "10"}
    return {}


def _pad_to_even(frame: Frame) -> Frame:
    height, width = frame.shape[:2]
    if height % 2 or width % 2:
        return np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
    return frame


def _add_audio_stream(container: Any, container_format: str) -> Any:
    sound = container.add_stream("libopus" if container_format == "webm" else "aac", rate=_AUDIO_RATE)
    sound.layout = "mono"
    return sound


def _write_silence(container: Any, sound: Any, seconds: float) -> None:
    context = sound.codec_context
    context.open(strict=False)
    size = context.frame_size or 1024
    for start in range(0, int(seconds * _AUDIO_RATE), size):
        kind = np.float32 if context.format.name.startswith("flt") else np.int16
        silence = av.AudioFrame.from_ndarray(np.zeros((1, size), kind), format=context.format.name, layout="mono")
        silence.sample_rate, silence.pts, silence.time_base = _AUDIO_RATE, start, Fraction(1, _AUDIO_RATE)
        container.mux(sound.encode(silence))
    container.mux(sound.encode(None))
