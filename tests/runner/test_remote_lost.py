"""Orders whose answers were lost, found again among those of samples, of other processes and of earlier calls."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from plain_runs import ask, check_no_film_serves_twice, check_run, film, served

from emulators.plain import Fault, Ordered, PlainServer
from vmevalkit.runner.wishes import Wishes


def lose(server: PlainServer, *effects: bool) -> None:
    """The answers to the next orders get lost; whether each order is taken all the same."""
    left = list(effects)

    def decide(kind: str) -> Fault | None:
        return Fault(0, after=left.pop(0)) if kind == "order" and left else None

    server.faults = decide


def test_samples_of_a_question_get_back_what_was_ordered_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(tmp_path, 2)
    with served(tmp_path, monkeypatch) as server:
        lose(server, True, False, True, True, True, False, True, True)
        summary = film(tmp_path, samples=4)
        assert Counter(run.status for run in summary.runs) == {"success": 6, "uncertain": 2}
        assert len(server.orders) == 6
        for run in summary.runs:
            check_run(run, server)
        check_no_film_serves_twice(summary.runs)
        assert film(tmp_path, samples=4).made == 0


def test_a_later_call_finds_them_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, 1)
    with served(tmp_path, monkeypatch, lists=False) as server:
        lose(server, True, True, False)
        assert [run.status for run in film(tmp_path, samples=3).runs] == ["uncertain"] * 3
        server.lists = True
        again = film(tmp_path, samples=3)
        assert Counter(run.status for run in again.runs) == {"success": 2, "uncertain": 1}
        assert len(server.orders) == 2
        check_no_film_serves_twice(again.runs)


def test_samples_with_seeds_of_their_own_are_not_exchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, 1)
    with served(tmp_path, monkeypatch) as server:
        lose(server, True, True)
        summary = film(tmp_path, samples=2, wishes=Wishes(seed=7))
        assert [run.status for run in summary.runs] == ["uncertain"] * 2


def journal_lines(job: list[Any], prompt: str, order: str | None) -> str:
    at = datetime.now(UTC).isoformat()
    records = [{"what": "intent", "job": job, "at": at, "key": "k", "prompt": prompt, "asked": "x", "usd": None}]
    if order is not None:
        records.append({"what": "ticket", "job": job, "at": at, "ticket": {"id": order, "placement": None, "sent": {}}})
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize("answered", [True, False])
def test_what_another_shard_ordered_meanwhile_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answered: bool
) -> None:
    """Both questions have the same prompt. This shard's order was never taken; the other's was, after this began."""
    ask(tmp_path, 2, prompt="Open the door.")
    with served(tmp_path, monkeypatch) as server:
        lose(server, False)

        def other_shard_orders(kind: str) -> None:
            if kind == "order":
                body = {"prompt": "Open the door.", "question": "door_001", "sample": 0}
                server.orders["order-9"] = Ordered("order-9", body, datetime.now(UTC))
                journal = tmp_path / "outputs" / "first" / "plain-1" / "journal-2-of-2.jsonl"
                journal.write_text(
                    journal_lines(["doors", "door_001", 0], "Open the door.", "order-9" if answered else None)
                )

        server.on_request = other_shard_orders
        [run] = film(tmp_path, shard=(1, 2)).runs
        assert (run.question_id, run.status) == ("door_000", "uncertain")


def test_an_order_that_failed_and_was_sent_again_is_not_taken_for_a_lost_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(tmp_path, 2, prompt="Open the door.")
    with served(tmp_path, monkeypatch) as server:
        lose(server, False)
        server.verdict = lambda _: {"state": "failed", "reason": "it broke"}
        one = film(tmp_path)
        assert Counter(run.status for run in one.runs) == {"uncertain": 1, "failed": 1}
        server.verdict = lambda _: {"state": "done"}
        two = film(tmp_path, retry_failed=True)
        assert Counter(run.status for run in two.runs) == {"uncertain": 1, "success": 1}
        assert Counter(run.status for run in film(tmp_path).runs) == {"uncertain": 1, "success": 1}
        for run in two.runs:
            check_run(run, server)


@pytest.mark.parametrize(("model", "status"), [("runway-gen4-turbo", "success"), ("somebody-s", "uncertain")])
def test_open_orders_at_another_provider_are_no_reason_for_doubt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, status: str
) -> None:
    """Six models meet the same prompts, and not all of their providers have a list."""
    ask(tmp_path, 1)
    beside = tmp_path / "outputs" / "first" / model / "journal.jsonl"
    beside.parent.mkdir(parents=True)
    beside.write_text(journal_lines(["doors", "door_000", 0], "Open door 0.", None))
    with served(tmp_path, monkeypatch) as server:
        lose(server, True)
        [run] = film(tmp_path).runs
        assert (run.status, len(server.orders)) == (status, 1)
