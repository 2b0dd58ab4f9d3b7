"""Scoring in one call, for other people's code and as a reward in training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, overload

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.core.errors import NotAVideo, UsageError
from vmevalkit.core.records import Placement, Question, Score
from vmevalkit.core.scorer import RULES
from vmevalkit.eval.rules import JudgedVideo, read_and_judge, score_timed_frames, working_size
from vmevalkit.eval.video_arrays import VideoArray, to_video_arrays
from vmevalkit.jobs.pool import map_jobs
from vmevalkit.media.image import Frame, read_image
from vmevalkit.media.video import TimedFrame, probe, read_frames
from vmevalkit.store.questions import load_question
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.puzzle_loading import load_puzzle
from vmevalkit.tasks.task import AnyTask

NO_PUZZLE = "the question has no puzzle, so rules cannot read the video"

QuestionLike = Question | Path | str
"""A question, or the folder of one."""


def puzzle_of(question: Question) -> tuple[AnyTask, Any] | None:
    """Return the task and the puzzle of a question; None for users' own questions, which rules cannot score."""
    if question.domain not in TASKS or "puzzle" not in question.metadata:
        return None
    task = TASKS[question.domain]
    return task, load_puzzle(task, question.metadata["puzzle"], f"{question.id} in {question.folder}")


def score_video(
    question: QuestionLike,
    path: Path | str,
    *,
    placement: Placement | None = None,
    own_run: bool = True,
) -> Score:
    """Score a video file by rules. A file that cannot be decoded is unscored."""
    loaded = _load(question)
    known = puzzle_of(loaded)
    if known is None:
        return Score.unscored(RULES, "-", NO_PUZZLE)
    first_frame = read_first_frame(loaded)
    return score_puzzle(*known, path, placement=placement, own_run=own_run, first_frame=first_frame)


def read_first_frame(question: Question) -> Frame | None:
    """Return the image that models are given; None where the file is missing, and the drawn one counts."""
    return read_image(question.first_frame) if question.first_frame.is_file() else None


def score_puzzle(
    task: AnyTask, puzzle: Any, path: Path | str, *, placement: Placement | None = None, own_run: bool = True,
    first_frame: Frame | None = None,
) -> Score:  # fmt: skip
    """Score a video file of a puzzle. A file that cannot be decoded is unscored."""
    try:
        return read_puzzle(task, puzzle, path, placement=placement, own_run=own_run, first_frame=first_frame).score
    except NotAVideo as error:
        return Score.unscored(RULES, task.version, str(error))


def read_puzzle(
    task: AnyTask, puzzle: Any, path: Path | str, *, placement: Placement | None = None, own_run: bool = True,
    first_frame: Frame | None = None,
) -> JudgedVideo:  # fmt: skip
    """Return the verdict on a video file with what was read from each frame. Raises NotAVideo."""
    info = probe(path)
    frames = read_frames(path, within=working_size(task, puzzle, (info.width, info.height)))
    return read_and_judge(task, puzzle, frames, placement, own_run, first_frame)


@overload
def score_frames(
    question: Sequence[QuestionLike], frames: Any, fps: float = ..., *, placement: Placement | None = ...,
    own_run: bool = ..., workers: int = ...,
) -> list[Score]: ...  # fmt: skip


@overload
def score_frames(
    question: QuestionLike, frames: NDArray[Any] | Sequence[Any], fps: float = ..., *,
    placement: Placement | None = ..., own_run: bool = ..., workers: int = ...,
) -> Score | list[Score]: ...  # fmt: skip


def score_frames(
    question: QuestionLike | Sequence[QuestionLike],
    frames: Any,
    fps: float = 24.0,
    *,
    placement: Placement | None = None,
    own_run: bool = True,
    workers: int = 1,
) -> Score | list[Score]:
    """Score a video in memory, or a batch of them.

    ``frames`` is a numpy array or torch tensor of uint8 (0 to 255) or floats (0 to 1), channels last or first, or a
    list of PIL images. A batch has one axis more, or is a list of videos; it gives a list of scores. ``question`` is
    one question, or one for each video of the batch. ``workers`` processes score a batch. A video on which scoring
    fails is unscored with the reason and does not end the batch.
    """
    videos, is_batch = to_video_arrays(frames)
    rate = _check_fps(fps)
    questions = _match_questions(question, len(videos), is_batch)
    jobs = [_ArrayJob(each, video, rate, placement, own_run) for each, video in zip(questions, videos, strict=True)]
    if not is_batch:
        return _score_array(jobs[0])
    return [
        done.value or Score.unscored(RULES, "-", f"scoring failed: {done.error}")
        for done in map_jobs(_score_array, jobs, workers)
    ]


@dataclass(frozen=True, slots=True)
class _ArrayJob:
    """One video in memory with its question."""

    question: Question
    video: VideoArray
    fps: float
    placement: Placement | None
    own_run: bool


def _score_array(job: _ArrayJob) -> Score:
    known = puzzle_of(job.question)
    if known is None:
        return Score.unscored(RULES, "-", NO_PUZZLE)
    task, puzzle = known
    size = working_size(task, puzzle, (job.video.shape[2], job.video.shape[1]))
    frames = _timed_frames(job.video, job.fps, size)
    return score_timed_frames(task, puzzle, frames, job.placement, job.own_run, read_first_frame(job.question))


def _timed_frames(video: VideoArray, fps: float, size: tuple[int, int]) -> Iterator[TimedFrame]:
    for index, frame in enumerate(video):
        # A permuted tensor or a reversed channel is a view that OpenCV does not take.
        pixels = np.ascontiguousarray(frame)
        if (pixels.shape[1], pixels.shape[0]) != size:
            pixels = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
        yield TimedFrame(index / fps, pixels)


def _match_questions(question: QuestionLike | Sequence[QuestionLike], count: int, is_batch: bool) -> list[Question]:
    """Return a question for each of ``count`` videos."""
    if isinstance(question, Question | Path | str):
        return [_load(question)] * count
    if not is_batch:
        raise UsageError(f"{len(question)} questions were given for one video; pass one question, or a batch of videos")
    if len(question) != count:
        raise UsageError(f"{len(question)} questions were given for {count} videos; pass one for each, or one for all")
    return [_load(each) for each in question]


def _check_fps(fps: object) -> float:
    if isinstance(fps, bool) or not isinstance(fps, int | float | np.number):
        raise UsageError(f"fps must be a number above 0, not {fps!r}")
    rate = float(fps)
    if not 0 < rate < inf:
        raise UsageError(f"fps must be a number above 0, not {fps!r}")
    return rate


def _load(question: QuestionLike) -> Question:
    return question if isinstance(question, Question) else load_question(Path(question))
