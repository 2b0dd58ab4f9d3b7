"""Trials of a scorer that makes calls: all videos are made first, then judged at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time

from vmevalkit.audit.audit import Trial, TrialSpec, render_video, write_question_of
from vmevalkit.core.async_scorer import AsyncScorer, CallOptions
from vmevalkit.core.errors import VMEvalKitError
from vmevalkit.core.records import Question, Score
from vmevalkit.jobs.chat_calls import run_chat_items
from vmevalkit.jobs.executor import LocalExecutor
from vmevalkit.jobs.interrupts import run_coroutine
from vmevalkit.jobs.result import JobResult

PURPOSE = "audit"


@dataclass(frozen=True, slots=True)
class MadeVideo:
    """The video of a trial and its question, on disk."""

    spec: TrialSpec
    question: Question
    video: Path
    cpu_s: float


@dataclass(frozen=True, slots=True)
class VideoMaker:
    """Makes the videos of trials in a folder. It can be sent to another process."""

    folder: Path

    def __call__(self, spec: TrialSpec) -> MadeVideo:
        start = process_time()
        place = self.folder / str(spec.trial_id).replace("/", "-")
        place.mkdir(parents=True)
        video = place / "video.mp4"
        render_video(spec, video)
        return MadeVideo(spec, write_question_of(spec, place), video, process_time() - start)


@dataclass(frozen=True, slots=True)
class MadeTrials:
    """Videos that can be judged, and the trials whose videos could not be made."""

    videos: tuple[MadeVideo, ...]
    failed: tuple[tuple[TrialSpec, str], ...]
    """With the error."""


def make_videos(
    specs: Sequence[TrialSpec],
    folder: Path,
    workers: int = 1,
    on_done: Callable[[int, int], None] | None = None,
) -> MadeTrials:
    """Make the videos of all trials in ``folder``."""
    made: dict[int, MadeVideo] = {}
    failed: list[tuple[TrialSpec, str]] = []

    def collect(number: int, result: JobResult[TrialSpec, MadeVideo]) -> None:
        if result.value is None:
            failed.append((result.item, str(result.error)))
        else:
            made[number] = result.value
        if on_done:
            on_done(len(made) + len(failed), len(specs))

    LocalExecutor(workers).map(VideoMaker(folder), specs, collect)
    return MadeTrials(tuple(made[number] for number in sorted(made)), tuple(failed))


def estimate_trials(videos: Sequence[MadeVideo], scorer: AsyncScorer, options: CallOptions) -> tuple[int, float | None]:
    """Return the number of calls that are not answered yet, and the most that they cost; None where that is unknown."""
    calls, usd = 0, 0.0
    is_known = True

    async def estimate_all() -> None:
        nonlocal calls, usd, is_known
        session = scorer.open_session(replace(options, is_estimate=True))
        try:
            for made in videos:
                count, price = await session.estimate_usd(made.question, made.video)
                calls, usd, is_known = calls + count, usd + (price or 0.0), is_known and price is not None
        finally:
            await session.close()

    run_coroutine(estimate_all())
    return calls, usd if is_known else None


def judge_trials(
    made: MadeTrials, scorer: AsyncScorer, options: CallOptions, on_trial: Callable[[Trial], None] | None = None
) -> tuple[list[Trial], float]:
    """Judge all videos. Returns the trials in order and what audits with this judge have cost so far."""
    trials: dict[int, Trial] = {}
    spent_usd = 0.0

    async def judge_all() -> None:
        nonlocal spent_usd
        session = scorer.open_session(options)

        async def judge_one(item: tuple[int, MadeVideo]) -> None:
            number, video = item
            try:
                judged = await session.score(video.question, video.video)
                trial = _to_trial(video, scorer, judged.score)
            except VMEvalKitError as error:
                trial = _fail(video.spec, scorer, f"{type(error).__name__}: {error}")
            trials[number] = trial
            if on_trial:
                on_trial(trial)

        try:
            await run_chat_items([session], enumerate(made.videos), judge_one, session.at_once)
        finally:
            spent_usd = session.spent_usd

    lost = [_fail(spec, scorer, error) for spec, error in made.failed]
    for trial in lost:
        if on_trial:
            on_trial(trial)
    run_coroutine(judge_all())
    return [*(trials[number] for number in sorted(trials)), *lost], spent_usd


def _to_trial(video: MadeVideo, scorer: AsyncScorer, score: Score) -> Trial:
    spec = video.spec
    return Trial(spec.trial_id, spec.difficulty, spec.find_deserved(scorer), score, None, video.cpu_s)


def _fail(spec: TrialSpec, scorer: AsyncScorer, error: str) -> Trial:
    return Trial(spec.trial_id, spec.difficulty, spec.find_deserved(scorer), None, error)
