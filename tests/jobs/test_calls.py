"""One-shot calls: limits, retries, budget, the log, interrupts, kills."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from vmevalkit.core.chat import ChatAnswer, ChatMessage, ChatRequest, TextPart
from vmevalkit.core.errors import Blocked, ModelError, Refused, StoreError, Throttled, Unreachable
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.calls import CallResult
from vmevalkit.jobs.chat_calls import ChatCaller, run_chat_items
from vmevalkit.jobs.limits import CHAT_LIMITS
from vmevalkit.jobs.progress import Progress
from vmevalkit.store.answer_log import AnswerLog, LoggedAnswer

LIMITS = replace(
    CHAT_LIMITS, in_flight=3, orders_per_minute=1e6, attempts=4, call_limit_s=30.0, first_backoff_s=0.001,
    longest_backoff_s=0.002,
)  # fmt: skip


def ask_about(number: int) -> ChatRequest:
    return ChatRequest((ChatMessage("user", (TextPart(f"Question {number}?"),)),))


class Scripted:
    """A chat model with a list of answers; the last one is repeated."""

    name, provider, identity = "scripted", "scripted", "scripted@here"

    def __init__(self, *script: Any, price: float | None = 0.01) -> None:
        self.script, self.price = script or ("yes",), price
        self.asked: list[str] = []
        self.in_flight = self.most_in_flight = 0
        self.is_closed = False

    def estimate_usd(self, request: ChatRequest) -> float | None:
        return None if self.price is None else 2 * self.price

    async def ask(self, request: ChatRequest) -> ChatAnswer:
        self.asked.append(request.text)
        said = self.script[min(len(self.asked), len(self.script)) - 1]
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(60 if said == "stall" else 0.002)
        finally:
            self.in_flight -= 1
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, ChatAnswer) else ChatAnswer(said, model="scripted-1", usd=self.price)

    async def close(self) -> None:
        self.is_closed = True


@dataclass
class Asked:
    results: dict[int, CallResult[ChatAnswer]]
    caller: ChatCaller
    progress: Progress


def run(
    model: Scripted, folder: Path, numbers: list[int], *, during: Callable[[ChatCaller], None] | None = None, **how: Any
) -> Asked:
    results: dict[int, CallResult[ChatAnswer]] = {}

    async def main() -> Asked:
        progress = Progress()
        caller = ChatCaller(model, answers=folder, progress=progress, **{"limits": LIMITS, **how})

        async def work(number: int) -> None:
            results[number] = await caller.ask(ask_about(number))
            if during:
                during(caller)

        await run_chat_items([caller], numbers, work, at_once=10)
        return Asked(results, caller, progress)

    return asyncio.run(main())


def test_many_calls_at_once_and_never_more_than_allowed(tmp_path: Path) -> None:
    model = Scripted()
    asked = run(model, tmp_path, list(range(40)))
    assert {result.status for result in asked.results.values()} == {"answered"}
    assert (len(model.asked), model.most_in_flight, model.is_closed) == (40, LIMITS.in_flight, True)
    counts = asked.progress.of("scripted")
    assert (counts.success, counts.waiting, counts.submitting) == (40, 0, 0)


def test_what_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    run(Scripted(), tmp_path, [0, 1, 2])
    model = Scripted("other")
    asked = run(model, tmp_path, [0, 1, 2, 3])
    assert model.asked == ["Question 3?"]
    assert [asked.results[number].is_cached for number in range(4)] == [True, True, True, False]
    assert asked.results[0].answer is not None
    assert (asked.results[0].answer.text, asked.results[0].answer.model) == ("yes", "scripted-1")
    assert asked.progress.of("scripted").kept == 3


def test_the_same_question_twice_at_once_is_one_request(tmp_path: Path) -> None:
    model = Scripted()
    run(model, tmp_path, [0, 0, 0, 0])
    assert len(model.asked) == 1


def test_a_question_whose_twin_failed_fails_too(tmp_path: Path) -> None:
    model = Scripted(ModelError("broken"))
    asked = run(model, tmp_path, [0, 0])
    assert asked.results[0].error == "ModelError: broken"
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    "fault", [Throttled("busy"), Throttled("busy", 0.01), Unreachable("no line"), "stall", ConnectionResetError("cut")]
)
def test_faults_are_repeated(tmp_path: Path, fault: Any) -> None:
    model = Scripted(fault, fault, "yes")
    limits = replace(LIMITS, call_limit_s=1.0) if fault == "stall" else LIMITS
    asked = run(model, tmp_path, [0], limits=limits)
    assert (asked.results[0].status, len(model.asked), asked.caller.sent) == ("answered", 3, 3)


def test_faults_are_repeated_a_limited_number_of_times(tmp_path: Path) -> None:
    model = Scripted(Unreachable("no line"))
    asked = run(model, tmp_path, [0], budget=Budget(1.0))
    assert (asked.results[0].status, asked.results[0].error) == ("failed", "Unreachable: no line")
    assert (len(model.asked), asked.caller.budget.spent_usd) == (LIMITS.attempts, 0.0)
    assert asked.progress.of("scripted").failed == 1
    assert run(Scripted(), tmp_path, [0]).results[0].status == "answered"  # it is asked again next time


@pytest.mark.parametrize("error", [ModelError("a wrong key"), Refused("no"), ValueError("a bug of an adapter")])
def test_other_errors_are_final(tmp_path: Path, error: Exception) -> None:
    model = Scripted(error)
    asked = run(model, tmp_path, [0])
    assert (asked.results[0].status, len(model.asked)) == ("failed", 1)


def test_a_blocked_provider_gets_no_further_call(tmp_path: Path) -> None:
    model = Scripted(Blocked("a wrong key"))
    asked = run(model, tmp_path, list(range(40)))
    assert len(model.asked) <= LIMITS.in_flight
    assert {result.error for result in asked.results.values()} == {"Blocked: a wrong key"}


def test_a_pause_that_is_too_long_stops_all_calls(tmp_path: Path) -> None:
    model = Scripted(Throttled("busy", 1e6))
    asked = run(model, tmp_path, list(range(20)))
    assert {result.status for result in asked.results.values()} == {"failed"}
    assert len(model.asked) <= LIMITS.in_flight
    assert "Retry-After" in str(asked.results[19].error)


def test_a_rejected_answer_is_paid_recorded_and_asked_for_again(tmp_path: Path) -> None:
    def find_fault(answer: ChatAnswer) -> str | None:
        return None if answer.text == "yes" else f"{answer.text!r} is not an answer"

    asked = run(Scripted("maybe"), tmp_path, [0], find_fault=find_fault, purpose="e", budget=Budget(1.0))
    result = asked.results[0]
    assert (result.status, result.error) == ("rejected", "'maybe' is not an answer")
    assert asked.caller.budget.spent_usd == pytest.approx(0.01)
    again = run(Scripted("yes"), tmp_path, [0], find_fault=find_fault, purpose="e", budget=Budget(1.0))
    assert (again.results[0].status, again.results[0].is_cached) == ("answered", False)
    assert again.caller.budget.spent_usd == pytest.approx(0.02)  # both were paid
    lines = [json.loads(line) for line in next(tmp_path.glob("*.jsonl")).read_text().splitlines()]
    assert [line["rejected"] for line in lines] == ["'maybe' is not an answer", None]


def test_a_refusal_is_kept_and_asked_for_again_only_on_demand(tmp_path: Path) -> None:
    refusal = ChatAnswer("", refusal="I cannot help with that.")
    asked = run(Scripted(refusal), tmp_path, [0], find_fault=lambda _: "unreadable")
    assert asked.results[0].status == "answered"
    model = Scripted("yes")
    kept = run(model, tmp_path, [0]).results[0].answer
    assert kept is not None
    assert kept.refusal == "I cannot help with that."
    assert model.asked == []
    again = run(model, tmp_path, [0], retry_refused=True).results[0].answer
    assert again is not None
    assert again.text == "yes"


def test_the_budget_counts_earlier_answers_and_is_never_exceeded(tmp_path: Path) -> None:
    run(Scripted(price=0.1), tmp_path, [0, 1], purpose="e", budget=Budget(1.0))
    model = Scripted(price=0.1)
    asked = run(model, tmp_path, list(range(10)), purpose="e", budget=Budget(0.55))
    status = [asked.results[number].status for number in range(10)]
    assert status.count("unaffordable") == 10 - 2 - len(model.asked)
    assert 0 < len(model.asked) < 8
    assert asked.caller.budget.spent_usd <= 0.55
    error = next(result.error for result in asked.results.values() if result.status == "unaffordable")
    assert error == "the budget of $0.55 does not allow the call"
    other = run(Scripted(price=0.1), tmp_path, [77], purpose="another", budget=Budget(0.25))
    assert other.results[77].status == "answered"  # a budget of its own


def test_an_unknown_price_is_assumed(tmp_path: Path) -> None:
    asked = run(Scripted(price=None), tmp_path, [0, 1, 2], budget=Budget(0.25), assumed_usd=0.1)
    assert sorted(result.status for result in asked.results.values()) == ["answered", "answered", "unaffordable"]


def test_after_stop_nothing_is_sent_and_what_was_sent_is_kept(tmp_path: Path) -> None:
    model = Scripted()
    asked = run(model, tmp_path, list(range(30)), during=lambda caller: caller.stop())
    assert 1 <= len(model.asked) <= LIMITS.in_flight + 1
    assert len(asked.results) == len(model.asked)  # each answer that was paid for arrived
    counts = asked.progress.of("scripted")
    assert (counts.waiting, counts.submitting, counts.success) == (0, 0, len(model.asked))


def test_a_log_that_cannot_be_written_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(StoreError, match="the disk is full"):
        run(Scripted(), tmp_path, list(range(9)))


def test_a_torn_line_loses_one_answer_only(tmp_path: Path) -> None:
    run(Scripted(), tmp_path, [0, 1, 2])
    path = next(tmp_path.glob("*.jsonl"))
    path.write_bytes(path.read_bytes()[:-20])
    model = Scripted()
    run(model, tmp_path, [0, 1, 2])
    assert len(model.asked) == 1
    model = Scripted()
    run(model, tmp_path, [0, 1, 2])
    assert model.asked == []


def test_two_processes_may_share_a_log(tmp_path: Path) -> None:
    async def main() -> None:
        logs = [AnswerLog(tmp_path / "a.jsonl") for _ in range(2)]
        for number in range(20):
            await logs[number % 2].add(LoggedAnswer(f"k{number}", "p", {"text": "x" * 50}, 0.5))
        for log in logs:
            await log.close()

    asyncio.run(main())
    log = AnswerLog(tmp_path / "a.jsonl")
    assert all(log.find(f"k{number}") for number in range(20))
    assert log.spent_usd("p") == 10.0
    asyncio.run(log.close())


KILLED = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_calls import Scripted, LIMITS, ask_about
from vmevalkit.jobs.chat_calls import ChatCaller, run_chat_items
async def main():
    caller = ChatCaller(Scripted(), answers=Path(sys.argv[1]), limits=LIMITS)
    async def work(number):
        await caller.ask(ask_about(number))
        print(number, flush=True)
    await run_chat_items([caller], range(100000), work, 10)
asyncio.run(main())
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_asks_nothing_again(tmp_path: Path, how: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path), str(Path(__file__).parent)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    reported = [int(process.stdout.readline()) for _ in range(40)]
    process.send_signal(how)
    rest, _ = process.communicate(timeout=60)
    assert process.returncode != 0
    reported += [int(line) for line in rest.splitlines() if line.strip().isdigit()]
    model = Scripted()
    run(model, tmp_path, reported)
    assert model.asked == []
