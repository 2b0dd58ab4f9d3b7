"""Scoring batches of videos without a score file: frames in memory or files, here or in processes that are kept."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from vmevalkit.core.errors import MediaError, NotAVideo
from vmevalkit.core.records import Placement, Question, Score
from vmevalkit.core.scorer import RULES
from vmevalkit.eval.pipeline import is_near, score_timed_frames, working_size
from vmevalkit.eval.question_puzzle import find_puzzle, read_first_frame
from vmevalkit.eval.video_arrays import VideoArray
from vmevalkit.jobs.pool import WorkerPool, check_workers
from vmevalkit.jobs.result import JobResult, run_item
from vmevalkit.jobs.shared_arrays import ReceivedArray, SharedArray, SharedMemory
from vmevalkit.media.image import Frame
from vmevalkit.media.video import TimedFrame, probe, read_frames
from vmevalkit.media.video_reader import resample_frame
from vmevalkit.tasks.task import AnyTask


@dataclass(frozen=True, slots=True)
class VideoLimits:
    """How much of a video file is decoded: a small file may hold hours of one colour."""

    frames: int = 2000
    pixels: int = 2_000_000_000
    """Of all frames together: 2,170 frames of 1280x720."""


@dataclass(frozen=True, slots=True)
class VideoJob:
    """One video with its question. It can be sent to another process."""

    question: Question
    video: VideoArray | SharedArray | ReceivedArray | Path | MediaError
    """Frames in memory, a file, or why there is neither."""
    fps: float = 24.0
    """Frame rate of frames in memory."""
    placement: Placement | None = None
    own_run: bool = True
    limits: VideoLimits | None = None
    """Limits of a file; a larger one is unscored. None means that there are none but those of a single frame."""


class VideoScorer:
    """Scores batches of videos. Its processes start at the first batch, and end with ``close`` or with this process."""

    def __init__(self, workers: int = 1, *, use_main_process: bool = False, own_process: bool = False) -> None:
        """With one worker everything happens in this process, unless ``own_process`` gives it its own. With more,
        ``use_main_process`` makes this one of them: two then copy half as much, but a video that kills its process may
        end this one."""
        check_workers(workers)
        self.workers, self._use_main_process = workers, use_main_process
        self._works_here = workers == 1 and not own_process
        self._pool: WorkerPool[VideoJob, Score] = WorkerPool(score_job, workers)
        self._memory = SharedMemory()
        self._process_id = os.getpid()
        self._lock = Lock()

    @property
    def is_usable(self) -> bool:
        """Whether this process has made it: a forked copy has no workers."""
        return self._process_id == os.getpid()

    def score(self, jobs: Sequence[VideoJob]) -> list[JobResult[VideoJob, Score]]:
        """Return a score for each job, or why it has none. One video does not end the batch, whatever it does."""
        with self._lock:
            if self._works_here or (len(jobs) < 2 and self._use_main_process):
                return [run_item(score_job, job) for job in jobs]
            return self._score_in_processes(jobs)

    def close(self) -> None:
        """End the processes and free the memory. A later batch starts new ones."""
        self._pool.close()
        self._memory.close()

    def _score_in_processes(self, jobs: Sequence[VideoJob]) -> list[JobResult[VideoJob, Score]]:
        finished: dict[int, JobResult[VideoJob, Score]] = {}

        def take(number: int, done: JobResult[VideoJob, Score]) -> None:
            if isinstance(done.item.video, SharedArray):
                done.item.video.release()
            finished[number] = JobResult(jobs[number], done.value, done.error)

        self._pool.run(map(self._share, jobs), take, use_main_process=self._use_main_process)
        return [finished[number] for number in range(len(jobs))]

    def _share(self, job: VideoJob) -> VideoJob:
        if not isinstance(job.video, np.ndarray):
            return job
        shared = self._memory.wrap(job.video)
        return VideoJob(job.question, shared, job.fps, job.placement, job.own_run, job.limits)


def score_job(job: VideoJob) -> Score:
    """Score one video. A file that cannot be decoded is unscored."""
    if isinstance(job.video, MediaError):
        raise job.video
    known = find_puzzle(job.question)
    if isinstance(known, Score):
        return known
    task, puzzle = known
    try:
        frames = _open_frames(task, puzzle, job)
        question = job.question
        return score_timed_frames(
            task, puzzle, frames, job.placement, job.own_run, read_first_frame(question), question.final_frame
        )
    except NotAVideo as error:
        return Score.unscored(RULES, task.version, str(error))


def _open_frames(task: AnyTask, puzzle: Any, job: VideoJob) -> Iterator[TimedFrame]:
    if isinstance(job.video, Path):
        info = probe(job.video)
        frames = read_frames(job.video, within=working_size(task, puzzle, (info.width, info.height)))
        if job.limits is None:
            return frames
        most = min(job.limits.frames, job.limits.pixels // (info.width * info.height))
        return _limit_frames(frames, most, f"{job.video.name} ({info.width}x{info.height})")
    assert not isinstance(job.video, MediaError)
    video = job.video if isinstance(job.video, np.ndarray) else job.video.array
    return _time_frames(video, job.fps, working_size(task, puzzle, (video.shape[2], video.shape[1])))


def _limit_frames(frames: Iterator[TimedFrame], most: int, name: str) -> Iterator[TimedFrame]:
    yield from islice(frames, most)
    if next(frames, None) is not None:
        raise NotAVideo(f"{name} has more than {most} frames; cut it or make it smaller, or raise the limits")


def _time_frames(video: VideoArray, fps: float, size: tuple[int, int]) -> Iterator[TimedFrame]:
    last: Frame | None = None
    resampled: Frame | None = None
    for index, frame in enumerate(video):
        # A permuted tensor or a reversed channel is a view that OpenCV does not take.
        pixels = np.ascontiguousarray(frame)
        if last is None or resampled is None or not is_near(last, pixels, 0):
            last, resampled = pixels, np.asarray(resample_frame(pixels, size), np.uint8)
        yield TimedFrame(index / fps, resampled)
