"""``InferenceRunner`` and ``run_inference`` of the specification."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from plain_runs import KEY, serve

from emulators.plain import PLACEMENT, ROW, Fault, order_in
from vmevalkit.core.errors import MediaError, UnknownName, UsageError
from vmevalkit.core.records import Request
from vmevalkit.datasets.generate import generate
from vmevalkit.media.image import encode_png, read_image
from vmevalkit.media.video import write_video
from vmevalkit.models.model import ModelSpec
from vmevalkit.runs.inference_runner import InferenceRunner, run_inference
from vmevalkit.store import layout
from vmevalkit.store.questions import load_question
from vmevalkit.store.runs import iter_runs

CATALOGUE = {"plain-1": ROW}


def write_image(folder: Path) -> Path:
    (folder / "door.png").write_bytes(encode_png(np.full((36, 64, 3), 200, np.uint8)))
    return folder / "door.png"


def names(folder: str) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in Path(folder).rglob("*") if path.is_file()}


def test_the_specification_s_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    final = tmp_path / "final.png"
    final.write_bytes(write_image(tmp_path).read_bytes())
    data = {"id": "door_7", "domain": "doors", "final_image_path": str(final), "colour": "red"}
    runner = InferenceRunner(tmp_path / "outputs", catalogue=CATALOGUE)
    with serve(tmp_path, monkeypatch) as server:
        result = runner.run("plain-1", write_image(tmp_path), "Open it.", question_data=data)
        assert (result["success"], result["status"], result["error"]) == (True, "success", None)
        assert re.fullmatch(r"plain-1_door_7_\d{8}_\d{6}", result["run_id"])
        assert result["inference_dir"] == str(tmp_path / "outputs" / "doors_task" / "door_7" / result["run_id"])
        assert names(result["inference_dir"]) == {
            "video/door_7.mp4", "question/first_frame.png", "question/final_frame.png", "question/prompt.txt",
            "question/question_metadata.json", "metadata.json",
        }  # fmt: skip
        question = load_question(Path(result["inference_dir"]) / "question")
        assert (question.id, question.domain, question.prompt) == ("door_7", "doors", "Open it.")
        assert question.metadata["colour"] == "red"
        assert order_in(Path(result["video_path"]).read_bytes()) == "order-0000"
        assert (result["cost_usd"], result["metadata"]["model"]) == (0.4, "plain-1")
        assert result["duration_seconds"] > 0
        retry = runner.run("plain-1", write_image(tmp_path), "Open it.", question_data=data)
        assert retry["run_id"] != result["run_id"]
        assert len(server.orders) == 2


def test_without_question_data_the_image_names_the_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = tmp_path / "door.jpg"
    cv2.imwrite(str(image), np.full((36, 64, 3), 90, np.uint8))
    with serve(tmp_path, monkeypatch):
        result = InferenceRunner(tmp_path / "o", catalogue=CATALOGUE).run("plain-1", str(image), "Open it.", "mine")
    assert result["inference_dir"] == str(tmp_path / "o" / "unknown_task" / "door" / "mine")
    assert read_image(Path(result["inference_dir"]) / "question" / "first_frame.png").shape == (36, 64, 3)


def test_the_same_id_is_not_paid_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = write_image(tmp_path)

    def generate_video() -> dict[str, Any]:
        return run_inference("plain-1", image, "Open it.", tmp_path / "o", {}, "mine", catalogue=CATALOGUE)

    with serve(tmp_path, monkeypatch, served=lambda *_: b"<html>") as server:
        late = generate_video()
        assert (late["success"], late["status"], late["video_path"]) == (False, "failed", None)
        server.served = lambda _, whole: whole
        good, same = generate_video(), generate_video()
        assert good["success"]
        assert good["inference_dir"] == str(tmp_path / "o" / "mine")
        assert same == good
        assert len(server.orders) == 1
    assert {path.name for path in (tmp_path / "o").iterdir() if not path.name.startswith(".")} == {"mine"}


def test_a_lost_order_is_uncertain_and_stays_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = write_image(tmp_path)
    with serve(tmp_path, monkeypatch, lists=False, faults=lambda kind: Fault(0) if kind == "order" else None) as server:
        for _ in range(2):
            result = run_inference("plain-1", image, "Open it.", tmp_path / "o", {}, "mine", catalogue=CATALOGUE)
            assert result["status"] == "uncertain"
        assert server.requests["order"] == 1


def test_in_a_notebook_a_loop_is_running_already(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def cell() -> dict[str, Any]:
        return run_inference("plain-1", write_image(tmp_path), "Open it.", tmp_path / "o", catalogue=CATALOGUE)

    with serve(tmp_path, monkeypatch):
        assert asyncio.run(cell())["success"]


def test_baselines_generate_known_puzzles(tmp_path: Path) -> None:
    generate(["maze"], 1, out=tmp_path / "questions")
    question = load_question(tmp_path / "questions" / "maze_task" / "maze_0000")
    result = InferenceRunner(tmp_path / "o").run(
        "static", question.first_frame, question.prompt, question_data=question.metadata
    )
    assert result["success"], result["error"]
    assert "/maze_task/maze_0000/static_maze_0000_" in result["inference_dir"]


class Painter:
    """A model on this machine."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec

    def generate(self, request: Request, into: Path) -> Any:
        if "fail" in request.prompt:
            raise RuntimeError(f"out of paint, says {KEY}")
        write_video(into, [read_image(request.first_frame)] * 3, 8)
        return PLACEMENT


