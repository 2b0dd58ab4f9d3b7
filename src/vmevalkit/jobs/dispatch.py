"""Many orders of one remote model at once: as many as its provider allows, and all stopped cleanly."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Generic

from vmevalkit.core.errors import Blocked, ModelError, Uncertain
from vmevalkit.core.remote import ProviderJob
from vmevalkit.jobs.budget import BudgetReached
from vmevalkit.jobs.order import Order, Outcome, P
from vmevalkit.jobs.progress import JobTracker, ModelProgress
from vmevalkit.jobs.remote_job import ProviderContext, RemoteJob, format_error
from vmevalkit.store.group_commit import GroupCommit

WriteOutcomes = Callable[[list[Outcome[P]]], None]
"""Writes outcomes to the disk. Called in a thread."""


class Dispatcher(Generic[P]):
    """Runs the orders of one model."""

    def __init__(
        self, context: ProviderContext, model_progress: ModelProgress, write_outcomes: WriteOutcomes[P]
    ) -> None:
        self._context, self._model_progress = context, model_progress
        self._outcomes: GroupCommit[Outcome[P]] = GroupCommit(write_outcomes)
        self._starter: asyncio.Task[None] | None = None
        self._running: dict[asyncio.Task[None], RemoteJob] = {}
        self._is_stopping = False
        self._failure: Exception | None = None
        self.on_failure: Callable[[], None] = self.stop
        """Called where no job can continue, as on a full disk."""
        self.on_settled: Callable[[], None] = lambda: None
        """Called whenever a job ends."""
        self.lost_orders: list[tuple[Order[P], str]] = []
        """Orders that were sent and not answered, each with the error."""
        self.skipped_orders: list[Order[P]] = []
        """Orders that the budget did not allow."""

    def stop(self) -> None:
        """Send no more orders and stop polling. An order that is being sent still gets its ticket."""
        self._is_stopping = True
        if self._starter is not None:
            self._starter.cancel()
        for task, job in self._running.items():
            job.is_cancelled = True
            if not job.is_uninterruptible:
                task.cancel()

    async def run(self, orders: Iterable[Order[P]]) -> None:
        """Return when all orders are settled, lost or skipped, after ``stop``, or where the provider is blocked.

        Raises StoreError where outcomes or the journal cannot be written."""
        if self._is_stopping:
            return
        self._starter = asyncio.create_task(self._start_jobs(orders))
        try:
            await asyncio.wait([self._starter])
            while self._running:
                await asyncio.wait(list(self._running))
        finally:  # a second interrupt does not wait for any job
            for task in [self._starter, *self._running]:
                task.cancel()
        if self._failure is not None:
            raise self._failure
        if not self._starter.cancelled():
            self._starter.result()

    async def settle(self, outcome: Outcome[P]) -> None:
        """Write an outcome, then record it in the journal: a crash in between loses nothing."""
        await self._outcomes.commit(outcome)
        await self._context.journal.record_settled(
            outcome.order.job, outcome.status, is_closed=outcome.is_closed, usd=outcome.charged_usd
        )

    async def list_provider_jobs(self, since: datetime) -> list[ProviderJob] | None:
        """Return the provider's own list of orders; None where it has no list, or does not answer.

        Raises Blocked where the provider accepts no call of this account."""
        rate_limiter = self._context.rate_limiter
        for attempt in range(1, rate_limiter.limits.attempts + 1):
            try:
                async with asyncio.timeout(rate_limiter.limits.call_limit_s):
                    return await self._context.model.list_jobs(since)
            except Blocked:
                raise
            except (ModelError, TimeoutError) as error:
                await asyncio.sleep(rate_limiter.compute_backoff_s(attempt, error))
        return None

    async def fetch_video(self, order: Order[P]) -> Outcome[P] | None:
        """Return the outcome of an order that has a ticket, without recording it; None where it fails."""
        try:
            return await RemoteJob(self._context, order, lambda _stage: None).run()
        except ModelError:
            return None

    async def close(self) -> None:
        await self._outcomes.close()

    async def _start_jobs(self, orders: Iterable[Order[P]]) -> None:
        slots, budget = self._context.rate_limiter.slots, self._context.budget
        for order in orders:
            await slots.acquire()
            if self._context.rate_limiter.block is not None:
                slots.release()
                return
            if order.ticket is None and not budget.reserve(order.usd):
                slots.release()
                self._model_progress.waiting -= 1
                self.skipped_orders.append(order)
                continue
            tracker = JobTracker(self._model_progress)
            job = RemoteJob(self._context, order, tracker.move_to)
            task = asyncio.create_task(self._run_job(job, order, tracker))
            self._running[task] = job
            task.add_done_callback(self._running.pop)

    async def _run_job(self, job: RemoteJob, order: Order[P], tracker: JobTracker) -> None:
        """Run one job to its end. Only a failure of the disk, or a bug in this package, ends all jobs."""
        try:
            outcome = await job.run()
            job.is_uninterruptible = True
            await self.settle(outcome)
            tracker.move_to(outcome.status)
            self.on_settled()
        except BudgetReached:
            tracker.leave()
            self.skipped_orders.append(order)
        except Blocked as error:
            tracker.move_to("waiting")
            self._context.rate_limiter.block = error
        except Uncertain as error:
            tracker.move_to("waiting")
            self.lost_orders.append((order, format_error(error)))
        except asyncio.CancelledError:
            tracker.move_to("waiting")
            if not self._is_stopping:
                raise
        except Exception as error:  # noqa: BLE001  - ``run`` raises it again
            if self._failure is None:
                self._failure = error
                self.on_failure()
        finally:
            # Only now, so that videos never pile up faster than they are written.
            self._context.rate_limiter.slots.release()
