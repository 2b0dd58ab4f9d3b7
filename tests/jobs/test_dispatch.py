"""The job loop with a scripted provider in this process."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from vmevalkit.core.errors import (
    Blocked,
    MediaError,
    ModelError,
    Refused,
    StoreError,
    Throttled,
    Uncertain,
    Unreachable,
    UsageError,
)
from vmevalkit.core.records import Placement, Request
from vmevalkit.core.remote import Failed, Finished, Pending, PreparedRequest, ProviderJob, Ticket
from vmevalkit.jobs import remote_job
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.dispatch import Dispatcher
from vmevalkit.jobs.limits import Limits, RateLimiter, limits_of
from vmevalkit.jobs.order import Order, Outcome
from vmevalkit.jobs.progress import ModelProgress
from vmevalkit.models.model import ModelSpec
from vmevalkit.store.journal import Journal, read_entries
from vmevalkit.store.layout import journals_of

LIMITS = Limits(
    in_flight=3, orders_per_minute=1e6, poll_every_s=0.001, attempts=4, job_limit_s=60.0, call_limit_s=30.0,
    fetch_limit_s=30.0, video_limit_bytes=100, first_backoff_s=0.001, longest_backoff_s=0.002,
)  # fmt: skip
SHORT_CALLS = replace(LIMITS, call_limit_s=0.5)
"""For calls that never end; all others end in time on a busy machine too."""
Script = list[Any]
"""The result of each call of a step: an exception is raised, anything else returned; the last one is repeated."""


class Scripted:
    """A provider with a list of answers for each step."""

    def __init__(self, **script: Script) -> None:
        self.spec = ModelSpec("scripted", "scripted", "s", "s")
        self.script = {"prepare": ["ok"], "submit": ["ok"], "poll": ["done"], "fetch": [b"video"], **script}
        self.calls: Counter[str] = Counter()
        self.keys: list[str] = []
        self.prepared = self.in_flight = self.most_in_flight = 0
        self.before: Callable[[str], None] = lambda _step: None

    def _next(self, step: str) -> Any:
        self.before(step)
        answers = self.script[step]
        self.calls[step] += 1
        answer = answers[min(self.calls[step], len(answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def prepare(self, request: Request) -> PreparedRequest:
        self.prepared += 1
        if isinstance(answer := self.script["prepare"][0], Exception):
            raise answer
        return PreparedRequest(request.question_id, {"prompt": request.prompt}, Placement((1, 1), (0, 0, 1, 1)))

    async def submit(self, prepared: PreparedRequest, key: str) -> Ticket:
        self.keys.append(key)
        answer = self._next("submit")
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        if answer == "stall":
            await asyncio.sleep(60)
        await asyncio.sleep(0.001)
        return Ticket.for_request(f"order-{prepared.body}", prepared)

    async def poll(self, ticket: Ticket) -> Pending | Finished | Failed:
        answer = self._next("poll")
        if answer == "stall":
            await asyncio.sleep(60)
        if answer == "done":
            return Finished(ticket, "url", {"state": "done"}, 0.3)
        return answer  # type: ignore[no-any-return]

    async def fetch(self, done: Finished, into: Path, limit_bytes: int) -> None:
        video = self._next("fetch")
        self.in_flight -= 1
        if len(video) > limit_bytes:
            raise ModelError("too large")
        into.write_bytes(video)

    async def list_jobs(self, since: datetime) -> list[ProviderJob] | None:
        return None

    async def close(self) -> None:
        return None


def check_is_video(path: Path) -> str:
    if path.read_bytes() != b"video":
        raise MediaError("not a video")
    return "checked"


class DispatchSetup:
    """A dispatcher with everything it needs, and its outcomes."""

    def __init__(self, model: Scripted, folder: Path, limits: Limits = LIMITS, budget: Budget | None = None) -> None:
        self.model, self.folder, self.limits = model, folder, limits
        self.budget = budget or Budget()
        self.model_progress = ModelProgress("scripted")
        self.block: Exception | None = None
        self.outcomes: dict[str, Outcome[None]] = {}

    def commit(self, outcomes: list[Outcome[None]]) -> None:
        for outcome in outcomes:
            self.outcomes[outcome.order.job[1]] = outcome

    def orders(self, n: int, usd: float | None = None, ticket: Ticket | None = None) -> list[Order[None]]:
        return [
            Order(
                ("maze", f"q{i}", 0), Request(f"q{i}", f"Go {i}.", Path("f.png"), 4.0), f"d{i}",
                self.folder / f"{i}.mp4", None, f"key-{i}", usd, ticket,
            )
            for i in range(n)
        ]  # fmt: skip

    async def run(
        self, orders: list[Order[None]], on_created: Callable[[Dispatcher[None]], None] | None = None
    ) -> Dispatcher[None]:
        journal = Journal(self.folder / "journal")
        rate_limiter = RateLimiter(self.limits, Random(0))
        dispatcher: Dispatcher[None] = Dispatcher(
            remote_job.ProviderContext(self.model, journal, rate_limiter, self.budget, check_is_video),
            self.model_progress,
            self.commit,
        )
        self.model_progress.waiting = len(orders)
        if on_created:
            on_created(dispatcher)
        try:
            await dispatcher.run(orders)
            self.block = rate_limiter.block
        finally:
            await dispatcher.close()
            await journal.close()
        return dispatcher

    def run_one(self, **how: Any) -> Outcome[None]:
        asyncio.run(self.run(self.orders(1, **how)))
        return self.outcomes["q0"]

    def entry(self, name: str = "q0") -> Any:
        return read_entries(journals_of(self.folder / "journal"))["maze", name, 0]


def test_many_jobs_run_at_once_and_never_more_than_allowed(tmp_path: Path) -> None:
    setup = DispatchSetup(Scripted(poll=[Pending(), Pending(), "done"]), tmp_path)
    asyncio.run(setup.run(setup.orders(40)))
    assert {outcome.status for outcome in setup.outcomes.values()} == {"success"}
    assert len(setup.outcomes) == 40
    assert setup.model.most_in_flight == LIMITS.in_flight
    assert (setup.model_progress.success, setup.model_progress.waiting, setup.model_progress.total) == (40, 0, 40)
    outcome = setup.outcomes["q7"]
    assert (outcome.check_result, outcome.charged_usd, outcome.answer) == ("checked", 0.3, {"state": "done"})
    assert outcome.ticket is not None
    assert outcome.ticket.id == "order-q7"
    assert outcome.ordered_at is not None
    assert (setup.entry("q7").status, setup.entry("q7").usd) == ("success", 0.3)


def test_the_intent_is_on_disk_before_the_order_and_the_ticket_before_the_first_poll(tmp_path: Path) -> None:
    setup = DispatchSetup(Scripted(), tmp_path)
    states = []

    def record_state(step: str) -> None:
        entry = setup.entry()
        states.append((step, entry.intent is not None, entry.ticket and entry.ticket["id"], entry.status))

    setup.model.before = record_state
    setup.run_one()
    assert states == [
        ("submit", True, None, None), ("poll", True, "order-q0", None), ("fetch", True, "order-q0", None),
    ]  # fmt: skip
    assert setup.entry().ticket["sent"] == {"prompt": "Go 0."}
    assert setup.entry().status == "success"


@pytest.mark.parametrize("nothing", [Throttled("busy"), Throttled("busy", 0.01), Unreachable("no line")])
def test_an_order_is_repeated_where_nothing_was_ordered(tmp_path: Path, nothing: ModelError) -> None:
    setup = DispatchSetup(Scripted(submit=[nothing, nothing, "ok"]), tmp_path)
    assert setup.run_one(usd=0.2).status == "success"
    assert setup.model.keys == ["key-0"] * 3
    assert setup.entry().unanswered_intents == []
    assert setup.budget.spent_usd == pytest.approx(0.3)  # as the provider says


@pytest.mark.parametrize("error", [MediaError("50,000 x 50,000"), MemoryError(), ValueError("odd")])
def test_a_request_that_cannot_be_prepared_is_a_plain_failure(tmp_path: Path, error: Exception) -> None:
    setup = DispatchSetup(Scripted(prepare=[error]), tmp_path)
    outcome = setup.run_one(usd=0.2)
    assert (outcome.status, outcome.is_closed) == ("failed", True)
    assert setup.model.calls == {}
    assert (setup.budget.spent_usd, setup.entry().intent) == (0.0, None)


def test_a_request_is_prepared_once_for_all_attempts(tmp_path: Path) -> None:
    setup = DispatchSetup(Scripted(submit=[Unreachable("no line"), Throttled("busy"), "ok"]), tmp_path)
    assert setup.run_one().status == "success"
    assert (setup.model.prepared, setup.model.calls["submit"]) == (1, 3)


@pytest.mark.parametrize(
    "error", [Blocked("wrong key"), Throttled("busy", float("inf")), Throttled("busy", 86400.0), Throttled("busy", 601)]
)
def test_a_blocked_provider_gets_no_further_order(tmp_path: Path, error: Exception) -> None:
    setup = DispatchSetup(Scripted(submit=[error]), tmp_path)
    asyncio.run(setup.run(setup.orders(20, usd=0.2)))
    assert setup.model.calls["submit"] <= LIMITS.in_flight
    assert (setup.outcomes, setup.model_progress.waiting, setup.budget.spent_usd) == ({}, 20, pytest.approx(0.0))
    assert setup.entry().unanswered_intents == []
    assert str(error) in str(setup.block)
    if isinstance(error, Throttled):
        assert f"a pause of {error.retry_after_s:g} s" in str(setup.block)


def test_an_order_stays_open_where_the_provider_blocks_its_poll(tmp_path: Path) -> None:
    setup = DispatchSetup(Scripted(poll=[Blocked("wrong key")]), tmp_path)
    asyncio.run(setup.run(setup.orders(5, usd=0.2)))
    assert (setup.outcomes, setup.model_progress.waiting) == ({}, 5)
    assert (setup.entry().status, setup.entry().ticket["id"]) == (None, "order-q0")


def test_one_poll_that_does_not_find_the_order_does_not_end_it(tmp_path: Path) -> None:
    setup = DispatchSetup(Scripted(poll=[ModelError("404"), Pending(), ModelError("404"), "done"]), tmp_path)
    assert setup.run_one().status == "success"


def test_an_order_is_repeated_a_limited_number_of_times(tmp_path: Path) -> None:
    setup = DispatchSetup(Scripted(submit=[Unreachable("no line")]), tmp_path)
    outcome = setup.run_one(usd=0.2)
    assert (outcome.status, outcome.error, outcome.ticket) == ("failed", "Unreachable: no line", None)
    assert setup.model.calls["submit"] == LIMITS.attempts
    assert (setup.budget.spent_usd, setup.entry().unanswered_intents) == (0.0, [])


@pytest.mark.parametrize("lost", [Uncertain("gone"), RuntimeError("odd"), "stall", KeyError("id")])
def test_an_order_whose_answer_is_lost_is_never_repeated(tmp_path: Path, lost: Any) -> None:
    setup = DispatchSetup(Scripted(submit=[lost]), tmp_path, SHORT_CALLS)
    dispatcher = asyncio.run(setup.run(setup.orders(1, usd=0.2)))
    assert setup.model.calls == {"submit": 1}
    [(order, why)] = dispatcher.lost_orders
    assert order.job[1] == "q0"
    assert why.startswith("Uncertain: ")
    assert setup.outcomes == {}
    assert [intent.prompt for intent in setup.entry().unanswered_intents] == ["Go 0."]
    assert setup.budget.spent_usd == 0.2  # it may have been paid for


@pytest.mark.parametrize(
    ("error", "status"),
    [(Refused("not nice"), "refused"), (ModelError("wrong size"), "failed"), (UsageError("too long"), "failed")],
)
def test_a_refused_order_is_an_outcome(tmp_path: Path, error: Exception, status: str) -> None:
    setup = DispatchSetup(Scripted(submit=[error]), tmp_path)
    outcome = setup.run_one(usd=0.2)
    assert (outcome.status, outcome.error) == (status, f"{type(error).__name__}: {error}")
    assert setup.model.calls == {"submit": 1}
    assert (setup.budget.spent_usd, setup.entry().unanswered_intents) == (0.0, [])


@pytest.mark.parametrize("trouble", [Throttled("busy", 0.01), Unreachable("no line"), ConnectionResetError("reset")])
def test_polls_and_downloads_are_repeated(tmp_path: Path, trouble: Exception) -> None:
    setup = DispatchSetup(Scripted(poll=[trouble, Pending(), trouble, "done"], fetch=[trouble, b"video"]), tmp_path)
    assert setup.run_one().status == "success"
    assert setup.model.calls == {"submit": 1, "poll": 5, "fetch": 2}


@pytest.mark.parametrize("bad", [b"half", b"<html>", ModelError("expired address")])
def test_a_bad_video_is_polled_and_fetched_again(tmp_path: Path, bad: Any) -> None:
    setup = DispatchSetup(Scripted(fetch=[bad, bad, b"video"]), tmp_path)
    assert setup.run_one().status == "success"
    assert setup.model.calls == {"submit": 1, "poll": 3, "fetch": 3}


@pytest.mark.parametrize(
    ("script", "limits", "message"),
    [
        ({"poll": [Unreachable("no line")]}, LIMITS, "Unreachable: no line"),
        ({"poll": ["stall"]}, SHORT_CALLS, "no answer within 0.5 s"),
        ({"poll": [KeyError("state")]}, LIMITS, "KeyError: 'state'"),
        ({"poll": [Pending()]}, replace(LIMITS, job_limit_s=0.06), "no video within 0.001 minutes"),
        ({"fetch": [b"<html>"]}, LIMITS, "MediaError: not a video"),
        ({"fetch": [b"x" * 101]}, LIMITS, "ModelError: too large"),
    ],
)
def test_a_paid_order_remains_open_after_any_failure(
    tmp_path: Path, script: dict[str, Script], limits: Limits, message: str
) -> None:
    setup = DispatchSetup(Scripted(**script), tmp_path, limits)
    outcome = setup.run_one()
    assert outcome.status == "failed"
    assert outcome.error is not None
    assert message in outcome.error
    assert outcome.error.endswith("the order order-q0 remains open, and --retry-failed polls it again without paying")
    assert (outcome.is_closed, setup.entry().is_closed, setup.entry().ticket["id"]) == (False, False, "order-q0")
    assert setup.model.calls["submit"] == 1

    setup.model.script = {**setup.model.script, "poll": ["done"], "fetch": [b"video"]}
    assert setup.run_one(ticket=Ticket("order-q0")).status == "success"
    assert setup.model.calls["submit"] == 1


@pytest.mark.parametrize(("refused", "status"), [(False, "failed"), (True, "refused")])
def test_a_failure_at_the_provider_closes_the_order(tmp_path: Path, refused: bool, status: str) -> None:
    setup = DispatchSetup(Scripted(poll=[Pending(), Failed("it broke", refused, {"code": 7})]), tmp_path)
    outcome = setup.run_one()
    assert (outcome.status, outcome.error, outcome.answer, outcome.is_closed) == (status, "it broke", {"code": 7}, True)
    assert setup.entry().is_closed


def test_a_budget_is_never_exceeded(tmp_path: Path) -> None:
    setup = DispatchSetup(
        Scripted(poll=[Pending(), Finished(Ticket("x"))]), tmp_path, budget=Budget(1.0, spent_usd=0.25)
    )
    dispatcher = asyncio.run(setup.run(setup.orders(10, usd=0.2)))
    assert (setup.model.calls["submit"], len(dispatcher.skipped_orders), setup.budget.is_reached) == (3, 7, True)
    assert setup.budget.spent_usd == pytest.approx(0.85)
    assert (setup.model_progress.success, setup.model_progress.waiting) == (3, 0)


def test_a_released_reservation_is_available_for_the_next_order(tmp_path: Path) -> None:
    budget = Budget(0.2)
    setup = DispatchSetup(Scripted(submit=[ModelError("no"), "ok"]), tmp_path, replace(LIMITS, in_flight=1), budget)
    setup.model.script["poll"] = [Finished(Ticket("x"))]
    asyncio.run(setup.run(setup.orders(2, usd=0.2)))
    assert [setup.outcomes[name].status for name in ("q0", "q1")] == ["failed", "success"]


def test_a_full_disk_stops_all_jobs(tmp_path: Path) -> None:
    setup = DispatchSetup(Scripted(poll=[Pending()]), tmp_path)

    def fail(outcomes: list[Outcome[None]]) -> None:
        raise StoreError("the disk is full")

    setup.commit = fail  # type: ignore[method-assign]
    setup.model.script["poll"] = [Pending()] * 6 + ["done"]
    with pytest.raises(StoreError, match="the disk is full"):
        asyncio.run(setup.run(setup.orders(20)))
    assert setup.model.calls["submit"] <= 6
    assert setup.entry().ticket is not None
    assert setup.entry().status is None


def test_stopped_jobs_keep_their_tickets_and_an_order_being_sent_gets_one(tmp_path: Path) -> None:
    setup = DispatchSetup(Scripted(poll=[Pending()]), tmp_path)
    dispatchers: list[Dispatcher[None]] = []

    def stop_at_the_third(step: str) -> None:
        if step == "submit" and setup.model.calls["submit"] == 2:
            asyncio.get_running_loop().call_soon(dispatchers[0].stop)

    setup.model.before = stop_at_the_third
    asyncio.run(setup.run(setup.orders(20), dispatchers.append))
    assert setup.model.calls["submit"] == 3
    assert setup.outcomes == {}
    entries = read_entries(journals_of(tmp_path / "journal"))
    assert [entry.ticket is not None for entry in entries.values()] == [True] * 3
    assert setup.model_progress.waiting == 20


def test_retry_after_holds_back_all_orders_and_pauses_are_bounded() -> None:
    async def work() -> None:
        loop = asyncio.get_running_loop()
        rate_limiter = RateLimiter(replace(LIMITS, first_backoff_s=1.0, longest_backoff_s=8.0), Random(3))
        pauses = [
            [rate_limiter.compute_backoff_s(attempt, Unreachable("")) for _ in range(300)] for attempt in range(1, 7)
        ]
        bounds = [1, 2, 4, 8, 8, 8]
        for bound, drawn in zip(bounds, pauses, strict=True):
            assert 0.9 * bound < max(drawn) <= bound
            assert min(drawn) < 0.1 * bound
        assert rate_limiter.get_pause_s() == 0
        assert rate_limiter.compute_backoff_s(1, Throttled("", 0.05)) >= 0.05
        assert 0 < rate_limiter.get_pause_s() <= 0.05
        began = loop.time()
        await asyncio.gather(*(rate_limiter.wait_to_submit() for _ in range(5)))
        assert loop.time() - began >= 0.05

    asyncio.run(work())


def test_orders_are_spaced() -> None:
    async def work() -> None:
        rate_limiter = RateLimiter(replace(LIMITS, orders_per_minute=6000), Random(0))
        began = asyncio.get_running_loop().time()
        await asyncio.gather(*(rate_limiter.wait_to_submit() for _ in range(6)))
        assert asyncio.get_running_loop().time() - began >= 0.05

    asyncio.run(work())


def test_every_provider_has_limits() -> None:
    assert limits_of("wavespeed").job_limit_s == 1800
    assert limits_of("runway").poll_every_s >= 5
    assert limits_of("somebody").in_flight >= 1
