"""The task files under the real lmms_eval, in an environment of its own: the same scores as under this runner.

``make test-lmms`` makes the environment; VMEVALKIT_LMMS_PYTHON names its interpreter.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("openai")

from test_two_stage import run

from emulators.image_server import ImageEmulator
from vmevalkit.vqa.results import load_results
from vmevalkit.vqa.samples import SampleResult
from vmevalkit.vqa.synthetic.dataset import write_dataset
from vmevalkit.vqa.task_file import FOLDER, expand_tasks
from vmevalkit.vqa.task_files.mmsi import CATEGORIES

PYTHON = os.environ.get("VMEVALKIT_LMMS_PYTHON", "")
pytestmark = pytest.mark.lmms

TASKS = ["mmsi", "mmsi_visual_cot"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory in which the name of the dataset is a folder with the synthetic set."""
    assert Path(PYTHON).is_file(), "set VMEVALKIT_LMMS_PYTHON to the python of an environment with lmms_eval"
    folder = tmp_path_factory.mktemp("lmms")
    write_dataset(folder / "RunsenXu" / "MMSI-Bench", 6, 11)
    add_other_types(folder / "RunsenXu" / "MMSI-Bench" / "data" / "test-00000-of-00001.parquet")
    return folder


def add_other_types(path: Path) -> None:
    """Add questions of the six types that the synthetic set does not have, as copies of those that it has."""
    table = pq.read_table(path)
    rows = [row for row in table.to_pylist() if row["question_type"] == "MSR"]
    others = [
        {**row, "id": f"{row['id']}_{category}", "question_type": kind}
        for kind, category in CATEGORIES.items()
        if category.startswith("positional")
        for row in rows
    ]
    pq.write_table(pa.concat_tables([table, pa.Table.from_pylist(others, schema=table.schema)]), path)


def start_lmms_eval(
    home: Path, model: str, model_args: str, tasks: list[str], out: str, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    command = [
        PYTHON, "-m", "lmms_eval", "--model", model, "--model_args", model_args, "--tasks", ",".join(tasks),
        "--include_path", str(FOLDER), "--batch_size", "1", "--log_samples", "--output_path", str(home / out),
    ]  # fmt: skip
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(home / "hf"), "PYTHONPATH": ""}
    return subprocess.run(
        command, cwd=home, env={**os.environ, **offline, **(environment or {})}, capture_output=True, text=True
    )


def run_lmms_eval(
    home: Path, model: str, out: str, environment: dict[str, str] | None = None
) -> dict[str, dict[str, float]]:
    """Return the metrics of each task and group."""
    model_args = f"cache_dir={home / out / 'cache'},save_intermediate=true"
    done = start_lmms_eval(home, model, model_args, TASKS, out, environment)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    [path] = (home / out).rglob("*results.json")
    results: dict[str, dict[str, float]] = json.loads(path.read_text("utf-8"))["results"]
    return results


def check_scores(theirs: dict[str, dict[str, float]], samples: dict[str, list[SampleResult]], output: Path) -> None:
    ours = {task.task: task for task in load_results(output).tasks if task.task != "overall"}
    assert set(ours) == set(expand_tasks(TASKS)) and len(ours) == 22
    for name, task in ours.items():
        assert theirs[name]["accuracy,none"] == pytest.approx(task.accuracy.value)
        assert theirs[name][f"{task.category},none"] == pytest.approx(task.accuracy.value)
        assert theirs[name]["unparsed,none"] == pytest.approx(task.unparsed_rate)
        assert task.accuracy.n == len(samples[name]) == 6
    overall = {task.mode: task.accuracy.value for task in load_results(output).tasks if task.task == "overall"}
    assert theirs["mmsi"]["accuracy,none"] == pytest.approx(overall["direct"])
    assert theirs["mmsi_visual_cot"]["accuracy,none"] == pytest.approx(overall["Visual CoT"])


def test_a_two_stage_model_has_the_same_scores_on_all_ten_tasks(
    home: Path, server: ImageEmulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    _, samples = run("azure_trapi_visual_cot", "", TASKS, Path("RunsenXu/MMSI-Bench"), home / "ours")
    statuses = {row.status for rows in samples.values() for row in rows}
    assert statuses == {"correct", "wrong", "unparsed"}  # else the comparison would say little
    edits, bodies = list(server.edits), list(server.bodies)
    assert not (home / "ours" / "azure_trapi_visual_cot" / "intermediate").exists()
    theirs = run_lmms_eval(home, "azure_trapi_visual_cot", "theirs", server.settings())
    check_scores(theirs, samples, home / "ours")
    again_edits, again_bodies = server.edits[len(edits) :], server.bodies[len(bodies) :]
    assert {edit["prompt"] for edit in edits} == {edit["prompt"] for edit in again_edits}
    assert sorted(map(_text, bodies)) == sorted(map(_text, again_bodies))
    assert sorted(map(_count_images, bodies)) == sorted(map(_count_images, again_bodies))
    [row] = [row for row in samples["mmsi_msr_visual_cot"] if row.question_id == "synthetic_msr_0000"]
    kept = home / "theirs" / "cache" / "azure_trapi_visual_cot" / "intermediate" / "mmsi_msr_visual_cot"
    written = json.loads((kept / "synthetic_msr_0000.json").read_text("utf-8"))
    assert written["response"] == row.response and written["generation_prompt"] == row.generation_prompt
    assert (kept / "synthetic_msr_0000.png").is_file() and len(list(kept.glob("*.json"))) == 6


def test_an_ordinary_model_is_refused_in_two_stages(home: Path) -> None:
    done = start_lmms_eval(home, "dummy", "", ["mmsi_msr_visual_cot"], "ordinary")
    text = done.stdout + done.stderr
    assert "does not support Visual CoT" in text or done.returncode != 0, text[-2000:]
    assert not list((home / "ordinary").rglob("*results.json"))


def test_an_outage_gives_no_score_and_the_next_run_resumes(home: Path, server: ImageEmulator) -> None:
    server.faults.create = ["not_image"]
    args = (home, "azure_trapi_visual_cot", f"cache_dir={home / 'outage'}", ["mmsi_msr_visual_cot"], "after_outage")
    done = start_lmms_eval(*args, server.settings())
    assert done.returncode == 1 and "1 of 6 questions have no answer" in done.stdout + done.stderr
    assert not list((home / "after_outage").rglob("*results.json"))
    edits = len(server.edits)
    assert start_lmms_eval(*args, server.settings()).returncode == 0
    assert len(server.edits) == edits + 1


def test_the_random_baseline_gives_the_same_letters(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    _, samples = run("random", "", TASKS, Path("RunsenXu/MMSI-Bench"), home / "ours_random")
    theirs = run_lmms_eval(home, "vmevalkit_random", "theirs_random")
    check_scores(theirs, samples, home / "ours_random")
    for name, rows in samples.items():
        [path] = (home / "theirs_random").rglob(f"*_samples_{name}.jsonl")
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        letters = {line["accuracy"]["question_id"]: line["accuracy"]["predicted"] for line in lines}
        assert letters == {row.question_id: row.predicted for row in rows}


def _text(body: dict) -> str:  # type: ignore[type-arg]
    return str(body["messages"][0]["content"][-1]["text"])


def _count_images(body: dict) -> int:  # type: ignore[type-arg]
    return len(body["messages"][0]["content"]) - 1
