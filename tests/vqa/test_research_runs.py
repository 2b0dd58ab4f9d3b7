"""Runs as researchers make them: long answers, outages, several servers, baselines, own tasks, other option orders."""

from __future__ import annotations

import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

pytest.importorskip("openai")

from test_results import invoke
from test_two_stage import run

from emulators.image_server import ImageEmulator
from emulators.server import Answer, ApiError, Call
from vmevalkit.core.errors import ConflictError, StoreError, UnknownName, UsageError
from vmevalkit.models.chat import load_chat_model
from vmevalkit.models.chat_images import load_image_part, make_image_part, to_png
from vmevalkit.models.image_limits import ImageLimits, fit_images
from vmevalkit.stats.intervals import newcombe_paired
from vmevalkit.vqa.dataset import ImageQuestion
from vmevalkit.vqa.generation import parse_gen_kwargs
from vmevalkit.vqa.models import load_model
from vmevalkit.vqa.options import arrange_options, find_options
from vmevalkit.vqa.published import PUBLISHED, QUESTION_COUNTS, verify_published
from vmevalkit.vqa.results import TaskResult, estimate_difference, find_blind, load_results
from vmevalkit.vqa.samples import RunRecord, SampleResult, TaskRecord
from vmevalkit.vqa.staged_caller import CallOptions
from vmevalkit.vqa.synthetic.dataset import make_rows

ONE = CallOptions(in_flight=1)


def test_answers_cut_off_are_counted_apart_and_warned_about(
    server: ImageEmulator, dataset: Path, tmp_path: Path
) -> None:
    server.reply, server.reasoning_tokens = lambda _body: "``A``", 4000
    base = ("vqa", "--model", "openai_chat", "--model_args", "model=gpt-4o", "--tasks", "mmsi_msr", "--dataset",
            dataset, "--output_path", tmp_path)  # fmt: skip
    code, text = invoke(*base, "--gen-kwargs", "max_new_tokens=1024,temperature=0.5")
    assert code == 0 and "4 cut_off" in text and "4 answers were cut off at the token limit of 1024" in text
    assert {body["temperature"] for body in server.bodies} == {0.5}
    [task] = load_results(tmp_path).tasks
    assert (task.label, task.cut_off, task.counts["wrong"]) == ("gpt-4o+max_new_tokens=1024,temperature=0.5", 4, 0)
    code, text = invoke(*base)
    assert code == 0 and "cut off" not in text  # the default is enough
    [task] = [task for task in load_results(tmp_path).tasks if task.label == "gpt-4o"]
    assert (task.cut_off, task.counts["correct"] + task.counts["wrong"]) == (0, 4)
    line = json.loads((tmp_path / "gpt-4o" / "mmsi_msr.jsonl").read_text("utf-8").splitlines()[0])
    assert line["answer"]["finish_reason"] == "stop"


@pytest.mark.parametrize("text", ["max_new_tokens", "max_new_tokens=0", "temperature=9", "top_p=x", "do_sample=true"])
def test_wrong_generation_parameters(text: str) -> None:
    with pytest.raises(UsageError, match="--gen-kwargs"):
        parse_gen_kwargs(text)
    with pytest.raises(UnknownName, match="did you mean 'max_new_tokens'"):
        parse_gen_kwargs("max_tokens=3")


