"""The named two-stage models against strict servers: all images in both stages, and failures that are recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("openai")

from emulators.gemini_content_server import ANSWERS, DRAWS, GeminiContentEmulator
from emulators.image_server import ImageEmulator
from vmevalkit.core.errors import ConflictError, SetupError, UnknownName, UsageError
from vmevalkit.store import vqa_layout
from vmevalkit.vqa.models import MODELS, load_model
from vmevalkit.vqa.run import RunSummary, VqaOptions, run_tasks
from vmevalkit.vqa.samples import SampleResult, read_run, read_samples
from vmevalkit.vqa.staged_caller import CallOptions
from vmevalkit.vqa.task_file import expand_tasks, load_task

FAST = CallOptions(in_flight=4, per_minute=1e9)


def run(
    model: str, args: str, tasks: list[str], dataset: Path, output: Path, calls: CallOptions = FAST, **more: Any
) -> tuple[RunSummary, dict[str, list[SampleResult]]]:
    options = VqaOptions(output, str(dataset), model_name=model, model_args=args, calls=calls, **more)
    chosen = [load_task(name) for name in expand_tasks(tasks)]
    summary = run_tasks(load_model(model, args), chosen, options)
    record = read_run(output, summary.label)
    assert record is not None
    return summary, {
        name: read_samples(output, summary.label, name, task.config) for name, task in record.tasks.items()
    }


def test_azure_gets_all_images_in_both_stages(server: ImageEmulator, dataset: Path, tmp_path: Path) -> None:
    summary, samples = run(
        "azure_trapi_visual_cot", "save_intermediate=true", ["mmsi_visual_cot", "mmsi"], dataset, tmp_path
    )
    assert (summary.asked, summary.kept, summary.failed) == (40, 0, [])
    assert len(server.edits) == 20 and server.answered == 40
    assert {edit["size"] for edit in server.edits} == {"1024x1024"}
    prompts = {load_task(name).choose_prompts()["generation_prompt"] for name in samples if "visual_cot" in name}
    assert {edit["prompt"] for edit in server.edits} == prompts  # and so nothing of any question
    assert sorted({len(edit["images"]) for edit in server.edits}) == [2, 3]
    images = [sum(part["type"] == "image_url" for part in body["messages"][0]["content"]) for body in server.bodies]
    assert sorted(images) == sorted([2] * 16 + [3] * 4 + [3] * 16 + [4] * 4)
    assert all(body["messages"][0]["content"][-1]["type"] == "text" for body in server.bodies)
    assert {row.status for rows in samples.values() for row in rows} <= {"correct", "wrong", "unparsed"}
    drawn = [row for name, rows in samples.items() if "visual_cot" in name for row in rows]
    for row in drawn:
        assert row.visualization and (vqa_layout.visualizations_folder(tmp_path) / row.visualization).is_file()
    folder = vqa_layout.intermediate_folder(tmp_path, summary.label, "mmsi_msr_visual_cot")
    assert len(list(folder.glob("*.png"))) == len(list(folder.glob("*.json"))) == 4


def test_nothing_is_asked_twice_even_with_a_lost_result_file(
    server: ImageEmulator, dataset: Path, tmp_path: Path
) -> None:
    tasks = ["mmsi_msr_visual_cot"]
    _, first = run("azure_trapi_visual_cot", "", tasks, dataset, tmp_path)
    calls = len(server.calls)
    again, _ = run("azure_trapi_visual_cot", "", tasks, dataset, tmp_path)
    assert (again.kept, again.asked, len(server.calls)) == (4, 0, calls)
    vqa_layout.sample_log(tmp_path, again.label, tasks[0]).unlink()
    rebuilt, second = run("azure_trapi_visual_cot", "", tasks, dataset, tmp_path)
    assert (rebuilt.asked, len(server.calls)) == (4, calls)  # from the log of answers
    assert second == first


def test_the_image_server_of_nano_banana_may_return_addresses(
    server: ImageEmulator, dataset: Path, tmp_path: Path
) -> None:
    server.returns_url = True
    summary, samples = run("nano_banana_visual_cot", "form=openai", ["mmsi_msr_visual_cot"], dataset, tmp_path)
    assert summary.asked == 4 and summary.label == "nano_banana_visual_cot-openai"
    assert {edit["model"] for edit in server.edits} == {"nano-banana"}
    assert all(row.visualization for row in samples["mmsi_msr_visual_cot"])


def test_nano_banana_at_google(gemini: GeminiContentEmulator, dataset: Path, tmp_path: Path) -> None:
    summary, samples = run("nano_banana_visual_cot", "", ["mmsi_msr_visual_cot", "mmsi_msr"], dataset, tmp_path)
    assert summary.asked == 8
    drawn = [content for content in gemini.contents if content["model"] == DRAWS]
    asked = [content for content in gemini.contents if content["model"] == ANSWERS]
    assert [len(content["images"]) for content in drawn] == [3] * 4
    assert sorted(len(content["images"]) for content in asked) == [3] * 4 + [4] * 4
    assert drawn[0]["config"] == {"responseModalities": ["TEXT", "IMAGE"]}
    assert drawn[0]["texts"] == [load_task("mmsi_msr_visual_cot").choose_prompts()["generation_prompt"]]
    assert asked[0]["config"] == {"temperature": 0.0, "maxOutputTokens": 8192}
    assert {row.predicted for rows in samples.values() for row in rows} == {"A"}
    assert samples["mmsi_msr_visual_cot"][0].visualization_text == "Here it is."


@pytest.mark.parametrize(
    ("fault", "words"),
    [("no_image", "without an image"), ("blocked", "IMAGE_SAFETY"), ("prompt_blocked", "PROHIBITED")],
)
def test_a_refused_visualization_is_recorded_and_not_answered(
    gemini: GeminiContentEmulator, dataset: Path, tmp_path: Path, fault: str, words: str
) -> None:
    gemini.faults.create = [fault]
    one = CallOptions(in_flight=1, per_minute=1e9)
    summary, samples = run("nano_banana_visual_cot", "", ["mmsi_msr_visual_cot"], dataset, tmp_path, one)
    rows = {row.status: row for row in samples["mmsi_msr_visual_cot"]}
    assert summary.failed == [] and summary.asked == 4
    failed = rows["stage1_refused"]
    assert words in (failed.error or "") and failed.response == "" and failed.predicted is None
    assert sum(content["model"] == ANSWERS for content in gemini.contents) == 3


def test_an_error_of_stage_1_fails_the_question_until_the_next_run(
    server: ImageEmulator, dataset: Path, tmp_path: Path
) -> None:
    server.faults.create = ["not_image", "no_image"]
    one = CallOptions(in_flight=1, per_minute=1e9)
    args = ("azure_trapi_visual_cot", "", ["mmsi_msr_visual_cot"], dataset, tmp_path, one)
    summary, samples = run(*args)
    assert len(summary.failed) == 1 and "not an image" in summary.failed[0]
    statuses = sorted(row.status for row in samples["mmsi_msr_visual_cot"])
    assert statuses.count("failed") == 1  # an outage is not an answer
    again, samples = run(*args)
    assert (again.kept, again.asked, again.failed) == (3, 1, [])
    assert "failed" not in {row.status for row in samples["mmsi_msr_visual_cot"]}


@pytest.mark.parametrize("fault", ["throttle", "fail", "drop", "garbage"])
def test_passing_faults_are_repeated(server: ImageEmulator, dataset: Path, tmp_path: Path, fault: str) -> None:
    server.faults.create = [fault, None, fault]
    one = CallOptions(in_flight=1, per_minute=1e9)
    summary, _ = run("azure_trapi_visual_cot", "", ["mmsi_attribute_appr_visual_cot"], dataset, tmp_path, one, limit=2)
    assert (summary.asked, summary.failed) == (2, [])


def test_a_refused_answer_is_apart_from_wrong(server: ImageEmulator, dataset: Path, tmp_path: Path) -> None:
    server.faults.create = ["refuse"]
    one = CallOptions(in_flight=1, per_minute=1e9)
    summary, samples = run("openai_chat", "model=gpt-4o", ["mmsi_msr"], dataset, tmp_path, one)
    assert [row.status for row in samples["mmsi_msr"]].count("refused") == 1 and summary.failed == []


def test_the_budget_holds_over_both_stages(server: ImageEmulator, dataset: Path, tmp_path: Path) -> None:
    priced = CallOptions(in_flight=1, per_minute=1e9, max_usd=0.31)
    args = ("azure_trapi_visual_cot", "image_usd=0.1,answer_usd=0.01", ["mmsi_msr_visual_cot"], dataset, tmp_path)
    summary, _ = run(*args, priced)
    assert summary.unaffordable == 2 and summary.spent_usd <= 0.31 and len(server.edits) == 2
    assert server.answered == 2  # no visualization was paid without its answer
    with pytest.raises(UsageError, match="image_usd"):
        run("azure_trapi_visual_cot", "", ["mmsi_msr_visual_cot"], dataset, tmp_path / "other", priced)
    with pytest.raises(UsageError, match="answer_usd"):
        run("openai_chat", "model=some-model,base_url=http://example.org/v1", ["mmsi"], dataset, tmp_path / "c", priced)


def test_blind_sends_no_image(server: ImageEmulator, dataset: Path, tmp_path: Path) -> None:
    server.reply = lambda _body: "``A``"
    summary, samples = run("blind", "model=gpt-4o", ["mmsi_msr"], dataset, tmp_path)
    assert summary.label == "blind-gpt-4o"
    assert all(isinstance(body["messages"][0]["content"], str) for body in server.bodies)
    assert len(samples["mmsi_msr"]) == 4
    with pytest.raises(UsageError, match="draws no visualization"):
        run("blind", "model=gpt-4o", ["mmsi_msr_visual_cot"], dataset, tmp_path)


def test_other_runs_are_not_mixed(server: ImageEmulator, dataset: Path, tmp_path: Path) -> None:
    run("openai_chat", "model=gpt-4o", ["mmsi_msr"], dataset, tmp_path)
    with pytest.raises(ConflictError, match="--label"):
        run("openai_chat", "model=gpt-4o", ["mmsi_msr"], dataset, tmp_path, wording="aligned")
    with pytest.raises(ConflictError, match="--label"):
        run("openai_chat", "model=gpt-4o", ["mmsi_msr"], dataset / "data", tmp_path)


def test_a_deleted_visualization_is_drawn_again(server: ImageEmulator, dataset: Path, tmp_path: Path) -> None:
    args = ("azure_trapi_visual_cot", "", ["mmsi_msr_visual_cot"], dataset, tmp_path)
    summary, samples = run(*args)
    row = samples["mmsi_msr_visual_cot"][0]
    (vqa_layout.visualizations_folder(tmp_path) / str(row.visualization)).unlink()
    vqa_layout.sample_log(tmp_path, summary.label, "mmsi_msr_visual_cot").unlink()
    edits, answers = len(server.edits), server.answered
    run(*args)
    assert (len(server.edits), server.answered) == (edits + 1, answers)


def test_model_arguments_are_checked() -> None:
    assert set(MODELS) >= {"qwen2_5_vl", "azure_trapi_visual_cot", "nano_banana_visual_cot", "bagel_visual_cot"}
    with pytest.raises(UnknownName, match="qwen2_5_vl"):
        load_model("qwen2_5")
    with pytest.raises(UnknownName, match="seed"):
        load_model("random", "sed=3")
    with pytest.raises(UsageError, match="key=value"):
        load_model("random", "seed")
    with pytest.raises(UsageError, match="pretrained"):
        load_model("qwen2_5_vl")
    with pytest.raises(UsageError, match="form"):
        load_model("nano_banana_visual_cot", "form=else")
    assert load_model("random", "seed=3,save_intermediate=true").save_intermediate


def test_missing_keys_and_checkouts_name_the_setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SetupError, match="AZURE_OPENAI_ENDPOINT"):
        load_model("azure_trapi_visual_cot")
    with pytest.raises(SetupError, match="GEMINI_API_KEY"):
        load_model("nano_banana_visual_cot")
    with pytest.raises(SetupError, match="VMEVALKIT_BAGEL_HOME"):
        load_model("bagel_visual_cot")


def test_the_log_of_results_has_one_line_for_each_sample(server: ImageEmulator, dataset: Path, tmp_path: Path) -> None:
    summary, _ = run("openai_chat", "model=gpt-4o", ["mmsi_msr"], dataset, tmp_path)
    lines = vqa_layout.sample_log(tmp_path, summary.label, "mmsi_msr").read_text("utf-8").splitlines()
    assert len(lines) == 4
    assert {json.loads(line)["answer"]["question_id"] for line in lines} == {f"synthetic_msr_{i:04d}" for i in range(4)}
    assert np.isfinite(summary.spent_usd)
