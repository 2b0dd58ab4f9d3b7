"""A small real program in its own checkout, run like the large ones."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vmevalkit.core.errors import ModelError, SetupError, UsageError
from vmevalkit.core.records import Placement, Request
from vmevalkit.media.image import encode_png
from vmevalkit.media.video import probe, read_frames
from vmevalkit.models.catalogue import MODELS, load_model
from vmevalkit.models.model import ModelSpec

PROGRAM = '''
"""Write a video of the image, and record the call."""
import json, os, sys
from pathlib import Path

words = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
work, out = Path(words["work"]), Path(words["out"])
prompt = (work / "prompt.txt").read_text("utf-8")
Path("called.json").write_text(json.dumps({
    "argv": sys.argv[1:], "prompt": prompt, "cwd": os.getcwd(), "given": sorted(os.listdir(work)),
    "environment": dict(os.environ),
}))
if "fail" in prompt:
    print("loading"); print("CUDA error: no device", file=sys.stderr); sys.exit(3)
if "idle" in prompt:
    sys.exit(0)
if "hang" in prompt:
    import subprocess, time
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path("child.txt").write_text(str(child.pid))
    print("sampling 1 of 50", flush=True)
    time.sleep(600)
from vmevalkit.media.image import read_image
from vmevalkit.media.video import write_video

write_video(out / "samples" / "video.mp4", [read_image(work / "first_frame.png")] * 4, 8.0)
'''

SPEC = replace(
    MODELS["dynamicrafter-512"],
    name="clay-512",
    keys=("CLAY_HOME",),
    options={
        **MODELS["dynamicrafter-512"].options,
        "home": "CLAY_HOME",
        "python": "CLAY_PYTHON",
        "weights": "video.py",
        "program": (
            "video.py", "work={work}", "out={out}", "prompt={prompt}", "seed={seed}", "size={width}*{height}",
            "steps={steps}", "frames={frames}",
        ),
    },
)  # fmt: skip
HOSTILE_PROMPT = """Slide "it"; $(touch pwned) `touch pwned` {seed} {0} %s \\n --seed=9 '''\nimport os"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    (folder / "video.py").write_text(PROGRAM)
    monkeypatch.setenv("CLAY_HOME", str(folder))
    monkeypatch.setenv("CLAY_PYTHON", sys.executable)
    monkeypatch.delenv("VMEVALKIT_PROGRAM_TIMEOUT_S", raising=False)
    image = np.zeros((400, 400, 3), np.uint8)
    image[:, :200] = (200, 30, 30)
    (tmp_path / "first_frame.png").write_bytes(encode_png(image))
    return folder


def ask(home: Path, prompt: str, spec: ModelSpec = SPEC, **parameters: object) -> Placement | None:
    request = Request("q_0001", prompt, home.parent / "first_frame.png", 2.0, seed=5, parameters=parameters)
    model = load_model(spec)
    return model.generate(request, home.parent / "video.mp4")  # type: ignore[union-attr]


def test_the_program_gets_the_fitted_image(home: Path) -> None:
    assert ask(home, "Slide it.") == Placement((512, 320), (96.0, 0.0, 320.0, 320.0), (0, 0, 0))
    video = home.parent / "video.mp4"
    assert (probe(video).width, probe(video).height) == (512, 320)
    frame = next(iter(read_frames(video))).frame
    assert frame[160, 50].max() < 20  # the bar
    assert frame[160, 150, 0] > 180  # the red half
    called = json.loads((home / "called.json").read_text())
    assert called["cwd"] == str(home)
    assert called["given"] == ["first_frame.png", "prompt.txt"]
    assert {"seed=5", "size=512*320", "steps=50"} <= set(called["argv"])
    assert not list(home.parent.glob(".video*"))


def test_parameters_reach_the_program(home: Path) -> None:
    ask(home, "Slide it.", steps=9)
    assert "steps=9" in json.loads((home / "called.json").read_text())["argv"]


def test_the_prompt_is_data(home: Path) -> None:
    ask(home, HOSTILE_PROMPT)
    called = json.loads((home / "called.json").read_text())
    line = " ".join(HOSTILE_PROMPT.split())
    assert called["prompt"] == line + "\n"
    assert f"prompt={line}" in called["argv"]
    assert not (home / "pwned").exists()


def test_a_program_gets_no_keys(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "RUNWAYML_API_SECRET", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "VIRTUAL_ENV"):
        monkeypatch.setenv(name, "canary")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    ask(home, "Slide it.")
    text = (home / "called.json").read_text()
    assert "canary" not in text
    assert json.loads(text)["environment"]["CUDA_VISIBLE_DEVICES"] == "1"


def test_a_failure_includes_the_output_of_the_program(home: Path) -> None:
    with pytest.raises(ModelError, match=r"clay-512 exited with code 3\. Its output: (?s:.*)CUDA error: no device"):
        ask(home, "fail")
    assert not (home.parent / "video.mp4").exists()


def test_a_program_without_a_video_fails(home: Path) -> None:
    with pytest.raises(ModelError, match="clay-512 wrote no video"):
        ask(home, "idle")


@pytest.mark.slow
def test_a_program_that_hangs_is_killed_with_its_children(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VMEVALKIT_PROGRAM_TIMEOUT_S", "3")
    with pytest.raises(
        ModelError, match=r"stopped after 3 s; raise VMEVALKIT_PROGRAM_TIMEOUT_S(?s:.*)sampling 1 of 50"
    ):
        ask(home, "hang")
    child = int((home / "child.txt").read_text())
    for _ in range(100):  # the kernel reaps it a moment later
        if not alive(child):
            return
        time.sleep(0.05)
    pytest.fail(f"process {child} outlived the program that started it")


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()


@pytest.mark.parametrize("value", ["soon", "0", "-1", "nan"])
def test_an_invalid_timeout_is_reported(home: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("VMEVALKIT_PROGRAM_TIMEOUT_S", value)
    with pytest.raises(UsageError, match="must be a number of seconds above 0"):
        ask(home, "Slide it.")


def test_a_missing_checkout_is_reported(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_weights = replace(SPEC, options={**SPEC.options, "weights": None})
    monkeypatch.setenv("CLAY_HOME", str(home / "nowhere"))
    with pytest.raises(SetupError, match=r"CLAY_HOME is .*nowhere, which is not a folder"):
        ask(home, "Slide it.", without_weights)
    with pytest.raises(SetupError, match=r"clay-512 cannot be used here: weights: put video\.py in CLAY_HOME"):
        ask(home, "Slide it.")
    monkeypatch.delenv("CLAY_HOME")
    with pytest.raises(SetupError, match="set CLAY_HOME"):
        ask(home, "Slide it.")


def test_the_environment_of_the_checkout_is_found(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAY_PYTHON")
    with pytest.raises(SetupError, match=r"finds no python at .*\.venv/bin/python or .*; set CLAY_PYTHON"):
        ask(home, "Slide it.")
    python = home / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    ask(home, "Slide it.")
    assert (home.parent / "video.mp4").is_file()


@pytest.mark.parametrize("name", ["dynamicrafter-256", "dynamicrafter-512", "dynamicrafter-1024", "videocrafter2-512"])
def test_programs_that_read_a_prompt_file_get_no_prompt_argument(name: str) -> None:
    words = MODELS[name].options["program"]
    assert not any("{prompt}" in word for word in words)
    assert any("{work}" in word for word in words)


def test_morphic_gets_the_prompt_as_one_argument() -> None:
    assert "--prompt={prompt}" in MODELS["morphic-frames-to-video"].options["program"]
