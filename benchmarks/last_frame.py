"""Benchmark: the last frame of a video, compared with OpenCV's CAP_PROP_POS_FRAMES, over videos of many kinds."""

from __future__ import annotations

import os
import struct
import sys
import tempfile
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np

from benchmarks.measure import Claim, interleaved, report
from vmevalkit.core.errors import MediaError
from vmevalkit.media.image import Frame
from vmevalkit.media.video import last_frame, write_video

SIZE, COUNT, FPS = (848, 480), 121, 24
WANTED_RATIO = 0.6
BITS = 8


@dataclass(frozen=True, slots=True)
class VideoSpec:
    """The properties of a test video."""

    name: str
    codec: str = "libx264"
    gop: int = 250
    options: tuple[tuple[str, str], ...] = (("crf", "23"), ("preset", "veryfast"))
    uneven: bool = False
    """Whether the frame durations differ."""
    turn_deg: int = 0
    damage: Callable[[bytes], bytes] | None = None


def draw_numbered(index: int) -> Frame:
    """Return a moving scene with the frame's number as black and white squares."""
    frame = np.full((SIZE[1], SIZE[0], 3), 240, np.uint8)
    for k in range(12):
        centre = (int(70 * k + 3 * index) % SIZE[0], 150 + 25 * k)
        cv2.circle(frame, centre, 12 + k, (20 * k, 120, 250 - 20 * k), -1)
    for bit in range(BITS):
        level = 255 if index >> bit & 1 else 0
        frame[20:60, 40 + 60 * bit : 90 + 60 * bit] = level
    return frame


def read_number(frame: Frame | None) -> int | None:
    """Return the frame's number; None where there is no frame of the right size."""
    if frame is None or frame.shape != (SIZE[1], SIZE[0], 3):
        return None
    return sum(1 << bit for bit in range(BITS) if frame[40, 65 + 60 * bit].mean() > 128)


