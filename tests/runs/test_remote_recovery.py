"""Faults, lost answers, interrupts and damaged folders: paid orders are found again and not paid again."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import threading
from pathlib import Path

import pytest
from plain_runs import check_run, find_leftovers, first, run_plain, serve, write_questions

from emulators.plain import ROW, Fault
from vmevalkit.core.errors import ConflictError, StoreError
from vmevalkit.runs.job_specs import RetryPolicy
from vmevalkit.runs.plan import RateLimits
from vmevalkit.runs.run import run
from vmevalkit.store.runs import find_runs, load_all_runs


def test_a_failed_job_is_repeated_only_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 1)
    with serve(tmp_path, monkeypatch, verdict=lambda _: {"state": "failed", "reason": "it broke"}) as server:
        [bad] = run_plain(tmp_path).failed
        assert (bad.error, bad.status) == ("it broke", "failed")
        assert (run_plain(tmp_path).made, len(server.orders)) == (0, 1)
        server.verdict = lambda _: {"state": "done"}
        good = run_plain(tmp_path, retry_failed=True)
        assert (good.made, good.failed, len(server.orders)) == (1, (), 2)
        assert len(load_all_runs(tmp_path / "outputs", "first")) == 2


def test_a_late_or_broken_video_is_polled_again_and_not_paid_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_questions(tmp_path, 1)
    with serve(tmp_path, monkeypatch, served=lambda _, whole: whole[: len(whole) // 2]) as server:
        [bad] = run_plain(tmp_path).failed
        assert "truncated" in str(bad.error)
        assert "order-0000 remains open, and --retry-failed polls it again without paying" in str(bad.error)
        server.served = lambda _, whole: whole
        assert not run_plain(tmp_path, retry_failed=True).failed
        assert len(server.orders) == 1


def test_a_paid_order_can_be_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 1)
    with serve(tmp_path, monkeypatch, served=lambda *_: b"<html>") as server:
        assert run_plain(tmp_path).failed
        server.served = lambda _, whole: whole
        assert not run_plain(tmp_path, retry=RetryPolicy(failed=True, reorder=True)).failed
        assert len(server.orders) == 2


def test_a_folder_that_was_removed_is_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 2)
    with serve(tmp_path, monkeypatch) as server:
        shutil.rmtree(run_plain(tmp_path).runs[0].folder)
        retry = run_plain(tmp_path)
        assert (retry.made, retry.kept, len(server.orders)) == (1, 1, 2)
        for run in retry.runs:
            check_run(run, server)


def test_a_copied_experiment_is_complete_and_its_open_orders_are_polled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal belongs to the experiment whose folder it is in."""
    write_questions(tmp_path, 3)
    with serve(tmp_path, monkeypatch) as server:
        shutil.rmtree(run_plain(tmp_path).runs[0].folder)
        shutil.copytree(tmp_path / "outputs" / "first", tmp_path / "outputs" / "second")
        again = run(["plain-1"], tmp_path / "questions", "second", tmp_path / "outputs", catalogue={"plain-1": ROW})
        assert (again.made, again.kept, again.failed, len(server.orders)) == (1, 2, (), 3)
        for found in again.runs:
            check_run(found, server)
            assert found.experiment == "second"
    assert len(find_runs(tmp_path / "outputs", "first")) == 2


def test_a_lost_answer_is_found_in_the_provider_s_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 3)
    with serve(tmp_path, monkeypatch, faults=first("order", Fault(0, after=True), times=3)) as server:
        summary = run_plain(tmp_path)
        assert not summary.failed
        assert len(server.orders) == 3
        for run in summary.runs:
            check_run(run, server)


