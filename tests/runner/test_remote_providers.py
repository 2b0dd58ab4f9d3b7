"""Whole runs through every provider's own SDK: what they leave behind, and that no key is in it."""

from __future__ import annotations

import json
import logging
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("openai")
pytest.importorskip("google.genai")
pytest.importorskip("runwayml")
pytest.importorskip("lumaai")
pytest.importorskip("luma_agents")

from emulators.google_server import TOKEN
from emulators.luma_server import BucketEmulator
from emulators.server import CANARY
from emulators.studio import BY_ADDRESS, ONE_OF_EACH, emptied, opened
from vmevalkit.media.video import write_video
from vmevalkit.models.catalogue import MODELS
from vmevalkit.runner.run import run

QUICK = {"poll_every_s": 0.02, "first_backoff_s": 0.01, "longest_backoff_s": 0.02, "orders_per_minute": 60_000}
SECRETS = (CANARY, TOKEN, BucketEmulator.SECRET)


def ask(folder: Path, n: int) -> bytes:
    """Questions with a number in each prompt; the film for all of them."""
    for number in range(n):
        place = folder / "questions" / "doors_task" / f"door_{number:03d}"
        place.mkdir(parents=True)
        (place / "first_frame.png").write_bytes((folder / "first_frame.png").read_bytes())
        (place / "prompt.txt").write_text(f"Open door {number}.")
    write_video(folder / "film.mp4", [np.full((36, 64, 3), 40 * i, np.uint8) for i in range(6)], 8)
    return (folder / "film.mp4").read_bytes()


@pytest.mark.parametrize("name", ["openai-sora-2", *BY_ADDRESS])
def test_a_page_or_half_a_film_is_fetched_again_and_not_paid_again(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = emptied(monkeypatch, tmp_path)
    film = ask(folder, 1)
    spec = replace(MODELS[name], options={**MODELS[name].options, "limits": QUICK})
    with ExitStack() as stack:
        studio = opened(spec, folder, stack, monkeypatch)
        studio.provider.film = lambda _: film
        studio.provider.faults.fetch = ["not_video", "truncated", "not_video"]
        [run_] = run([name], folder / "questions", "first", folder / "outputs", catalogue={name: spec}).runs
        assert studio.provider.bugs == []
        assert studio.provider.creates == 1
    assert run_.status == "success", run_.error
    assert run_.video is not None and run_.video.read_bytes() == film
    assert [path.name for path in run_.video.parent.iterdir()] == ["door_000.mp4"]


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_a_run_with_bad_luck_leaves_records_and_no_key(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    folder = emptied(monkeypatch, tmp_path)
    film = ask(folder, 4)
    spec = replace(MODELS[name], options={**MODELS[name].options, "limits": {**QUICK, "in_flight": 1}})
    with ExitStack() as stack:
        studio = opened(spec, folder, stack, monkeypatch)
        studio.provider.film = lambda _: film
        studio.provider.retry_after_s = 0
        studio.provider.faults.create = ["throttle", None, "moderate", "drop"]
        studio.provider.faults.poll = ["fail", None, "throttle"]
        summary = run([name], folder / "questions", "first", folder / "outputs", catalogue={name: spec})
        assert studio.provider.bugs == []
        assert studio.provider.creates == 3
    statuses = [run.status for run in summary.runs]
    # An order whose answer was lost is found again where the provider lists its orders with their prompts.
    lost = "success" if spec.provider in ("openai", "luma") else "uncertain"
    assert statuses == ["success", "refused", lost, "success"]
    for left in (path for path in folder.rglob("*") if path.is_file() and path.name != "account.json"):
        data = left.read_bytes()
        assert not [secret for secret in SECRETS if secret.encode() in data], left
    assert not [secret for secret in SECRETS if secret in caplog.text]
    done = next(run for run in summary.runs if run.status == "success")
    record = json.loads((done.folder / "metadata.json").read_text("utf-8"))
    assert spec.vendor_id in json.dumps(record)
