"""Reading and writing videos: colours, sizes, times, codecs, and files that are not videos."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from pathlib import Path

import av
import numpy as np
import pytest
from drawn_scenes import maze

from vmevalkit.core.errors import MediaError, NotAVideo, UsageError
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame, encode_png
from vmevalkit.media.video import probe, read_frames, write_video

COLOURS = ["#ff0000", "#00ff00", "#0000ff", "#ffff00", "#808080", "#000000", "#7070b0", "#fb7a10"]
CODECS = [
    ("a.mp4", "libx264", "h264"),
    ("a.mkv", "libx264", "h264"),
    ("a.mov", "libx265", "hevc"),
    ("a.webm", "libvpx-vp9", "vp9"),
    ("a.mp4", "libsvtav1", "av1"),
    ("a.mp4", "mpeg4", "mpeg4"),
]


def bars(width: int = 320, height: int = 176) -> Frame:
    """Return eight wide bars of known colours, and black on white at the bottom."""
    canvas = Canvas(width, height)
    for i, colour in enumerate(COLOURS):
        canvas.rectangle(i * width // 8, 0, width // 8, height // 2, colour)
    canvas.circle(0.25 * width, 0.75 * height, 0.15 * height, (0, 0, 0))
    return canvas.frame()


def draw_counting_frames(count: int, width: int = 320, height: int = 176) -> list[Frame]:
    """Return the bars with a white post that moves from frame to frame."""
    frames = []
    for i in range(count):
        frame = bars(width, height)
        frame[: height // 2] = 0
        frame[: height // 2, 8 * i : 8 * i + 8] = 255
        frames.append(frame)
    return frames


def place(frame: Frame) -> int:
    """Return the number of a frame of ``draw_counting_frames``."""
    row = frame[: frame.shape[0] // 2].mean(axis=(0, 2))
    return int(np.argmax(np.add.reduceat(row, np.arange(0, len(row) // 8 * 8, 8))))


def sample_bar_centres(frame: Frame) -> Frame:
    """Return the colours in the middle of the bars."""
    height, width = frame.shape[:2]
    return frame[height // 4, [(2 * i + 1) * width // 16 for i in range(8)]]


def encode_with_times(path: Path, frames: list[Frame], ticks: list[int], *, turn_deg: int = 0, gop: int = 12) -> None:
    """Write a video with any frame times, in 240ths of a second."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=24)
        stream.height, stream.width = frames[0].shape[:2]
        stream.pix_fmt = "yuv420p"
        stream.codec_context.time_base = Fraction(1, 240)
        stream.codec_context.gop_size = gop
        if turn_deg:
            stream.set_display_rotation(turn_deg)
        for tick, frame in zip(ticks, frames, strict=True):
            image = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")
            image.pts, image.time_base = tick, Fraction(1, 240)
            container.mux(stream.encode(image))
        container.mux(stream.encode(None))


