"""The tidy table from real experiment folders."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import vmevalkit
from vmevalkit.core.errors import InvalidRecord, StoreError, UnknownName
from vmevalkit.eval.experiment import score_experiment, score_videos
from vmevalkit.report.media_files import MediaCopier
from vmevalkit.report.video_list import find_media, list_questions
from vmevalkit.results.columns import COLUMNS, KEY, expand
from vmevalkit.results.table import NOT_SCORED, REASONS
from vmevalkit.runs.run import run
from vmevalkit.store.scores import load_score, load_scores, save_score

OLD = Path(__file__).parents[1] / "data" / "experiment_0_1" / "data"


def load(data: Path, *experiments: str) -> pd.DataFrame:
    return vmevalkit.load_results(*experiments, outputs=data / "outputs", evaluations=data / "evaluations")


def pick(frame: pd.DataFrame, model: str, question: str) -> pd.Series:
    [row] = [row for _, row in frame.iterrows() if (row["model"], row["question"]) == (model, question)]
    return row


def test_each_score_is_a_row(data: Path) -> None:
    frame = load(data, "first")
    assert list(frame.columns) == list(COLUMNS)
    assert len(frame) == 12
    assert not frame.duplicated(list(KEY)).any()
    row = pick(frame, "oracle", "maze_0001")
    assert (row["value"], row["success"], row["solved"], row["passed"]) == (5, True, True, True)
    assert (row["outcome"], row["failure_mode"], row["status"]) == (1.0, "none", "success")
    assert (row["family"], row["difficulty"], row["scorer"]) == ("baseline", "easy", "RuleEvaluator")
    assert row["metrics"]["walls_crossed"] == 0.0
    assert row["params"]["grid_n"] == 3
    assert row["params"]["solution_length"] >= 3
    assert Path(row["video"]).is_file()
    assert row[["annotator", "reason", "rule_type"]].isna().all()
    assert pick(frame, "static", "maze_0001")["failure_mode"] == "static"
    assert frame["seconds"].gt(0).all()


def test_the_table_equals_the_score_files(data: Path) -> None:
    frame = load(data, "first")
    scores = load_scores(data / "evaluations", "first")
    assert len(scores) == len(frame)
    for scored in scores:
        row, score = pick(frame, scored.model, scored.question_id), scored.score
        assert (row["value"], row["solved"], row["passed"]) == (score.value, score.solved, score.passed)
        assert (row["outcome"], row["process"], row["metrics"]) == (score.outcome, score.process, score.metrics)
        assert (row["video_digest"], row["puzzle_digest"]) == (scored.video_digest, scored.puzzle_digest)


def test_tags_and_levels_of_the_puzzles(data: Path) -> None:
    frame = load(data, "first")
    chess = pick(frame, "oracle", "chess_0000")
    metadata = json.loads((data / "questions/chess_task/chess_0000/question_metadata.json").read_text())
    assert chess["pattern_tags"] == chess["tags"] == metadata["chess_data"]["pattern_tags"]
    sudoku = pick(frame, "oracle", "sudoku_0000")
    assert (sudoku["level"], sudoku["tags"]) == ("1", ["level 1"])


def test_rules_of_other_tasks_are_read(tmp_path: Path) -> None:
    from vmevalkit.datasets.generate import generate
    from vmevalkit.results.entries import read_question_entry

    generate(["raven", "object_subtraction"], n=1, seed=1, out=tmp_path)
    raven = read_question_entry(tmp_path / "raven_task" / "raven_0000")
    assert raven["rule"].startswith("shape: ")
    assert (raven["rule_type"], raven["tags"]) == ("shape_progression", ["shape_progression"])
    removal = read_question_entry(tmp_path / "object_subtraction_task" / "object_subtraction_0000")
    assert (removal["level"], removal["tags"][-1]) == ("L1", "level L1")
    assert removal["params"]["num_objects"] == 8  # the puzzle's own number, not the generator's range


def test_runs_without_a_video_and_videos_without_a_score_are_rows(data: Path) -> None:
    door = data / "questions" / "doors_task" / "my_door"
    door.mkdir(parents=True)
    shutil.copy(data / "questions/maze_task/maze_0000/first_frame.png", door)
    (door / "prompt.txt").write_text("Open it.")
    run(["oracle", "noise"], data / "questions", "first", data / "outputs", domains=["doors"], seconds=1.0)
    frame = load(data, "first")
    failed, unscored = pick(frame, "oracle", "my_door"), pick(frame, "noise", "my_door")
    assert failed["reason"].startswith("no video, failed: ModelError: the baseline 'oracle' needs a puzzle")
    assert (unscored["reason"], unscored["status"]) == (NOT_SCORED, "success")
    for row in (failed, unscored):
        assert row[["value", "success", "solved", "passed", "scorer", "is_current"]].isna().all()
    score_experiment("first", data / "outputs", data / "evaluations")
    scored = pick(load(data, "first"), "noise", "my_door")
    assert scored[["value", "success", "solved", "passed", "outcome", "process", "failure_mode"]].isna().all()
    assert "the question has no puzzle" in scored["reason"]
    assert scored["is_current"]


def test_a_score_of_an_earlier_video_does_not_count(data: Path) -> None:
    [folder] = (data / "outputs/first/static/maze_task/maze_0000").iterdir()
    shutil.rmtree(folder)
    run(["static"], data / "questions", "first", data / "outputs", domains=["maze"], seconds=2.0)
    row = pick(load(data, "first"), "static", "maze_0000")
    assert (row["is_current"], row["reason"]) == (False, REASONS["outdated"])
    assert row[["value", "success", "outcome"]].isna().all()
    score_experiment("first", data / "outputs", data / "evaluations")
    again = pick(load(data, "first"), "static", "maze_0000")
    assert (again["value"], again["is_current"]) == (1, True)


def test_a_score_without_its_run_does_not_count(data: Path) -> None:
    shutil.rmtree(data / "outputs/first/static/maze_task/maze_0000")
    row = pick(load(data, "first"), "static", "maze_0000")
    assert (row["is_current"], row["reason"]) == (False, REASONS["without_run"])
    assert pd.isna(row["value"])


def test_videos_made_elsewhere_have_their_question(data: Path) -> None:
    [video] = (data / "outputs/first/oracle/maze_task/maze_0000").rglob("*.mp4")
    (data / "videos").mkdir()
    shutil.copy(video, data / "videos" / "maze_0000.mp4")
    score_videos(data / "videos", data / "questions", "mine", data / "evaluations", "first")
    row = pick(load(data, "first"), "mine", "maze_0000")
    assert (row["success"], row["difficulty"], row["params"]["grid_n"]) == (True, "easy", 3)
    assert pd.isna(row["status"])
    assert Path(row["video"]).resolve() == (data / "videos" / "maze_0000.mp4").resolve()


def test_a_score_of_others_shows_no_file_of_this_machine(data: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A path in a score file may lead to any question, video or picture: what it leads to must be what was scored."""
    [video] = (data / "outputs/first/oracle/maze_task/maze_0000").rglob("*.mp4")
    (data / "videos").mkdir()
    shutil.copy(video, data / "videos" / "maze_0000.mp4")
    score_videos(data / "videos", data / "questions", "mine", data / "evaluations", "first")
    path = data / "evaluations/first/mine/maze_task/maze_0000/RuleEvaluator.json"
    record = json.loads(path.read_text())
    private, name = data / "private", record["metadata"]["question_folder"]
    private.mkdir()
    (private / "prompt.txt").write_text("secret")
    shutil.copy(data / "questions/maze_task/maze_0000/first_frame.png", private)
    shutil.copy(data / "videos/maze_0000.mp4", private / "video.mp4")
    with (private / "video.mp4").open("ab") as file:
        file.write(b"secret")
    for about in ({"question_folder": os.path.relpath(private, path.parent)}, {"question_folder": name}):
        about["video"] = os.path.relpath(private / "video.mp4", path.parent)
        path.write_text(json.dumps({**record, "metadata": {**record["metadata"], **about}}))
        frame = load(data, "first")
        row = pick(frame, "mine", "maze_0000")
        assert pd.isna(row["question_folder"]) == (about["question_folder"] != name)
        questions = list_questions(frame[frame["model"] == "mine"])
        [source] = [find_media(each, data / "evaluations") for each in questions]
        [copy] = MediaCopier(str(data / "report"))(source).videos
        assert copy.video is None and "another video" in str(copy.problem)
    path.write_text(json.dumps({**record, "result": {**record["result"], "evidence": "../../../../private/a.jpg"}}))
    with pytest.raises(StoreError, match="inside its folder"):
        load(data, "first")


