"""Runs through every provider's SDK: complete records, and no key in any file."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("openai")
pytest.importorskip("google.genai")
pytest.importorskip("runwayml")
pytest.importorskip("lumaai")
pytest.importorskip("luma_agents")

from emulators.adapter_harness import ONE_OF_EACH, URL_MODELS, open_harness, prepare_folder
from emulators.google_server import TOKEN
from emulators.luma_server import BucketEmulator
from emulators.server import CANARY
from vmevalkit.core.errors import SetupError
from vmevalkit.media.video import write_video
from vmevalkit.models.catalogue import MODELS
from vmevalkit.runs.run import RunSummary, run

BOMB = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (50_000).to_bytes(4, "big") * 2 + b"\x08\x02\0\0\0" + bytes(4)
"""The header of an image of 50,000 x 50,000 pixels."""
QUICK = {"poll_every_s": 0.02, "first_backoff_s": 0.01, "longest_backoff_s": 0.02, "orders_per_minute": 60_000}
SECRETS = (CANARY, TOKEN, BucketEmulator.SECRET)


def write_questions(folder: Path, n: int) -> bytes:
    """Write questions with a number in each prompt. Returns the video for all of them."""
    for number in range(n):
        place = folder / "questions" / "doors_task" / f"door_{number:03d}"
        place.mkdir(parents=True)
        (place / "first_frame.png").write_bytes((folder / "first_frame.png").read_bytes())
        (place / "prompt.txt").write_text(f"Open door {number}.")
    write_video(folder / "video.mp4", [np.full((36, 64, 3), 40 * i, np.uint8) for i in range(6)], 8)
    return (folder / "video.mp4").read_bytes()


@pytest.mark.parametrize("name", ["openai-sora-2", *URL_MODELS])
def test_a_web_page_or_a_truncated_video_is_fetched_again_and_not_paid_again(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = prepare_folder(monkeypatch, tmp_path)
    video = write_questions(folder, 1)
    spec = replace(MODELS[name], options={**MODELS[name].options, "limits": QUICK})
    with ExitStack() as stack:
        harness = open_harness(spec, folder, stack, monkeypatch)
        harness.provider.video = lambda _: video
        harness.provider.faults.fetch = ["not_video", "truncated", "not_video"]
        [run_] = run([name], folder / "questions", "first", folder / "outputs", catalogue={name: spec}).runs
        assert harness.provider.bugs == []
        assert harness.provider.creates == 1
    assert run_.status == "success", run_.error
    assert run_.video is not None and run_.video.read_bytes() == video
    assert [path.name for path in run_.video.parent.iterdir()] == ["door_000.mp4"]


@pytest.fixture
def exit_stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def open_run(name: str, folder: Path, stack: ExitStack, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """Return the provider's emulator, and a function that runs the model on the questions."""
    prepare_folder(monkeypatch, folder)
    video = write_questions(folder, 6)
    spec = replace(MODELS[name], options={**MODELS[name].options, "limits": {**QUICK, "in_flight": 2}})
    harness = open_harness(spec, folder, stack, monkeypatch)
    harness.provider.video = lambda _: video

    def run_it(**how: Any) -> RunSummary:
        return run([name], folder / "questions", "first", folder / "outputs", catalogue={name: spec}, **how)

    return harness, run_it


def key_settings(harness: Any) -> list[str]:
    return [name for name in harness.provider.settings() if "KEY" in name or "SECRET" in name or "TOKEN" in name]


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_white_space_around_settings_does_no_harm(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exit_stack: ExitStack
) -> None:
    harness, run_it = open_run(name, tmp_path, exit_stack, monkeypatch)
    for setting, value in harness.provider.settings().items():
        monkeypatch.setenv(setting, f" {value}\n")
    summary = run_it(limit=1)
    assert [run.status for run in summary.runs] == ["success"]


@pytest.mark.parametrize("name", ONE_OF_EACH)
@pytest.mark.parametrize(
    "address", ["127.0.0.1:99/v1", "htp://127.0.0.1/v1", "http://127.0.0.1:port", "http://", "http://[::1"]
)
def test_a_malformed_address_is_reported_before_the_first_order(
    name: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exit_stack: ExitStack
) -> None:
    harness, run_it = open_run(name, tmp_path, exit_stack, monkeypatch)
    monkeypatch.setenv(harness.spec.endpoint, address)
    with pytest.raises(SetupError, match=f"{harness.spec.endpoint} is .* not a web address"):
        run_it()
    assert not (tmp_path / "outputs").exists()


