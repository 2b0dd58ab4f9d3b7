"""One job at a provider:

    prepare -> intent on disk -> submit -> ticket on disk -> poll, poll, ... -> fetch -> check

A step that may cost money is repeated only where nothing was ordered for certain. All other steps are retried with
pauses.
"""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from vmevalkit.core.errors import (
    Blocked,
    ModelError,
    Refused,
    StoreError,
    Throttled,
    Uncertain,
    Unreachable,
    VMEvalKitError,
)
from vmevalkit.core.jsonable import to_json
from vmevalkit.core.records import RunStatus
from vmevalkit.core.remote import Failed, Finished, PreparedRequest, RemoteModel, Ticket
from vmevalkit.jobs.budget import Budget, BudgetReached
from vmevalkit.jobs.limits import RateLimiter
from vmevalkit.jobs.order import Order, Outcome, P
from vmevalkit.store.atomic import os_errors
from vmevalkit.store.journal import Intent, Journal, now_text

V = TypeVar("V")

Check = Callable[[Path], Any]
"""Inspects a video, in a thread, and raises MediaError where it is not one."""

_DISK_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM})


@dataclass(frozen=True, slots=True)
class ProviderContext:
    """What all jobs of one model share."""

    model: RemoteModel
    journal: Journal
    rate_limiter: RateLimiter
    budget: Budget
    check: Check | None = None