def test_people_and_judges_are_rows_of_their_own(data: Path) -> None:
    scores = {(scored.model, scored.question_id): scored for scored in load_scores(data / "evaluations", "first")}
    scored = scores["oracle", "maze_0000"]
    for annotator in ("Ann", "../Bob"):
        save_score(data / "evaluations", replace(scored, evaluator="HumanEvaluator", annotator=annotator))
    path = data / "evaluations/first/oracle/maze_task/maze_0000/GPT4OEvaluator.json"
    about = json.loads((path.parent / "RuleEvaluator.json").read_text())["metadata"] | {"evaluator": "GPT4OEvaluator"}
    result = {"solution_correctness_score": 4, "explanation": "Nearly."}
    path.write_text(json.dumps({"metadata": about, "result": result}))
    frame = load(data, "first")
    rows = frame[(frame["model"] == "oracle") & (frame["question"] == "maze_0000")]
    assert list(zip(rows["scorer"], rows["annotator"].fillna(""), strict=True)) == [
        ("GPT4OEvaluator", ""), ("HumanEvaluator", "../Bob"), ("HumanEvaluator", "Ann"), ("RuleEvaluator", ""),
    ]  # fmt: skip
    judge = rows.iloc[0]
    assert (judge["value"], judge["success"], judge["is_current"]) == (4, True, True)
    assert judge[["solved", "passed", "outcome", "process", "failure_mode"]].isna().all()


