"""The loop over a provider in this process that does as it is told."""

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
from vmevalkit.jobs import course
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.dispatch import Dispatch
from vmevalkit.jobs.limits import Gate, Limits, limits_of
from vmevalkit.jobs.order import Order, Outcome
from vmevalkit.jobs.tally import Tally
from vmevalkit.models.model import Done, Failed, Listed, ModelSpec, Pending, Ticket
from vmevalkit.store.journal import Journal, read_entries
from vmevalkit.store.layout import journals_of

LIMITS = Limits(
    in_flight=3, orders_per_minute=1e6, poll_every_s=0.001, attempts=4, job_limit_s=5.0, call_limit_s=0.5,
    fetch_limit_s=0.5, film_limit_bytes=100, first_backoff_s=0.001, longest_backoff_s=0.002,
)  # fmt: skip
Script = list[Any]
"""What each call of a step gives: an exception is raised, anything else returned; the last one holds for ever."""


class Scripted:
    """A provider by the book: a list of answers for each step."""

    def __init__(self, **script: Script) -> None:
        self.spec = ModelSpec("scripted", "scripted", "s", "s")
        self.script = {"submit": ["ok"], "poll": ["done"], "fetch": [b"film"], **script}
        self.calls: Counter[str] = Counter()
        self.keys: list[str] = []
        self.now = self.most = 0
        self.before: Callable[[str], None] = lambda _step: None

    def _next(self, step: str) -> Any:
        self.before(step)
        answers = self.script[step]
        self.calls[step] += 1
        answer = answers[min(self.calls[step], len(answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def submit(self, request: Request, key: str) -> Ticket:
        self.keys.append(key)
        answer = self._next("submit")
        self.now += 1
        self.most = max(self.most, self.now)
        if answer == "stall":
            await asyncio.sleep(60)
        await asyncio.sleep(0.001)
        return Ticket(f"order-{request.question_id}", Placement((1, 1), (0, 0, 1, 1)), {"prompt": request.prompt})

    async def poll(self, ticket: Ticket) -> Pending | Done | Failed:
        answer = self._next("poll")
        if answer == "stall":
            await asyncio.sleep(60)
        if answer == "done":
            return Done(ticket, "url", {"state": "done"}, 0.3)
        return answer  # type: ignore[no-any-return]

    async def fetch(self, done: Done, into: Path, limit_bytes: int) -> None:
        film = self._next("fetch")
        self.now -= 1
        if len(film) > limit_bytes:
            raise ModelError("too large")
        into.write_bytes(film)

    async def orders(self, since: datetime) -> list[Listed] | None:
        return None

    async def close(self) -> None:
        return None


def looks_like_a_film(path: Path) -> str:
    if path.read_bytes() != b"film":
        raise MediaError("that is no film")
    return "checked"


class Setting:
    """A dispatch with all that it needs, and what came of it."""

    def __init__(self, model: Scripted, folder: Path, limits: Limits = LIMITS, budget: Budget | None = None) -> None:
        self.model, self.folder, self.limits = model, folder, limits
        self.budget = budget or Budget()
        self.tally = Tally("scripted")
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
        self, orders: list[Order[None]], and_then: Callable[[Dispatch[None]], None] | None = None
    ) -> Dispatch[None]:
        journal = Journal(self.folder / "journal")
        gate = Gate(self.limits, Random(0))
        dispatch: Dispatch[None] = Dispatch(
            course.Counter(self.model, journal, gate, self.budget, looks_like_a_film), self.tally, self.commit
        )
        self.tally.waiting = len(orders)
        if and_then:
            and_then(dispatch)
        try:
            await dispatch.run(orders)
        finally:
            await dispatch.close()
            await journal.close()
        return dispatch

    def one(self, **how: Any) -> Outcome[None]:
        asyncio.run(self.run(self.orders(1, **how)))
        return self.outcomes["q0"]

    def entry(self, name: str = "q0") -> Any:
        return read_entries(journals_of(self.folder / "journal"))["maze", name, 0]


def test_many_jobs_at_once_and_never_more_than_allowed(tmp_path: Path) -> None:
    desk = Setting(Scripted(poll=[Pending(), Pending(), "done"]), tmp_path)
    asyncio.run(desk.run(desk.orders(40)))
    assert {outcome.status for outcome in desk.outcomes.values()} == {"success"}
    assert len(desk.outcomes) == 40
    assert desk.model.most == LIMITS.in_flight
    assert (desk.tally.success, desk.tally.waiting, desk.tally.total) == (40, 0, 40)
    outcome = desk.outcomes["q7"]
    assert (outcome.checked, outcome.charged_usd, outcome.answer) == ("checked", 0.3, {"state": "done"})
    assert outcome.ticket is not None
    assert outcome.ticket.id == "order-q7"
    assert outcome.ordered_at is not None
    assert (desk.entry("q7").status, desk.entry("q7").usd) == ("success", 0.3)


def test_the_intent_is_on_the_disk_before_the_order_and_the_ticket_before_the_first_question(tmp_path: Path) -> None:
    desk = Setting(Scripted(), tmp_path)
    seen = []

    def look(step: str) -> None:
        entry = desk.entry()
        seen.append((step, entry.intent is not None, entry.ticket and entry.ticket["id"], entry.status))

    desk.model.before = look
    desk.one()
    assert seen == [
        ("submit", True, None, None), ("poll", True, "order-q0", None), ("fetch", True, "order-q0", None),
    ]  # fmt: skip
    assert desk.entry().ticket["sent"] == {"prompt": "Go 0."}
    assert desk.entry().status == "success"


@pytest.mark.parametrize("nothing", [Throttled("busy"), Throttled("busy", 0.01), Unreachable("no line")])
def test_an_order_is_repeated_where_surely_nothing_was_ordered(tmp_path: Path, nothing: ModelError) -> None:
    desk = Setting(Scripted(submit=[nothing, nothing, "ok"]), tmp_path)
    assert desk.one(usd=0.2).status == "success"
    assert desk.model.keys == ["key-0"] * 3
    assert desk.entry().unanswered == []
    assert desk.budget.spent_usd == pytest.approx(0.3)  # as the provider says


def test_it_is_repeated_only_so_often(tmp_path: Path) -> None:
    desk = Setting(Scripted(submit=[Unreachable("no line")]), tmp_path)
    outcome = desk.one(usd=0.2)
    assert (outcome.status, outcome.error, outcome.ticket) == ("failed", "Unreachable: no line", None)
    assert desk.model.calls["submit"] == LIMITS.attempts
    assert (desk.budget.spent_usd, desk.entry().unanswered) == (0.0, [])


@pytest.mark.parametrize("lost", [Uncertain("gone"), RuntimeError("odd"), "stall", KeyError("id")])
def test_an_order_whose_answer_is_lost_is_never_repeated(tmp_path: Path, lost: Any) -> None:
    desk = Setting(Scripted(submit=[lost]), tmp_path)
    dispatch = asyncio.run(desk.run(desk.orders(1, usd=0.2)))
    assert desk.model.calls == {"submit": 1}
    [(order, why)] = dispatch.lost
    assert order.job[1] == "q0"
    assert why.startswith("Uncertain: ")
    assert desk.outcomes == {}
    assert [intent.prompt for intent in desk.entry().unanswered] == ["Go 0."]
    assert desk.budget.spent_usd == 0.2  # it may have been paid for


@pytest.mark.parametrize(
    ("error", "status"),
    [(Refused("not nice"), "refused"), (ModelError("wrong size"), "failed"), (UsageError("too long"), "failed")],
)
def test_a_final_no_to_an_order_is_an_outcome(tmp_path: Path, error: Exception, status: str) -> None:
    desk = Setting(Scripted(submit=[error]), tmp_path)
    outcome = desk.one(usd=0.2)
    assert (outcome.status, outcome.error) == (status, f"{type(error).__name__}: {error}")
    assert desk.model.calls == {"submit": 1}
    assert (desk.budget.spent_usd, desk.entry().unanswered) == (0.0, [])


@pytest.mark.parametrize("trouble", [Throttled("busy", 0.01), Unreachable("no line"), ConnectionResetError("reset")])
def test_questions_are_repeated(tmp_path: Path, trouble: Exception) -> None:
    desk = Setting(Scripted(poll=[trouble, Pending(), trouble, "done"], fetch=[trouble, b"film"]), tmp_path)
    assert desk.one().status == "success"
    assert desk.model.calls == {"submit": 1, "poll": 5, "fetch": 2}


@pytest.mark.parametrize("bad", [b"half", b"<html>", ModelError("expired address")])
def test_a_bad_film_is_fetched_again_with_a_fresh_answer(tmp_path: Path, bad: Any) -> None:
    desk = Setting(Scripted(fetch=[bad, bad, b"film"]), tmp_path)
    assert desk.one().status == "success"
    assert desk.model.calls == {"submit": 1, "poll": 3, "fetch": 3}


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ({"poll": [Unreachable("no line")]}, "Unreachable: no line"),
        ({"poll": ["stall"]}, "no answer within 0.01 s"),
        ({"poll": [KeyError("state")]}, "KeyError: 'state'"),
        ({"poll": [Pending()]}, "no film within 0.000833333 minutes"),
        ({"fetch": [b"<html>"]}, "MediaError: that is no film"),
        ({"fetch": [b"x" * 101]}, "ModelError: too large"),
    ],
)
def test_what_was_paid_for_stays_open_however_it_fails(tmp_path: Path, script: dict[str, Script], told: str) -> None:
    limits = replace(LIMITS, job_limit_s=0.05, call_limit_s=0.01)
    desk = Setting(Scripted(**script), tmp_path, limits)
    outcome = desk.one()
    assert outcome.status == "failed"
    assert outcome.error is not None
    assert told in outcome.error
    assert outcome.error.endswith("the order order-q0 stays, and --retry-failed asks for its film again")
    assert (outcome.closed, desk.entry().closed, desk.entry().ticket["id"]) == (False, False, "order-q0")
    assert desk.model.calls["submit"] == 1

    desk.model.script = {**desk.model.script, "poll": ["done"], "fetch": [b"film"]}
    assert desk.one(ticket=Ticket("order-q0")).status == "success"
    assert desk.model.calls["submit"] == 1


