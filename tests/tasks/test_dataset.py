from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dot_task import HEIGHT, TASK, WIDTH, Dot, DotParams, where
from vmevalkit.core.errors import ConflictError, Exhausted, StoreError
from vmevalkit.core.jsonable import from_json
from vmevalkit.media.image import pixel_digest, read_image
from vmevalkit.media.video import probe, read_frames
from vmevalkit.store.fingerprint import compute_fingerprints, fingerprint
from vmevalkit.store.questions import load_question, load_questions
from vmevalkit.tasks.dataset import (
    create_task_dataset,
    difficulty_of,
    write_question,
    write_solution,
)

PUZZLE = Dot(50, (60, 70))


def write(root: Path, puzzle: Dot = PUZZLE, name: str = "dot_0000", **how: Any) -> dict[str, Any]:
    return write_question(TASK, puzzle, name, root, difficulty="easy", seed=42, **how)


def test_a_question_folder_holds_the_whole_truth(tmp_path: Path) -> None:
    record = write(tmp_path, index=0, params=DotParams())
    folder = tmp_path / "dot_task" / "dot_0000"
    names = {path.name for path in folder.iterdir()}
    assert names == {"first_frame.png", "final_frame.png", "prompt.txt", "question_metadata.json"}
    assert {path.name for path in folder.parent.iterdir()} == {"dot_0000"}
    assert json.loads((folder / "question_metadata.json").read_text()) == record
    assert list(record)[:8] == [
        "id", "prompt", "first_image_path", "final_image_path", "task_category", "difficulty", "created_at", "domain",
    ]  # fmt: skip
    assert (record["id"], record["domain"], record["difficulty"], record["seed"]) == ("dot_0000", "dot", "easy", 42)
    assert record["params"] == {"margin": 30} and record["group"] is None
    assert (tmp_path / record["first_image_path"]).is_file()
    assert (tmp_path / record["final_image_path"]).is_file()
    assert (folder / "prompt.txt").read_text() == TASK.prompt(PUZZLE)
    puzzle = from_json(Dot, record["puzzle"])
    assert puzzle == PUZZLE
    for name, frame in (("first_frame", TASK.first_frame(puzzle)), ("final_frame", TASK.final_frame(puzzle))):
        image = read_image(folder / f"{name}.png")
        assert np.array_equal(image, frame)
        assert record["pixel_digests"][name] == pixel_digest(image)
    question = load_question(folder)
    assert (question.id, question.domain, question.prompt) == ("dot_0000", "dot", TASK.prompt(PUZZLE))


def test_the_same_question_may_be_written_again_and_another_not(tmp_path: Path) -> None:
    first = write(tmp_path)
    again = write(tmp_path, created_at="2026-01-01T00:00:00+00:00")
    assert again["created_at"] != first["created_at"]
    assert load_question(tmp_path / "dot_task" / "dot_0000").metadata == again
    with pytest.raises(ConflictError, match="dot_0000 holds another question"):
        write(tmp_path, Dot(51, (60, 70)))
    assert load_question(tmp_path / "dot_task" / "dot_0000").metadata == again
    write(tmp_path, Dot(51, (60, 70)), replace=True)
    assert load_question(tmp_path / "dot_task" / "dot_0000").metadata["puzzle"]["level"] == 51


@pytest.mark.parametrize("name", ["question_metadata.json", "first_frame.png", "prompt.txt"])
def test_what_a_power_cut_has_emptied_is_written_again(tmp_path: Path, name: str) -> None:
    write(tmp_path)
    emptied = tmp_path / "dot_task" / "dot_0000" / name
    emptied.write_bytes(b"")
    write(tmp_path)
    assert emptied.stat().st_size > 0


def test_a_folder_made_by_hand_is_not_overwritten(tmp_path: Path) -> None:
    mine = tmp_path / "dot_task" / "dot_0000"
    mine.mkdir(parents=True)
    (mine / "prompt.txt").write_text("my own")
    with pytest.raises(ConflictError):
        write(tmp_path)
    assert (mine / "prompt.txt").read_text() == "my own"


