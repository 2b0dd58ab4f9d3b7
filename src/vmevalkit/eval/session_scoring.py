"""Scoring many videos with a scorer that makes calls: all at once, each score written as soon as it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from vmevalkit.core.async_scorer import AsyncScorer, CallOptions
from vmevalkit.core.errors import Unwritable, VMEvalKitError
from vmevalkit.eval.score_job import ScoreJob, ScoreResult, find_existing, make_scored, save_result
from vmevalkit.jobs.chat_calls import run_chat_items
from vmevalkit.jobs.interrupts import run_coroutine


@dataclass(frozen=True, slots=True)
class CallEstimate:
    """What scoring would cost."""

    videos: int
    kept: int
    """Videos with a score already."""
    calls: int
    """Calls that are not answered yet."""
    usd: float | None
    """The most that they cost; None where the price is unknown."""


def score_by_calls(
    scorer: AsyncScorer, jobs: Iterable[ScoreJob], options: CallOptions, collect: Callable[[ScoreResult], None]
) -> float:
    """Score the videos of the jobs and pass each result to ``collect``. Returns what the scorer has cost, earlier calls
    included.

    An exception on one video is recorded and does not end the others, apart from a folder that cannot be written."""
    spent_usd = 0.0

    async def score_all() -> None:
        nonlocal spent_usd
        session = scorer.open_session(options)

        async def score_one(job: ScoreJob) -> None:
            try:
                scored = make_scored(job, scorer)
                result = find_existing(job, scored, retry_unscored=True)
                if result is None:
                    judged = await session.score(job.question, job.video, job.model)
                    result = save_result(job, scored, judged.score, judged.details)
            except Unwritable:
                raise  # every further score would fail the same way
            except VMEvalKitError as error:
                result = ScoreResult(job.without_metadata(), None, error=f"{type(error).__name__}: {error}")
            collect(result)

        try:
            await run_chat_items([session], jobs, score_one, session.at_once)
        finally:
            spent_usd = session.spent_usd

    run_coroutine(score_all())
    return spent_usd


def estimate_calls(scorer: AsyncScorer, jobs: Iterable[ScoreJob], options: CallOptions) -> CallEstimate:
    """Return what scoring the videos would cost. Nothing is sent."""
    videos = kept = calls = 0
    usd: float | None = 0.0

    async def estimate_all() -> None:
        nonlocal videos, kept, calls, usd
        session = scorer.open_session(replace(options, is_estimate=True))
        try:
            for job in jobs:
                videos += 1
                if find_existing(job, make_scored(job, scorer), retry_unscored=True) is not None:
                    kept += 1
                    continue
                count, price = await session.estimate_usd(job.question, job.video)
                calls += count
                usd = None if usd is None or price is None else usd + price
        finally:
            await session.close()

    run_coroutine(estimate_all())
    return CallEstimate(videos, kept, calls, usd)
