"""Models without a row through a whole run: files, resuming, and one failed video among good ones."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vmevalkit
from vmevalkit.cli.command import split_models
from vmevalkit.core.errors import UsageError
from vmevalkit.media.image import encode_png
from vmevalkit.media.video import probe
from vmevalkit.runs.plan import find_specs
from vmevalkit.runs.run import run
from vmevalkit.store.runs import load_standalone_run


@pytest.fixture
def questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for number in range(3):
        place = tmp_path / "questions" / "doors_task" / f"door_{number}"
        place.mkdir(parents=True)
        (place / "first_frame.png").write_bytes(encode_png(np.full((48, 64, 3), 60 * number, np.uint8)))
        (place / "prompt.txt").write_text(f"Open door {number}.")
    return tmp_path / "questions"


def test_a_function_runs_on_every_question_and_resumes(questions: Path, tmp_path: Path) -> None:
    calls: list[tuple[tuple[int, ...], str, int]] = []

    def still(image: Any, prompt: str, seed: int) -> Any:
        calls.append((image.shape, prompt, seed))
        if "1" in prompt and len(calls) < 4:
            raise RuntimeError("no door")
        return [image / 255.0] * 8

    summary = vmevalkit.run_model(still, questions, "first", tmp_path / "outputs", fps=4.0)
    assert [run.status for run in summary.runs] == ["success", "failed", "success"]
    assert "no door" in str(summary.runs[1].error)
    assert {shape for shape, _, _ in calls} == {(48, 64, 3)} and len({seed for _, _, seed in calls}) == 3
    first = summary.runs[0]
    assert first.model == "still" and probe(first.video).fps == 4.0  # type: ignore[arg-type]
    assert load_standalone_run(first.folder).video_digest == first.video_digest
    again = vmevalkit.run_model(still, questions, "first", tmp_path / "outputs", fps=4.0, retry_failed=True)
    assert (again.made, again.kept, len(again.failed), len(calls)) == (1, 2, 0, 4)
    assert calls[3][2] == calls[1][2], "the seed of a question stays"


def test_a_function_without_a_name_needs_one(questions: Path) -> None:
    with pytest.raises(UsageError, match="name='my-model'"):
        vmevalkit.run_model(lambda *question: [question[0]], questions)
    with pytest.raises(UsageError, match="fps is 0"):
        vmevalkit.run_model(lambda *question: [question[0]], questions, name="mine", fps=0)


def test_a_command_runs_in_worker_processes_under_its_name(questions: Path, tmp_path: Path) -> None:
    (tmp_path / "my.py").write_text(
        "import sys\nfrom vmevalkit.media.image import read_image\nfrom vmevalkit.media.video import write_video\n"
        "write_video(sys.argv[2], [read_image(sys.argv[1])] * 8, 8.0)\n"
    )
    reference = f"mine=cmd:{sys.executable} my.py {{image}} {{out}}"
    summary = run([reference], questions, "first", tmp_path / "outputs", workers=2)
    assert [(run.model, run.status) for run in summary.runs] == [("mine", "success")] * 3
    assert (tmp_path / "outputs" / "first" / "mine").is_dir()
    assert run([reference], questions, "first", tmp_path / "outputs").made == 0


def test_the_name_of_a_listed_model_is_refused() -> None:
    with pytest.raises(UsageError, match=r"'veo-3\.1' is the name of a listed model"):
        find_specs(["veo-3.1=http://127.0.0.1:1"])


def test_commas_split_names_and_not_commands() -> None:
    assert split_models(["static,noise", "cmd:my --a=1,2 {image} {out}"]) == [
        "static",
        "noise",
        "cmd:my --a=1,2 {image} {out}",
    ]
