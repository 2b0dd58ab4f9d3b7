"""Many jobs of a remote model at once: as many as its provider allows, and all stopped cleanly."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Generic

from vmevalkit.core.errors import ModelError, Uncertain
from vmevalkit.jobs.course import Counter, Course, words
from vmevalkit.jobs.order import I, Order, Outcome
from vmevalkit.jobs.tally import Tally
from vmevalkit.models.model import Listed
from vmevalkit.store.batch import Batch

Commit = Callable[[list[Outcome[I]]], None]
"""Puts outcomes in their place, for good. Called in a thread."""


class Dispatch(Generic[I]):
    """The orders of one model on their way."""

    def __init__(self, counter: Counter, tally: Tally, commit: Commit[I]) -> None:
        self._counter, self._tally = counter, tally
        self._outcomes: Batch[Outcome[I]] = Batch(commit)
        self._feeder: asyncio.Task[None] | None = None
        self._under_way: dict[asyncio.Task[None], Course] = {}
        self._stopping = False
        self._failure: Exception | None = None
        self.on_failure: Callable[[], None] = self.stop
        """Called when nothing more can be done, as on a full disk."""
        self.on_settled: Callable[[], None] = lambda: None
        self.lost: list[tuple[Order[I], str]] = []
        """Orders that were sent and not answered, and what happened instead."""
        self.left: list[Order[I]] = []
        """Orders that the budget did not allow."""

    def stop(self) -> None:
        """Order nothing more and ask for nothing more; what is being ordered still gets its ticket."""
        self._stopping = True
        if self._feeder is not None:
            self._feeder.cancel()
        for task, course in self._under_way.items():
            course.halted = True
            if not course.held:
                task.cancel()

    async def run(self, orders: Iterable[Order[I]]) -> None:
        """Returns when all are settled, lost or left out, or when it was stopped. Raises StoreError where outcomes or
        the journal cannot be written."""
        if self._stopping:
            return
        self._feeder = asyncio.create_task(self._feed(orders))
        try:
            await asyncio.wait([self._feeder])
            while self._under_way:
                await asyncio.wait(list(self._under_way))
        finally:  # a second interrupt does not wait for anybody
            for task in [self._feeder, *self._under_way]:
                task.cancel()
        if self._failure is not None:
            raise self._failure
        if not self._feeder.cancelled():
            self._feeder.result()

    async def settle(self, outcome: Outcome[I]) -> None:
        """Put an outcome in its place, then into the journal: a crash in between loses nothing."""
        await self._outcomes.done(outcome)
        await self._counter.journal.settle(
            outcome.order.job, outcome.status, closed=outcome.closed, usd=outcome.charged_usd
        )

    async def listed(self, since: datetime) -> list[Listed] | None:
        """The provider's own list of orders; None where it has none, or does not give it."""
        gate = self._counter.gate
        for attempt in range(1, gate.limits.attempts + 1):
            try:
                async with asyncio.timeout(gate.limits.call_limit_s):
                    return await self._counter.model.orders(since)
            except (ModelError, TimeoutError) as error:
                await asyncio.sleep(gate.pause_s(attempt, error))
        return None

    async def close(self) -> None:
        await self._outcomes.close()

    async def _feed(self, orders: Iterable[Order[I]]) -> None:
        slots, budget = self._counter.gate.slots, self._counter.budget
        for order in orders:
            await slots.acquire()
            if order.ticket is None and not budget.set_aside(order.usd):
                slots.release()
                self._tally.waiting -= 1
                self.left.append(order)
                continue
            place = _Place(self._tally)
            course = Course(self._counter, order, place.move)
            task = asyncio.create_task(self._carry(course, order, place))
            self._under_way[task] = course
            task.add_done_callback(self._under_way.pop)

    async def _carry(self, course: Course, order: Order[I], place: _Place) -> None:
        """One job to its end. Only what the disk does, or a mistake of ours, ends them all."""
        try:
            outcome = await course.outcome()
            course.held = True
            await self.settle(outcome)
            place.move(outcome.status)
            self.on_settled()
        except Uncertain as error:
            place.move("waiting")
            self.lost.append((order, words(error)))
        except asyncio.CancelledError:
            place.move("waiting")
            if not self._stopping:
                raise
        except Exception as error:  # noqa: BLE001  - ``run`` raises it again
            if self._failure is None:
                self._failure = error
                self.on_failure()
        finally:
            # Only now, so that films never pile up faster than they are put in their place.
            self._counter.gate.slots.release()


class _Place:
    """Where a job is, in the tally."""

    __slots__ = ("_tally", "_where")

    def __init__(self, tally: Tally) -> None:
        self._tally, self._where = tally, "waiting"

    def move(self, where: str) -> None:
        self._tally.move(self._where, where)
        self._where = where