def write_spec(spec: VideoSpec, path: Path) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream(spec.codec, rate=FPS)
        stream.width, stream.height = SIZE[::-1] if spec.turn_deg % 180 else SIZE
        stream.pix_fmt = "yuv420p"
        stream.codec_context.gop_size = spec.gop
        stream.codec_context.time_base = Fraction(1, 240)
        stream.codec_context.options = dict(spec.options)
        if spec.turn_deg:
            stream.set_display_rotation(spec.turn_deg)
        ticks = 0
        for index in range(COUNT):
            stored = np.ascontiguousarray(np.rot90(draw_numbered(index), -spec.turn_deg // 90))
            frame = av.VideoFrame.from_ndarray(stored, format="rgb24")
            frame.pts, frame.time_base = ticks, Fraction(1, 240)
            ticks += 10 if not spec.uneven else (4, 10, 31)[index % 3]
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    if spec.damage is not None:
        path.write_bytes(spec.damage(path.read_bytes()))


def truncate(data: bytes) -> bytes:
    """Cut the file, as an interrupted download does."""
    return data[: int(0.7 * len(data))]


def shorter_edit(data: bytes) -> bytes:
    """Change the edit list so that it shows two thirds of the video."""
    at = data.index(b"elst") + 12
    duration = struct.unpack(">I", data[at : at + 4])[0]
    return data[:at] + struct.pack(">I", duration * 2 // 3) + data[at + 4 :]


VP9 = (("crf", "32"), ("b", "0"), ("deadline", "realtime"), ("cpu-used", "8"))
AV1 = (("crf", "35"), ("preset", "12"))
VIDEOS = [
    VideoSpec("even.mp4", gop=12),
    VideoSpec("one_keyframe.mp4"),
    VideoSpec("uneven.mp4", gop=24, uneven=True),
    VideoSpec("uneven.mkv", gop=24, uneven=True),
    VideoSpec("edit_list.mp4", gop=24, damage=shorter_edit),
    VideoSpec("upside_down.mp4", gop=24, turn_deg=180),
    VideoSpec("on_its_side.mp4", gop=24, turn_deg=90),
    VideoSpec("raw.h264", gop=24),
    VideoSpec("stream.ts", gop=24),
    VideoSpec("hevc.mp4", "libx265", 24, (("preset", "ultrafast"), ("x265-params", "log-level=none"))),
    VideoSpec("mpeg4.mp4", "mpeg4", 12, ()),
    VideoSpec("vp9.webm", "libvpx-vp9", 24, VP9),
    VideoSpec("av1.mp4", "libsvtav1", 24, AV1),
    VideoSpec("av1.webm", "libsvtav1", 24, AV1),
    VideoSpec("cut_off.mkv", gop=24, damage=truncate),
    VideoSpec("cut_off.webm", "libvpx-vp9", 24, VP9, damage=truncate),
]


def write_truncated_faststart(path: Path) -> None:
    """Write an MP4 with its index at the start and without its end."""
    write_video(path, (draw_numbered(i) for i in range(COUNT)), FPS)
    path.write_bytes(truncate(path.read_bytes()))


def find_last_number(path: Path) -> int | None:
    """Return the number of the last frame by decoding the whole video."""
    with av.open(str(path)) as container:
        last: deque[av.VideoFrame] = deque(maxlen=1)
        try:
            last.extend(container.decode(video=0))
        except av.error.FFmpegError:
            last.extend(_flush_decoder(container))
        frame = last[0].to_ndarray(format="rgb24")
        return read_number(np.ascontiguousarray(np.rot90(frame, last[0].rotation // 90)))


def _flush_decoder(container: av.container.InputContainer) -> list[av.VideoFrame]:
    try:
        return list(container.streams.video[0].codec_context.decode(None))
    except av.error.FFmpegError:
        return []


def read_by_opencv(path: Path) -> Frame | None:
    capture = cv2.VideoCapture(str(path))
    capture.set(cv2.CAP_PROP_POS_FRAMES, capture.get(cv2.CAP_PROP_FRAME_COUNT) - 1)
    got, frame = capture.read()
    capture.release()
    return np.asarray(frame[..., ::-1], np.uint8) if got else None


def read_by_vmevalkit(path: Path) -> Frame | None:
    try:
        return last_frame(path)
    except MediaError:
        return None


def main() -> bool:
    """Claims: correct on every decodable video, in at most ``WANTED_RATIO`` of OpenCV's time over all of them."""
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    os.environ |= {"OPENCV_FFMPEG_LOGLEVEL": "-8", "SVT_LOG": "0"}  # both print a warning for every damaged video
    correct = {"ours": 0, "OpenCV": 0}
    total = {"ours": 0.0, "OpenCV": 0.0}
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / spec.name for spec in VIDEOS]
        for spec, path in zip(VIDEOS, paths, strict=True):
            write_spec(spec, path)
        paths.append(Path(folder) / "cut_off.mp4")
        write_truncated_faststart(paths[-1])
        print(f"\n  {'video':<18}{'last':>6}{'ours':>6}{'ms':>8}{'OpenCV':>8}{'ms':>8}")
        for path in paths:
            expected = find_last_number(path)
            found = {"ours": read_number(read_by_vmevalkit(path)), "OpenCV": read_number(read_by_opencv(path))}
            seconds = interleaved(
                {"ours": lambda p=path: read_by_vmevalkit(p), "OpenCV": lambda p=path: read_by_opencv(p)}
            )
            for name in found:
                correct[name] += found[name] == expected
                total[name] += seconds[name]
            print(
                f"  {path.name:<18}{expected!s:>6}{found['ours']!s:>6}{1e3 * seconds['ours']:8.1f}"
                f"{found['OpenCV']!s:>8}{1e3 * seconds['OpenCV']:8.1f}"
            )
    return report(
        f"Last frame ({correct['OpenCV']} of {len(paths)} correct by OpenCV)",
        [
            Claim("videos whose last frame is correct", correct["ours"], len(paths), "videos"),
            Claim(
                "CPU time relative to OpenCV", total["ours"] / total["OpenCV"], WANTED_RATIO, "times", at_least=False
            ),
        ],
    )


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
