"""The folder of a report: complete, self-contained, with every figure and table in several formats."""

from __future__ import annotations

import csv
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml
from hostile_experiment import HOSTILE, MODELS

from benchmarks.made_experiment import MadeExperiment, write_experiment
from vmevalkit.core.errors import StoreError, UnknownName, UsageError
from vmevalkit.datasets.generate import generate
from vmevalkit.eval.experiment import score_experiment, score_videos
from vmevalkit.report import build
from vmevalkit.report.build import ReportOptions, build_report, build_table_report
from vmevalkit.report.media_files import sum_video_bytes
from vmevalkit.runs.run import run


class LinkParser(HTMLParser):
    """Collects links, and tags that must not be there."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.inline: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.links += [value for name in ("src", "href", "srcset") if (value := given.get(name))]
        if (tag == "script" and "src" not in given) or tag == "style" or "style" in given:
            self.inline.append(tag)
        self.inline += [name for name in given if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text += data


def parse(page: Path) -> LinkParser:
    parser = LinkParser()
    parser.feed(page.read_text("utf-8"))
    return parser


def read_data(folder: Path, name: str) -> object:
    text = (folder / "data" / f"{name}.js").read_text("utf-8")
    return json.loads(text[text.index(",") + 1 : text.rindex(")")])


def test_every_link_is_in_the_folder_and_nothing_is_inline(page: Path) -> None:
    pages = sorted(page.parent.glob("*.html"))
    assert {path.name for path in pages} == {
        "index.html", "scorer-JudgeEvaluator.html", "gallery.html", "question.html", "analysis.html",
        "analysis-JudgeEvaluator.html",
    }  # fmt: skip
    for each in pages:
        parser = parse(each)
        assert not parser.inline
        assert "default-src &#39;none&#39;" in each.read_text("utf-8")
        for link in parser.links:
            assert "://" not in link
            path = unquote(link.split("#")[0])
            assert not path or (page.parent / path).is_file(), link


def test_hostile_names_are_shown_as_text(page: Path) -> None:
    parser = parse(page)
    assert "<b>beta</b> $x_$" in parser.text
    assert HOSTILE in parser.text


def test_every_figure_and_table_has_its_files(page: Path) -> None:
    figures = page.parent / "figures" / "RuleEvaluator"
    names = {path.stem for path in figures.glob("*.png")}
    assert names >= {
        "ranking", "domain_difficulty", "model_domain", "values", "failures", "process", "difficulty", "tags",
        "confusion",
    }  # fmt: skip
    for name in names:
        light, dark = (figures / f"{name}{end}" for end in (".svg", "-dark.svg"))
        assert light.read_text("utf-8") != dark.read_text("utf-8")
        assert "DejaVu" not in light.read_text("utf-8")
        assert (figures / f"{name}.pdf").is_file()
    tables = page.parent / "tables" / "RuleEvaluator"
    for path in tables.glob("*.csv"):
        assert path.with_suffix(".tex").is_file()
    with (tables / "ranking.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["model"] for row in rows} == set(MODELS)
    assert all(0 <= float(row["low"]) <= float(row["success"]) <= float(row["high"]) <= 1 for row in rows)
    assert r"\textbackslash" not in (tables / "ranking.tex").read_text("utf-8")
    assert r"\$x\_\$" in (tables / "ranking.tex").read_text("utf-8")


def test_the_page_of_the_analysis_has_every_statistic_with_its_tables(page: Path) -> None:
    text = " ".join(parse(page.parent / "analysis.html").text.split())
    for title in (
        "Differences of models and domains", "Tukey's comparison of models", "Effect sizes", "Mixed model",
        "Logistic model", "Random forest", "Consistency over domains", "Temporal metrics", "Domain complexity",
    ):  # fmt: skip
        assert title in text
    assert "analysis.html" in parse(page).links
    tables = page.parent / "tables" / "RuleEvaluator"
    with (tables / "analysis_tukeys_comparison_of_models.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert all(float(row["low"]) < float(row["difference"]) < float(row["high"]) for row in rows) and len(rows) == 3
    with (tables / "analysis_consistency_over_domains.csv").open(encoding="utf-8") as file:
        assert {int(row["consistency_rank"]) for row in csv.DictReader(file)} >= {1}


def test_a_table_of_scores_has_a_report_without_run_folders(tmp_path: Path) -> None:
    lines = ["model,domain,question,passed", *(f"m{k % 3},d{k % 2},{k // 6},{k % 5 > 2}" for k in range(60))]
    table, notes = tmp_path / "others.csv", list[str]()
    table.write_text("\n".join(lines), "utf-8")
    page = build_table_report(table, tmp_path / "report", notes.append)
    assert notes == ["others.csv says passed or not: where values are compared, a pass counts as 5, a fail as 1"]
    assert {path.name for path in page.parent.glob("*.html")} == {"index.html", "analysis.html"}
    for each in page.parent.glob("*.html"):
        parser = parse(each)
        for link in parser.links:
            path = unquote(link.split("#")[0])
            assert not path or (page.parent / path).is_file(), link
    text = " ".join(parse(page).text.split())
    assert "60 videos scored by unnamed scorer" in text and "were read from a table, others.csv, SHA-256" in text
    with pytest.raises(UsageError, match="--compare-with and --export need"):
        build_table_report(table, tmp_path / "report", options=ReportOptions(exports=["huggingface"]))


def test_the_gallery_has_every_video_with_its_verdicts(page: Path) -> None:
    index = read_data(page.parent, "index")
    assert isinstance(index, dict)
    assert index["videos"] == 120
    assert index["judges"] == ["RuleEvaluator", "JudgeEvaluator"]
    rows = read_data(page.parent, "videos-000")
    assert isinstance(rows, list)
    assert len(rows) == 120
    for row in rows:
        assert (page.parent / row[3]).is_file()
        assert (page.parent / row[4]).is_file()
        assert len(row[6]) == 2
    details = read_data(page.parent, "questions-000")
    assert isinstance(details, list)
    video = details[0]["videos"][0]
    assert video["fps"] == 12
    assert [strip[0] for strip in video["strips"]] == ["JudgeEvaluator", "RuleEvaluator"]
    assert all((page.parent / strip[1]).is_file() for strip in video["strips"])
    assert len(video["verdicts"][0]["timeline"]["t"]) == 24


def test_the_summary_keeps_the_uncertainty(page: Path) -> None:
    text = " ".join(parse(page).text.split())
    assert "120 runs of 3 models and 1 embedded baseline on 30 questions in 3 domains" in text
    assert "static (baseline)" in text
    assert "95% interval" in text
    assert "This does not show that the models are equal" in text or "succeeds more often" in text
    assert "Krippendorff's alpha" in text
    assert "McNemar's exact test, with Holm's correction" in text
    assert "No certificate of this scorer was available" in text
    assert "temperature 0.7" in text


def test_provenance_names_the_questions(page: Path) -> None:
    record = json.loads((page.parent / "provenance.json").read_text("utf-8"))
    assert [each["domain"] for each in record["datasets"]] == ["chess", "maze", "sudoku"]
    assert all(len(each["fingerprint"]) == 64 and each["seeds"] == ["0"] for each in record["datasets"])
    assert record["models"][0]["settings"] == ["seconds 8.0, temperature 0.7"]


def test_fingerprints_are_those_of_the_generator(tmp_path: Path) -> None:
    made = generate(["maze"], n=2, seed=1, out=tmp_path / "questions")
    run(["static"], tmp_path / "questions", "first", tmp_path / "outputs", seconds=1.0)
    build_report("first", tmp_path / "outputs", tmp_path / "evaluations", tmp_path / "report")
    record = json.loads((tmp_path / "report" / "provenance.json").read_text("utf-8"))
    assert record["datasets"][0]["fingerprint"] == made.tasks[0].fingerprint
    text = parse(tmp_path / "report" / "index.html").text
    assert "No video is scored" in text
    assert "2 videos have no current verdict: static 2" in text


def test_exports_have_the_rates_of_the_table(page: Path) -> None:
    exports = page.parent / "exports"
    [path] = (exports / "huggingface" / "alpha").rglob("*.yaml")
    assert path.parent.name == ".eval_results"
    entries = yaml.safe_load(path.read_text("utf-8"))
    assert [entry["dataset"]["task_id"] for entry in entries] == ["all", "chess", "maze", "sudoku"]
    records = list((exports / "every-eval-ever" / "data" / "vmevalkit").rglob("*.json"))
    assert len(records) == 4
    for path in records:
        record = json.loads(path.read_text("utf-8"))
        assert record["schema_version"] == "0.3.0"
        samples = exports / "every-eval-ever" / record["detailed_evaluation_results"]["file_path"]
        lines = [json.loads(line) for line in samples.read_text("utf-8").splitlines()]
        assert len(lines) == 30 == record["detailed_evaluation_results"]["total_rows"]
        share = sum(line["evaluation"]["score"] for line in lines) / 30
        assert record["evaluation_results"][0]["score_details"]["score"] == pytest.approx(share)
        assert all("#sha256-prefix=" in line["output"]["raw"][0] for line in lines)
    alpha = next(json.loads(path.read_text("utf-8")) for path in records if path.parent.name == "alpha")
    assert entries[0]["value"] == pytest.approx(
        100 * alpha["evaluation_results"][0]["score_details"]["score"], abs=0.01
    )


def test_an_unknown_export_is_refused_with_the_nearest(experiment: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean 'huggingface'"):
        build_report("made", experiment / "outputs", options=ReportOptions(exports=["hugging"]))


def test_a_second_report_makes_no_media_again_and_removes_stale_ones(tmp_path: Path) -> None:
    write_experiment(tmp_path, MadeExperiment(questions=2, models=("a", "b"), with_files=False))
    places = (tmp_path / "outputs", tmp_path / "evaluations", tmp_path / "report")
    build_report("made", *places)
    media = {
        path: path.stat().st_mtime_ns for path in (tmp_path / "report").rglob("*.*") if path.suffix in (".mp4", ".jpg")
    }
    assert len(media) == 4 * 3
    build_report("made", *places)
    assert {path: path.stat().st_mtime_ns for path in media} == media
    shutil.rmtree(tmp_path / "outputs" / "made" / "b")
    build_report("made", *places)
    assert len(list((tmp_path / "report").rglob("*.mp4"))) == 2


def test_videos_can_be_left_out(tmp_path: Path) -> None:
    write_experiment(tmp_path, MadeExperiment(questions=1, models=("a",)))
    page = build_report(
        "made", tmp_path / "outputs", tmp_path / "evaluations", tmp_path / "report",
        options=ReportOptions(with_videos=False),
    )  # fmt: skip
    assert not list(page.parent.rglob("*.mp4"))
    assert "The videos were left out" in page.read_text("utf-8")
    assert list((page.parent / "thumbs").rglob("*.jpg"))


def test_a_gigabyte_is_copied_only_after_a_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_experiment(tmp_path, MadeExperiment(questions=1, models=("a",)))
    monkeypatch.setattr(build, "LARGE_BYTES", 10)
    asked: list[int] = []

    def refuse(size: int) -> bool:
        asked.append(size)
        return False

    with pytest.raises(UsageError, match="--no-videos"):
        build_report(
            "made", tmp_path / "outputs", tmp_path / "evaluations", tmp_path / "report",
            options=ReportOptions(confirm=refuse),
        )  # fmt: skip
    assert asked == [sum_video_bytes([str(path) for path in (tmp_path / "outputs").rglob("*.mp4")])]
    assert not (tmp_path / "report" / "index.html").exists()


def test_the_report_is_the_same_when_the_folder_is_moved(page: Path, tmp_path: Path) -> None:
    shutil.copytree(page.parent, tmp_path / "sent")
    for path in (tmp_path / "sent").rglob("*"):
        if path.suffix in (".html", ".js", ".json", ".csv", ".svg"):
            assert str(page.parent) not in path.read_text("utf-8"), path


def test_another_prompt_is_paired_and_fresh_questions_are_not(tmp_path: Path) -> None:
    models = ("alpha", "beta")
    write_experiment(tmp_path, MadeExperiment(questions=12, models=models))
    write_experiment(tmp_path, MadeExperiment(questions=12, models=models, name="empty", variant="empty"))
    write_experiment(tmp_path, MadeExperiment(questions=9, models=models, name="twin", seed=5))
    options = ReportOptions(compare_with=("empty", "twin"))
    page = build_report("made", tmp_path / "outputs", tmp_path / "evaluations", tmp_path / "report", options=options)
    text = " ".join(parse(page).text.split())
    assert "empty has the same questions with the prompt 'empty' in place of 'default'" in text
    assert "The empty prompt is a control" in text
    assert "twin has other questions of the same kind" in text
    tables = page.parent / "tables" / "RuleEvaluator"
    with (tables / "against_1.csv").open(encoding="utf-8") as file:
        assert [row["difference"] for row in csv.DictReader(file)] == ["0.0", "0.0"]
    with (tables / "against_2.csv").open(encoding="utf-8") as file:
        assert [row["is_paired"] for row in csv.DictReader(file)] == ["False", "False"]


def test_certificates_are_quoted_and_copied(tmp_path: Path) -> None:
    write_experiment(tmp_path, MadeExperiment(questions=3, models=("a",)))
    folder = tmp_path / "certificates"
    folder.mkdir()
    cell = {"name": "oracle", "expected": "pass", "n": 58, "passed": 57, "unscored": 0}
    cheat = {"name": "teleport", "expected": "fail", "n": 41, "passed": 0, "unscored": 1}
    cells = [{"task": "maze", **cell}, {"task": "maze", **cheat}, {"task": "chess", **cell}]
    record = {
        "scorer": "rules",
        "versions": {"maze": "1", "chess": "9"},
        "package": "0.1.0",
        "seed": 67,
        "cells": cells,
    }
    (folder / "maze.json").write_text(json.dumps(record))
    (folder / "other.json").write_text(json.dumps({"kinds": "round_1"}))
    options = ReportOptions(certificates=folder)
    page = build_report("made", tmp_path / "outputs", tmp_path / "evaluations", tmp_path / "report", options=options)
    text = " ".join(parse(page).text.split())
    assert "maze 98 of 100 (seed 67; wrong passes at most 10.9%, wrong fails at most 8.0% (95%))" in text
    assert "Some audits are of another version" in text
    assert (page.parent / "certificates" / "maze.json").is_file()
    (folder / "damaged.json").write_text(json.dumps({"cells": [], "scorer": "rules", "versions": 3}))
    with pytest.raises(StoreError, match=r"damaged\.json is not a certificate"):
        build_report("made", tmp_path / "outputs", tmp_path / "evaluations", tmp_path / "report", options=options)


@pytest.mark.slow
def test_videos_made_elsewhere_and_runs_without_a_video_are_shown(tmp_path: Path) -> None:
    questions, outputs, evaluations = tmp_path / "questions", tmp_path / "outputs", tmp_path / "evaluations"
    generate(["maze"], n=2, seed=1, out=questions)
    door = questions / "doors_task" / "my_door"
    door.mkdir(parents=True)
    shutil.copy(questions / "maze_task" / "maze_0000" / "first_frame.png", door)
    (door / "prompt.txt").write_text("Open it.")
    run(["cut_to_final"], questions, "first", outputs, seconds=1.0)
    score_experiment("first", outputs, evaluations)
    notes: list[str] = []
    page = build_report("first", outputs, evaluations, tmp_path / "report", on_note=notes.append)
    assert notes == ["1 run has no video: cut_to_final 1; the rates leave them out"]
    assert "no video, failed: ModelError: the baseline" in parse(page).text
    videos = tmp_path / "videos"
    videos.mkdir()
    for video in (outputs / "first").rglob("*.mp4"):
        shutil.copy(video, videos / video.name)
    score_videos(videos, questions, "mine", evaluations, "elsewhere")
    page = build_report("elsewhere", tmp_path / "none", evaluations, tmp_path / "other")
    assert len(list((page.parent / "videos").rglob("*.mp4"))) == 2
    assert len(list((page.parent / "frames").rglob("*.png"))) == 4
    assert re.search(r"2 runs of 1 model on 2 questions", parse(page).text)
