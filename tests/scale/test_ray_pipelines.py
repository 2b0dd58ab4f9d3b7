"""A pipeline of diffusers by Ray makes the same videos as without it."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ray")
pytest.importorskip("torch")
pytest.importorskip("diffusers")

from vmevalkit.datasets.generate import generate
from vmevalkit.jobs.executor import LocalExecutor, open_executor
from vmevalkit.media.video import read_frames
from vmevalkit.models.catalogue import MODELS
from vmevalkit.runs.run import run

pytestmark = [pytest.mark.scale, pytest.mark.local, pytest.mark.filterwarnings("ignore")]


def load_frames(video: Path) -> np.ndarray:
    return np.stack([timed.frame for timed in read_frames(video)]).astype(float)


def test_a_tiny_pipeline_makes_the_same_videos_by_ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from models.tiny_pipelines import save

    save("ltx-video", tmp_path / "weights")
    values = {"WEIGHTS": str(tmp_path / "weights"), "SIZE": "64x64", "STEPS": "1", "FRAMES": "9", "DEVICE": "cpu"}
    for name, value in values.items():
        monkeypatch.setenv(f"VMEVALKIT_{name}", value)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    generate(["maze"], 4, out=tmp_path / "questions")
    videos: dict[str, dict[str, np.ndarray]] = {}
    for place in ("ray", "local"):
        catalogue = {"ltx-video": MODELS["ltx-video"]}
        # Started here, Ray's processes have the settings of this one: weights are a matter of each machine.
        with open_executor("ray") if place == "ray" else nullcontext(LocalExecutor()) as executor:
            done = run(
                ["ltx-video"], tmp_path / "questions", "e", tmp_path / place, catalogue=catalogue, executor=executor
            )
        assert len(done.runs) == 4 and not done.failed, [each.error for each in done.failed]
        videos[place] = {each.question_id: load_frames(each.video) for each in done.runs if each.video is not None}
    assert len(videos["ray"]) == 4 and videos["ray"].keys() == videos["local"].keys()
    for question, frames in videos["ray"].items():  # not to the bit: torch adds in the order of its threads
        assert frames.shape == videos["local"][question].shape
        assert np.abs(frames - videos["local"][question]).mean() < 1
