"""Questions to chat models: each is asked at most once, within limits and budget, and can be interrupted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any, Protocol, TypeVar

from vmevalkit.core.chat import ChatAnswer, ChatModel, ChatRequest
from vmevalkit.jobs.budget import Budget, choose_price
from vmevalkit.jobs.calls import Call, Caller, CallResult, CallRules, run_items
from vmevalkit.jobs.interrupts import stop_on_interrupt
from vmevalkit.jobs.limits import CHAT_LIMITS, Limits, RateLimiter
from vmevalkit.jobs.progress import Progress
from vmevalkit.store import layout
from vmevalkit.store.answer_log import AnswerLog

T = TypeVar("T")

FindFault = Callable[[ChatAnswer], str | None]
"""Returns why an answer cannot be used; None where it can. A refusal is never a fault: it is an answer."""


class StoppableCaller(Protocol):
    """A caller of a chat model, or of another model that is asked for the same items."""

    def stop(self) -> None: ...

    async def close(self) -> None: ...


class ChatCaller:
    """Asks one chat model. Answers are in a log, so that the same question is never paid for twice."""

    def __init__(
        self,
        model: ChatModel,
        *,
        find_fault: FindFault = lambda _answer: None,
        answers: Path = layout.ANSWERS,
        purpose: str = "",
        limits: Limits = CHAT_LIMITS,
        budget: Budget | None = None,
        progress: Progress | None = None,
        retry_refused: bool = False,
        assumed_usd: float | None = None,
    ) -> None:
        """``purpose`` names what the answers are bought for: with a ``budget``, earlier answers for it count as spent.
        ``assumed_usd`` is the price of an answer where none is known, as on a server of one's own, which is free else.
        It must be created inside a running event loop.
        """
        self.model = model
        self._assumed_usd = assumed_usd
        self._log = AnswerLog(layout.answer_log(answers, model.name, model.identity))
        self.budget = Budget() if budget is None else budget
        self.budget.add_spent(self._log.spent_usd(purpose))
        progress = Progress() if progress is None else progress
        rules = CallRules(
            ChatAnswer,
            self._price_usd,
            lambda answer: None if answer.refusal is not None else find_fault(answer),
            lambda answer: answer.refusal is None or not retry_refused,
        )
        self._caller: Caller[ChatRequest, ChatAnswer] = Caller(
            model.ask, rules, self._log, RateLimiter(limits, Random()), self.budget, progress.of(model.name), purpose
        )

    @property
    def sent(self) -> int:
        """Number of requests that were sent, repetitions included."""
        return self._caller.sent

    async def ask(self, request: ChatRequest, reserved_usd: float | None = None) -> CallResult[ChatAnswer]:
        """Return the answer, from the log or from the model. Raises Stopped after ``stop``.

        ``reserved_usd`` is what the budget has reserved for this call already."""
        key = request.compute_key(self.model.identity)
        return await self._caller.call(Call(key, request, self.estimate_usd(request), reserved_usd))

    def estimate_usd(self, request: ChatRequest) -> float | None:
        """Return the highest price of an answer; None where it is neither known nor assumed."""
        return choose_price(self.model.estimate_usd(request), self._assumed_usd)

    def is_known(self, request: ChatRequest) -> bool:
        """Whether the log has an answer that can be used."""
        return self._caller.is_known(request.compute_key(self.model.identity))

    def stop(self) -> None:
        """Send nothing more. Calls that were sent still get their answers."""
        self._caller.stop()

    async def close(self) -> None:
        await self._log.close()
        await self.model.close()

    def _price_usd(self, answer: ChatAnswer) -> float | None:
        if answer.refusal is None or answer.input_tokens is not None:
            return choose_price(answer.usd, self._assumed_usd)
        return answer.usd


async def run_chat_items(
    callers: Sequence[StoppableCaller], items: Iterable[T], work: Callable[[T], Coroutine[Any, Any, None]], at_once: int
) -> None:
    """Run ``work``, which asks the callers, on every item, ``at_once`` at a time. Closes the callers at the end.

    After an interrupt, raises KeyboardInterrupt once the calls that were sent have their answers; a second interrupt
    does not wait for them."""
    stopping = asyncio.Event()

    def stop() -> None:
        stopping.set()
        for caller in callers:
            caller.stop()

    try:
        with stop_on_interrupt(stop) as interrupt:
            await run_items(items, work, at_once, stopping)
    except asyncio.CancelledError:
        if interrupt.is_received:
            raise KeyboardInterrupt from None
        raise
    finally:
        await asyncio.gather(*(caller.close() for caller in callers), return_exceptions=True)
    if interrupt.is_received:
        raise KeyboardInterrupt
