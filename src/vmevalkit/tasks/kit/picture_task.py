"""What tasks share that read a question by its own pictures: everything but the reading is the wrapped task's."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from random import Random
from typing import Any

from vmevalkit.media.image import Frame
from vmevalkit.media.residual import Box
from vmevalkit.tasks.kit.question_pictures import PictureRecord
from vmevalkit.tasks.task import StateTrajectory, Task

_TAKEN_OVER = (
    "name", "title", "category", "description", "version", "puzzle_type", "params_type", "difficulties",
    "default_difficulty", "judge_hint", "tricks", "offers", "motion", "complexity", "video_seconds",
)  # fmt: skip


class PictureTask(Task[Any, Any, Any]):
    """A task for one question, whose first frame is the picture that its models were given."""

    smallest_part_area = 0.002

    def __init__(self, inner: Any, first: Frame, record: PictureRecord) -> None:
        self.inner, self.first, self.record = inner, first, record
        self.picture_size = first.shape[1], first.shape[0]
        for name in _TAKEN_OVER:
            setattr(self, name, getattr(inner, name))

    def sample(self, rng: Random, params: Any) -> Any:
        return self.inner.sample(rng, params)

    def key(self, puzzle: Any) -> Hashable:
        return self.inner.key(puzzle)  # type: ignore[no-any-return]

    def certify(self, puzzle: Any) -> None:
        self.inner.certify(puzzle)

    def prompt(self, puzzle: Any) -> str:
        return self.inner.prompt(puzzle)  # type: ignore[no-any-return]

    def metadata(self, puzzle: Any) -> dict[str, Any]:
        return self.inner.metadata(puzzle)  # type: ignore[no-any-return]

    def size(self, puzzle: Any) -> tuple[int, int]:
        return self.picture_size

    def first_frame(self, puzzle: Any) -> Frame:
        return self.first

    def explained_boxes(self, puzzle: Any, state: Any) -> Sequence[Box]:
        # What the state does not explain is light, a trail or a caption: things that gate are found by the reader.
        return [(0.0, 0.0, 1.0, 1.0)]

    def deciding_boxes(self, puzzle: Any, state: Any) -> Sequence[Box]:
        return [(0.0, 0.0, 1.0, 1.0)]

    def cheats(self, puzzle: Any, rng: Random) -> dict[str, StateTrajectory[Any]]:
        return {}