def test_a_limit_that_the_server_does_not_take_is_left_out(
    server: ImageEmulator, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    respond = ImageEmulator.respond

    def refuse_limit(emulator: ImageEmulator, call: Call) -> Answer:
        if "max_tokens" in call.json or "max_completion_tokens" in call.json:
            raise ApiError(400, "'max_tokens' or 'max_completion_tokens' is too large: 8192.")
        return respond(emulator, call)

    monkeypatch.setattr(ImageEmulator, "respond", refuse_limit)
    summary, _ = run("openai_chat", "model=gpt-4o", ["mmsi_msr"], dataset, tmp_path, ONE)
    assert (summary.asked, summary.failed) == (4, [])


def test_an_outage_of_stage_1_is_missing_and_a_refusal_has_its_column(
    server: ImageEmulator, dataset: Path, tmp_path: Path
) -> None:
    args = ("azure_trapi_visual_cot", "", ["mmsi_msr_visual_cot", "mmsi_msr"], dataset, tmp_path, ONE)
    server.faults.create = ["not_image", "reject"]
    summary, samples = run(*args)
    statuses = [row.status for row in samples["mmsi_msr_visual_cot"]]
    assert statuses.count("failed") == 1 == len(summary.failed), (statuses, summary.failed)
    [drawn] = [task for task in load_results(tmp_path).tasks if task.is_two_stage]
    assert drawn.missing == 1 and drawn.accuracy.n == 3
    assert load_results(tmp_path).comparisons[0].comparison.common == 3  # the paired table has no outage
    again, samples = run(*args)
    assert again.failed == [] and "failed" not in {row.status for row in samples["mmsi_msr_visual_cot"]}


def test_two_models_under_one_label_are_refused(server: ImageEmulator, dataset: Path, tmp_path: Path) -> None:
    server.models, server.key = None, "none"
    first = f"model=my-model,base_url={server.url}/v1"
    run("openai_chat", first, ["mmsi_msr"], dataset, tmp_path, ONE)
    written = (tmp_path / "my-model" / "run.json").read_text("utf-8")
    assert server.url not in written and "127.0.0.1" not in written
    for args, more in (
        ("model=my-model,base_url=http://127.0.0.1:9/v1", {}),
        (first, {"generation": parse_gen_kwargs("max_new_tokens=99")}),
        (first, {"arrangement": "shuffled"}),
    ):
        with pytest.raises(ConflictError, match="--label"):
            run("openai_chat", args, ["mmsi_msr"], dataset, tmp_path, ONE, **more)


def make_dataset(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), path / "test-00000.parquet")
    return path


def test_one_unreadable_image_fails_its_question_alone(server: ImageEmulator, tmp_path: Path) -> None:
    rows = [row for row in make_rows(3, 2) if row["question_type"] == "MSR"]
    rows[1] = {**rows[1], "images": [b"not an image", *rows[1]["images"][1:]]}
    summary, samples = run("openai_chat", "model=gpt-4o", ["mmsi_msr"], make_dataset(tmp_path / "d", rows), tmp_path)
    assert summary.asked == 2 and len(summary.failed) == 1 and "an image cannot be read" in summary.failed[0]
    assert sorted(row.status == "failed" for row in samples["mmsi_msr"]) == [False, False, True]


def test_a_rotated_photograph_is_upright_once_in_both_stages() -> None:
    pixels = np.zeros((20, 40, 3), np.uint8)
    pixels[:, :20] = (200, 30, 30)
    file, exif = BytesIO(), Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(pixels).save(file, "JPEG", exif=exif, quality=95)
    part = load_image_part(file.getvalue())
    assert part.size == (20, 40) and part.mime == "image/png" and to_png(part) == part.data
    upright = np.asarray(Image.open(BytesIO(part.data)))
    assert abs(int(upright[5, 10, 0]) - 200) < 20 and upright[35, 10, 0] < 40


def test_images_are_capped_to_the_limits_of_the_service() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (300, 600, 3), np.uint8)
    part, small = make_image_part(noise), make_image_part(np.zeros((8, 8, 3), np.uint8))
    fitted, same = fit_images([part, small], ImageLimits(256, 10**6, 10**7, 4))
    assert fitted.size == (256, 128) and fitted.pixel_digest == part.pixel_digest and same is small
    tight = fit_images([part, part], ImageLimits(4096, 10**7, 60_000, 4))
    assert sum(len(image.data) for image in tight) <= 60_000
    with pytest.raises(Exception, match="accepts 1"):
        fit_images([part, part], ImageLimits(256, 10**6, 10**7, 1))