class RemoteJob:
    """One job. ``on_stage`` gets its stage: waiting, submitting, generating, downloading."""

    def __init__(self, context: ProviderContext, order: Order[P], on_stage: Callable[[str], None]) -> None:
        self._context, self._order, self._on_stage = context, order, on_stage
        self._limits = context.rate_limiter.limits
        self.is_uninterruptible = False
        """True between intent and ticket, and between video and record."""
        self.is_cancelled = False
        """Whether to stop as soon as the job may be interrupted."""

    async def run(self) -> Outcome[Any]:
        """Return the outcome. Raises Uncertain where the order's answer was lost, StoreError where a write fails,
        Blocked where the provider accepts no call of this account, and BudgetReached where another process has spent
        what was left."""
        start = asyncio.get_running_loop().time()
        try:
            ticket = self._order.ticket or await self._submit()
        except (Blocked, StoreError, Uncertain):
            raise
        except VMEvalKitError as error:
            return self._end_without_video(error)
        if self.is_cancelled:
            raise asyncio.CancelledError  # it could not be interrupted before the ticket was on disk
        outcome = await self._get_video(ticket)
        self._context.budget.settle(self._order.usd, outcome.charged_usd)
        return replace(
            outcome,
            ticket=ticket,
            ordered_at=self._context.journal.entry(self._order.job).ticket_at,
            seconds=asyncio.get_running_loop().time() - start,
        )

    async def _submit(self) -> Ticket:
        """Prepare the request and send the order. Where nothing was ordered, its price is available again."""
        try:
            return await self._submit_repeatedly(await self._prepare())
        except (StoreError, Uncertain):
            raise
        except (VMEvalKitError, BudgetReached):
            self._context.budget.release(self._order.usd)
            raise

    async def _prepare(self) -> PreparedRequest:
        attempt = 1
        while True:
            try:
                return await self._call(self._context.model.prepare(self._order.request), self._limits.call_limit_s)
            except (Throttled, Unreachable) as error:  # such as an upload of the image
                if attempt == self._limits.attempts:
                    raise
                pause = self._context.rate_limiter.compute_backoff_s(attempt, error)
            attempt += 1
            await asyncio.sleep(pause)

    async def _submit_repeatedly(self, prepared: PreparedRequest) -> Ticket:
        """Send the order; again while it is certain that nothing was ordered."""
        rate_limiter = self._context.rate_limiter
        attempt = 1
        while True:
            self._on_stage("waiting")
            await rate_limiter.wait_to_submit()
            if rate_limiter.block is not None:
                raise rate_limiter.block
            self._on_stage("submitting")
            self.is_uninterruptible = True
            try:
                return await self._submit_once(prepared)
            except (Throttled, Unreachable) as error:
                if attempt == self._limits.attempts:
                    raise
                pause = rate_limiter.compute_backoff_s(attempt, error)
            finally:
                self.is_uninterruptible = False
            if self.is_cancelled:
                raise asyncio.CancelledError
            attempt += 1
            await asyncio.sleep(pause)

    async def _submit_once(self, prepared: PreparedRequest) -> Ticket:
        order, journal = self._order, self._context.journal
        async with self._context.budget.hold():
            await journal.record_intent(
                Intent(
                    order.job, order.idempotency_key, order.request.prompt, order.input_digest, now_text(), order.usd,
                    order.request_digest,
                )
            )  # fmt: skip
        try:
            async with asyncio.timeout(self._limits.call_limit_s):
                ticket = await self._context.model.submit(prepared, order.idempotency_key)
        except (StoreError, Uncertain):
            raise
        except VMEvalKitError:
            journal.record_void(order.job)
            raise
        except Exception as error:
            raise Uncertain(f"the answer to the order was lost ({format_error(error)})") from error
        try:
            await journal.record_ticket(order.job, make_ticket_record(ticket))
        except StoreError as error:
            raise StoreError(f"{error}; the provider accepted the order {ticket.id}, but it is not saved") from error
        return ticket

    async def _get_video(self, ticket: Ticket) -> Outcome[Any]:
        """Wait for the video, download and check it; a bad one is downloaded again."""
        deadline = asyncio.get_running_loop().time() + self._limits.job_limit_s
        attempt = 1
        while True:
            self._on_stage("generating")
            finished = await self._poll_until_finished(ticket, deadline)
            if isinstance(finished, Outcome):
                return finished
            self._on_stage("downloading")
            try:
                check_result = await self._download(finished)
            except Refused as error:
                return replace(self._end_without_video(error), answer=finished.answer)
            except VMEvalKitError as error:
                if isinstance(error, StoreError | Blocked):
                    raise
                if attempt == self._limits.attempts:
                    return replace(self._end_for_now(ticket, format_error(error)), answer=finished.answer)
                await asyncio.sleep(self._context.rate_limiter.compute_backoff_s(attempt, error))
                attempt += 1
            else:
                return Outcome(
                    self._order, "success", answer=finished.answer, check_result=check_result,
                    charged_usd=finished.cost_usd,
                )  # fmt: skip

    async def _poll_until_finished(self, ticket: Ticket, deadline: float) -> Finished | Outcome[Any]:
        """Poll until the video can be fetched. Returns the outcome where there will be none."""
        rate_limiter, failures = self._context.rate_limiter, 0
        if self._order.ticket is None:
            await asyncio.sleep(self._limits.poll_every_s)
        while True:
            try:
                state = await self._call(self._context.model.poll(ticket), self._limits.call_limit_s)
            except Refused as error:
                return self._end_without_video(error)
            except VMEvalKitError as error:  # a 404 too: a provider may not know a new order everywhere at once
                failures += 1
                if isinstance(error, StoreError | Blocked):
                    raise
                if failures == self._limits.attempts:
                    return self._end_for_now(ticket, format_error(error))
                pause = rate_limiter.compute_backoff_s(failures, error)
            else:
                if isinstance(state, Finished):
                    return state
                if isinstance(state, Failed):
                    status: RunStatus = "refused" if state.refused else "failed"
                    return Outcome(self._order, status, state.reason, answer=state.answer, is_closed=True)
                failures, pause = 0, self._limits.poll_every_s
            if asyncio.get_running_loop().time() + pause > deadline:
                return self._end_for_now(ticket, f"no video within {self._limits.job_limit_s / 60:g} minutes")
            await asyncio.sleep(pause)

    async def _download(self, finished: Finished) -> Any:
        """Download and check the video. Returns the result of the check."""
        into, model = self._order.video_path, self._context.model
        await self._call(model.fetch(finished, into, self._limits.video_limit_bytes), self._limits.fetch_limit_s)
        if self._context.check is None:
            return None
        return await asyncio.to_thread(self._context.check, into)

    async def _call(self, call: Coroutine[Any, Any, V], limit_s: float) -> V:
        """Return the result of a call that is free of charge. An unexpected exception of an adapter is a ModelError."""
        try:
            async with asyncio.timeout(limit_s):
                return await call
        except VMEvalKitError:
            raise
        except TimeoutError as error:
            raise Unreachable(f"no answer within {limit_s:g} s") from error
        except OSError as error:
            if error.errno in _DISK_ERRORS:
                with os_errors(self._order.video_path):
                    raise
            raise Unreachable(format_error(error)) from error
        except Exception as error:
            raise ModelError(format_error(error)) from error

    def _end_without_video(self, error: VMEvalKitError) -> Outcome[Any]:
        status: RunStatus = "refused" if isinstance(error, Refused) else "failed"
        return Outcome(self._order, status, format_error(error), is_closed=True)

    def _end_for_now(self, ticket: Ticket, reason: str) -> Outcome[Any]:
        """Return the outcome of an order that may still get its video."""
        message = f"{reason}; the order {ticket.id} remains open, and --retry-failed polls it again without paying"
        return Outcome(self._order, "failed", message)


def make_ticket_record(ticket: Ticket) -> dict[str, Any]:
    """Return the ticket for the journal; ``from_json`` restores it."""
    return {"id": ticket.id, "placement": to_json(ticket.placement), "sent": ticket.sent}


def format_error(error: BaseException) -> str:
    """Return an error as text for a record."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
