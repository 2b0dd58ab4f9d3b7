"""The course of one job at a provider:

    intent on disk -> submit -> ticket on disk -> poll, poll, ... -> fetch -> check

A step that may cost money is repeated only where surely nothing was ordered; all others are tried again, with pauses.
"""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from vmevalkit.core.errors import (
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
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.limits import Gate
from vmevalkit.jobs.order import I, Order, Outcome
from vmevalkit.models.model import Done, Failed, RemoteModel, Ticket
from vmevalkit.store.commit import storing
from vmevalkit.store.journal import Intent, Journal, now

V = TypeVar("V")

Check = Callable[[Path], Any]
"""Looks at a film, in a thread, and raises MediaError where it is none."""

_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM})


@dataclass(frozen=True, slots=True)
class Counter:
    """Where jobs are dealt with: one for each model."""

    model: RemoteModel
    journal: Journal
    gate: Gate
    budget: Budget
    check: Check | None = None


class Course:
    """One job. ``on_step`` is told where it is: ordering, making, fetching."""

    def __init__(self, counter: Counter, order: Order[I], on_step: Callable[[str], None]) -> None:
        self._counter, self._order, self._on_step = counter, order, on_step
        self._limits = counter.gate.limits
        self.held = False
        """Between intent and ticket, or between film and record: now it must not be interrupted."""
        self.halted = False
        """Whether to stop as soon as it is not held."""

    async def outcome(self) -> Outcome[Any]:
        """Raises Uncertain where the answer to the order was lost, and StoreError where the disk fails."""
        began = asyncio.get_running_loop().time()
        try:
            ticket = self._order.ticket or await self._ordered()
        except (StoreError, Uncertain):
            raise
        except VMEvalKitError as error:
            return Outcome(
                self._order, "refused" if isinstance(error, Refused) else "failed", words(error), closed=True
            )
        if self.halted:
            raise asyncio.CancelledError  # it was held until the ticket was had
        ended = await self._film(ticket)
        self._counter.budget.correct(self._order.usd, ended.charged_usd)
        return replace(
            ended,
            ticket=ticket,
            ordered_at=self._counter.journal.entry(self._order.job).ticket_at,
            seconds=asyncio.get_running_loop().time() - began,
        )

    async def _ordered(self) -> Ticket:
        """Send the order, again as long as it is sure that nothing was ordered."""
        gate, budget = self._counter.gate, self._counter.budget
        attempt = 1
        while True:
            self._on_step("waiting")
            await gate.order_turn()
            self._on_step("ordering")
            self.held = True
            try:
                return await self._order_once()
            except Uncertain:
                raise
            except VMEvalKitError as error:
                if not isinstance(error, Throttled | Unreachable) or attempt == self._limits.attempts:
                    budget.give_back(self._order.usd)
                    raise
                pause = gate.pause_s(attempt, error)
            finally:
                self.held = False
            if self.halted:
                raise asyncio.CancelledError
            attempt += 1
            await asyncio.sleep(pause)

    async def _order_once(self) -> Ticket:
        order, journal = self._order, self._counter.journal
        intent = Intent(order.job, order.key, order.request.prompt, order.asked, now(), order.usd, order.alike)
        await journal.intend(intent)
        try:
            async with asyncio.timeout(self._limits.call_limit_s):
                ticket = await self._counter.model.submit(order.request, order.key)
        except (StoreError, Uncertain):
            raise
        except VMEvalKitError:
            journal.void(order.job)
            raise
        except Exception as error:
            raise Uncertain(f"the answer to the order was lost ({words(error)})") from error
        try:
            await journal.ticket(order.job, ticket_record(ticket))
        except StoreError as error:
            raise StoreError(f"{error}; the order {ticket.id} was taken and could not be written down") from error
        return ticket

    async def _film(self, ticket: Ticket) -> Outcome[Any]:
        """Wait for the film, fetch it and look at it; a bad or broken one is fetched again."""
        deadline = asyncio.get_running_loop().time() + self._limits.job_limit_s
        attempt = 1
        while True:
            self._on_step("making")
            done = await self._made(ticket, deadline)
            if isinstance(done, Outcome):
                return done
            self._on_step("fetching")
            try:
                checked = await self._fetched(done)
            except Refused as error:
                return Outcome(self._order, "refused", words(error), answer=done.answer, closed=True)
            except VMEvalKitError as error:
                if isinstance(error, StoreError):
                    raise
                if attempt == self._limits.attempts:
                    return Outcome(self._order, "failed", self._kept(ticket, words(error)), answer=done.answer)
                await asyncio.sleep(self._counter.gate.pause_s(attempt, error))
                attempt += 1
            else:
                return Outcome(self._order, "success", answer=done.answer, checked=checked, charged_usd=done.cost_usd)

    async def _made(self, ticket: Ticket, deadline: float) -> Done | Outcome[Any]:
        """Ask until the film is there; how it ended where there will be none."""
        gate, failures = self._counter.gate, 0
        if self._order.ticket is None:
            await asyncio.sleep(self._limits.poll_every_s)
        while True:
            try:
                state = await self._timed(self._counter.model.poll(ticket), self._limits.call_limit_s)
            except (Throttled, Unreachable) as error:
                failures += 1
                if failures == self._limits.attempts:
                    return Outcome(self._order, "failed", self._kept(ticket, words(error)))
                pause = gate.pause_s(failures, error)
            except Refused as error:
                return Outcome(self._order, "refused", words(error), closed=True)
            except VMEvalKitError as error:
                if isinstance(error, StoreError):
                    raise
                return Outcome(self._order, "failed", self._kept(ticket, words(error)))
            else:
                if isinstance(state, Done):
                    return state
                if isinstance(state, Failed):
                    status: RunStatus = "refused" if state.refused else "failed"
                    return Outcome(self._order, status, state.reason, answer=state.answer, closed=True)
                failures, pause = 0, self._limits.poll_every_s
            if asyncio.get_running_loop().time() + pause > deadline:
                late = f"no film within {self._limits.job_limit_s / 60:g} minutes"
                return Outcome(self._order, "failed", self._kept(ticket, late))
            await asyncio.sleep(pause)

    async def _fetched(self, done: Done) -> Any:
        into, model = self._order.film, self._counter.model
        await self._timed(model.fetch(done, into, self._limits.film_limit_bytes), self._limits.fetch_limit_s)
        if self._counter.check is None:
            return None
        return await asyncio.to_thread(self._counter.check, into)

    async def _timed(self, call: Coroutine[Any, Any, V], limit_s: float) -> V:
        """An answer to a question that costs nothing. What an adapter did not foresee is an error of its model."""
        try:
            async with asyncio.timeout(limit_s):
                return await call
        except VMEvalKitError:
            raise
        except TimeoutError as error:
            raise Unreachable(f"no answer within {limit_s:g} s") from error
        except OSError as error:
            if error.errno in _DISK:
                with storing(self._order.film):
                    raise
            raise Unreachable(words(error)) from error
        except Exception as error:
            raise ModelError(words(error)) from error

    @staticmethod
    def _kept(ticket: Ticket, why: str) -> str:
        return f"{why}; the order {ticket.id} stays, and --retry-failed asks for its film again"


def ticket_record(ticket: Ticket) -> dict[str, Any]:
    """For the journal; ``from_json`` makes a ticket of it again."""
    return {"id": ticket.id, "placement": to_json(ticket.placement), "sent": ticket.sent}


def words(error: BaseException) -> str:
    """An error as a record has it."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