def test_the_blind_column_is_of_the_same_model_and_questions(
    server: ImageEmulator, dataset: Path, tmp_path: Path
) -> None:
    server.reply = lambda _body: "``A``"
    run("openai_chat", "model=gpt-4o", ["mmsi_msr", "mmsi_motion_obj"], dataset, tmp_path)
    run("random", "", ["mmsi_msr"], dataset, tmp_path)
    run("blind", "model=gpt-4o", ["mmsi_msr"], dataset, tmp_path)
    results = load_results(tmp_path)

    def blind_of(label: str, name: str) -> object:
        [task] = [task for task in results.tasks if (task.label, task.task) == (label, name)]
        return find_blind(results, task)

    assert blind_of("gpt-4o", "mmsi_msr") is not None
    assert blind_of("gpt-4o", "mmsi_motion_obj") is blind_of("gpt-4o", "overall") is None
    assert blind_of("random", "mmsi_msr") is blind_of("blind-gpt-4o", "mmsi_msr") is None


def verify(answerer: str, wording: str, dataset: str = "/data/copy", answered: int = 1000) -> dict[str, str]:
    tasks = {f"mmsi_{i}": TaskRecord("c", kind, False, n, f"set{i}")
             for i, (kind, n) in enumerate(QUESTION_COUNTS.items())}  # fmt: skip
    record = RunRecord("mine", "openai_chat", "", dataset, wording, tasks, answerer)
    rows = [SampleResult(str(i), "msr", "correct" if i < 419 else "wrong", "A") for i in range(answered)]
    from vmevalkit.stats.rates import success_rate
    from vmevalkit.vqa.results import Results

    accuracy = success_rate([float(row.status == "correct") for row in rows])
    overall = TaskResult("mine", "overall", "overall", False, 1000, {}, accuracy, 0.0, None, None, 0.25, 0, 0, 0)
    results = Results(Path(), (record,), (overall,), (), {})
    return {row.name: row.status for row in verify_published(results)}


def test_published_rows_match_by_exact_id_and_prompt() -> None:
    assert sum(QUESTION_COUNTS.values()) == 1000
    assert verify("gpt-5@openai", "official")["GPT-5"] == "reproduced"
    assert verify("gpt-5@openai", "default")["GPT-5"] == "another prompt (default)"
    for other in ("gpt-5-mini@openai", "gpt-5@0123456789ab", "azure/gpt-5@openai"):
        assert set(verify(other, "official").values()) == {"not run here", "not a model"}
    assert verify("gpt-5@openai", "official", answered=990)["GPT-5"] == "990 of 1,000 questions answered"
    assert len(PUBLISHED) == 7


def test_all_questions_are_asked_once_in_one_command(tmp_path: Path) -> None:
    msr = [row for row in make_rows(2, 3) if row["question_type"] == "MSR"]
    rows = [
        {**row, "id": f"{i}-{kind}", "question_type": kind} for kind in QUESTION_COUNTS for i, row in enumerate(msr)
    ]
    folder = make_dataset(tmp_path / "d", rows)
    code, text = invoke(
        "vqa", "--model", "random", "--tasks", "mmsi,mmsi_visual_cot", "--dataset", folder, "--output_path", tmp_path
    )
    assert code == 0, text
    overall = [task for task in load_results(tmp_path).tasks if task.task == "overall"]
    assert [(task.mode, task.accuracy.n, task.missing) for task in overall] == [
        ("direct", 22, 0),
        ("Visual CoT", 22, 0),
    ]


def test_a_question_of_several_tasks_is_one_question(dataset: Path, tmp_path: Path) -> None:
    code, text = invoke(
        "vqa", "--model", "random",
        "--tasks", "mmsi_msr,mmsi_motion_obj,mmsi_msr_visual_cot,mmsi_motion_obj_visual_cot",
        "--question_type", "motion_cam", "--dataset", dataset, "--output_path", tmp_path,
    )  # fmt: skip
    assert code == 0, text
    results = load_results(tmp_path)
    assert {(task.accuracy.n, task.missing) for task in results.tasks} == {(4, 0)}
    assert {row.difference.n for row in results.comparisons} == {4}


