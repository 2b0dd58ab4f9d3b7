"""Results, the page, and the command line, with the baselines that need no key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vmevalkit.cli.main import make_app
from vmevalkit.core.errors import StoreError
from vmevalkit.stats.comparison import mcnemar_exact
from vmevalkit.vqa.page import write_report
from vmevalkit.vqa.published import PUBLISHED, verify_published
from vmevalkit.vqa.results import compare_samples, load_results
from vmevalkit.vqa.samples import SampleResult
from vmevalkit.vqa.tables import write_markdown


def invoke(*args: object) -> tuple[int, str]:
    done = CliRunner().invoke(make_app(), [str(arg) for arg in args])
    return done.exit_code, done.output


@pytest.fixture(scope="module")
def logs(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("logs")
    for model, tasks in (("random", "mmsi,mmsi_visual_cot"), ("random", "mmsi_msr"), ("blind", "mmsi")):
        args = ("--model_args", "of=random") if model == "blind" else ()
        code, text = invoke(
            "vqa", "--model", model, *args, "--tasks", tasks, "--dataset", dataset, "--output_path", output,
            "--log_samples",
        )  # fmt: skip
        assert code == 0, text
    return output


def test_accuracies_stand_beside_chance_and_blind(logs: Path) -> None:
    results = load_results(logs)
    assert {(task.label, task.mode) for task in results.tasks} == {
        ("random", "direct"), ("random", "Visual CoT"), ("blind-random", "direct"),
    }  # fmt: skip
    assert sum(task.task == "overall" for task in results.tasks) == 3
    for task in results.tasks:
        assert task.accuracy.n == (20 if task.task == "overall" else 4) and task.missing == 0
        assert task.accuracy.value == task.counts["correct"] / task.accuracy.n
    header, *_ = [line for line in write_markdown(results).splitlines() if line.startswith("| model")]
    assert "chance | blind |" in header
    written = json.loads((logs / "results.json").read_text("utf-8"))
    assert len(written["tasks"]) == len(results.tasks) and written["chance"] == 0.25


def test_modes_are_compared_by_question(logs: Path) -> None:
    comparisons = load_results(logs).comparisons
    assert [row.category for row in comparisons] == [
        "attribute_appr", "attribute_meas", "motion_obj", "motion_cam", "msr", "overall",
    ]  # fmt: skip
    assert comparisons[-1].comparison.common == 20


def test_a_paired_comparison_of_hand_made_samples() -> None:
    def rows(statuses: str) -> list[SampleResult]:
        words = {"c": "correct", "w": "wrong", "u": "unparsed", "s": "stage1_refused", "f": "failed"}
        return [SampleResult(str(i), "msr", words[s], "A") for i, s in enumerate(statuses)]  # type: ignore[arg-type]

    paired = compare_samples(rows("ccccwsf"), rows("cwwwwuc"))
    assert paired.common == 6 and paired.only_second == 1  # a failed sample is left out
    assert paired.difference.value == pytest.approx(0.5)
    assert paired.mcnemar.p_value == mcnemar_exact(3, 0).p_value == pytest.approx(0.25)


def test_the_page_shows_every_question_with_images_and_answers(logs: Path) -> None:
    page = (logs / "index.html").read_text("utf-8")
    assert page.count('<section class="question"') == 20
    assert page.count('class="mark ') == 60
    for name in ('id="accuracy"', 'id="comparison"', 'id="published"', "accuracy.png", "not run here"):
        assert name in page
    images = list((logs / "images").glob("*.jpg"))
    assert len(images) >= 40 and page.count("visualizations/") == 40
    assert (logs / "accuracy.png").read_bytes().startswith(b"\x89PNG")


def test_a_page_without_its_dataset_says_so(logs: Path, tmp_path: Path) -> None:
    import shutil

    copied = tmp_path / "copied"
    shutil.copytree(logs, copied)
    for path in copied.glob("*/run.json"):
        record = json.loads(path.read_text("utf-8"))
        path.write_text(json.dumps({**record, "dataset": str(tmp_path / "gone.parquet")}), "utf-8")
    page = write_report(copied).read_text("utf-8")
    assert "are not shown" in page and page.count('<section class="question"') == 20


def test_published_rows_are_not_run_here(logs: Path) -> None:
    rows = verify_published(load_results(logs))
    assert [row.name for row in rows] == [row.name for row in PUBLISHED]
    assert {row.status for row in rows} == {"not run here", "not a model"}
    assert rows[1].published == 0.492 and rows[1].ours is None


def test_samples_are_logged_in_full(logs: Path) -> None:
    lines = (logs / "random" / "samples_mmsi_msr_visual_cot.jsonl").read_text("utf-8").splitlines()
    sample = json.loads(lines[0])
    assert len(lines) == 4 and sample["generation_prompt"].startswith("Create a visualization")
    assert sample["doc"]["question"] in sample["input"] and len(sample["images"]) == 3
    assert sample["filtered_resps"][0] in "ABCD" and sample["resps"] == [[f"``{sample['filtered_resps'][0]}``"]]


def test_a_dry_run_asks_nothing(dataset: Path, tmp_path: Path) -> None:
    code, text = invoke(
        "vqa", "--model", "random", "--tasks", "mmsi_visual_cot", "--dataset", dataset, "--output_path", tmp_path / "l",
        "--dry-run",
    )  # fmt: skip
    assert code == 0 and "mmsi_msr_visual_cot (two stages): 4 of 4 questions, 8 calls for at most $0.00" in text
    assert "total: 40 calls" in text and not (tmp_path / "l").exists()


def test_another_question_type_in_the_words_of_a_task(dataset: Path, tmp_path: Path) -> None:
    args = ("--dataset", dataset, "--output_path", tmp_path, "--question_type", "motion_cam", "--limit", "3")
    code, text = invoke("vqa", "--model", "random", "--tasks", "mmsi_msr", *args)
    assert code == 0 and "mmsi_msr-motion_cam (direct)" in text and "3" in text
    [task] = load_results(tmp_path).tasks
    assert (task.category, task.accuracy.n) == ("motion_cam", 3)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--model", "random"), "--tasks mmsi"),
        (("--model", "rondom", "--tasks", "mmsi"), "did you mean 'random'?"),
        (("--model", "random", "--tasks", "mmsi_mrs"), "did you mean 'mmsi_msr'?"),
        (("--model", "random", "--tasks", "mmsi", "--wording", "other"), "no wording 'other'"),
        (("--model", "random", "--tasks", "mmsi", "--batch_size", "0"), "--batch_size 0"),
        (("--model", "random", "--tasks", "mmsi", "--question_type", "motion"), "no question type"),
    ],
)
def test_wrong_usage_has_exit_code_2_and_a_remedy(
    args: tuple[str, ...], words: str, dataset: Path, tmp_path: Path
) -> None:
    code, text = invoke("vqa", *args, "--dataset", dataset, "--output_path", tmp_path)
    assert code == 2 and words in text


def test_an_output_folder_without_results(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="vmevalkit vqa first"):
        load_results(tmp_path)
    code, text = invoke("vqa-report", "--output_path", tmp_path)
    assert code == 1 and "has no results" in text


def test_the_dataset_command(tmp_path: Path) -> None:
    code, text = invoke("vqa-dataset", "--out", tmp_path / "set", "--n", "1", "--seed", "2")
    assert code == 0 and "5 certified questions" in text
    assert (tmp_path / "set" / "data" / "test-00000-of-00001.parquet").is_file()
