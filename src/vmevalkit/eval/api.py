"""Scoring in one call, for others' code and as a reward in training."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.core.errors import MediaError, NotAVideo, UsageError
from vmevalkit.core.jsonable import from_json
from vmevalkit.core.records import Placement, Question, Score
from vmevalkit.eval.rules import SCORER, score_film, working_size
from vmevalkit.media.video import TimedFrame, probe, read_frames
from vmevalkit.store.questions import load_question
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.task import AnyTask

NO_PUZZLE = "the question has no puzzle to read the film by: use a judge or people"


def puzzle_of(question: Question) -> tuple[AnyTask, Any] | None:
    """The task and the puzzle behind a question; None for users' own questions, which rules cannot score."""
    if question.domain not in TASKS or "puzzle" not in question.metadata:
        return None
    task = TASKS[question.domain]
    try:
        return task, from_json(task.puzzle_type, question.metadata["puzzle"])
    except (TypeError, ValueError, KeyError) as error:
        raise UsageError(
            f"the puzzle of {question.id} in {question.folder} is damaged ({error}); generate the question again"
        ) from error


def score_video(
    question: Question | Path | str,
    path: Path | str,
    *,
    placement: Placement | None = None,
    own_run: bool = True,
) -> Score:
    """Score a film by rules. ``question`` is a Question or the folder of one."""
    known = puzzle_of(_loaded(question))
    if known is None:
        return Score.unscored(SCORER, "-", NO_PUZZLE)
    return score_puzzle(*known, path, placement=placement, own_run=own_run)


def score_puzzle(
    task: AnyTask, puzzle: Any, path: Path | str, *, placement: Placement | None = None, own_run: bool = True
) -> Score:
    """Score a film of a puzzle that is at hand. A file that cannot be decoded is unscored."""
    try:
        info = probe(path)
        frames = read_frames(path, within=working_size(task, puzzle, (info.width, info.height)))
        return score_film(task, puzzle, frames, placement=placement, own_run=own_run)
    except NotAVideo as error:
        return Score.unscored(SCORER, task.version, str(error))


def score_frames(
    question: Question | Path | str,
    frames: NDArray[np.uint8],
    fps: float = 24.0,
    *,
    placement: Placement | None = None,
) -> Score | list[Score]:
    """Score films that are in memory: time x height x width x 3 of uint8, RGB; or a batch of them, for a list."""
    if frames.dtype != np.uint8 or frames.ndim not in (4, 5) or frames.shape[-1] != 3:
        raise MediaError(
            f"frames must be uint8 of shape (time, height, width, 3) or (batch, time, height, width, 3), "
            f"not {frames.dtype} of {frames.shape}"
        )
    if not fps > 0:
        raise UsageError(f"fps must be above 0, not {fps}")
    loaded = _loaded(question)
    if frames.ndim == 5:
        return [_score_array(loaded, film, fps, placement) for film in frames]
    return _score_array(loaded, frames, fps, placement)


def _score_array(question: Question, film: NDArray[np.uint8], fps: float, placement: Placement | None) -> Score:
    known = puzzle_of(question)
    if known is None:
        return Score.unscored(SCORER, "-", NO_PUZZLE)
    task, puzzle = known
    size = working_size(task, puzzle, (film.shape[2], film.shape[1]))
    return score_film(task, puzzle, _timed(film, fps, size), placement=placement)


def _timed(film: NDArray[np.uint8], fps: float, size: tuple[int, int]) -> Iterator[TimedFrame]:
    for index, frame in enumerate(film):
        if (frame.shape[1], frame.shape[0]) != size:
            frame = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
        yield TimedFrame(index / fps, frame)


def _loaded(question: Question | Path | str) -> Question:
    return question if isinstance(question, Question) else load_question(Path(question))