@pytest.mark.parametrize(("refused", "status"), [(False, "failed"), (True, "refused")])
def test_the_provider_s_no_closes_the_order(tmp_path: Path, refused: bool, status: str) -> None:
    desk = Setting(Scripted(poll=[Pending(), Failed("it broke", refused, {"code": 7})]), tmp_path)
    outcome = desk.one()
    assert (outcome.status, outcome.error, outcome.answer, outcome.closed) == (status, "it broke", {"code": 7}, True)
    assert desk.entry().closed


def test_a_budget_is_never_exceeded(tmp_path: Path) -> None:
    desk = Setting(Scripted(poll=[Pending(), Done(Ticket("x"))]), tmp_path, budget=Budget(1.0, spent_usd=0.25))
    dispatch = asyncio.run(desk.run(desk.orders(10, usd=0.2)))
    assert (desk.model.calls["submit"], len(dispatch.left), desk.budget.reached) == (3, 7, True)
    assert desk.budget.spent_usd == pytest.approx(0.85)
    assert (desk.tally.success, desk.tally.waiting) == (3, 0)


def test_money_that_was_not_spent_is_there_for_the_next(tmp_path: Path) -> None:
    budget = Budget(0.2)
    desk = Setting(Scripted(submit=[ModelError("no"), "ok"]), tmp_path, replace(LIMITS, in_flight=1), budget)
    desk.model.script["poll"] = [Done(Ticket("x"))]
    asyncio.run(desk.run(desk.orders(2, usd=0.2)))
    assert [desk.outcomes[name].status for name in ("q0", "q1")] == ["failed", "success"]