@pytest.mark.parametrize("name", [name for name in ONE_OF_EACH if name != "veo-3.1-generate"])
@pytest.mark.parametrize(
    "key", ["schl\u00fcssel-0123456789", "key-012\n3456789", "key-\u200b0123456789", "key 0123456789"]
)
def test_a_malformed_key_is_reported_before_the_first_order_and_not_printed(
    name: str, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exit_stack: ExitStack
) -> None:
    harness, run_it = open_run(name, tmp_path, exit_stack, monkeypatch)
    for setting in key_settings(harness):
        monkeypatch.setenv(setting, key)
        with pytest.raises(SetupError, match=setting) as caught:
            run_it()
        assert key not in str(caught.value)
        assert not (tmp_path / "outputs").exists()
        monkeypatch.setenv(setting, harness.provider.settings()[setting])


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_a_first_frame_that_cannot_be_prepared_is_a_plain_failure(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exit_stack: ExitStack
) -> None:
    harness, run_it = open_run(name, tmp_path, exit_stack, monkeypatch)
    (tmp_path / "questions" / "doors_task" / "door_000" / "first_frame.png").write_bytes(BOMB)
    (tmp_path / "questions" / "doors_task" / "door_001" / "first_frame.png").write_bytes(BOMB[:20])
    summary = run_it()
    assert [run.status for run in summary.runs] == ["failed"] * 2 + ["success"] * 4
    assert "50000x50000" in str(summary.runs[0].error) and "door_000" in str(summary.runs[0].error)
    assert harness.provider.creates == 4
    journal = next((tmp_path / "outputs").rglob("journal.jsonl")).read_text()
    assert "door_000" not in "".join(line for line in journal.splitlines() if '"what":"intent"' in line)


@pytest.mark.parametrize("name", [name for name in ONE_OF_EACH if name != "veo-3.1-generate"])
def test_a_wrong_key_stops_its_provider_with_one_message(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exit_stack: ExitStack
) -> None:
    harness, run_it = open_run(name, tmp_path, exit_stack, monkeypatch)
    setting = key_settings(harness)[0]
    monkeypatch.setenv(setting, "wrong-0123456789")
    summary = run_it()
    [block] = summary.blocked
    assert (summary.runs, block.provider, block.jobs) == ((), harness.spec.provider, 6)
    assert setting in block.reason and "wrong-0123456789" not in block.reason
    assert len([call for call in harness.provider.calls if harness.provider.kind(call) == "create"]) <= 2
    monkeypatch.setenv(setting, harness.provider.settings()[setting])
    assert [run.status for run in run_it().runs] == ["success"] * 6


@pytest.mark.slow
@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_a_run_with_faults_leaves_records_and_no_key(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    folder = prepare_folder(monkeypatch, tmp_path)
    video = write_questions(folder, 4)
    spec = replace(MODELS[name], options={**MODELS[name].options, "limits": {**QUICK, "in_flight": 1}})
    with ExitStack() as stack:
        harness = open_harness(spec, folder, stack, monkeypatch)
        harness.provider.video = lambda _: video
        harness.provider.retry_after_s = 0
        harness.provider.faults.create = ["throttle", None, "moderate", "drop"]
        harness.provider.faults.poll = ["fail", None, "throttle"]
        summary = run([name], folder / "questions", "first", folder / "outputs", catalogue={name: spec})
        assert harness.provider.bugs == []
        assert harness.provider.creates == 3
    statuses = [run.status for run in summary.runs]
    # An order whose answer was lost is found again where the provider lists its orders with their prompts.
    lost = "success" if spec.provider in ("openai", "luma", "replicate") else "uncertain"
    assert statuses == ["success", "refused", lost, "success"]
    for left in (path for path in folder.rglob("*") if path.is_file() and path.name != "account.json"):
        data = left.read_bytes()
        assert not [secret for secret in SECRETS if secret.encode() in data], left
    assert not [secret for secret in SECRETS if secret in caplog.text]
    done = next(run for run in summary.runs if run.status == "success")
    record = json.loads((done.folder / "metadata.json").read_text("utf-8"))
    assert spec.vendor_id in json.dumps(record)