PAINTER = ModelSpec("painter", "clay", "p", "p", adapter=f"{__name__}:Painter", durations_s=(2.0,))


def test_a_model_on_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAIN_API_KEY", KEY)
    runner = InferenceRunner(tmp_path / "o", catalogue={"painter": PAINTER})
    good = runner.run("painter", write_image(tmp_path), "Open it.")
    assert (good["success"], good["metadata"]["placement"]["canvas"]) == (True, [640, 360])
    assert good["metadata"]["request"]["seconds"] == 2.0
    bad = runner.run("painter", write_image(tmp_path), "Please fail.", "again")
    assert (bad["success"], bad["error"].startswith("RuntimeError: out of paint")) == (False, True)
    assert KEY not in str(bad)
    assert KEY not in (Path(bad["inference_dir"]) / "metadata.json").read_text()
    assert runner.run("painter", write_image(tmp_path), "Open it.", "again")["success"]


def test_a_wrong_call_raises(tmp_path: Path) -> None:
    runner = InferenceRunner(tmp_path / "o", catalogue={"painter": PAINTER, "old": replace(PAINTER, status="retired")})
    with pytest.raises(UnknownName, match="did you mean 'painter'"):
        runner.run("panter", write_image(tmp_path), "Open it.")
    with pytest.raises(MediaError, match="no image at"):
        runner.run("painter", tmp_path / "nothing.png", "Open it.")
    with pytest.raises(UsageError, match="retired"):
        runner.run("old", write_image(tmp_path), "Open it.")
    with pytest.raises(UsageError, match=r"the run id 'a/b' cannot name a folder"):
        runner.run("painter", write_image(tmp_path), "Open it.", "a/b")


def test_the_project_s_own_record_gives_a_run_as_in_the_cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(layout, "QUESTIONS", Path("data/questions"))
    generate(["maze"], 1, out="data/questions")
    pair = json.loads(Path("data/maze_tasks/maze_tasks.json").read_text())["pairs"][0]
    runner = InferenceRunner("data/outputs/pilot/static")
    for image in (pair["first_image_path"], f"data/questions/{pair['first_image_path']}"):
        result = runner.run("static", image, pair["prompt"], question_data=pair)
        assert "question/final_frame.png" in names(result["inference_dir"])
        assert result["metadata"]["experiment"] == "pilot"
    assert {path.name for path in Path("data/outputs").rglob(".*")} == set()
    assert {(run.experiment, run.model) for run in iter_runs(Path("data/outputs"), "pilot")} == {("pilot", "static")}
    monkeypatch.setattr(layout, "QUESTIONS", Path("elsewhere"))
    result = runner.run("static", f"data/questions/{pair['first_image_path']}", pair["prompt"], question_data=pair)
    assert "question/final_frame.png" in names(result["inference_dir"]), "it is beside the first image"
    with pytest.raises(MediaError, match=r"elsewhere/maze_task/maze_0000/first_frame\.png"):
        runner.run("static", pair["first_image_path"], pair["prompt"], question_data=pair)


def test_an_output_folder_without_a_model_is_the_experiment(tmp_path: Path) -> None:
    result = InferenceRunner(tmp_path / "mine").run("static", write_image(tmp_path), "Open it.")
    assert result["metadata"]["experiment"] == "mine"