def test_samples_are_rows_of_their_own(data: Path) -> None:
    run(["static"], data / "questions", "more", data / "outputs", domains=["maze"], samples=3, seconds=0.5)
    score_experiment("more", data / "outputs", data / "evaluations")
    frame = load(data, "more")
    assert frame["sample"].tolist() == [0, 1, 2] * 2
    assert len(load(data)) == 12 + 6
    assert load(data)["experiment"].unique().tolist() == ["first", "more"]


def test_a_copied_experiment_has_its_own_name(data: Path) -> None:
    load(data, "first")
    for kind in ("outputs", "evaluations"):
        shutil.copytree(data / kind / "first", data / kind / "second")
    frame = load(data, "second")
    assert frame["experiment"].unique().tolist() == ["second"]
    assert frame["trace"].str.contains("evaluations/second/").all()
    places = ["experiment", "video", "question_folder", "trace", "evidence"]
    pd.testing.assert_frame_equal(frame.drop(columns=places), load(data, "first").drop(columns=places))


def test_records_of_an_earlier_version_are_read(tmp_path: Path) -> None:
    shutil.copytree(OLD, tmp_path / "data")
    frame = load(tmp_path / "data", "old")
    assert len(frame) == 6
    assert frame["is_current"].all()
    assert pick(frame, "oracle", "maze_0000")["params"]["grid_n"] == 3
    assert "readable_squares_share" in pick(frame, "oracle", "chess_0000")["metrics"]


