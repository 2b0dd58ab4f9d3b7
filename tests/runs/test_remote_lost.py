"""Reconciliation of lost orders with samples, other processes and earlier calls."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from plain_runs import check_run, check_videos_are_distinct, run_plain, serve, write_questions

from emulators.plain import Fault, Ordered, PlainServer
from vmevalkit.runs.generation_params import GenerationParams


def lose(server: PlainServer, *effects: bool) -> None:
    """Lose the answers to the next orders. Each value says whether the order is accepted."""
    left = list(effects)

    def decide(kind: str) -> Fault | None:
        return Fault(0, after=left.pop(0)) if kind == "order" and left else None

    server.faults = decide


def test_lost_orders_of_samples_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 2)
    with serve(tmp_path, monkeypatch) as server:
        lose(server, True, False, True, True, True, False, True, True)
        summary = run_plain(tmp_path, samples=4)
        assert Counter(run.status for run in summary.runs) == {"success": 6, "uncertain": 2}
        assert len(server.orders) == 6
        for run in summary.runs:
            check_run(run, server)
        check_videos_are_distinct(summary.runs)
        assert run_plain(tmp_path, samples=4).made == 0


def test_a_later_call_finds_lost_orders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 1)
    with serve(tmp_path, monkeypatch, lists=False) as server:
        lose(server, True, True, False)
        assert [run.status for run in run_plain(tmp_path, samples=3).runs] == ["uncertain"] * 3
        server.lists = True
        retry = run_plain(tmp_path, samples=3)
        assert Counter(run.status for run in retry.runs) == {"success": 2, "uncertain": 1}
        assert len(server.orders) == 2
        check_videos_are_distinct(retry.runs)


def test_samples_are_interchangeable_whatever_their_seeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 1)
    with serve(tmp_path, monkeypatch) as server:
        lose(server, True, True)
        summary = run_plain(tmp_path, samples=2, params=GenerationParams(seed=7))
        assert [run.status for run in summary.runs] == ["success"] * 2


def journal_lines(job: list[Any], prompt: str, order: str | None) -> str:
    at = datetime.now(UTC).isoformat()
    records = [{"what": "intent", "job": job, "at": at, "key": "k", "prompt": prompt, "asked": "x", "usd": None}]
    if order is not None:
        records.append({"what": "ticket", "job": job, "at": at, "ticket": {"id": order, "placement": None, "sent": {}}})
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize("answered", [True, False])
def test_an_order_of_another_shard_is_not_claimed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answered: bool
) -> None:
    """Both questions have the same prompt. This shard's order was not accepted; the other's was, later."""
    write_questions(tmp_path, 2, prompt="Open the door.")
    with serve(tmp_path, monkeypatch) as server:
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
        [run] = run_plain(tmp_path, shard=(1, 2)).runs
        assert (run.question_id, run.status) == ("door_000", "uncertain")


def test_a_failed_order_is_not_taken_for_a_lost_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 2, prompt="Open the door.")
    with serve(tmp_path, monkeypatch) as server:
        lose(server, False)
        server.verdict = lambda _: {"state": "failed", "reason": "it broke"}
        one = run_plain(tmp_path)
        assert Counter(run.status for run in one.runs) == {"uncertain": 1, "failed": 1}
        server.verdict = lambda _: {"state": "done"}
        two = run_plain(tmp_path, retry_failed=True)
        assert Counter(run.status for run in two.runs) == {"uncertain": 1, "success": 1}
        assert Counter(run.status for run in run_plain(tmp_path).runs) == {"uncertain": 1, "success": 1}
        for run in two.runs:
            check_run(run, server)


@pytest.mark.parametrize(("model", "status"), [("runway-gen4-turbo", "success"), ("unknown-model", "uncertain")])
def test_open_orders_at_another_provider_are_not_ambiguous(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, status: str
) -> None:
    """Models share prompts, and not all of their providers have a list."""
    write_questions(tmp_path, 1)
    beside = tmp_path / "outputs" / "first" / model / "journal.jsonl"
    beside.parent.mkdir(parents=True)
    beside.write_text(journal_lines(["doors", "door_000", 0], "Open door 0.", None))
    with serve(tmp_path, monkeypatch) as server:
        lose(server, True)
        [run] = run_plain(tmp_path).runs
        assert (run.status, len(server.orders)) == (status, 1)