def test_the_solution_video_runs_from_the_first_frame_to_the_final_one(tmp_path: Path) -> None:
    write(tmp_path, solution=True)
    write(tmp_path, name="dot_0001")
    write_solution(TASK, PUZZLE, "dot_0001", tmp_path)
    for name in ("dot_0000", "dot_0001"):
        video = tmp_path / "dot_task" / name / "solution.mp4"
        info = probe(video)
        assert (info.width, info.height, info.fps, info.codec) == (WIDTH, HEIGHT, 24, "h264")
        track = [where(timed.frame) for timed in read_frames(video)]
        assert len(track) == round(TASK.video_seconds * 24)
        assert track[0] == pytest.approx(0.0, abs=0.05)
        assert track[len(track) // 2] == pytest.approx(0.5, abs=0.05)
        assert track[-1] == pytest.approx(1.0, abs=0.05)
    assert {path.name for path in (tmp_path / "dot_task").iterdir()} == {"dot_0000", "dot_0001"}


def test_a_dataset_is_written_and_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    dataset = create_task_dataset(TASK, 5)
    assert dataset["name"] == "dot_tasks"
    assert dataset["description"] == "A dot moves along a line. (5 pairs)"
    assert [pair["id"] for pair in dataset["pairs"]] == [f"dot_{i:04d}" for i in range(5)]
    assert json.loads(Path("data/dot_tasks/dot_tasks.json").read_text()) == dataset
    assert [question.metadata for question in load_questions("data/questions")] == dataset["pairs"]
    assert create_task_dataset(TASK, 3)["pairs"][0]["puzzle"] == dataset["pairs"][0]["puzzle"]
    with pytest.raises(ConflictError):
        create_task_dataset(TASK, 3, seed=1)
    assert [question.metadata["seed"] for question in load_questions("data/questions")] == [42] * 5
    create_task_dataset(TASK, 3, seed=1, force=True)
    assert [question.metadata["seed"] for question in load_questions("data/questions")] == [1, 1, 1, 42, 42]


def test_difficulty_and_knobs_are_recorded(tmp_path: Path) -> None:
    pairs = create_task_dataset(TASK, 2, difficulty="hard", output_dir=tmp_path / "a", solutions=True)["pairs"]
    assert [(pair["difficulty"], pair["params"]) for pair in pairs] == [("hard", {"margin": 18})] * 2
    assert (tmp_path / "a" / "dot_tasks" / "dot_tasks.json").is_file()
    assert (tmp_path / "a" / "dot_task" / "dot_0001" / "solution.mp4").is_file()
    pairs = create_task_dataset(TASK, 2, params=DotParams(20), output_dir=tmp_path / "b")["pairs"]
    assert [(pair["difficulty"], pair["params"]) for pair in pairs] == [("custom", {"margin": 20})] * 2
    assert difficulty_of(TASK, DotParams(24)) == "medium"


def test_nothing_is_written_when_there_are_too_few(tmp_path: Path) -> None:
    class Single(type(TASK)):  # type: ignore[misc]
        def capacity(self, params: DotParams) -> int:
            return 1

    with pytest.raises(Exhausted):
        create_task_dataset(Single(), 2, output_dir=tmp_path / "questions")
    assert list(tmp_path.iterdir()) == []


def test_fingerprints_name_content(tmp_path: Path) -> None:
    def pairs(where: str, **how: Any) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = create_task_dataset(TASK, 4, output_dir=tmp_path / where, **how)["pairs"]
        return made

    one, same, other = pairs("one"), pairs("same"), pairs("other", seed=1)
    stored = json.loads((tmp_path / "one" / "dot_tasks" / "dot_tasks.json").read_text())["pairs"]
    assert fingerprint(one) == fingerprint(same) == fingerprint(stored) != fingerprint(other)
    pixels = [compute_fingerprints(pairs)[1] for pairs in (one, same, stored, other)]
    assert pixels[0] == pixels[1] == pixels[2] != pixels[3]
    assert compute_fingerprints(one)[0] == fingerprint(one)
    assert fingerprint(one) != fingerprint(one[:3])
    assert fingerprint(one) != fingerprint(one[::-1])


def test_a_fingerprint_is_the_same_everywhere() -> None:
    pair = {"id": "a_0000", "puzzle": {"β": [1, 0.1, None, True], "a": {"x": "y"}}, "prompt": "Go to 30°."}
    pair["pixel_digests"] = {"first_frame": "0" * 16, "final_frame": "1" * 16}
    assert fingerprint([pair, pair]) == "8aeecb0085a156aaab345e41e8bf4bafc435bd85c0b68d6e17467e7d723bbc72"
    assert compute_fingerprints([pair, pair])[1] == "d7713e9d10e82dae627460d9f5e44f9294ee1812af9f683daf722272a869709b"


FULL = """
import resource, signal, sys
sys.path.insert(0, sys.argv[2])
from dot_task import TASK
from vmevalkit.core.errors import StoreError
from vmevalkit.tasks.dataset import create_task_dataset
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))
try:
    create_task_dataset(TASK, 3, output_dir=sys.argv[1])
except StoreError as error:
    print(error)
"""


def test_no_room_leaves_nothing_half_written(tmp_path: Path) -> None:
    tests = str(Path(__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "out"), tests], capture_output=True, text=True, check=True
    )
    assert "exceeds the size limit" in done.stdout
    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file()] == []


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(StoreError, match="out"):
        create_task_dataset(TASK, 1, output_dir=tmp_path / "out")
