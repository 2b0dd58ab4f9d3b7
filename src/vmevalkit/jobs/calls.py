"""One-shot calls: a request and its answer, asked at most once.

    key in the log -> that answer           else: budget -> rate limit -> ask (repeat) -> log -> answer

Limits, pauses, the budget and the progress are those of the remote jobs that make videos. Unlike an order for a video,
a call whose answer was lost leaves nothing to fetch later, so it is simply repeated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from vmevalkit.core.errors import Blocked, ModelError, StoreError, Throttled, Unreachable, VMEvalKitError
from vmevalkit.core.jsonable import from_json, to_json
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.limits import RateLimiter
from vmevalkit.jobs.progress import JobTracker, ModelProgress
from vmevalkit.jobs.remote_job import format_error
from vmevalkit.store.answer_log import AnswerLog, LoggedAnswer

Q = TypeVar("Q")
A = TypeVar("A")
I = TypeVar("I")  # noqa: E741  - an item of work

CallStatus = Literal["answered", "rejected", "failed", "unaffordable"]


@dataclass(frozen=True, slots=True)
class Call(Generic[Q]):
    """One request with the key of its answer."""

    key: str
    """Digest of everything that the answer depends on."""
    request: Q
    usd: float | None = None
    """The highest price, where it is known: it is reserved before the call, and replaced by the charged one."""
    reserved_usd: float | None = None
    """What is reserved for the call already, as by an earlier stage of the same question; None where nothing is."""


@dataclass(frozen=True, slots=True)
class CallResult(Generic[A]):
    """The result of a call."""

    status: CallStatus
    """``rejected``: the answer is of no use, and a later run asks again. ``failed``: there is no answer.
    ``unaffordable``: the budget does not allow the call."""
    answer: A | None = None
    error: str | None = None
    """The reason of any other status than ``answered``."""
    is_cached: bool = False
    """Whether it was answered before, in this run or an earlier one."""


class Stopped(Exception):
    """The call was not sent, because the run was stopped."""


@dataclass(frozen=True, slots=True)
class CallRules(Generic[A]):
    """How answers of one kind are kept and paid."""

    answer_type: type[A]
    """A frozen dataclass of JSON values."""
    price_usd: Callable[[A], float | None]
    """Returns what an answer cost; None where that is unknown."""
    find_fault: Callable[[A], str | None] = lambda _answer: None
    """Returns why an answer is of no use; None where it is good. A rejected answer is paid, and asked for again by a
    later run."""
    is_reusable: Callable[[A], bool] = lambda _answer: True
    """Whether an answer of an earlier run may be used: False asks again, as for refusals on demand."""


class Caller(Generic[Q, A]):
    """Makes the calls of one model, within the limits of its provider and the budget."""

    def __init__(
        self,
        ask: Callable[[Q], Awaitable[A]],
        rules: CallRules[A],
        log: AnswerLog,
        rate_limiter: RateLimiter,
        budget: Budget,
        model_progress: ModelProgress,
        purpose: str = "",
    ) -> None:
        self._ask, self._rules, self._log = ask, rules, log
        self._rate_limiter, self._budget = rate_limiter, budget
        self._model_progress, self._purpose = model_progress, purpose
        self._stopping = asyncio.Event()
        self._pending: dict[str, asyncio.Future[CallResult[A]]] = {}
        self.sent = 0
        """Number of requests that were sent, repetitions included."""

    def stop(self) -> None:
        """Send nothing more. A call that is being sent still gets its answer, which is paid for."""
        self._stopping.set()

    async def call(self, call: Call[Q]) -> CallResult[A]:
        """Return the answer to a call. Two calls with the same key at the same time are one request.

        Raises Stopped after ``stop``, and StoreError where the log cannot be written."""
        known = self._find(call.key)
        if known is not None:
            self._budget.release(call.reserved_usd)
            self._model_progress.kept += 1
            return known
        if call.key in self._pending:
            self._budget.release(call.reserved_usd)
            shared = await asyncio.shield(self._pending[call.key])
            self._model_progress.kept += 1
            return CallResult(shared.status, shared.answer, shared.error, is_cached=True)
        future: asyncio.Future[CallResult[A]] = asyncio.get_running_loop().create_future()
        self._pending[call.key] = future
        tracker = JobTracker(self._model_progress)
        self._model_progress.waiting += 1
        try:
            result = await self._call(call, tracker)
        except BaseException as error:
            future.set_exception(Stopped() if isinstance(error, asyncio.CancelledError) else error)
            future.exception()  # it is raised here too: without a second caller it would be reported as never read
            tracker.leave()
            raise
        finally:
            del self._pending[call.key]
        future.set_result(result)
        return result

    def is_known(self, key: str) -> bool:
        """Whether the log has an answer that can be used."""
        return self._find(key) is not None

    def _find(self, key: str) -> CallResult[A] | None:
        record = self._log.find(key)
        if record is None:
            return None
        try:
            answer = from_json(self._rules.answer_type, record)
        except (TypeError, ValueError, KeyError):
            return None  # written by another version of this package
        if not self._rules.is_reusable(answer) or self._rules.find_fault(answer) is not None:
            return None
        return CallResult("answered", answer, is_cached=True)

    async def _call(self, call: Call[Q], tracker: JobTracker) -> CallResult[A]:
        try:
            await self._until_stopped(self._rate_limiter.slots.acquire())
        finally:  # what an earlier stage has reserved; it is reserved again at once, at what is known now
            self._budget.release(call.reserved_usd)
        try:
            if not self._budget.reserve(call.usd):
                tracker.leave()
                return CallResult(
                    "unaffordable", error=f"the budget of ${self._budget.max_usd:g} does not allow the call"
                )
            try:
                answer = await self._ask_until_answered(call, tracker)
            except StoreError:
                raise
            except VMEvalKitError as error:
                self._budget.release(call.usd)
                tracker.move_to("failed")
                return CallResult("failed", error=format_error(error))
            except BaseException:
                self._budget.release(call.usd)
                raise
            return await self._keep(call, answer, tracker)
        finally:
            self._rate_limiter.slots.release()

    async def _keep(self, call: Call[Q], answer: A, tracker: JobTracker) -> CallResult[A]:
        usd, fault = self._rules.price_usd(answer), self._rules.find_fault(answer)
        self._budget.settle(call.usd, usd)
        await self._log.add(LoggedAnswer(call.key, self._purpose, to_json(answer), usd, fault))
        tracker.move_to("success" if fault is None else "failed")
        return CallResult("answered" if fault is None else "rejected", answer, fault)

    async def _ask_until_answered(self, call: Call[Q], tracker: JobTracker) -> A:
        attempt = 1
        while True:
            tracker.move_to("waiting")
            await self._until_stopped(self._rate_limiter.wait_to_submit())
            if self._rate_limiter.block is not None:
                raise self._rate_limiter.block
            tracker.move_to("submitting")
            try:
                return await self._ask_once(call.request)
            except Blocked as error:
                self._rate_limiter.block = error
                raise
            except (Throttled, Unreachable) as error:
                if attempt == self._rate_limiter.limits.attempts:
                    raise
                pause = self._compute_pause_s(attempt, error)
            attempt += 1
            await self._until_stopped(asyncio.sleep(pause))

    def _compute_pause_s(self, attempt: int, error: Exception) -> float:
        try:
            return self._rate_limiter.compute_backoff_s(attempt, error)
        except Blocked as block:  # the provider asks for a pause that is too long: further calls would get the same
            self._rate_limiter.block = block
            raise

    async def _ask_once(self, request: Q) -> A:
        limit_s = self._rate_limiter.limits.call_limit_s
        self.sent += 1
        try:
            async with asyncio.timeout(limit_s):
                return await self._ask(request)
        except VMEvalKitError:
            raise
        except TimeoutError as error:
            raise Unreachable(f"no answer within {limit_s:g} s") from error
        except OSError as error:
            raise Unreachable(format_error(error)) from error
        except Exception as error:
            raise ModelError(format_error(error)) from error

    async def _until_stopped(self, waiting: Coroutine[Any, Any, Any]) -> None:
        """Wait for something that is not a call. Raises Stopped where ``stop`` comes first."""
        if self._stopping.is_set():
            waiting.close()
            raise Stopped
        tasks = [asyncio.ensure_future(waiting), asyncio.ensure_future(self._stopping.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if not tasks[0].done():
                raise Stopped
            tasks[0].result()
        finally:
            for task in tasks:
                task.cancel()


async def run_items(
    items: Iterable[I], work: Callable[[I], Coroutine[Any, Any, None]], at_once: int, stopping: asyncio.Event
) -> None:
    """Run ``work`` on every item, at most ``at_once`` of them at the same time; the next item is taken when one ends.

    After ``stopping`` is set no further item is taken, and an item that raises Stopped is left. Any other exception
    cancels all items and is raised: ``work`` records its own failures."""
    running: set[asyncio.Task[None]] = set()
    failure: BaseException | None = None

    def collect(done: Iterable[asyncio.Task[None]]) -> None:
        nonlocal failure
        for task in done:
            error = None if task.cancelled() else task.exception()
            if error is not None and not isinstance(error, Stopped) and failure is None:
                failure = error

    try:
        for item in items:
            if stopping.is_set() or failure is not None:
                break
            running.add(asyncio.create_task(work(item)))
            if len(running) >= at_once:
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                collect(done)
        while running and failure is None:
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            collect(done)
    finally:
        for task in running:
            task.cancel()
        if running:
            await asyncio.gather(*running, return_exceptions=True)
    if failure is not None:
        raise failure
