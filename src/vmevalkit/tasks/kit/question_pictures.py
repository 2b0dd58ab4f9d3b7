"""Questions whose pictures were made by others: what their record says of the pictures, and how they are read.

``calibrate`` finds the board in the first frame, cuts the looks out of it and reads it back. Only a question whose own
pictures are read as its puzzle says can be scored by rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from vmevalkit.core.errors import TaskError
from vmevalkit.core.ranges import Range
from vmevalkit.media.image import Frame

PICTURES = "pictures"
"""The key of a question's record that says where its own pictures show the puzzle."""


class UnreadablePictures(TaskError):
    """The pictures of a question do not show its puzzle in a way that rules can read."""


@dataclass(frozen=True, slots=True)
class DerivedLook:
    """A content that no picture shows, made of one that is shown."""

    of: str
    turned: Annotated[float, Range(-360, 360)] = 0.0
    """Degrees, clockwise."""
    scaled: Annotated[float, Range(0.1, 10)] = 1.0
    mirrored: bool = False
    """From left to right, before it is turned."""


@dataclass(frozen=True, slots=True)
class PictureRecord:
    """What a question's record says of its pictures: the value of ``pictures`` in question_metadata.json."""

    box: tuple[float, float, float, float] | None = None
    """Left, top, right and bottom of the board in pixels of first_frame.png; None where it is to be found."""
    cells: tuple[tuple[float, float, float, float], ...] = ()
    """The box of each cell of a puzzle whose cells get contents; empty where the board is a regular grid."""
    mover_may_appear: bool = False
    """Whether the mover is another thing than what is seen at the start, which then stays as a marker."""
    goal_may_change: bool = False
    """Whether the goal may change, or the mover vanish in it, once the goal is reached."""
    looks: tuple[tuple[str, DerivedLook], ...] = ()
    """Contents that no picture shows, each with how it is made."""
    unscored: str = ""
    """Why rules cannot score the question; empty if they can."""


@dataclass(frozen=True)
class Pictures:
    """The pictures of a question."""

    first: Frame
    final: Frame | None = None
    """The solved picture, if there is one."""
    record: PictureRecord = PictureRecord()
    solution: Sequence[Frame] = ()
    """Frames of a solution video, in order, if there is one."""


def calibrate(task: Any, puzzle: Any, pictures: Pictures) -> tuple[Any, PictureRecord]:
    """Return the task that reads a question by its own pictures, and the record with the boxes that were found.

    Raises UnreadablePictures with the reason where it cannot be read."""
    if pictures.record.unscored:
        raise UnreadablePictures(pictures.record.unscored)
    if not hasattr(task, "calibrate"):  # a task with a reader of its own, which learns the looks for each video
        from vmevalkit.tasks.pictures.own_pictures import prepare_pictures

        prepare_pictures(task, puzzle, pictures)
        return task, pictures.record
    calibrated: tuple[Any, PictureRecord] = task.calibrate(puzzle, pictures)
    return calibrated
