"""Puzzles from JSON: the one way by which scorers, baselines and audits load a puzzle that is not their own.

A puzzle's file may come from anywhere. So types are strict, numbers are within the ranges that the fields declare, the
task's own check passes, and the image is within the limit of pixels, before anything is drawn or read.
"""

from __future__ import annotations

from typing import Any, TypeVar

from vmevalkit.core.errors import MediaError, UsageError
from vmevalkit.core.jsonable import from_json
from vmevalkit.core.ranges import check_plain_data
from vmevalkit.media.image_header import check_pixels
from vmevalkit.tasks.kit.question_pictures import PictureRecord
from vmevalkit.tasks.task import Task

P = TypeVar("P")


def load_puzzle(task: Task[P, Any, Any], data: Any, place: object) -> P:
    """Return the puzzle that ``to_json`` was given. Raises UsageError, which names the place, for any other data."""
    try:
        check_plain_data(data)
        puzzle: P = from_json(task.puzzle_type, data)
        task.check_puzzle(puzzle)
        check_pixels(*task.size(puzzle), f"the image of {place}")
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, MediaError) as error:
        raise UsageError(
            f"the puzzle of {place} is damaged ({error or type(error).__name__}); generate the question again"
        ) from error
    return puzzle


def load_picture_record(data: Any, place: object) -> PictureRecord:
    """Return what a question's record says of its own pictures. Raises UsageError, which names the place."""
    try:
        check_plain_data(data)
        return from_json(PictureRecord, data)
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
        raise UsageError(
            f"the record of {place} says of its pictures what cannot be ({error}); see docs/OWN_QUESTIONS.md"
        ) from error