@pytest.mark.parametrize("lists", [True, False])
def test_an_uncertain_order_is_never_resubmitted_automatically(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lists: bool
) -> None:
    """Three questions with the same prompt: the list cannot tell whose order is whose."""
    write_questions(tmp_path, 3, prompt="Open the door.")
    with serve(tmp_path, monkeypatch, lists=lists, faults=first("order", Fault(500, after=True), times=3)) as server:
        summary = run_plain(tmp_path)
        assert [run.status for run in summary.failed] == ["uncertain"] * 3
        assert all("--resubmit-uncertain" in str(run.error) for run in summary.failed)
        assert "answer 500" in str(summary.failed[0].error)
        for how in ({}, {"retry_failed": True}):
            retry = run_plain(tmp_path, **how)
            assert (retry.made, retry.kept, len(retry.failed), len(server.orders)) == (0, 3, 3, 3)
        paid = run_plain(tmp_path, retry=RetryPolicy(uncertain=True))
        assert (paid.made, paid.failed, len(server.orders)) == (3, (), 6)
        assert sorted(server.keys[:3]) == sorted(
            server.keys[3:]
        )  # a provider that supports idempotency keys charges once


def test_throttled_and_unreachable_orders_are_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 4)
    fault = Fault(429, headers="Retry-After: 0.02\r\n")
    with serve(tmp_path, monkeypatch, faults=first("order", fault, times=6)) as server:
        assert not run_plain(tmp_path).failed
        assert (server.requests["order"], len(server.orders)) == (10, 4)


def test_an_interrupt_leaves_tickets_and_the_next_call_polls_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_questions(tmp_path, 30)
    before = signal.getsignal(signal.SIGINT)
    with serve(tmp_path, monkeypatch, verdict=lambda _: {"state": "making"}) as server:

        def press(kind: str) -> None:
            if kind == "order" and len(server.orders) == 10:
                threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()

        server.on_request = press
        with pytest.raises(KeyboardInterrupt):
            run_plain(tmp_path, rate_limits=RateLimits(in_flight=15))
        assert signal.getsignal(signal.SIGINT) is before
        assert find_leftovers(tmp_path / "outputs") == []
        assert find_runs(tmp_path / "outputs", "first") == []
        ordered = len(server.orders)
        assert 10 <= ordered <= 15
        server.verdict = lambda _: {"state": "done"}
        summary = run_plain(tmp_path)
        assert (summary.made, summary.failed, len(server.orders)) == (30, (), 30)
        assert len({order.body["question"] for order in server.orders.values()}) == 30


def test_an_open_order_of_another_question_is_not_taken_for_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_questions(tmp_path, 1)
    with serve(tmp_path, monkeypatch, served=lambda *_: b"<html>") as server:
        run_plain(tmp_path)
        shutil.rmtree(tmp_path / "questions")
        write_questions(tmp_path, 1, prompt="Close the door.")
        server.served = lambda _, whole: whole
        with pytest.raises(ConflictError, match="videos of other questions"):
            run_plain(tmp_path, retry_failed=True)
        [run] = run_plain(tmp_path, force=True).runs
        check_run(run, server)
        assert server.orders["order-0001"].body["prompt"] == "Close the door."


def test_a_folder_damaged_by_a_power_cut_is_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 3)
    with serve(tmp_path, monkeypatch) as server:
        runs = run_plain(tmp_path).runs
        journal = tmp_path / "outputs" / "first" / "plain-1" / "journal.jsonl"
        lines = journal.read_text().splitlines(keepends=True)
        journal.write_text("".join(line for line in lines if json.loads(line)["what"] != "settled"))
        (runs[0].folder / "metadata.json").write_bytes(b"")
        assert runs[1].video is not None
        runs[1].video.write_bytes(b"")
        retry = run_plain(tmp_path)
        assert (retry.made, retry.kept, retry.failed, len(server.orders)) == (2, 1, (), 3)
        for run in retry.runs:
            check_run(run, server)
        assert run_plain(tmp_path).made == 0
    settled = [line for line in journal.read_text().splitlines() if json.loads(line)["what"] == "settled"]
    assert len(settled) == 3


def test_a_full_disk_stops_everything_with_one_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 20)
    with serve(tmp_path, monkeypatch) as server:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, before[1]))  # the journal is the first to grow so large
        try:
            with pytest.raises(StoreError, match=r"cannot write .*exceeds the size limit"):
                run_plain(tmp_path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert find_leftovers(tmp_path / "outputs") == []
        ordered = len(server.orders)
        summary = run_plain(tmp_path)
        assert len(summary.runs) == 20
        assert len(server.orders) <= 20
        assert len(server.orders) >= ordered
        for run in summary.runs:
            check_run(run, server)
