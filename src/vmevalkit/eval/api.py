"""Scoring in one call, for others' code and as a reward in training."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
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
    own_run: bool = True,
) -> Score | list[Score]:
    """Score films that are in memory: time x height x width x 3 of uint8, RGB; or a batch of them, for a list."""
    _require_films(frames)
    if not 0 < fps < inf:
        raise UsageError(f"fps must be a number above 0, not {fps}")
    loaded = _loaded(question)
    if frames.ndim == 5:
        return [_score_array(loaded, film, fps, placement, own_run) for film in frames]
    return _score_array(loaded, frames, fps, placement, own_run)


def _require_films(frames: object) -> None:
    wanted = "frames must be a numpy array of uint8, (time, height, width, 3) or (batch, time, height, width, 3)"
    if not isinstance(frames, np.ndarray):
        raise MediaError(f"{wanted}, not a {type(frames).__name__}")
    if frames.dtype != np.uint8 or frames.ndim not in (4, 5) or frames.shape[-1] != 3 or 0 in frames.shape[-3:]:
        raise MediaError(f"{wanted}, not {frames.dtype} of {frames.shape}")


def _score_array(
    question: Question, film: NDArray[np.uint8], fps: float, placement: Placement | None, own_run: bool
) -> Score:
    known = puzzle_of(question)
    if known is None:
        return Score.unscored(SCORER, "-", NO_PUZZLE)
    task, puzzle = known
    size = working_size(task, puzzle, (film.shape[2], film.shape[1]))
    return score_film(task, puzzle, _timed(film, fps, size), placement=placement, own_run=own_run)


def _timed(film: NDArray[np.uint8], fps: float, size: tuple[int, int]) -> Iterator[TimedFrame]:
    for index, frame in enumerate(film):
        if (frame.shape[1], frame.shape[0]) != size:
            frame = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
        # A permuted tensor or a reversed channel is a view that OpenCV does not take.
        yield TimedFrame(index / fps, np.ascontiguousarray(frame))


def _loaded(question: Question | Path | str) -> Question:
    return question if isinstance(question, Question) else load_question(Path(question))
