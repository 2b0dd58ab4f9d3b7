"""Remote models through ``run``, with an emulated server."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from plain_runs import KEY, check_run, find_leftovers, first, run_plain, serve, write_questions

from emulators.plain import PLACEMENT, ROW, Fault
from vmevalkit.core.errors import ConflictError, SetupError, StoreError, UnknownName, UsageError
from vmevalkit.core.records import Question
from vmevalkit.jobs.progress import Progress
from vmevalkit.models.model import ModelSpec
from vmevalkit.runs.cost_estimate import estimate_cost
from vmevalkit.runs.generation_params import GenerationParams
from vmevalkit.runs.job_specs import RetryPolicy
from vmevalkit.runs.plan import BudgetOptions, RateLimits
from vmevalkit.store.records import read_record
from vmevalkit.store.runs import find_runs


def test_every_question_gets_its_own_video_and_a_full_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 5)
    progress, counts, lines = Progress(), [], []
    with serve(tmp_path, monkeypatch) as server:
        summary = run_plain(
            tmp_path,
            samples=2,
            progress=progress,
            on_done=lambda *numbers: counts.append(numbers),
            on_message=lines.append,
        )
        assert (summary.made, summary.kept, summary.failed, len(server.orders)) == (10, 0, (), 10)
        for run in summary.runs:
            check_run(run, server)
            assert (run.placement, run.cost_usd) == (PLACEMENT, 0.4)
        assert (counts[0], counts[-1]) == ((0, 10), (10, 10))
        assert (progress.of("plain-1").success, progress.finished, progress.total) == (10, 10, 10)
        assert lines == ["plain-1: no support for auto_pad, temperature"]
        assert summary.budget is not None
        assert summary.budget.spent_usd == pytest.approx(4.0)

        retry = run_plain(tmp_path, samples=2)
        assert (retry.made, retry.kept, len(server.orders)) == (0, 10, 10)
        assert sorted(retry.runs, key=lambda run: run.run_id) == sorted(summary.runs, key=lambda run: run.run_id)
    record = read_record(summary.runs[0].folder / "metadata.json")
    assert record is not None
    assert record["status"] == "success"
    assert record["request"]["seconds"] == 8.0
    assert record["request"]["parameters"] == {"enhance_prompt": True}
    assert record["request"]["sent"]["prompt"] == "Open door 0."
    assert (record["provider"]["name"], record["provider"]["model"]) == ("plain", "plain.v1")
    assert record["provider"]["answer"]["state"] == "done"
    assert record["timing"]["ordered_at"] < record["timing"]["finished_at"]
    assert record["video_info"]["width"] == 64
    assert find_leftovers(tmp_path / "outputs") == []


def test_no_file_of_a_run_contains_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write_questions(tmp_path, 3)
    verdicts = iter([{"state": "done"}, {"state": "failed", "reason": f"Bearer {KEY} is a bad key"}] * 9)
    with serve(tmp_path, monkeypatch, verdict=lambda _: next(verdicts)):
        summary = run_plain(tmp_path, samples=2)
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


def test_a_refused_job_is_recorded_and_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 2)
    refusal: dict[str, Any] = {"state": "refused", "reason": "the image is not nice"}
    faults = first("order", Fault(451))
    with serve(tmp_path, monkeypatch, faults=faults, verdict=lambda _: refusal) as server:
        summary = run_plain(tmp_path)
        assert sorted(str(run.error) for run in summary.failed) == [
            "Refused: the content policy says no", "the image is not nice",
        ]  # fmt: skip
        assert [run.status for run in summary.failed] == ["refused", "refused"]
        assert run_plain(tmp_path, retry_failed=True).made == 0
        assert len(server.orders) == 1
        server.verdict = lambda _: {"state": "done"}
        assert not run_plain(tmp_path, retry=RetryPolicy(refused=True)).failed
        assert len(server.orders) == 3


def test_a_budget_applies_to_several_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 6)
    with serve(tmp_path, monkeypatch) as server:
        one = run_plain(tmp_path, budget_options=BudgetOptions(1.3))
        assert (one.made, one.unordered, len(server.orders)) == (3, 3, 3)
        two = run_plain(tmp_path, budget_options=BudgetOptions(1.3))
        assert (two.made, two.kept, two.unordered, len(server.orders)) == (0, 3, 3, 3)
        more = run_plain(tmp_path, budget_options=BudgetOptions(2.0))
        assert (more.made, more.unordered, len(server.orders)) == (2, 1, 5)
        assert run_plain(tmp_path).made == 1
        server.verdict = lambda _: {"state": "done", "usd": 0.05}
        shutil.rmtree(tmp_path / "outputs")
        cheap = run_plain(tmp_path, budget_options=BudgetOptions(0.8))
        assert cheap.budget is not None
        assert cheap.budget.spent_usd <= 0.8
    unknown = replace(ROW, price=None)
    with pytest.raises(UsageError, match=r"the price of a video of plain-1 is unknown.*--assume-usd"):
        run_plain(tmp_path, budget_options=BudgetOptions(1.0), catalogue={"plain-1": unknown})


def test_shards_add_up_to_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 7)
    with serve(tmp_path, monkeypatch) as server:
        made = [run_plain(tmp_path, samples=2, shard=(part, 3)).made for part in (1, 2, 3)]
        assert made == [5, 5, 4]
        assert len(server.orders) == 14
        whole = run_plain(tmp_path, samples=2)
        assert (whole.made, whole.kept) == (0, 14)
    assert len(list((tmp_path / "outputs" / "first" / "plain-1").glob("journal-*-of-3.jsonl"))) == 3
    with pytest.raises(UsageError, match=r"--shard 4/3 does not exist; shards go from 1/3 to 3/3"):
        run_plain(tmp_path, shard=(4, 3))


def test_models_of_one_provider_share_its_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 8)
    both = {"plain-1": ROW, "plain-2": replace(ROW, name="plain-2")}
    under_way = [0]
    with serve(tmp_path, monkeypatch) as server:

        def count(kind: str) -> None:
            under_way.append(under_way[-1] + {"order": 1, "video": -1}.get(kind, 0))

        server.on_request = count
        assert run_plain(tmp_path, *both, catalogue=both, rate_limits=RateLimits(in_flight=3)).made == 16
    assert max(under_way) == 3


def test_limit_applies_to_each_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 5)
    both = {"plain-1": ROW, "plain-2": replace(ROW, name="plain-2")}
    with serve(tmp_path, monkeypatch) as server:
        assert run_plain(tmp_path, *both, catalogue=both, limit=2).made == 4
        assert run_plain(tmp_path, *both, catalogue=both, limit=2).made == 4
        assert run_plain(tmp_path, *both, catalogue=both, limit=2).made == 2
        assert len(server.orders) == 10
    with pytest.raises(UsageError, match="--limit is 0"):
        run_plain(tmp_path, limit=0)


def test_an_estimate_orders_nothing_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 6)

    def ahead(**how: Any) -> Any:
        return estimate_cost(
            ["plain-1"], tmp_path / "questions", "first", tmp_path / "outputs", catalogue={"plain-1": ROW},
            rate_limits=RateLimits(orders_per_minute=2.0), **how,
        )  # fmt: skip

    monkeypatch.delenv("PLAIN_API_KEY", raising=False)
    [estimate] = ahead(budget_options=BudgetOptions(9.0)).models
    assert (estimate.jobs, estimate.begin, estimate.keep, estimate.minutes) == (6, 6, 0, 3.0)
    assert estimate.usd == pytest.approx(2.4)
    assert estimate.missing == ("set PLAIN_API_KEY",)
    assert not (tmp_path / "outputs").exists()
    with serve(tmp_path, monkeypatch) as server:
        run_plain(tmp_path, limit=2)
        estimate = ahead()
        assert (estimate.models[0].keep, estimate.models[0].begin, estimate.models[0].missing) == (2, 4, ())
        assert estimate.spent_usd == pytest.approx(0.8)
        assert len(server.orders) == 2


def test_a_prompt_variant_is_sent_and_not_mixed_with_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 1)
    with serve(tmp_path, monkeypatch) as server:
        [run] = run_plain(tmp_path, params=GenerationParams(prompt_variant="empty")).runs
        assert server.orders["order-0000"].body["prompt"] == ""
        assert run.prompt_variant == "empty"
        with pytest.raises(ConflictError, match=r"videos with the prompt variant 'empty'.*another --experiment"):
            run_plain(tmp_path)
        with pytest.raises(UnknownName, match="no prompt variant 'emtpy'; did you mean 'empty'"):
            run_plain(tmp_path, params=GenerationParams(prompt_variant="emtpy"))


def refused(tmp_path: Path, spec: ModelSpec, **how: Any) -> pytest.ExceptionInfo[Any]:
    with pytest.raises((UsageError, SetupError)) as raised:
        run_plain(tmp_path, catalogue={"plain-1": spec}, **how)
    assert not (tmp_path / "outputs").exists()
    return raised


def test_errors_are_raised_before_any_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 1)
    monkeypatch.delenv("PLAIN_API_KEY", raising=False)
    assert "set PLAIN_API_KEY (in the environment or in .env)" in str(refused(tmp_path, ROW).value)
    monkeypatch.setenv("PLAIN_API_KEY", KEY)
    lacking = replace(ROW, packages=("no_such_package",), extra="plain")
    assert 'pip install "vmevalkit[plain]" (no no_such_package)' in str(refused(tmp_path, lacking).value)
    retired = replace(ROW, status="retired", retired_on="2026-06-30", replacement="plain-2")
    assert "retired by plain since 2026-06-30; use plain-2 instead" in str(refused(tmp_path, retired).value)
    assert "does not support videos of 5 s; use one of 4, 8 s" in str(refused(tmp_path, ROW, seconds=5.0).value)
    assert "does not support videos of 16x16; use one of 640x360, 360x640" in str(
        refused(tmp_path, ROW, params=GenerationParams(size=(16, 16))).value
    )
    with pytest.raises(UnknownName, match="no model 'plane-1'; did you mean 'plain-1'"):
        run_plain(tmp_path, "plane-1")
    with pytest.raises(UsageError, match="--in-flight is 0"):
        run_plain(tmp_path, rate_limits=RateLimits(in_flight=0))
    with pytest.raises(UsageError, match="--per-minute is -1"):
        run_plain(tmp_path, rate_limits=RateLimits(orders_per_minute=-1))
    (tmp_path / "questions" / "doors_task" / "door_000" / "first_frame.png").unlink()
    with pytest.raises(
        StoreError, match=r"door_000 is not a question: it has no first_frame.png; add the file, or remove"
    ):
        run_plain(tmp_path)


def test_a_remote_model_and_a_baseline_in_one_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 1)
    with serve(tmp_path, monkeypatch):
        summary = run_plain(tmp_path, "oracle", "plain-1")
    assert [(run.model, run.status) for run in summary.runs] == [("oracle", "failed"), ("plain-1", "success")]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"seconds": 0.0}, "a video cannot last 0 s"),
        ({"seconds": -1.0}, "a video cannot last -1 s"),
        ({"seconds": float("nan")}, "a video cannot last nan s"),
        ({"seconds": 1e9}, "a video cannot last 1e.09 s; ask for more than 0 s and at most 600 s"),
        ({"size": (1, 1)}, "a video cannot have 1x1 pixels; each side must have 16 to 8192"),
    ],
)
def test_impossible_videos_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        GenerationParams(**values)


def test_one_number_gives_all_seeds_and_minus_one_leaves_them_to_the_provider() -> None:
    spec = replace(ROW, supported_params=frozenset({"seed", "temperature"}), durations_s=(5.0, 10.0))
    question = Question("door_000", "doors", "Go.", Path("door_000"))
    free = GenerationParams().request(spec, question, 1)
    assert (free.seed, free.seconds, free.parameters) == (None, 10.0, {"temperature": 0.7})
    assert GenerationParams().list_unsupported(spec) == [
        "videos of 10 s instead of 8 s",
        "no support for enhance_prompt, auto_pad",
    ]
    seeds = [GenerationParams(seed=seed).request(spec, question, sample).seed for seed in (1, 2) for sample in (0, 1)]
    assert len(set(seeds)) == 4
    assert seeds[0] == GenerationParams(seed=1).request(spec, question, 0).seed
    silent = replace(spec, supported_params=frozenset(), durations_s=())
    assert GenerationParams(seed=1).request(silent, question).seed is None
    assert GenerationParams(seed=1).list_unsupported(silent) == [
        "no support for enhance_prompt, auto_pad, temperature, seed"
    ]
