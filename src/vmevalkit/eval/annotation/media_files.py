"""The files that the page shows, under names that tell nothing: a folder of copies that lasts as long as the server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from vmevalkit.eval.annotation.items import AnnotationItem
from vmevalkit.eval.criteria import draw_answers
from vmevalkit.media.image import encode_jpeg
from vmevalkit.media.video import read_frames
from vmevalkit.store.atomic import new_folder
from vmevalkit.store.foreign_file import copy_foreign_file

MOST_FRAMES = 240
"""Frames of a video that can be stepped through; of a longer one every second, every third, ..."""
_WITHIN = (960, 960)


@dataclass(frozen=True, slots=True)
class ItemFiles:
    """The files of one item."""

    folder: Path
    seconds: tuple[float, ...]
    """Times of the frames ``000.jpg``, ``001.jpg``, ..."""
    video: str
    """Name of the video."""
    has_final_frame: bool
    answers: tuple[str, ...] = ()
    """Names of pictures of the other accepted answers."""


class MediaFiles:
    """Copies what an item shows into a folder named by its token. Nothing else can be read through the page."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._known: dict[str, ItemFiles] = {}
        self._lock = Lock()

    def prepare(self, item: AnnotationItem) -> ItemFiles:
        """Return the files of an item, and copy them first where they are not there yet."""
        with self._lock:
            if item.token not in self._known:
                self._known[item.token] = self._copy(item)
            return self._known[item.token]

    def _copy(self, item: AnnotationItem) -> ItemFiles:
        final = item.question.final_frame
        video = f"video{item.video.suffix}"
        with new_folder(self.root / item.token, replace=True) as folder:
            copy_foreign_file(item.video.parent, item.video.name, folder / video)
            copy_foreign_file(item.question.folder, item.question.first_frame.name, folder / "first_frame.png")
            if final is not None:
                copy_foreign_file(item.question.folder, final.name, folder / "final_frame.png")
            answers = []
            for number, frame in enumerate(draw_answers(item.question)[1:], 2):
                answers.append(f"answer_{number}.jpg")
                (folder / answers[-1]).write_bytes(encode_jpeg(frame))
            seconds = _write_frames(folder / video, folder)
        return ItemFiles(self.root / item.token, seconds, video, final is not None, tuple(answers))


def _write_frames(video: Path, folder: Path) -> tuple[float, ...]:
    """Write frames as JPEG files and return their times. The last frame of the video is among them."""
    times = [timed.seconds for timed in read_frames(video, (32, 32))]
    step = -(-len(times) // MOST_FRAMES)
    chosen = sorted({*range(0, len(times), step), len(times) - 1})
    numbers = {index: number for number, index in enumerate(chosen)}
    for index, timed in enumerate(read_frames(video, _WITHIN)):
        if index in numbers:
            (folder / f"{numbers[index]:03d}.jpg").write_bytes(encode_jpeg(timed.frame))
    return tuple(round(times[index], 3) for index in chosen)
