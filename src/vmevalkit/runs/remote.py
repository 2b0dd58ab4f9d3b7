"""Runs of models behind services: all models of a call at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random

from vmevalkit.core.errors import StoreError
from vmevalkit.core.records import Run
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.interrupts import stop_on_interrupt
from vmevalkit.jobs.limits import Limits, RateLimiter
from vmevalkit.jobs.progress import Progress
from vmevalkit.jobs.remote_job import Check
from vmevalkit.models.model import ModelSpec
from vmevalkit.runs.remote_model_runner import RemoteBatch, RemoteModelRunner
from vmevalkit.store.atomic import clean, scratch_folder
from vmevalkit.store.runs import Job


@dataclass(frozen=True, slots=True)
class BlockedProvider:
    """A provider that accepted no more calls of this account."""

    provider: str
    reason: str
    jobs: int
    """Number of jobs that are left for a later call. Nothing was ordered for them, or their tickets are kept."""


@dataclass(slots=True)
class RemoteResult:
    """The result of all batches."""

    runs: dict[Job, Run] = field(default_factory=dict)
    skipped: int = 0
    """Number of jobs that the budget did not allow."""
    blocked: tuple[BlockedProvider, ...] = ()
    remarks: list[str] = field(default_factory=list)
    """What is odd about videos that were delivered."""


async def run_remote(
    batches: Sequence[RemoteBatch],
    limits_for: Callable[[ModelSpec], Limits],
    budget: Budget,
    progress: Progress,
    check: Check | None,
    on_settled: Callable[[], None],
) -> RemoteResult:
    """Run all batches at once. After an interrupt, raises KeyboardInterrupt once critical steps are finished."""
    rate_limiters: dict[str, RateLimiter] = {}
    result = RemoteResult()
    with ExitStack() as stack:
        runners: list[RemoteModelRunner] = []
        for batch in batches:
            spec = batch.model.spec
            rate_limiter = rate_limiters.setdefault(spec.provider, RateLimiter(limits_for(spec), Random()))
            clean(batch.folder)
            scratch = stack.enter_context(scratch_folder(batch.folder / "videos"))
            runners.append(RemoteModelRunner(batch, rate_limiter, budget, progress, check, scratch))

        def stop_all() -> None:
            for runner in runners:
                runner.stop()

        for runner in runners:
            runner.dispatcher.on_settled, runner.dispatcher.on_failure = on_settled, stop_all
        try:
            with stop_on_interrupt(stop_all) as interrupt:
                ends = await asyncio.gather(*(runner.run() for runner in runners), return_exceptions=True)
        except asyncio.CancelledError:
            if interrupt.is_received:
                raise KeyboardInterrupt from None
            raise
        finally:
            await asyncio.gather(*(runner.close() for runner in runners), return_exceptions=True)
        for runner in runners:
            result.runs.update(runner.writer.runs)
            result.remarks += runner.writer.remarks
            result.skipped += len(runner.dispatcher.skipped_orders)
        errors = [end for end in ends if isinstance(end, BaseException)]
        for error in sorted(errors, key=lambda error: not isinstance(error, StoreError)):
            raise error
    if interrupt.is_received:
        raise KeyboardInterrupt
    result.blocked = tuple(
        BlockedProvider(
            provider,
            str(rate_limiter.block),
            sum(progress.of(b.model.spec.name).waiting for b in batches if b.model.spec.provider == provider),
        )
        for provider, rate_limiter in rate_limiters.items()
        if rate_limiter.block is not None
    )
    return result
