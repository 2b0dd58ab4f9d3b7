"""What is needed to score the videos of a question: its task, and the image with which videos are registered.

A reader must read its own reference. Where a question's pictures are not those that the task draws, that is tried
first: with the colours of the pictures mapped to the drawn ones, then with looks cut out of the pictures.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vmevalkit.media.image import Frame, read_image
from vmevalkit.media.registration import Registrar
from vmevalkit.media.residual import find_blobs
from vmevalkit.media.restyling import Reference, is_as_drawn, make_reference
from vmevalkit.media.video_reader import TimedFrame
from vmevalkit.tasks.kit.question_pictures import Pictures, UnreadablePictures
from vmevalkit.tasks.pictures.scene import make_pictured_task
from vmevalkit.tasks.task import AnyTask


@dataclass(frozen=True, slots=True)
class PreparedQuestion:
    """A question whose videos can be read."""

    task: AnyTask
    """The task itself, or one that draws and reads the question's own pictures."""
    reference: Reference


def prepare_question(
    task: AnyTask, puzzle: Any, first_frame: Frame | None = None, final_frame: Path | None = None
) -> PreparedQuestion:
    """Return what reads the videos of a question. Raises UnreadablePictures where nothing reads its own pictures.

    ``first_frame`` is the question's own picture, None the drawn one. ``final_frame`` is a file, which is read only
    where the first frame is not the drawn one.
    """
    drawn = task.first_frame(puzzle)
    if first_frame is None or is_as_drawn(first_frame, drawn):
        return PreparedQuestion(task, Reference(drawn))
    final = read_image(final_frame) if final_frame is not None and final_frame.is_file() else None
    return _prepare(task, puzzle, _Key(Pictures(first_frame, final)))


def prepare_pictures(task: AnyTask, puzzle: Any, pictures: Pictures) -> PreparedQuestion:
    """Return what reads the videos of a question with these pictures. Raises UnreadablePictures where nothing does."""
    if is_as_drawn(pictures.first, task.first_frame(puzzle)):
        return PreparedQuestion(task, Reference(pictures.first))
    return _prepare(task, puzzle, _Key(pictures))


class _Key:
    """Pictures as a key of a cache: equal where all their pixels are."""

    def __init__(self, pictures: Pictures) -> None:
        self.pictures = pictures
        both = (pictures.first, pictures.final)
        self._content = tuple(None if each is None else (each.shape, each.tobytes()) for each in both)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)


@lru_cache(maxsize=16)
def _prepare(task: AnyTask, puzzle: Any, key: _Key) -> PreparedQuestion:
    pictures = key.pictures
    drawn = task.first_frame(puzzle)
    restyled = PreparedQuestion(task, make_reference(drawn, pictures.first))
    # Where the picture shows something else than the drawn image, the reference is the drawn image itself.
    left_over = None if restyled.reference.image is drawn else _read_itself(restyled, puzzle)
    if left_over == 0:
        return restyled
    try:
        pictured = _learn(task, puzzle, pictures)
    except UnreadablePictures:
        if left_over is None:
            raise
        return restyled
    return pictured


def _learn(task: AnyTask, puzzle: Any, pictures: Pictures) -> PreparedQuestion:
    scene = task.learn_looks(puzzle, pictures)
    if scene is None:
        raise UnreadablePictures(
            f"first_frame.png does not show the puzzle as {task.name} is drawn, and {task.name} reads no other pictures"
        )
    size = pictures.first.shape[1], pictures.first.shape[0]
    pictured = PreparedQuestion(make_pictured_task(task, scene), Reference(scene.first, None, scene.view, size))
    if _read_itself(pictured, puzzle) is None:
        raise UnreadablePictures("first_frame.png cannot be read back as the start of the puzzle")
    return pictured


def _read_itself(prepared: PreparedQuestion, puzzle: Any) -> float | None:
    """Return the share of the reference that the start does not explain; None where another state is read in it."""
    task, image = prepared.task, prepared.reference.image
    registrar = Registrar(
        image, task.reading_size(puzzle), follow=task.anchored, follow_light=task.has_flat_colours,
        colour_map=prepared.reference.colour_map,
    )  # fmt: skip
    start = task.solution(puzzle, 0.0)
    opening = TimedFrame(0.0, image)
    registrar.start([opening])
    frame = registrar.register(opening)
    state = task.reader(puzzle).read(frame, None)
    if state is None or task.state_key(puzzle, state) != task.state_key(puzzle, start):
        return None
    if task.unseen_boxes(puzzle, state):  # what cannot be read counts as unchanged elsewhere
        return None
    height, width = frame.image.shape[:2]
    drawn = np.asarray(cv2.resize(task.draw(puzzle, start), (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    blobs = find_blobs(frame.image, (drawn,), frame.visible, task.smallest_part_area)
    explained = task.explained_boxes(puzzle, start)
    return sum(blob.area for blob in blobs if not (blob.is_style or any(blob.is_inside(box) for box in explained)))