def test_paired_intervals_stay_in_range_and_are_defined_for_equal_differences() -> None:
    def rows(statuses: str) -> list[SampleResult]:
        words = {"c": "correct", "w": "wrong"}
        return [SampleResult(str(i), "msr", words[s], "A") for i, s in enumerate(statuses)]  # type: ignore[arg-type]

    for one, other, value in (("cccc", "wwww", 1.0), ("wwww", "cccc", -1.0), ("cwcw", "cwcw", 0.0)):
        found = estimate_difference(rows(one), rows(other))
        assert found.value == value and found.low is not None and found.high is not None
        assert -1 <= found.low <= value <= found.high <= 1 and found.low < found.high
    assert estimate_difference([], rows("c")).value is None
    # Newcombe 1998, paper on paired proportions, table II: 36, 12, 2, 0 of 50; method 10
    first, second = np.array([1.0] * 48 + [0.0] * 2), np.array([1.0] * 36 + [0.0] * 12 + [1.0] * 2)
    low, high = newcombe_paired(first, second)
    assert (round(low, 4), round(high, 4)) == (0.0569, 0.3404)


QUESTION = ImageQuestion("1", "MSR", "Where?\nOptions: A: left, B: right, C: in front, D: behind it.", "B", ())


def test_options_are_rotated_and_shuffled_with_the_answer() -> None:
    forms = [question for _, question in arrange_options(QUESTION, "circular")]
    assert [form.answer for form in forms] == ["B", "A", "D", "C"]
    for form in forms:
        texts = [form.question[start:end] for start, end in find_options(form.question)]
        assert texts["ABCD".index(form.answer)] == "right" and sorted(texts)[0] == "behind it."
    lines = replace(QUESTION, question="Which?\n(A) a cat\n(B) a dog\n(C) a cow\n(D) an ox")
    [(_, shuffled)] = arrange_options(lines, "shuffled")
    assert shuffled.question.splitlines()["ABCD".index(shuffled.answer) + 1].endswith("a dog")
    with pytest.raises(StoreError, match="--options original"):
        list(arrange_options(replace(QUESTION, question="No options."), "circular"))


def test_circular_evaluation_needs_every_rotation(server: ImageEmulator, dataset: Path, tmp_path: Path) -> None:
    server.reply = lambda _body: "``A``"
    summary, samples = run("openai_chat", "model=gpt-4o", ["mmsi_msr"], dataset, tmp_path, arrangement="circular")
    assert summary.asked == 16 and [row.status for row in samples["mmsi_msr"]] == ["wrong"] * 4
    [task] = load_results(tmp_path).tasks
    assert (task.accuracy.n, task.chance) == (4, 0.25**4)


def test_the_extractor_reads_what_the_rules_cannot(server: ImageEmulator, dataset: Path, tmp_path: Path) -> None:
    server.reply = lambda body: "B" if isinstance(body["messages"][0]["content"], str) else "the second one"
    _, plain = run("openai_chat", "model=gpt-4o", ["mmsi_msr"], dataset, tmp_path / "plain")
    assert {row.status for row in plain["mmsi_msr"]} == {"unparsed"}
    _, samples = run(
        "openai_chat", "model=gpt-4o", ["mmsi_msr"], dataset, tmp_path, extractor=load_chat_model("gpt-4o")
    )
    assert {row.predicted for row in samples["mmsi_msr"]} == {"B"}
    assert load_results(tmp_path).tasks[0].extracted == 4