def test_an_unknown_experiment_is_refused_with_the_nearest(data: Path) -> None:
    with pytest.raises(UnknownName, match=r"no experiment 'frist' in .*; did you mean 'first'\?"):
        load(data, "frist")


def test_an_empty_experiment_is_an_empty_table(data: Path) -> None:
    (data / "outputs" / "empty").mkdir()
    frame = load(data, "empty")
    assert len(frame) == 0
    assert {name: str(kind) for name, kind in frame.dtypes.items()} == COLUMNS


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not JSON"),
        ("{}", "is not a score file"),
        ('{"metadata": {}, "result": {"explanation": "fine"}}', "is not a score file"),
    ],
)
def test_a_damaged_score_file_is_named(data: Path, content: str, message: str) -> None:
    path = data / "evaluations/first/oracle/maze_task/maze_0000/RuleEvaluator.json"
    path.write_text(content)
    with pytest.raises(StoreError, match=message) as error:
        load(data, "first")
    assert str(path) in str(error.value)


def test_mappings_become_columns(data: Path) -> None:
    frame = load(data, "first")
    wide = expand(frame, "metrics")
    assert "metrics" not in wide
    assert wide.loc[wide["domain"] == "maze", "metrics.walls_crossed"].tolist() == [0.0] * 4
    assert wide.loc[wide["domain"] == "chess", "metrics.walls_crossed"].isna().all()
    assert expand(frame, "params").loc[frame["domain"] == "maze", "params.grid_n"].tolist() == [3] * 4
    with pytest.raises(UnknownName, match="did you mean 'metrics'"):
        expand(frame, "metric")


def test_the_document_names_every_column() -> None:
    document = (Path(__file__).parents[2] / "docs" / "RESULTS.md").read_text("utf-8")
    section = document.split("## The tidy table")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    assert sorted(name.strip(" `") for row in rows for name in row.split(",")) == sorted(COLUMNS)


@pytest.mark.parametrize(
    "verdict",
    [
        {"value": 7},
        {"value": 5, "passed": False},
        {"value": 2, "passed": True},
        {"value": 5, "passed": 1},
        {"value": 5, "outcome": 2.0},
        {"value": 5, "metrics": {"moves": 10**400}},
        {"value": 5, "metrics": {"moves": None}},
    ],
)
def test_a_verdict_that_contradicts_itself_is_reported_and_left_out(
    data: Path, verdict: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    path = data / "evaluations/first/oracle/maze_task/maze_0000/RuleEvaluator.json"
    before = len(vmevalkit.load_results("first", outputs=data / "outputs", evaluations=data / "evaluations"))
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "result": {**record["result"], **verdict}}))
    frame = vmevalkit.load_results("first", outputs=data / "outputs", evaluations=data / "evaluations")
    scored = frame[frame["scorer"] == "RuleEvaluator"]
    left = scored[(scored["model"] == "oracle") & (scored["question"] == "maze_0000") & scored["value"].notna()]
    assert len(left) == 0 and before >= len(frame)
    assert "RuleEvaluator.json is left out" in caplog.text
    with pytest.raises(InvalidRecord, match="is left out"):
        load_score(path)
    assert len(load_scores(data / "evaluations", "first")) == before - 1


def test_a_verdict_of_no_known_video_is_reported_and_left_out(data: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = data / "evaluations/first/oracle/maze_task/maze_0000/RuleEvaluator.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "metadata": {**record["metadata"], "run_id": None, "video_digest": None}}))
    frame = vmevalkit.load_results("first", outputs=data / "outputs", evaluations=data / "evaluations")
    left = frame[(frame["model"] == "oracle") & (frame["question"] == "maze_0000") & frame["value"].notna()]
    assert len(left) == 0 and "no run_id and no video_digest" in caplog.text
    with pytest.raises(InvalidRecord, match="no video_digest"):
        load_score(path)
