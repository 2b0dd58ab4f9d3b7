"""Remote models through ``run``, against a server of our own."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from plain_runs import KEY, ask, check_run, film, left_behind, served

from emulators.plain import PLACEMENT, ROW, Fault
from vmevalkit.core.errors import Occupied, SetupError, StoreError, UnknownName, UsageError
from vmevalkit.core.records import Question
from vmevalkit.jobs.tally import Board
from vmevalkit.models.model import ModelSpec
from vmevalkit.runner.errands import Again
from vmevalkit.runner.forecast import forecast
from vmevalkit.runner.plan import Money, Pace
from vmevalkit.runner.wishes import Wishes
from vmevalkit.store.records import read_record
from vmevalkit.store.runs import all_runs, find_runs


def first(kind: str, fault: Fault, times: int = 1) -> Callable[[str], Fault | None]:
    """A fault for the first requests of a kind."""
    left = [times]

    def decide(asked: str) -> Fault | None:
        if asked != kind or left[0] == 0:
            return None
        left[0] -= 1
        return fault

    return decide


def test_every_question_gets_its_own_film_and_a_full_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, 5)
    board, told, lines = Board(), [], []
    with served(tmp_path, monkeypatch) as server:
        summary = film(
            tmp_path, samples=2, board=board, on_done=lambda *numbers: told.append(numbers), tell=lines.append
        )
        assert (summary.made, summary.kept, summary.failed, len(server.orders)) == (10, 0, (), 10)
        for run in summary.runs:
            check_run(run, server)
            assert (run.placement, run.cost_usd) == (PLACEMENT, 0.4)
        assert (told[0], told[-1]) == ((0, 10), (10, 10))
        assert (board.of("plain-1").success, board.finished, board.total) == (10, 10, 10)
        assert lines == ["plain-1: no place for auto_pad, temperature"]
        assert summary.budget is not None
        assert summary.budget.spent_usd == pytest.approx(4.0)

        again = film(tmp_path, samples=2)
        assert (again.made, again.kept, len(server.orders)) == (0, 10, 10)
        assert sorted(again.runs, key=lambda run: run.run_id) == sorted(summary.runs, key=lambda run: run.run_id)
    record = read_record(summary.runs[0].folder / "metadata.json")
    assert record is not None
    assert record["status"] == "success"
    assert record["request"]["seconds"] == 8.0
    assert record["request"]["parameters"] == {"enhance_prompt": True}
    assert record["request"]["sent"]["prompt"] == "Open door 0."
    assert (record["provider"]["name"], record["provider"]["model"]) == ("plain", "plain.v1")
    assert record["provider"]["answer"]["state"] == "done"
    assert record["timing"]["ordered_at"] < record["timing"]["finished_at"]
    assert record["film"]["width"] == 64
    assert left_behind(tmp_path / "outputs") == []


def test_a_key_is_found_nowhere_in_what_a_run_leaves_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ask(tmp_path, 3)
    verdicts = iter([{"state": "done"}, {"state": "failed", "reason": f"Bearer {KEY} is a bad key"}] * 9)
    with served(tmp_path, monkeypatch, verdict=lambda _: next(verdicts)):
        summary = film(tmp_path, samples=2)
    assert {run.status for run in summary.runs} == {"success", "failed"}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 20
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    bad = read_record(find_runs(tmp_path / "outputs", "first")[0].folder / "metadata.json")
    assert bad is not None
    assert bad["provider"]["answer"]["echo"] == "Bearer (hidden)"
    assert KEY not in caplog.text
    assert KEY not in str(summary)
    assert all(KEY not in str(run.error) for run in find_runs(tmp_path / "outputs", "first"))


def test_what_the_content_policy_refuses_is_recorded_and_not_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(tmp_path, 2)
    refusal: dict[str, Any] = {"state": "refused", "reason": "the picture is not nice"}
    faults = first("order", Fault(451))
    with served(tmp_path, monkeypatch, faults=faults, verdict=lambda _: refusal) as server:
        summary = film(tmp_path)
        assert sorted(str(run.error) for run in summary.failed) == [
            "Refused: the content policy says no", "the picture is not nice",
        ]  # fmt: skip
        assert [run.status for run in summary.failed] == ["refused", "refused"]
        assert film(tmp_path, retry_failed=True).made == 0
        assert len(server.orders) == 1
        server.verdict = lambda _: {"state": "done"}
        assert not film(tmp_path, again=Again(refused=True)).failed
        assert len(server.orders) == 3


def test_what_failed_is_tried_again_only_when_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, 1)
    with served(tmp_path, monkeypatch, verdict=lambda _: {"state": "failed", "reason": "it broke"}) as server:
        [bad] = film(tmp_path).failed
        assert (bad.error, bad.status) == ("it broke", "failed")
        assert (film(tmp_path).made, len(server.orders)) == (0, 1)
        server.verdict = lambda _: {"state": "done"}
        good = film(tmp_path, retry_failed=True)
        assert (good.made, good.failed, len(server.orders)) == (1, (), 2)
        assert len(all_runs(tmp_path / "outputs", "first")) == 2


def test_a_film_that_came_late_or_broken_is_asked_for_again_and_not_paid_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(tmp_path, 1)
    with served(tmp_path, monkeypatch, served=lambda _, whole: whole[: len(whole) // 2]) as server:
        [bad] = film(tmp_path).failed
        assert "cut off" in str(bad.error)
        assert "order-0000 stays, and --retry-failed asks for its film again" in str(bad.error)
        server.served = lambda _, whole: whole
        assert not film(tmp_path, retry_failed=True).failed
        assert len(server.orders) == 1


def test_a_lost_film_of_a_paid_order_can_be_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, 1)
    with served(tmp_path, monkeypatch, served=lambda *_: b"<html>") as server:
        assert film(tmp_path).failed
        server.served = lambda _, whole: whole
        assert not film(tmp_path, again=Again(failed=True, anew=True)).failed
        assert len(server.orders) == 2


def test_a_folder_that_was_removed_is_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, 2)
    with served(tmp_path, monkeypatch) as server:
        shutil.rmtree(film(tmp_path).runs[0].folder)
        again = film(tmp_path)
        assert (again.made, again.kept, len(server.orders)) == (1, 1, 2)
        for run in again.runs:
            check_run(run, server)


def test_a_lost_answer_is_found_in_the_provider_s_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, 3)
    with served(tmp_path, monkeypatch, faults=first("order", Fault(0, after=True), times=3)) as server:
        summary = film(tmp_path)
        assert not summary.failed
        assert len(server.orders) == 3
        for run in summary.runs:
            check_run(run, server)


@pytest.mark.parametrize("lists", [True, False])
def test_a_doubt_is_never_resubmitted_in_silence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lists: bool) -> None:
    """Three questions with the same prompt: the list cannot tell whose order is whose."""
    ask(tmp_path, 3, prompt="Open the door.")
    with served(tmp_path, monkeypatch, lists=lists, faults=first("order", Fault(500, after=True), times=3)) as server:
        summary = film(tmp_path)
        assert [run.status for run in summary.failed] == ["uncertain"] * 3
        assert all("--resubmit-uncertain" in str(run.error) for run in summary.failed)
        assert "answer 500" in str(summary.failed[0].error)
        for how in ({}, {"retry_failed": True}):
            again = film(tmp_path, **how)
            assert (again.made, again.kept, len(again.failed), len(server.orders)) == (0, 3, 3, 3)
        paid = film(tmp_path, again=Again(uncertain=True))
        assert (paid.made, paid.failed, len(server.orders)) == (3, (), 6)
        assert sorted(server.keys[:3]) == sorted(server.keys[3:])  # who honours the key sends no second bill


def test_throttled_and_unreachable_orders_are_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, 4)
    fault = Fault(429, headers="Retry-After: 0.02\r\n")
    with served(tmp_path, monkeypatch, faults=first("order", fault, times=6)) as server:
        assert not film(tmp_path).failed
        assert (server.requests["order"], len(server.orders)) == (10, 4)


def test_a_budget_holds_over_several_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, 6)
    with served(tmp_path, monkeypatch) as server:
        one = film(tmp_path, money=Money(1.3))
        assert (one.made, one.unordered, len(server.orders)) == (3, 3, 3)
        two = film(tmp_path, money=Money(1.3))
        assert (two.made, two.kept, two.unordered, len(server.orders)) == (0, 3, 3, 3)
        more = film(tmp_path, money=Money(2.0))
        assert (more.made, more.unordered, len(server.orders)) == (2, 1, 5)
        assert film(tmp_path).made == 1
        server.verdict = lambda _: {"state": "done", "usd": 0.05}
        shutil.rmtree(tmp_path / "outputs")
        cheap = film(tmp_path, money=Money(0.8))
        assert cheap.budget is not None
        assert cheap.budget.spent_usd <= 0.8
    unknown = replace(ROW, price=None)
    with pytest.raises(UsageError, match=r"nobody knows the price of a film of plain-1.*--assume-usd"):
        film(tmp_path, money=Money(1.0), catalogue={"plain-1": unknown})


def test_shards_together_are_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, 7)
    with served(tmp_path, monkeypatch) as server:
        made = [film(tmp_path, samples=2, shard=(part, 3)).made for part in (1, 2, 3)]
        assert made == [5, 5, 4]
        assert len(server.orders) == 14
        whole = film(tmp_path, samples=2)
        assert (whole.made, whole.kept) == (0, 14)
    assert len(list((tmp_path / "outputs" / "first" / "plain-1").glob("journal-*-of-3.jsonl"))) == 3
    with pytest.raises(UsageError, match=r"--shard 4/3 is no part of a whole; count from 1/3 to 3/3"):
        film(tmp_path, shard=(4, 3))


def test_models_of_one_provider_share_its_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, 8)
    both = {"plain-1": ROW, "plain-2": replace(ROW, name="plain-2")}
    under_way = [0]
    with served(tmp_path, monkeypatch) as server:

        def count(kind: str) -> None:
            under_way.append(under_way[-1] + {"order": 1, "film": -1}.get(kind, 0))

        server.on_request = count
        assert film(tmp_path, *both, catalogue=both, pace=Pace(in_flight=3)).made == 16
    assert max(under_way) == 3


def test_limit_begins_so_many_of_each_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, 5)
    both = {"plain-1": ROW, "plain-2": replace(ROW, name="plain-2")}
    with served(tmp_path, monkeypatch) as server:
        assert film(tmp_path, *both, catalogue=both, limit=2).made == 4
        assert film(tmp_path, *both, catalogue=both, limit=2).made == 4
        assert film(tmp_path, *both, catalogue=both, limit=2).made == 2
        assert len(server.orders) == 10
    with pytest.raises(UsageError, match="--limit 0"):
        film(tmp_path, limit=0)


def test_a_forecast_orders_nothing_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, 6)

    def ahead(**how: Any) -> Any:
        return forecast(
            ["plain-1"], tmp_path / "questions", "first", tmp_path / "outputs", catalogue={"plain-1": ROW},
            pace=Pace(orders_per_minute=2.0), **how,
        )  # fmt: skip

    monkeypatch.delenv("PLAIN_API_KEY", raising=False)
    [prospect] = ahead(money=Money(9.0)).prospects
    assert (prospect.jobs, prospect.begin, prospect.keep, prospect.minutes) == (6, 6, 0, 3.0)
    assert prospect.usd == pytest.approx(2.4)
    assert prospect.lacking == ("set PLAIN_API_KEY",)
    assert not (tmp_path / "outputs").exists()
    with served(tmp_path, monkeypatch) as server:
        film(tmp_path, limit=2)
        told = ahead()
        assert (told.prospects[0].keep, told.prospects[0].begin, told.prospects[0].lacking) == (2, 4, ())
        assert told.spent_usd == pytest.approx(0.8)
        assert len(server.orders) == 2


def test_an_interrupt_leaves_tickets_and_the_next_call_asks_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(tmp_path, 30)
    before = signal.getsignal(signal.SIGINT)
    with served(tmp_path, monkeypatch, verdict=lambda _: {"state": "making"}) as server:

        def press(kind: str) -> None:
            if kind == "order" and len(server.orders) == 10:
                threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()

        server.on_request = press
        with pytest.raises(KeyboardInterrupt):
            film(tmp_path, pace=Pace(in_flight=15))
        assert signal.getsignal(signal.SIGINT) is before
        assert left_behind(tmp_path / "outputs") == []
        assert find_runs(tmp_path / "outputs", "first") == []
        ordered = len(server.orders)
        assert 10 <= ordered <= 15
        server.verdict = lambda _: {"state": "done"}
        summary = film(tmp_path)
        assert (summary.made, summary.failed, len(server.orders)) == (30, (), 30)
        assert len({order.body["question"] for order in server.orders.values()}) == 30


def test_a_prompt_variant_is_sent_and_kept_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, 1)
    with served(tmp_path, monkeypatch) as server:
        [run] = film(tmp_path, wishes=Wishes(prompt_variant="empty")).runs
        assert server.orders["order-0000"].body["prompt"] == ""
        assert run.prompt_variant == "empty"
        with pytest.raises(Occupied, match=r"films made with the prompt variant 'empty'.*another --experiment"):
            film(tmp_path)
        with pytest.raises(UnknownName, match="no prompt variant 'emtpy'; did you mean 'empty'"):
            film(tmp_path, wishes=Wishes(prompt_variant="emtpy"))


def test_an_open_order_of_another_question_is_not_taken_for_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(tmp_path, 1)
    with served(tmp_path, monkeypatch, served=lambda *_: b"<html>") as server:
        film(tmp_path)
        shutil.rmtree(tmp_path / "questions")
        ask(tmp_path, 1, prompt="Close the door.")
        server.served = lambda _, whole: whole
        with pytest.raises(Occupied, match="films of other questions"):
            film(tmp_path, retry_failed=True)
        [run] = film(tmp_path, force=True).runs
        check_run(run, server)
        assert server.orders["order-0001"].body["prompt"] == "Close the door."


def test_what_a_power_cut_left_is_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, 3)
    with served(tmp_path, monkeypatch) as server:
        runs = film(tmp_path).runs
        journal = tmp_path / "outputs" / "first" / "plain-1" / "journal.jsonl"
        lines = journal.read_text().splitlines(keepends=True)
        journal.write_text("".join(line for line in lines if json.loads(line)["what"] != "settled"))
        (runs[0].folder / "metadata.json").write_bytes(b"")
        assert runs[1].video is not None
        runs[1].video.write_bytes(b"")
        again = film(tmp_path)
        assert (again.made, again.kept, again.failed, len(server.orders)) == (2, 1, (), 3)
        for run in again.runs:
            check_run(run, server)
        assert film(tmp_path).made == 0
    settled = [line for line in journal.read_text().splitlines() if json.loads(line)["what"] == "settled"]
    assert len(settled) == 3


def test_a_full_disk_stops_everything_with_one_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, 20)
    with served(tmp_path, monkeypatch) as server:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, before[1]))  # the journal is the first to grow so large
        try:
            with pytest.raises(StoreError, match=r"cannot write .*may not grow that large"):
                film(tmp_path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert left_behind(tmp_path / "outputs") == []
        ordered = len(server.orders)
        summary = film(tmp_path)
        assert len(summary.runs) == 20
        assert len(server.orders) <= 20
        assert len(server.orders) >= ordered
        for run in summary.runs:
            check_run(run, server)


def refused(tmp_path: Path, spec: ModelSpec, **how: Any) -> pytest.ExceptionInfo[Any]:
    with pytest.raises((UsageError, SetupError)) as told:
        film(tmp_path, catalogue={"plain-1": spec}, **how)
    assert not (tmp_path / "outputs").exists()
    return told


def test_messages_before_anything_is_spent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, 1)
    monkeypatch.delenv("PLAIN_API_KEY", raising=False)
    assert "set PLAIN_API_KEY (in the environment or in .env)" in str(refused(tmp_path, ROW).value)
    monkeypatch.setenv("PLAIN_API_KEY", KEY)
    lacking = replace(ROW, packages=("no_such_package",), extra="plain")
    assert "pip install 'vmevalkit[plain]' (no no_such_package)" in str(refused(tmp_path, lacking).value)
    retired = replace(ROW, status="retired", retired_on="2026-06-30", replacement="plain-2")
    assert "retired by plain since 2026-06-30; use plain-2 instead" in str(refused(tmp_path, retired).value)
    assert "no film of 5 s; ask for one of 4, 8 s" in str(refused(tmp_path, ROW, seconds=5.0).value)
    assert "no film of 16x16; ask for one of 640x360, 360x640" in str(
        refused(tmp_path, ROW, wishes=Wishes(size=(16, 16))).value
    )
    with pytest.raises(UnknownName, match="no model 'plane-1'; did you mean 'plain-1'"):
        film(tmp_path, "plane-1")
    with pytest.raises(UsageError, match="0 orders at once"):
        film(tmp_path, pace=Pace(in_flight=0))
    with pytest.raises(UsageError, match="-1 orders a minute"):
        film(tmp_path, pace=Pace(orders_per_minute=-1))
    (tmp_path / "questions" / "doors_task" / "door_000" / "first_frame.png").unlink()
    with pytest.raises(
        StoreError, match=r"door_000 is not a question: it has no first_frame.png; put it there, or remove"
    ):
        film(tmp_path)


def test_a_remote_model_and_a_baseline_in_one_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, 1)
    with served(tmp_path, monkeypatch):
        summary = film(tmp_path, "static", "plain-1")
    assert [(run.model, run.status) for run in summary.runs] == [("static", "failed"), ("plain-1", "success")]


@pytest.mark.parametrize(
    ("wished", "told"),
    [
        ({"seconds": 0.0}, "a film cannot last 0 s"),
        ({"seconds": -1.0}, "a film cannot last -1 s"),
        ({"seconds": float("nan")}, "a film cannot last nan s"),
        ({"seconds": 1e9}, "a film cannot last 1e.09 s; ask for more than 0 s, and for 600 s at most"),
        ({"size": (1, 1)}, "a film cannot have 1x1 pixels; each side must have 16 to 8192"),
    ],
)
def test_a_film_that_nobody_can_make_is_not_asked_for(wished: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Wishes(**wished)


def test_seeds_follow_from_one_number_and_minus_one_leaves_them_to_the_provider() -> None:
    spec = replace(ROW, takes=frozenset({"seed", "temperature"}), durations_s=(5.0, 10.0))
    question = Question("door_000", "doors", "Go.", Path("door_000"))
    free = Wishes().request(spec, question, 1)
    assert (free.seed, free.seconds, free.parameters) == (None, 10.0, {"temperature": 0.7})
    assert Wishes().unmet(spec) == ["films of 10 s instead of 8 s", "no place for enhance_prompt, auto_pad"]
    seeds = [Wishes(seed=seed).request(spec, question, sample).seed for seed in (1, 2) for sample in (0, 1)]
    assert len(set(seeds)) == 4
    assert seeds[0] == Wishes(seed=1).request(spec, question, 0).seed
    silent = replace(spec, takes=frozenset(), durations_s=())
    assert Wishes(seed=1).request(silent, question).seed is None
    assert Wishes(seed=1).unmet(silent) == ["no place for enhance_prompt, auto_pad, temperature, seed"]