def test_a_task_folder_of_ones_own(dataset: Path, tmp_path: Path) -> None:
    own = tmp_path / "tasks"
    own.mkdir()
    (own / "mine.py").write_text("def to_text(doc, kwargs=None):\n    return 'Mine: ' + doc['question']\n", "utf-8")
    (own / "my_msr.yaml").write_text(
        "include: _mmsi_common_yaml\ntask: my_msr\ndoc_to_text: !function mine.to_text\n"
        "lmms_eval_specific_kwargs:\n  default: {pre_prompt: '', post_prompt: ''}\nmetadata:\n  question_type: MSR\n",
        "utf-8",
    )
    args = ("vqa", "--model", "random", "--dataset", dataset, "--output_path", tmp_path / "logs", "--log_samples")
    code, text = invoke(*args, "--tasks", "my_msr", "--include_path", own)
    assert code == 0 and "my_msr (direct)" in text, text
    exported = (tmp_path / "logs" / "random" / "samples_my_msr.jsonl").read_text("utf-8").splitlines()
    assert json.loads(exported[0])["input"].startswith("Mine: ")
    code, text = invoke(*args, "--tasks", "my_msr", "--include_path", tmp_path / "none")
    assert code == 1 and "is not a folder" in text


@pytest.mark.parametrize(
    ("functions", "words"),
    [
        ("def to_text(doc, kwargs=None):\n    raise KeyError('hint')\n", "doc_to_text of the task mine fails"),
        ("def rows(doc, results):\n    return {'accuracy': 1.0}\n", "accuracy must be a row with"),
        (
            "def to_text(doc, kwargs=None):\n    return '[GEN_PROMPT]Draw.[/GEN_PROMPT][QUESTION]Which?[/QUESTION]'\n",
            "output_type is not generate_visual_cot",
        ),
    ],
)
def test_a_wrong_task_of_ones_own_is_refused_before_anything_is_asked(
    server: ImageEmulator, dataset: Path, tmp_path: Path, functions: str, words: str
) -> None:
    own = tmp_path / "tasks"
    own.mkdir()
    (own / "mine.py").write_text(functions, "utf-8")
    used = "doc_to_text: !function mine.to_text\n" if "to_text" in functions else (
        "doc_to_text: !function mmsi.msr_doc_to_text\nprocess_results: !function mine.rows\n"
    )  # fmt: skip
    (own / "mine.yaml").write_text(
        f"include: _mmsi_common_yaml\ntask: mine\n{used}"
        "lmms_eval_specific_kwargs:\n  default: {pre_prompt: '', post_prompt: ''}\nmetadata:\n  question_type: MSR\n",
        "utf-8",
    )
    code, text = invoke("vqa", "--model", "openai_chat", "--model_args", "model=gpt-4o", "--tasks", "mine", "--dataset",
                        dataset, "--output_path", tmp_path / "logs", "--include_path", own)  # fmt: skip
    assert code != 0 and words in text and server.calls == [], text


def test_azure_takes_deployments_versions_and_entra_tokens(
    server: ImageEmulator, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.models = ("my-chat", "my-images")
    args = "chat_deployment=my-chat,image_deployment=my-images,api_version=2025-04-01-preview"
    monkeypatch.delenv("AZURE_OPENAI_API_KEY")
    program = tmp_path / "bin" / "az"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho token-of-entra\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    server.entra_token = "token-of-entra"
    monkeypatch.setenv("OPENAI_API_VERSION", "2023-01-01")
    summary, _ = run("azure_trapi_visual_cot", args, ["mmsi_msr_visual_cot"], dataset, tmp_path / "out", ONE, limit=1)
    assert (summary.asked, summary.failed) == (1, [])
    assert {call.query["api-version"] for call in server.calls} == {"2025-04-01-preview"}
    assert {call.path.split("/")[3] for call in server.calls} == {"my-chat", "my-images"}
    assert load_model("azure_trapi_visual_cot", args).answerer.estimate_usd is not None


def test_counts_of_the_synthetic_set_have_no_favourite_place() -> None:
    places = []
    for row in make_rows(40, 5):
        if row["question"].startswith("How many") and "together" in row["question"]:
            texts = [row["question"][start:end] for start, end in find_options(row["question"])]
            numbers = [int(text) for text in texts]
            places.append(sorted(numbers).index(numbers["ABCD".index(row["answer"])]))
    assert len(places) >= 15 and max(np.bincount(places, minlength=4)) < 0.6 * len(places)