@pytest.mark.parametrize(("name", "encoder", "codec"), CODECS)
def test_every_codec_keeps_frames_colours_and_order(
    tmp_path: Path, name: str, encoder: str, codec: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    write_video(path, [bars()] * 3 + draw_counting_frames(9), 24, codec=encoder, crf=12)
    timed = list(read_frames(path))
    info = probe(path)
    assert (info.width, info.height, info.codec) == (320, 176, codec)
    assert info.fps == pytest.approx(24, rel=0.01)
    assert info.seconds == pytest.approx(0.5, abs=0.05)
    assert [place(t.frame) for t in timed[3:]] == list(range(9))
    assert [t.seconds for t in timed] == pytest.approx([i / 24 for i in range(12)], abs=0.002)
    assert np.abs(sample_bar_centres(timed[0].frame).astype(int) - sample_bar_centres(bars())).max() <= 12


def test_drawn_colours_are_read_back_within_a_few_levels(tmp_path: Path) -> None:
    write_video(tmp_path / "a.mp4", [bars()] * 3, 24, crf=8)
    frame = next(iter(read_frames(tmp_path / "a.mp4"))).frame
    assert np.abs(sample_bar_centres(frame).astype(int) - sample_bar_centres(bars())).max() <= 3
    assert np.abs(frame[-4:].astype(int) - 255).max() <= 1


@pytest.mark.parametrize(("matrix", "tag"), [("bt601", 5), ("bt709", 1), ("untagged", 2)])
@pytest.mark.parametrize("full_range", [False, True])
def test_the_colour_tags_of_a_video_are_used(tmp_path: Path, matrix: str, tag: int, full_range: bool) -> None:
    with av.open(str(tmp_path / "a.mp4"), "w") as container:
        stream = container.add_stream("libx264", rate=24)
        stream.height, stream.width, stream.pix_fmt = 176, 320, "yuv420p"
        context = stream.codec_context
        context.options = {"crf": "4"}
        context.colorspace, context.color_range = tag, 2 if full_range else 1
        image = av.VideoFrame.from_ndarray(bars(), format="rgb24").reformat(
            format="yuv420p", dst_colorspace=1 if matrix == "bt709" else 5, dst_color_range=2 if full_range else 1
        )
        image.pts = 0
        container.mux(stream.encode(image))
        container.mux(stream.encode(None))
    frame = next(iter(read_frames(tmp_path / "a.mp4"))).frame
    assert np.abs(sample_bar_centres(frame).astype(int) - sample_bar_centres(bars())).max() <= 4


@pytest.mark.parametrize("box", [(160, 160), (100, 100), (75, 200), (319, 100), (40, 40), (33, 17)])
def test_frames_shrink_into_the_box_and_keep_their_shape(tmp_path: Path, box: tuple[int, int]) -> None:
    write_video(tmp_path / "a.mp4", [bars()] * 2, 24, crf=8)
    frame = next(iter(read_frames(tmp_path / "a.mp4", within=box))).frame
    height, width = frame.shape[:2]
    assert width <= box[0] and height <= box[1]
    assert max(width / box[0], height / box[1]) > 1 - 1 / max(width, height)
    assert width / height == pytest.approx(320 / 176, rel=1.2 / height)
    assert np.abs(sample_bar_centres(frame).astype(int) - sample_bar_centres(bars())).max() <= 6


def test_frames_never_grow(tmp_path: Path) -> None:
    write_video(tmp_path / "a.mp4", [bars()], 24)
    assert next(iter(read_frames(tmp_path / "a.mp4", within=(4000, 4000)))).frame.shape == (176, 320, 3)


@pytest.mark.parametrize("box", [(424, 240), (300, 300), (212, 120), (250, 141)])
def test_shrinking_moves_nothing(tmp_path: Path, box: tuple[int, int]) -> None:
    canvas = Canvas(848, 480)
    canvas.circle(300.5, 200.25, 60, (0, 0, 0))
    write_video(tmp_path / "a.mp4", [canvas.frame()], 24, crf=8)
    frame = next(iter(read_frames(tmp_path / "a.mp4", within=box))).frame
    height, width = frame.shape[:2]
    ink = 255 - frame.mean(axis=2)
    assert ink.sum(axis=0) @ (np.arange(width) + 0.5) / ink.sum() * 848 / width == pytest.approx(300.5, abs=0.3)
    assert ink.sum(axis=1) @ (np.arange(height) + 0.5) / ink.sum() * 480 / height == pytest.approx(200.25, abs=0.3)


def test_variable_frame_times_are_kept(tmp_path: Path) -> None:
    ticks = [0, 4, 14, 45, 49, 60, 90, 91, 120, 300]
    for name in ("a.mp4", "a.mkv"):
        encode_with_times(tmp_path / name, draw_counting_frames(10), ticks)
        timed = list(read_frames(tmp_path / name))
        assert [t.seconds for t in timed] == pytest.approx([tick / 240 for tick in ticks], abs=0.002)
        assert [place(t.frame) for t in timed] == list(range(10))


def test_time_starts_at_the_first_frame(tmp_path: Path) -> None:
    encode_with_times(tmp_path / "a.mkv", draw_counting_frames(4), [480, 490, 500, 510])
    assert [t.seconds for t in read_frames(tmp_path / "a.mkv")] == pytest.approx([0, 1 / 24, 2 / 24, 3 / 24], abs=0.002)


def test_a_video_without_times_uses_its_frame_rate(tmp_path: Path) -> None:
    encode_with_times(tmp_path / "a.h264", draw_counting_frames(12), list(range(0, 120, 10)))
    seconds = [t.seconds for t in read_frames(tmp_path / "a.h264")]
    assert len(seconds) == 12
    assert seconds[0] == 0
    assert np.diff(seconds).min() > 0


@pytest.mark.parametrize("turn_deg", [90, 180, 270])
def test_a_rotated_video_is_turned_upright(tmp_path: Path, turn_deg: int) -> None:
    encode_with_times(tmp_path / "a.mp4", [np.rot90(bars(), -turn_deg // 90)] * 2, [0, 10], turn_deg=turn_deg)
    frame = next(iter(read_frames(tmp_path / "a.mp4"))).frame
    assert frame.shape == (176, 320, 3)
    assert np.abs(frame.astype(int) - bars()).mean() < 8
    info = probe(tmp_path / "a.mp4")
    assert (info.width, info.height) == (320, 176)
    small = next(iter(read_frames(tmp_path / "a.mp4", within=(160, 500)))).frame
    assert small.shape == (88, 160, 3)


def test_audio_is_ignored(tmp_path: Path) -> None:
    for name in ("a.mp4", "a.webm"):
        codec = "libvpx-vp9" if name.endswith("webm") else "libx264"
        write_video(tmp_path / name, draw_counting_frames(10), 24, audio=True, codec=codec)
        with av.open(str(tmp_path / name)) as container:
            assert [stream.type for stream in container.streams] == ["video", "audio"]
            sound = container.streams.audio[0]
            assert sum(frame.samples for frame in container.decode(sound)) >= 0.3 * 48000
        assert [place(t.frame) for t in read_frames(tmp_path / name)] == list(range(10))


@pytest.mark.parametrize(("width", "height"), [(321, 177), (321, 176), (320, 177)])
def test_odd_sizes_gain_a_repeated_edge(tmp_path: Path, width: int, height: int) -> None:
    frame = bars(320, 176)
    frame = np.pad(frame, ((0, height - 176), (0, width - 320), (0, 0)), mode="edge")
    write_video(tmp_path / "a.mp4", [frame] * 2, 24, crf=8)
    back = next(iter(read_frames(tmp_path / "a.mp4"))).frame
    assert back.shape == (height + height % 2, width + width % 2, 3)
    assert np.abs(back[:height, :width].astype(int) - frame).mean() < 4
    assert np.abs(back[-1].astype(int) - back[-2]).mean() < 4
    assert np.abs(back[:, -1].astype(int) - back[:, -2]).mean() < 4


def test_any_frame_rate_is_kept(tmp_path: Path) -> None:
    for fps in (8, 16, 23.976, 29.97, 60):
        write_video(tmp_path / "a.mp4", draw_counting_frames(6), fps)
        assert probe(tmp_path / "a.mp4").fps == pytest.approx(fps, rel=1e-4)
        assert [t.seconds for t in read_frames(tmp_path / "a.mp4")][-1] == pytest.approx(5 / fps, abs=0.001)


def test_reading_can_stop_early(tmp_path: Path) -> None:
    write_video(tmp_path / "a.mp4", draw_counting_frames(20), 24)
    frames = read_frames(tmp_path / "a.mp4")
    assert [place(t.frame) for t in islice(frames, 3)] == [0, 1, 2]
    frames.close()  # type: ignore[attr-defined]
    (tmp_path / "a.mp4").unlink()


@pytest.mark.slow
def test_the_bytes_of_a_video_do_not_depend_on_earlier_memory(tmp_path: Path) -> None:
    ground = maze(1)
    frames = [ground.copy() for _ in range(24)]
    for i, frame in enumerate(frames):
        frame[200 + 4 * i : 260 + 4 * i, 60 + 12 * i : 120 + 12 * i] = (34, 197, 94)
    videos = set()
    for again in range(24):
        write_video(tmp_path / "a.mp4", frames, 24)
        videos.add((tmp_path / "a.mp4").read_bytes())
        for kilobytes in (64, 500, 1300, 2900):
            np.full(kilobytes << 10, 37 * again % 256, np.uint8)
    assert len(videos) == 1


def test_a_failed_write_leaves_no_file(tmp_path: Path) -> None:
    write_video(tmp_path / "a.mp4", draw_counting_frames(3), 24)
    before = (tmp_path / "a.mp4").read_bytes()
    with pytest.raises(MediaError, match="frame 2"):
        write_video(tmp_path / "a.mp4", [*draw_counting_frames(2), bars(64, 64)], 24)
    with pytest.raises(MediaError, match="needs a frame"):
        write_video(tmp_path / "a.mp4", [], 24)
    assert (tmp_path / "a.mp4").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["a.mp4"]


def test_impossible_videos_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.mp4"):
        write_video(tmp_path / "a.avi2", draw_counting_frames(1), 24)
    with pytest.raises(UsageError, match="-1"):
        write_video(tmp_path / "a.mp4", draw_counting_frames(1), -1)
    with pytest.raises(UsageError, match="libx999"):
        write_video(tmp_path / "a.mp4", draw_counting_frames(1), 24, codec="libx999")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("share", [0.9, 0.6, 0.3])
@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.webm"])
def test_a_truncated_video_gives_its_first_frames(tmp_path: Path, name: str, share: float) -> None:
    codec = "libvpx-vp9" if name.endswith("webm") else "libx264"
    grain = np.random.default_rng(0)
    frames = draw_counting_frames(36)
    for frame in frames:
        frame[120:] = grain.integers(0, 256, (56, 320, 1))  # so that every frame needs about the same number of bytes
    write_video(tmp_path / name, frames, 24, codec=codec)
    data = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(data[: int(share * len(data))])
    places = [place(t.frame) for t in read_frames(tmp_path / name)]
    assert 3 <= len(places) < 36
    assert places[:-1] == list(range(len(places) - 1))
    assert places[-1] > places[-2]  # a reference frame is stored before frames that precede it


def test_a_video_damaged_in_the_middle_is_read_to_the_end(tmp_path: Path) -> None:
    encode_with_times(tmp_path / "a.mkv", draw_counting_frames(36), list(range(0, 360, 10)), gop=6)
    data = bytearray((tmp_path / "a.mkv").read_bytes())
    middle = len(data) // 2
    data[middle : middle + 200] = bytes(200)
    (tmp_path / "a.mkv").write_bytes(bytes(data))
    places = [place(t.frame) for t in read_frames(tmp_path / "a.mkv")]
    assert places[:8] == list(range(8))
    assert len(places) > 12


def sound_only(path: Path) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=48000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 48000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def test_a_file_that_is_not_a_video_is_described(tmp_path: Path) -> None:
    (tmp_path / "empty.mp4").touch()
    (tmp_path / "text.mp4").write_text('{"error": "not found"}')
    (tmp_path / "notes.txt").write_text("one\ntwo\n" * 50)
    (tmp_path / "noise.mp4").write_bytes(np.random.default_rng(0).bytes(5000))
    sound_only(tmp_path / "sound.m4a")
    write_video(tmp_path / "head.mp4", draw_counting_frames(3), 24)
    data = (tmp_path / "head.mp4").read_bytes()
    (tmp_path / "head.mp4").write_bytes(data[:200])
    encode_with_times(tmp_path / "tail.mp4", draw_counting_frames(3), [0, 10, 20])
    data = (tmp_path / "tail.mp4").read_bytes()
    (tmp_path / "tail.mp4").write_bytes(data[: data.index(b"moov") - 4])
    expected = {
        "empty.mp4": "empty file",
        "text.mp4": 'text file that starts with \'{"error"',
        "notes.txt": "text file",
        "noise.mp4": "format is unknown",
        "sound.m4a": "audio only",
        "head.mp4": "moov",
        "tail.mp4": "moov",
    }
    for name, reason in expected.items():
        for reading in (probe, lambda path: list(read_frames(path))):
            with pytest.raises(NotAVideo, match=reason) as caught:
                reading(tmp_path / name)
            assert name in str(caught.value)


def test_a_video_without_a_decodable_frame_is_not_a_video(tmp_path: Path) -> None:
    write_video(tmp_path / "a.mp4", draw_counting_frames(3), 24)
    data = bytearray((tmp_path / "a.mp4").read_bytes())
    start = data.index(b"mdat") + 4
    data[start:] = bytes(len(data) - start)
    (tmp_path / "a.mp4").write_bytes(bytes(data))
    with pytest.raises(NotAVideo, match="h264"):
        list(read_frames(tmp_path / "a.mp4"))
    with pytest.raises(NotAVideo, match="h264"):
        probe(tmp_path / "a.mp4")


def test_missing_files_and_folders_are_media_errors(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match=r"no video at .*gone\.mp4"):
        list(read_frames(tmp_path / "gone.mp4"))
    with pytest.raises(MediaError, match="folder"):
        probe(tmp_path)


def test_an_image_is_read_as_a_video_of_one_frame(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(encode_png(bars()))
    timed = list(read_frames(tmp_path / "a.png"))
    assert len(timed) == 1
    assert (timed[0].frame == bars()).all()


def test_a_video_with_too_many_pixels_is_not_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_video(tmp_path / "video.mp4", draw_counting_frames(3), 8)
    monkeypatch.setenv("VMEVALKIT_MAX_PIXELS", "50000")
    with pytest.raises(MediaError, match="320x176 pixels, more than the limit of 50,000"):
        list(read_frames(tmp_path / "video.mp4"))
    monkeypatch.setenv("VMEVALKIT_MAX_PIXELS", "60000")
    assert len(list(read_frames(tmp_path / "video.mp4"))) == 3
