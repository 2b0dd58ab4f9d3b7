"""The puzzle of a question, and the image that models were given."""

from __future__ import annotations

from typing import Any

from vmevalkit.core.errors import SetupError
from vmevalkit.core.plugins import TASK_PLUGINS
from vmevalkit.core.records import Question, Score
from vmevalkit.core.scorer import RULES
from vmevalkit.media.image import Frame, read_image
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.kit.question_pictures import PICTURES, Pictures, UnreadablePictures, calibrate
from vmevalkit.tasks.puzzle_loading import load_picture_record, load_puzzle
from vmevalkit.tasks.task import AnyTask

NO_PUZZLE = "the question has no puzzle, so rules cannot read the video"


def puzzle_of(question: Question) -> tuple[AnyTask, Any] | None:
    """Return the task and the puzzle of a question; None for users' own questions, which rules cannot score.

    Where the question's record says where its own pictures show the puzzle, the task is one that reads these pictures.
    Raises UnreadablePictures where they cannot be read, and SetupError where the question has a puzzle of a task that
    this machine does not have: that says nothing about the video."""
    if "puzzle" not in question.metadata:
        return None
    if question.domain not in TASKS:
        raise SetupError(
            f"{question.id} in {question.folder} has a puzzle of the task {question.domain!r}, which is not found "
            f"here; name the file of the task in {TASK_PLUGINS.files}, or install it (known: {', '.join(TASKS)})"
        )
    task = TASKS[question.domain]
    place = f"{question.id} in {question.folder}"
    puzzle = load_puzzle(task, question.metadata["puzzle"], place)
    if PICTURES in question.metadata:
        record = load_picture_record(question.metadata[PICTURES], place)
        final = None if question.final_frame is None else read_image(question.final_frame)
        task, _ = calibrate(task, puzzle, Pictures(read_image(question.first_frame), final, record))
    return task, puzzle


def find_puzzle(question: Question) -> tuple[AnyTask, Any] | Score:
    """Return the task and the puzzle of a question, or why its videos are unscored."""
    try:
        return puzzle_of(question) or Score.unscored(RULES, "-", NO_PUZZLE)
    except UnreadablePictures as error:
        version = TASKS[question.domain].version
        return Score.unscored(RULES, version, f"the question's own pictures cannot be scored by rules: {error}")


def read_first_frame(question: Question) -> Frame | None:
    """Return the image that models are given; None where the file is missing, and the drawn one counts."""
    return read_image(question.first_frame) if question.first_frame.is_file() else None
