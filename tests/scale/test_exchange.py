"""Round trips through the formats of others, read by their own libraries: the same pixels, records and verdicts."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vmevalkit.core.errors import ConflictError
from vmevalkit.datasets.generate import generate
from vmevalkit.eval.experiment import score_experiment
from vmevalkit.exchange.export import export_rows
from vmevalkit.exchange.importing import import_rows, import_videos
from vmevalkit.exchange.read import read_rows
from vmevalkit.exchange.row import iterate_question_rows, iterate_run_rows
from vmevalkit.media.image import decode_image, encode_png, read_image
from vmevalkit.runs.run import run
from vmevalkit.store.questions import load_questions

pytestmark = [pytest.mark.scale, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

FORMATS = ["hf", "hf-disk", "webdataset", "parquet", "videofolder"]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("data")
    generate(["chess", "object_subtraction"], 3, out=root / "questions", solutions=True)
    run(["oracle", "static"], root / "questions", "e", root / "outputs", domains=["chess"])
    score_experiment("e", root / "outputs", root / "evaluations")
    return root


def question_files(root: Path) -> dict[str, bytes]:
    files = (path for task in root.glob("*_task") for path in task.rglob("*") if path.is_file())
    return {str(p.relative_to(root)): p.read_bytes() for p in files if not p.name.startswith(".")}


@pytest.mark.parametrize("to", FORMATS)
def test_questions_come_back_byte_for_byte(data: Path, tmp_path: Path, to: str) -> None:
    done = export_rows(iterate_question_rows(data / "questions"), to, tmp_path / "set", licence="cc-by-4.0")
    assert done.rows == 6
    card = (tmp_path / "set/README.md").read_text()
    assert "license: cc-by-4.0" in card and done.fingerprint in card and "| chess | 3 |" in card
    imported = import_rows(read_rows(tmp_path / "set"), tmp_path / "back")
    assert imported.questions == imported.scorable == 6
    assert question_files(tmp_path / "back") == question_files(data / "questions")
    assert import_rows(read_rows(tmp_path / "set"), tmp_path / "back").kept == 6
    again = export_rows(iterate_question_rows(tmp_path / "back"), to, tmp_path / "second", licence="cc-by-4.0")
    assert again.fingerprint == done.fingerprint


@pytest.mark.parametrize("to", FORMATS)
def test_videos_and_scores_come_back(data: Path, tmp_path: Path, to: str) -> None:
    export_rows(iterate_run_rows("e", data / "outputs", data / "evaluations"), to, tmp_path / "set")
    places = (tmp_path / "q", "e", tmp_path / "outputs", tmp_path / "evaluations")
    done = import_rows(read_rows(tmp_path / "set"), *places)
    assert (done.questions, done.videos, done.scores) == (3, 6, 6)
    scored = score_experiment("e", tmp_path / "outputs", tmp_path / "evaluations")
    assert all(result.kept for result in scored.results), "the same video, puzzle and rules"
    assert sum(bool(result.score and result.score.passed) for result in scored.results) == 3


def test_datasets_reads_images_and_videos(data: Path, tmp_path: Path) -> None:
    import datasets

    export_rows(iterate_run_rows("e", data / "outputs", data / "evaluations"), "hf", tmp_path / "hf")
    rows = datasets.load_dataset(str(tmp_path / "hf"), split="train", cache_dir=str(tmp_path / "cache"))
    assert isinstance(rows.features["video"], datasets.Video)
    by_id = {(row["id"], row["model"]): row for row in rows.cast_column("video", datasets.Video(decode=False))}
    frame = np.asarray(by_id["chess_0001", "oracle"]["first_frame"].convert("RGB"))
    assert np.array_equal(frame, read_image(data / "questions/chess_task/chess_0001/first_frame.png"))
    [video] = (data / "outputs/e/oracle/chess_task/chess_0001").rglob("*.mp4")
    assert by_id["chess_0001", "oracle"]["video"]["bytes"] == video.read_bytes()
    assert json.loads(by_id["chess_0001", "oracle"]["scores"])["RuleEvaluator"]["passed"] is True

    export_rows(iterate_question_rows(data / "questions"), "videofolder", tmp_path / "folder")
    found = datasets.load_dataset(
        "videofolder", data_dir=str(tmp_path / "folder"), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert sorted(found["id"])[0] == "chess_0000" and isinstance(found.features["video"], datasets.Video)
    export_rows(iterate_question_rows(data / "questions"), "hf-disk", tmp_path / "disk")
    loaded = datasets.load_from_disk(str(tmp_path / "disk"))
    assert loaded.num_rows == 6 and loaded.select_columns("first_frame")[0]["first_frame"].size == (400, 400)


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # it leaves shards to the garbage collector
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_webdataset_reads_its_shards(data: Path, tmp_path: Path) -> None:
    import webdataset

    export_rows(iterate_question_rows(data / "questions"), "webdataset", tmp_path / "set")
    [shard] = (tmp_path / "set").glob("*.tar")
    samples = list(webdataset.WebDataset(str(shard), shardshuffle=False))
    assert len(samples) == 6 and not any("." in sample["__key__"] for sample in samples)
    for sample in samples:
        about = json.loads(sample["json"])
        folder = data / "questions" / f"{about['domain']}_task" / about["id"]
        frame = decode_image(sample["first_frame.png"], "shard")
        assert np.array_equal(frame, read_image(folder / "first_frame.png"))
        assert sample["solution.mp4"] == (folder / "solution.mp4").read_bytes()


def test_upstream_questions_of_chess_and_sudoku_become_scorable(tmp_path: Path) -> None:
    """Their records have the whole puzzle; a maze of theirs has not, and stays a question without one."""
    records: dict[str, dict[str, Any]] = {
        "chess": {"chess_data": {"initial_fen": "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "mate_moves": ["Ra8#"]}},
        "sudoku": {"sudoku_data": {"puzzle": [1, 2, 3, 2, None, 1, 3, 1, 2], "solution": [1, 2, 3, 2, 3, 1, 3, 1, 2]}},
        "maze": {"maze_data": {"generation_method": "dfs", "solution_length": 9}},
    }
    picture = encode_png(np.full((64, 96, 3), 200, np.uint8))
    for domain, record in records.items():
        folder = tmp_path / "theirs" / f"{domain}_task" / f"{domain}_0000"
        folder.mkdir(parents=True)
        about = {"id": f"{domain}_0000", "domain": domain, "prompt": "Solve it.", **record}
        (folder / "question_metadata.json").write_text(json.dumps(about))
        (folder / "prompt.txt").write_text("Solve it.")
        for name in ("first_frame.png", "final_frame.png"):
            (folder / name).write_bytes(picture)
    done = import_rows(read_rows(tmp_path / "theirs"), tmp_path / "questions")
    assert (done.questions, done.scorable) == (3, 2)
    run(["oracle", "static"], tmp_path / "questions", "e", tmp_path / "outputs", domains=["chess", "sudoku"])
    scored = score_experiment("e", tmp_path / "outputs", tmp_path / "evaluations")
    assert {(r.job.question.domain, r.job.model): bool(r.score and r.score.passed) for r in scored.results} == {
        ("chess", "oracle"): True, ("chess", "static"): False,
        ("sudoku", "oracle"): True, ("sudoku", "static"): False,
    }  # fmt: skip
    chess, maze, sudoku = load_questions(tmp_path / "questions")
    assert chess.prompt == "Solve it." and chess.metadata["imported"]["chess_data"]["mate_moves"] == ["Ra8#"]
    assert (maze.folder / "first_frame.png").read_bytes() == picture
    assert read_image(sudoku.folder / "first_frame.png").shape == (600, 600, 3)


def test_a_set_of_others_with_columns_of_its_own(tmp_path: Path) -> None:
    import datasets

    rows = {
        "picture": [{"bytes": encode_png(np.full((32, 48, 3), shade, np.uint8)), "path": None} for shade in (10, 20)],
        "what": ["Open the door.", "Close the door."],
        "answer": ["open", "closed"],
    }
    kinds = datasets.Features(
        {"picture": datasets.Image(), "what": datasets.Value("string"), "answer": datasets.Value("string")}
    )
    (tmp_path / "set").mkdir()
    datasets.Dataset.from_dict(rows, features=kinds).to_parquet(tmp_path / "set/doors.parquet")
    rows_read = list(read_rows(tmp_path / "set"))
    assert len(rows_read) == 2 and all("name the right ones with --column" in str(row) for row in rows_read)
    named = {"first_frame": "picture", "prompt": "what"}
    done = import_rows(read_rows(tmp_path / "set", named, "doors"), tmp_path / "questions")
    assert (done.questions, done.scorable) == (2, 0)
    first, second = load_questions(tmp_path / "questions")
    assert (first.id, first.domain, first.prompt) == ("doors_0000", "doors", "Open the door.")
    assert (second.folder / "goal.txt").read_text() == "closed"
    assert read_image(second.folder / "first_frame.png")[0, 0].tolist() == [20, 20, 20]


def test_videos_of_others_become_runs(data: Path, tmp_path: Path) -> None:
    videos = tmp_path / "videos"
    videos.mkdir()
    for number in range(3):
        shutil.copyfile(data / f"questions/chess_task/chess_000{number}/solution.mp4", videos / f"v{number}.mp4")
    with (videos / "map.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["path", "question", "model"])
        writer.writerows([f"v{number}.mp4", f"chess_000{number}", "theirs"] for number in range(3))
    places = (videos / "map.csv", data / "questions", "others", None, tmp_path / "outputs")
    assert import_videos(*places).videos == 3
    assert import_videos(*places).kept == 3
    scored = score_experiment("others", tmp_path / "outputs", tmp_path / "evaluations")
    assert [bool(result.score and result.score.passed) for result in scored.results] == [True] * 3
    shutil.copyfile(videos / "v1.mp4", videos / "v0.mp4")
    with pytest.raises(ConflictError, match="another video of theirs"):
        import_videos(*places)


def test_an_existing_question_is_not_replaced(data: Path, tmp_path: Path) -> None:
    export_rows(iterate_question_rows(data / "questions"), "parquet", tmp_path / "set")
    import_rows(read_rows(tmp_path / "set"), tmp_path / "q")
    (tmp_path / "q/chess_task/chess_0000/prompt.txt").write_text("Another prompt.")
    with pytest.raises(ConflictError, match=r"prompt\.txt differs"):
        import_rows(read_rows(tmp_path / "set"), tmp_path / "q")
    with pytest.raises(ConflictError):
        export_rows(iterate_question_rows(data / "questions"), "parquet", tmp_path / "set")
