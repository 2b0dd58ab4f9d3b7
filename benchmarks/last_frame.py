"""The last frame of a film, beside OpenCV's CAP_PROP_POS_FRAMES, over films of many kinds made here."""

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
from vmevalkit.media.picture import Frame
from vmevalkit.media.video import last_frame, write_video

SIZE, COUNT, FPS = (848, 480), 121, 24
WANTED_RATIO = 0.6
BITS = 8


@dataclass(frozen=True, slots=True)
class Film:
    """A way to make a film."""

    name: str
    codec: str = "libx264"
    gop: int = 250
    options: tuple[tuple[str, str], ...] = (("crf", "23"), ("preset", "veryfast"))
    uneven: bool = False
    """Whether frames stand for different times."""
    turn_deg: int = 0
    damage: Callable[[bytes], bytes] | None = None


def picture(index: int) -> Frame:
    """A drawn scene in motion, with the frame's number written in black and white squares."""
    frame = np.full((SIZE[1], SIZE[0], 3), 240, np.uint8)
    for k in range(12):
        centre = (int(70 * k + 3 * index) % SIZE[0], 150 + 25 * k)
        cv2.circle(frame, centre, 12 + k, (20 * k, 120, 250 - 20 * k), -1)
    for bit in range(BITS):
        level = 255 if index >> bit & 1 else 0
        frame[20:60, 40 + 60 * bit : 90 + 60 * bit] = level
    return frame


def number(frame: Frame | None) -> int | None:
    """The frame's number, or None where there is no such frame."""
    if frame is None or frame.shape != (SIZE[1], SIZE[0], 3):
        return None
    return sum(1 << bit for bit in range(BITS) if frame[40, 65 + 60 * bit].mean() > 128)


def make(film: Film, path: Path) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream(film.codec, rate=FPS)
        stream.width, stream.height = SIZE[::-1] if film.turn_deg % 180 else SIZE
        stream.pix_fmt = "yuv420p"
        stream.codec_context.gop_size = film.gop
        stream.codec_context.time_base = Fraction(1, 240)
        stream.codec_context.options = dict(film.options)
        if film.turn_deg:
            stream.set_display_rotation(film.turn_deg)
        ticks = 0
        for index in range(COUNT):
            stored = np.ascontiguousarray(np.rot90(picture(index), -film.turn_deg // 90))
            frame = av.VideoFrame.from_ndarray(stored, format="rgb24")
            frame.pts, frame.time_base = ticks, Fraction(1, 240)
            ticks += 10 if not film.uneven else (4, 10, 31)[index % 3]
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    if film.damage is not None:
        path.write_bytes(film.damage(path.read_bytes()))


def cut_off(data: bytes) -> bytes:
    """As when a download breaks off."""
    return data[: int(0.7 * len(data))]


def shorter_edit(data: bytes) -> bytes:
    """An edit list that shows two thirds of the film."""
    at = data.index(b"elst") + 12
    duration = struct.unpack(">I", data[at : at + 4])[0]
    return data[:at] + struct.pack(">I", duration * 2 // 3) + data[at + 4 :]


VP9 = (("crf", "32"), ("b", "0"), ("deadline", "realtime"), ("cpu-used", "8"))
AV1 = (("crf", "35"), ("preset", "12"))
FILMS = [
    Film("even.mp4", gop=12),
    Film("one_keyframe.mp4"),
    Film("uneven.mp4", gop=24, uneven=True),
    Film("uneven.mkv", gop=24, uneven=True),
    Film("edit_list.mp4", gop=24, damage=shorter_edit),
    Film("upside_down.mp4", gop=24, turn_deg=180),
    Film("on_its_side.mp4", gop=24, turn_deg=90),
    Film("raw.h264", gop=24),
    Film("stream.ts", gop=24),
    Film("hevc.mp4", "libx265", 24, (("preset", "ultrafast"), ("x265-params", "log-level=none"))),
    Film("mpeg4.mp4", "mpeg4", 12, ()),
    Film("vp9.webm", "libvpx-vp9", 24, VP9),
    Film("av1.mp4", "libsvtav1", 24, AV1),
    Film("av1.webm", "libsvtav1", 24, AV1),
    Film("cut_off.mkv", gop=24, damage=cut_off),
    Film("cut_off.webm", "libvpx-vp9", 24, VP9, damage=cut_off),
]


def faststart_cut_off(path: Path) -> None:
    """An MP4 whose index stands at the front, and whose end is missing."""
    write_video(path, (picture(i) for i in range(COUNT)), FPS)
    path.write_bytes(cut_off(path.read_bytes()))


def truth(path: Path) -> int | None:
    """The number of the last frame that a decode of the whole film brings forth."""
    with av.open(str(path)) as container:
        last: deque[av.VideoFrame] = deque(maxlen=1)
        try:
            last.extend(container.decode(video=0))
        except av.error.FFmpegError:
            last.extend(_flushed(container))
        frame = last[0].to_ndarray(format="rgb24")
        return number(np.ascontiguousarray(np.rot90(frame, last[0].rotation // 90)))


def _flushed(container: av.container.InputContainer) -> list[av.VideoFrame]:
    try:
        return list(container.streams.video[0].codec_context.decode(None))
    except av.error.FFmpegError:
        return []


def by_opencv(path: Path) -> Frame | None:
    capture = cv2.VideoCapture(str(path))
    capture.set(cv2.CAP_PROP_POS_FRAMES, capture.get(cv2.CAP_PROP_FRAME_COUNT) - 1)
    got, frame = capture.read()
    capture.release()
    return np.asarray(frame[..., ::-1], np.uint8) if got else None


def ours(path: Path) -> Frame | None:
    try:
        return last_frame(path)
    except MediaError:
        return None


def main() -> bool:
    """Right on every film that can be decoded, in at most ``WANTED_RATIO`` of OpenCV's time over all of them."""
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    os.environ |= {"OPENCV_FFMPEG_LOGLEVEL": "-8", "SVT_LOG": "0"}  # both complain of every damaged film
    right = {"ours": 0, "OpenCV": 0}
    total = {"ours": 0.0, "OpenCV": 0.0}
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / film.name for film in FILMS]
        for film, path in zip(FILMS, paths, strict=True):
            make(film, path)
        paths.append(Path(folder) / "cut_off.mp4")
        faststart_cut_off(paths[-1])
        print(f"\n  {'film':<18}{'last':>6}{'ours':>6}{'ms':>8}{'OpenCV':>8}{'ms':>8}")
        for path in paths:
            expected = truth(path)
            found = {"ours": number(ours(path)), "OpenCV": number(by_opencv(path))}
            seconds = interleaved({"ours": lambda p=path: ours(p), "OpenCV": lambda p=path: by_opencv(p)})
            for name in found:
                right[name] += found[name] == expected
                total[name] += seconds[name]
            print(
                f"  {path.name:<18}{expected!s:>6}{found['ours']!s:>6}{1e3 * seconds['ours']:8.1f}"
                f"{found['OpenCV']!s:>8}{1e3 * seconds['OpenCV']:8.1f}"
            )
    return report(
        f"Last frame ({right['OpenCV']} of {len(paths)} right by OpenCV)",
        [
            Claim("films whose last frame is right", right["ours"], len(paths), "films"),
            Claim("CPU time beside OpenCV", total["ours"] / total["OpenCV"], WANTED_RATIO, "times", at_least=False),
        ],
    )


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
