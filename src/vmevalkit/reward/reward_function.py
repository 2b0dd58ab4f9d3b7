"""The reward of a batch of videos, for training loops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from vmevalkit.core.errors import MediaError, UnknownName, UsageError
from vmevalkit.core.records import Question, Score
from vmevalkit.eval.question_puzzle import find_puzzle, read_first_frame
from vmevalkit.eval.video_arrays import to_video_arrays
from vmevalkit.eval.video_job import VideoJob, VideoLimits, VideoScorer
from vmevalkit.jobs.result import JobFailure, JobResult
from vmevalkit.media.image import Frame
from vmevalkit.reward.questions import QuestionSource, name_questions, plan_questions
from vmevalkit.reward.records import RewardBatch, RewardParts, Shaping

SHAPINGS: tuple[Shaping, ...] = ("partial", "strict")


class RewardFunction:
    """Gives each video of a batch a reward from 0 to 1, by the rules of its question's task.

    The same videos and questions have the same rewards, in any order and with any number of workers. A video that
    cannot be scored has the reward 0 and an error among its parts; it never ends the batch.
    """

    def __init__(
        self,
        questions: QuestionSource | None = None,
        *,
        tasks: Iterable[str] | None = None,
        n: int = 64,
        seed: int = 0,
        difficulty: str | None = None,
        workers: int = 1,
        shaping: Shaping = "partial",
        limits: VideoLimits | None = None,
        own_process: bool = False,
    ) -> None:
        """``questions`` is a folder of them, or a list. Or ``tasks`` are names: then the first ``n`` puzzles of each
        with this seed and difficulty are planned, without a file.

        With two workers or more, that many processes beside this one score the videos, and are kept until ``close``; a
        video that ends its process has the reward 0. With ``own_process`` that is so with one worker too.
        ``shaping="strict"`` pays 1 for a pass and 0 for anything else. ``limits`` are those of video files.
        """
        if (questions is None) == (tasks is None):
            raise UsageError("pass questions (a folder or a list), or tasks=['maze', ...], and not both")
        if shaping not in SHAPINGS:
            raise UsageError(f"the shaping is {shaping!r}; it must be one of {', '.join(SHAPINGS)}")
        source = plan_questions(tasks, n, seed, difficulty) if tasks is not None else questions
        assert source is not None
        self.questions: Mapping[str, Question] = name_questions(source)
        """The questions by the ids that batches name."""
        for question in self.questions.values():
            known = find_puzzle(question)
            if isinstance(known, Score):
                raise UsageError(f"{question.id} in {question.folder} cannot be scored by rules: {known.explanation}")
        self.shaping, self._limits = shaping, limits or VideoLimits()
        self._scorer = VideoScorer(workers, own_process=own_process)

    def __call__(
        self, videos: Any, question_ids: str | Sequence[str], fps: float | Sequence[float] = 24.0
    ) -> RewardBatch:
        """Return the rewards of a batch.

        ``videos`` is an array or tensor with the batch as its first axis, or a list of videos: arrays, tensors, lists
        of images, and paths of files. ``question_ids`` has an id for each, or one for all; ``fps`` is the rate of
        frames in memory, files have their own. An unknown id or a wrong number of ids is an error of the call.
        """
        batch = _split_batch(videos)
        questions = [self.find_question(name) for name in _spread(question_ids, len(batch), "question ids", str)]
        rates = [_check_rate(rate) for rate in _spread(fps, len(batch), "frame rates", int | float | np.number)]
        jobs = [
            VideoJob(question, _load_video(video), rate, limits=self._limits)
            for question, video, rate in zip(questions, batch, rates, strict=True)
        ]
        names = _spread(question_ids, len(batch), "question ids", str)
        return RewardBatch(
            tuple(self._make_parts(name, done) for name, done in zip(names, self._scorer.score(jobs), strict=True))
        )

    def prompt(self, question_id: str) -> str:
        """Return what a model is asked."""
        return self.find_question(question_id).prompt

    def draw_first_frame(self, question_id: str) -> Frame:
        """Return the image that a model gets: the question's own file, or the one that the task draws."""
        question = self.find_question(question_id)
        image = read_first_frame(question)
        if image is not None:
            return image
        known = find_puzzle(question)
        assert not isinstance(known, Score)
        task, puzzle = known
        return task.first_frame(puzzle)

    def close(self) -> None:
        """End the worker processes. A later batch starts new ones."""
        self._scorer.close()

    def __enter__(self) -> RewardFunction:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def find_question(self, name: str) -> Question:
        if name not in self.questions:
            raise UnknownName("question", str(name), self.questions, "of this reward function")
        return self.questions[name]

    def _make_parts(self, name: str, done: JobResult[VideoJob, Any]) -> RewardParts:
        if done.value is None:
            return RewardParts.unscored(name, _explain_failure(done.error))
        return RewardParts.from_score(name, done.value, self.shaping)


def _explain_failure(error: JobFailure | None) -> str:
    if error is not None and error.is_a(MediaError):
        return error.message
    return f"scoring failed: {error}"


def _split_batch(videos: Any) -> list[Any]:
    """Return the videos of a batch one by one, as they were given."""
    if isinstance(videos, str | Path):
        raise UsageError(f"{str(videos)!r} is one video, and a batch was expected; pass a list of paths")
    if len(getattr(videos, "shape", ())) == 4:
        raise UsageError(
            f"videos have the shape {tuple(videos.shape)}, which is one video; pass a list, or add an axis"
        )
    return list(videos)


def _load_video(video: Any) -> Any:
    """Return a video as a job takes it: a path, an array of uint8, or what is wrong with it."""
    if isinstance(video, str | Path):
        return Path(video)
    if isinstance(video, MediaError):  # a service has found it
        return video
    try:
        arrays, is_batch = to_video_arrays(video)
    except MediaError as error:
        return error
    except Exception as error:  # noqa: BLE001  - whatever a training loop passes as a video, the batch goes on
        return MediaError(f"a video is of a form that cannot be read: {type(error).__name__}: {error}")
    return (
        MediaError("a video of the batch is itself a batch; pass one video for each question")
        if is_batch
        else arrays[0]
    )


def _spread(values: Any, count: int, what: str, single: Any) -> list[Any]:
    """Return one value for each video."""
    if isinstance(values, single):
        return [values] * count
    spread = list(values)
    if len(spread) != count:
        raise UsageError(f"there are {len(spread)} {what} for {count} videos; pass one for each, or one for all")
    return spread


def _check_rate(rate: Any) -> float:
    if isinstance(rate, bool) or not isfinite(float(rate)) or float(rate) <= 0:
        raise UsageError(f"fps must be a number above 0, not {rate!r}")
    return float(rate)
