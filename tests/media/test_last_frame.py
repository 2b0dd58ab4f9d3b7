"""The last frame is the one that a decode of the whole video ends with."""

from __future__ import annotations

import struct
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from vmevalkit.core.errors import MediaError, NotAVideo
from vmevalkit.media.image import Frame
from vmevalkit.media.video import last_frame, read_frames, write_video

WIDTH, HEIGHT, COUNT = 256, 144, 60


def draw_numbered(index: int) -> Frame:
    """Return a grey image with its number as black and white squares, and a moving bar."""
    frame = np.full((HEIGHT, WIDTH, 3), 200, np.uint8)
    frame[100:130, 3 * index : 3 * index + 30] = (250, 60, 20)
    for bit in range(6):
        frame[16:48, 16 + 40 * bit : 48 + 40 * bit] = 255 if index >> bit & 1 else 0
    return frame


def number(frame: Frame) -> int:
    return sum(1 << bit for bit in range(6) if frame[32, 32 + 40 * bit].mean() > 128)


def video(
    path: Path, *, codec: str = "libx264", gop: int = 12, options: dict[str, str] | None = None, uneven: bool = False,
    turn_deg: int = 0,
) -> None:  # fmt: skip
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=24)
        stream.width, stream.height = (HEIGHT, WIDTH) if turn_deg % 180 else (WIDTH, HEIGHT)
        stream.pix_fmt = "yuv420p"
        stream.codec_context.gop_size = gop
        stream.codec_context.time_base = Fraction(1, 240)
        stream.codec_context.options = options or {}
        if turn_deg:
            stream.set_display_rotation(turn_deg)
        ticks = 0
        for index in range(COUNT):
            stored = np.ascontiguousarray(np.rot90(draw_numbered(index), -turn_deg // 90))
            frame = av.VideoFrame.from_ndarray(stored, format="rgb24")
            frame.pts, frame.time_base = ticks, Fraction(1, 240)
            ticks += (4, 10, 31)[index % 3] if uneven else 10
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def read_last_by_decoding_all(path: Path) -> Frame:
    return list(read_frames(path))[-1].frame


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.mov", "a.ts", "a.h264"])
@pytest.mark.parametrize("gop", [1, 12, 250])
def test_every_container_and_keyframe_interval(tmp_path: Path, name: str, gop: int) -> None:
    video(tmp_path / name, gop=gop)
    frame = last_frame(tmp_path / name)
    assert number(frame) == COUNT - 1
    assert (frame == read_last_by_decoding_all(tmp_path / name)).all()


@pytest.mark.parametrize(
    ("name", "codec", "options"),
    [
        ("a.mp4", "libx265", {"x265-params": "log-level=none"}),
        ("a.webm", "libvpx-vp9", {"deadline": "realtime", "cpu-used": "8"}),
        ("a.mp4", "libsvtav1", {"preset": "12"}),
        ("a.mp4", "mpeg4", {}),
        ("a.mp4", "libx264", {"preset": "slow", "bf": "8", "x264-params": "open-gop=1:keyint=12"}),
        ("a.mp4", "libx264", {"x264-params": "intra-refresh=1:keyint=20"}),
    ],
)
def test_every_codec(
    tmp_path: Path, name: str, codec: str, options: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    video(tmp_path / name, codec=codec, options=options)
    frame = last_frame(tmp_path / name)
    assert number(frame) == COUNT - 1
    assert np.abs(frame.astype(int) - read_last_by_decoding_all(tmp_path / name)).max() <= 2


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv"])
def test_variable_frame_rates(tmp_path: Path, name: str) -> None:
    video(tmp_path / name, uneven=True)
    assert number(last_frame(tmp_path / name)) == COUNT - 1


@pytest.mark.parametrize("turn_deg", [90, 180, 270])
def test_rotated_videos(tmp_path: Path, turn_deg: int) -> None:
    video(tmp_path / "a.mp4", turn_deg=turn_deg)
    frame = last_frame(tmp_path / "a.mp4")
    assert frame.shape == (HEIGHT, WIDTH, 3)
    assert number(frame) == COUNT - 1


@pytest.mark.parametrize("share", [2 / 3, 0.5])
def test_an_edit_list_ends_the_video_earlier(tmp_path: Path, share: float) -> None:
    video(tmp_path / "a.mp4")
    data = (tmp_path / "a.mp4").read_bytes()
    at = data.index(b"elst") + 12
    duration = struct.unpack(">I", data[at : at + 4])[0]
    (tmp_path / "a.mp4").write_bytes(data[:at] + struct.pack(">I", int(duration * share)) + data[at + 4 :])
    frame = last_frame(tmp_path / "a.mp4")
    assert number(frame) == pytest.approx(COUNT * share, abs=1)
    assert (frame == read_last_by_decoding_all(tmp_path / "a.mp4")).all()


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.webm"])
@pytest.mark.parametrize("share", [0.95, 0.8, 0.55, 0.4])
def test_a_truncated_video_gives_its_last_decodable_frame(tmp_path: Path, name: str, share: float) -> None:
    codec = "libvpx-vp9" if name.endswith("webm") else "libx264"
    write_video(tmp_path / name, (draw_numbered(i) for i in range(COUNT)), 24, codec=codec)
    data = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(data[: int(share * len(data))])
    frame = last_frame(tmp_path / name)
    assert number(frame) == number(read_last_by_decoding_all(tmp_path / name))
    assert 0 < number(frame) < COUNT


def test_a_damaged_last_keyframe_falls_back_to_the_one_before(tmp_path: Path) -> None:
    video(tmp_path / "a.mkv", gop=20)
    with av.open(str(tmp_path / "a.mkv")) as container:
        packets = [packet for packet in container.demux(video=0) if packet.size]
        last_key = [packet for packet in packets if packet.is_keyframe][-1]
    data = bytearray((tmp_path / "a.mkv").read_bytes())
    at = data.index(bytes(last_key)[:64])
    data[at + 5 :] = bytes(len(data) - at - 5)
    (tmp_path / "a.mkv").write_bytes(bytes(data))
    frame = last_frame(tmp_path / "a.mkv")
    assert number(frame) == number(read_last_by_decoding_all(tmp_path / "a.mkv"))
    assert 35 <= number(frame) < COUNT


def test_an_animated_image_is_decoded_as_a_whole(tmp_path: Path) -> None:
    with av.open(str(tmp_path / "a.gif"), "w") as container:
        stream = container.add_stream("gif", rate=10)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "rgb8"
        for index in range(8):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(draw_numbered(index), format="rgb24")))
        container.mux(stream.encode(None))
    assert number(last_frame(tmp_path / "a.gif")) == 7


def test_a_file_that_is_not_a_video_is_described(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_text("<html>not found</html>")
    with pytest.raises(NotAVideo, match=r"a\.mp4 is not a video: it is a text file"):
        last_frame(tmp_path / "a.mp4")
    with pytest.raises(MediaError, match=r"gone\.mp4"):
        last_frame(tmp_path / "gone.mp4")
