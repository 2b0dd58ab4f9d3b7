"""Copies of videos, frames and strips in the folder of a report, made question by question.

The name of a copy contains the digest of the video, so a file that exists is the right one and is not made again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vmevalkit.core.errors import MediaError
from vmevalkit.media.filmstrip import make_filmstrip
from vmevalkit.media.image import Frame, encode_jpeg
from vmevalkit.media.video import last_frame, probe
from vmevalkit.store import layout
from vmevalkit.store.atomic import file_digest, os_errors, scratch_folder, write_file
from vmevalkit.store.foreign_file import copy_foreign_file, open_foreign_file, read_foreign_file

VIDEOS, THUMBS, STRIPS, FRAMES = "videos", "thumbs", "strips", "frames"
MEDIA_FOLDERS = (VIDEOS, THUMBS, STRIPS, FRAMES)
"""Folders of a report that contain copies."""
_NOISE_NOTE = "Not copied, since noise cannot be compressed: the large view shows frames."
THUMB_SIZE = 400
"""Longest side of a thumbnail in pixels."""


@dataclass(frozen=True, slots=True)
class VideoSource:
    """One video of a question, and what scorers wrote about it."""

    stem: str
    """Place of its copies below each folder of media, without the suffix."""
    video: str | None
    """Path of the video; None where the run has none."""
    evidence: tuple[tuple[str, str], ...] = ()
    """Scorers and the paths of their evidence strips."""
    is_noise: bool = False
    """Whether it is a video of the baseline noise: it shows nothing, and is many times larger than any other."""
    required_digest: str | None = None
    """Digest of a video that was made elsewhere: its path is that of a score file, which may name any file."""


@dataclass(frozen=True, slots=True)
class QuestionSource:
    """What is copied for one question."""

    stem: str
    """Place of its frames below ``frames``."""
    folder: str | None
    """Folder of the question; None where it is not known."""
    videos: tuple[VideoSource, ...]
    """All videos of the question."""


@dataclass(frozen=True, slots=True)
class VideoCopy:
    """The copies of one video. Paths are relative to the report and have forward slashes."""

    video: str | None = None
    """The video; None where it was left out or is missing."""
    thumb: str | None = None
    """A small image of the last frame."""
    strips: tuple[tuple[str, str, int, int], ...] = ()
    """Scorer, path, width and height of each strip; the scorer is empty for a filmstrip that no scorer wrote."""
    fps: float | None = None
    seconds: float | None = None
    size: tuple[int, int] | None = None
    """Width and height in pixels."""
    problem: str | None = None
    """Why the video cannot be shown."""
    note: str = ""
    """What a reader has to know about the copy."""


@dataclass(frozen=True, slots=True)
class QuestionCopy:
    """The copies of one question."""

    first_frame: str | None
    final_frame: str | None
    frame_size: tuple[int, int] | None
    """Width and height of the first frame."""
    videos: tuple[VideoCopy, ...]
    """In the order of the sources."""


@dataclass(frozen=True, slots=True)
class MediaCopier:
    """Copies the media of a question into a report. It is sent to worker processes."""

    out: str
    """Folder of the report."""
    with_videos: bool = True
    """Whether videos are copied."""

    def __call__(self, question: QuestionSource) -> QuestionCopy:
        first, final = (self._copy_frame(question, name) for name in (layout.FIRST_FRAME, layout.FINAL_FRAME))
        size = None
        if first is not None:
            size = _read_size(Path(self.out, first))
        return QuestionCopy(first, final, size, tuple(self._copy_video(source) for source in question.videos))

    def _copy_frame(self, question: QuestionSource, name: str) -> str | None:
        source = None if question.folder is None else Path(question.folder, name)
        if source is None or not source.is_file():
            return None
        place = f"{FRAMES}/{question.stem}-{name}"
        self._copy(source, place)
        return place

    def _copy_video(self, source: VideoSource) -> VideoCopy:
        if source.video is None or not Path(source.video).is_file():
            return VideoCopy(problem="there is no video" if source.video is None else "the video file is missing")
        path = Path(source.video)
        open_foreign_file(path.parent, path.name).close()  # not a link that leads elsewhere: frames would be published
        if source.required_digest is not None and file_digest(path) != source.required_digest:
            return VideoCopy(problem="there is another video than the one that was scored")
        strips = [self._copy_strip(scorer, Path(strip), source.stem) for scorer, strip in source.evidence]
        try:
            info = probe(path)
            thumb = self._make_images(path, source.stem, strips)
        except MediaError as error:  # the score has the reason too
            return VideoCopy(problem=str(error))
        place = None
        if self.with_videos and not source.is_noise:
            place = f"{VIDEOS}/{source.stem}{path.suffix}"
            self._copy(path, place)
        return VideoCopy(
            place, thumb, tuple(strips), info.fps, info.seconds, (info.width, info.height),
            note=_NOISE_NOTE if source.is_noise else "",
        )  # fmt: skip

    def _copy_strip(self, scorer: str, source: Path, stem: str) -> tuple[str, str, int, int]:
        place = f"{STRIPS}/{stem}-{layout.folder_name(scorer)}.jpg"
        # Another version of a scorer writes another strip of the same video, so strips are copied each time.
        write_file(Path(self.out, place), read_foreign_file(source.parent, source.name))
        return scorer, place, *_read_size(Path(self.out, place))

    def _make_images(self, video: Path, stem: str, strips: list[tuple[str, str, int, int]]) -> str:
        """Write the thumbnail, and a filmstrip where no scorer wrote a strip, unless they exist."""
        thumb, strip = f"{THUMBS}/{stem}.jpg", f"{STRIPS}/{stem}.jpg"
        if not Path(self.out, thumb).is_file():
            write_file(Path(self.out, thumb), encode_jpeg(_shrink(last_frame(video), THUMB_SIZE), 80))
        if not strips:
            if not Path(self.out, strip).is_file():
                write_file(Path(self.out, strip), encode_jpeg(make_filmstrip(video)))
            strips.append(("", strip, *_read_size(Path(self.out, strip))))
        return thumb

    def _copy(self, source: Path, place: str) -> None:
        target = Path(self.out, place)
        if target.is_file() and target.stat().st_size == source.stat().st_size:
            return
        with os_errors(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            with scratch_folder(target) as aside:
                copy_foreign_file(source.parent, source.name, aside / target.name)
                (aside / target.name).replace(target)


def _read_size(path: Path) -> tuple[int, int]:
    """Return width and height of an image from its header."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            width, height = image.size
            return int(width), int(height)
    except (OSError, UnidentifiedImageError) as error:
        raise MediaError(f"{path} is not a decodable image ({error}); make it again") from error


def _shrink(frame: Frame, longest: int) -> Frame:
    height, width = frame.shape[:2]
    scale = longest / max(height, width)
    if scale >= 1:
        return frame
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)


def sum_video_bytes(videos: Sequence[str]) -> int:
    """Return the size of some video files; a missing one counts nothing."""
    return sum(Path(video).stat().st_size for video in videos if Path(video).is_file())


def list_copies(out: Path) -> set[str]:
    """Return the copies of an earlier report, relative to its folder; hidden files are leftovers of a killed writer."""
    paths = (path for folder in MEDIA_FOLDERS for path in (out / folder).rglob("*"))
    return {path.relative_to(out).as_posix() for path in paths if path.is_file()}