def test_a_disk_that_fails_stops_all_of_them(tmp_path: Path) -> None:
    desk = Setting(Scripted(poll=[Pending()]), tmp_path)

    def full(outcomes: list[Outcome[None]]) -> None:
        raise StoreError("the disk is full")

    desk.commit = full  # type: ignore[method-assign]
    desk.model.script["poll"] = [Pending()] * 6 + ["done"]
    with pytest.raises(StoreError, match="the disk is full"):
        asyncio.run(desk.run(desk.orders(20)))
    assert desk.model.calls["submit"] <= 6
    assert desk.entry().ticket is not None
    assert desk.entry().status is None


def test_stopped_jobs_keep_their_tickets_and_what_is_being_ordered_gets_one(tmp_path: Path) -> None:
    desk = Setting(Scripted(poll=[Pending()]), tmp_path)
    dispatches: list[Dispatch[None]] = []

    def stop_at_the_third(step: str) -> None:
        if step == "submit" and desk.model.calls["submit"] == 2:
            asyncio.get_running_loop().call_soon(dispatches[0].stop)

    desk.model.before = stop_at_the_third
    asyncio.run(desk.run(desk.orders(20), dispatches.append))
    assert desk.model.calls["submit"] == 3
    assert desk.outcomes == {}
    entries = read_entries(journals_of(tmp_path / "journal"))
    assert [entry.ticket is not None for entry in entries.values()] == [True] * 3
    assert desk.tally.waiting == 20


def test_retry_after_holds_back_all_orders_and_pauses_are_bounded() -> None:
    async def work() -> None:
        loop = asyncio.get_running_loop()
        gate = Gate(replace(LIMITS, first_backoff_s=1.0, longest_backoff_s=8.0), Random(3))
        pauses = [[gate.pause_s(attempt, Unreachable("")) for _ in range(300)] for attempt in range(1, 7)]
        bounds = [1, 2, 4, 8, 8, 8]
        for bound, drawn in zip(bounds, pauses, strict=True):
            assert 0.9 * bound < max(drawn) <= bound
            assert min(drawn) < 0.1 * bound
        assert gate.pause_s(1, Throttled("", 0.05)) >= 0.05
        began = loop.time()
        await asyncio.gather(*(gate.order_turn() for _ in range(5)))
        assert loop.time() - began >= 0.05

    asyncio.run(work())


def test_orders_are_spaced() -> None:
    async def work() -> None:
        gate = Gate(replace(LIMITS, orders_per_minute=6000), Random(0))
        began = asyncio.get_running_loop().time()
        await asyncio.gather(*(gate.order_turn() for _ in range(6)))
        assert asyncio.get_running_loop().time() - began >= 0.05

    asyncio.run(work())


def test_every_provider_has_limits() -> None:
    assert limits_of("wavespeed").job_limit_s == 1800
    assert limits_of("runway").poll_every_s >= 5
    assert limits_of("somebody").in_flight >= 1
