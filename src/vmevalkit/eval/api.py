"""Scoring in one call, for other people's code and as a reward in training."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from vmevalkit.core.errors import NotAVideo, UsageError
from vmevalkit.core.records import Placement, Question, Score
from vmevalkit.core.scorer import RULES
from vmevalkit.eval.pipeline import JudgedVideo, read_and_judge, working_size
from vmevalkit.eval.question_puzzle import find_puzzle, read_first_frame
from vmevalkit.eval.video_arrays import to_video_arrays
from vmevalkit.eval.video_job import VideoJob, VideoScorer, score_job
from vmevalkit.media.image import Frame
from vmevalkit.media.video import probe, read_frames
from vmevalkit.store.questions import load_question
from vmevalkit.tasks.task import AnyTask

QuestionLike = Question | Path | str
"""A question, or the folder of one."""


def score_video(
    question: QuestionLike,
    path: Path | str,
    *,
    placement: Placement | None = None,
    own_run: bool = True,
) -> Score:
    """Score a video file by rules. A file that cannot be decoded is unscored."""
    loaded = _load(question)
    known = find_puzzle(loaded)
    if isinstance(known, Score):
        return known
    first_frame = read_first_frame(loaded)
    return score_puzzle(
        *known, path, placement=placement, own_run=own_run, first_frame=first_frame, final_frame=loaded.final_frame
    )


def score_puzzle(
    task: AnyTask, puzzle: Any, path: Path | str, *, placement: Placement | None = None, own_run: bool = True,
    first_frame: Frame | None = None, final_frame: Path | None = None,
) -> Score:  # fmt: skip
    """Score a video file of a puzzle. A file that cannot be decoded is unscored."""
    try:
        return read_puzzle(
            task, puzzle, path, placement=placement, own_run=own_run, first_frame=first_frame, final_frame=final_frame
        ).score
    except NotAVideo as error:
        return Score.unscored(RULES, task.version, str(error))


def read_puzzle(
    task: AnyTask, puzzle: Any, path: Path | str, *, placement: Placement | None = None, own_run: bool = True,
    first_frame: Frame | None = None, final_frame: Path | None = None,
) -> JudgedVideo:  # fmt: skip
    """Return the verdict on a video file with what was read from each frame. Raises NotAVideo."""
    info = probe(path)
    frames = read_frames(path, within=working_size(task, puzzle, (info.width, info.height)))
    return read_and_judge(task, puzzle, frames, placement, own_run, first_frame, final_frame)


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

    ``frames`` is a numpy array or torch tensor of uint8 (0 to 255) or floats (0 to 1; what is up to 0.1 outside is
    clipped), channels last or first, or a list of PIL images. A batch has one axis more, or is a list of videos; it
    gives a list of scores. ``question`` is one question, or one for each video of the batch. ``workers`` processes
    score a batch, this one among them; the others are kept for the next call, until
    ``close_workers``. A video on which scoring fails is
    unscored with the reason and does not end the batch.
    """
    videos, is_batch = to_video_arrays(frames)
    rate = _check_fps(fps)
    questions = _match_questions(question, len(videos), is_batch)
    jobs = [VideoJob(each, video, rate, placement, own_run) for each, video in zip(questions, videos, strict=True)]
    if not is_batch:
        return score_job(jobs[0])
    return [
        done.value or Score.unscored(RULES, "-", f"scoring failed: {done.error}")
        for done in _find_scorer(workers).score(jobs)
    ]


_scorers: dict[int, VideoScorer] = {}
"""One for each number of workers."""


def _find_scorer(workers: int) -> VideoScorer:
    """Return the processes of earlier calls: starting them takes as long as scoring some ten videos."""
    if workers not in _scorers or not _scorers[workers].is_usable:
        _scorers[workers] = VideoScorer(workers, use_main_process=True)
    return _scorers[workers]


def close_workers() -> None:
    """End the processes that ``score_frames`` keeps. Its next call starts new ones."""
    while _scorers:
        _, scorer = _scorers.popitem()
        if scorer.is_usable:
            scorer.close()


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
