"""Shared parts of the tests of remote runs: a video, questions and an emulated server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from emulators.plain import ROW, Fault, PlainServer, order_in
from vmevalkit.core.records import Run
from vmevalkit.media.image import encode_png
from vmevalkit.media.integrity import check_video
from vmevalkit.media.video import write_video
from vmevalkit.runs.run import RunSummary, run
from vmevalkit.store.atomic import file_digest
from vmevalkit.store.questions import load_question
from vmevalkit.store.runs import question_of

KEY = "canary-4f1c9e0b7a"


def first(kind: str, fault: Fault, times: int = 1) -> Callable[[str], Fault | None]:
    """Return a fault for the first requests of a kind."""
    left = [times]

    def decide(request_kind: str) -> Fault | None:
        if request_kind != kind or left[0] == 0:
            return None
        left[0] -= 1
        return fault

    return decide


def make_video(folder: Path, frames: int = 6) -> bytes:
    path = folder / "video.mp4"
    rng = np.random.default_rng(1)
    write_video(path, [rng.integers(0, 255, (36, 64, 3), dtype=np.uint8) for _ in range(frames)], 8)
    return path.read_bytes()


def write_questions(folder: Path, n: int, prompt: str = "Open door {}.") -> Path:
    """Write questions, each with its number in the prompt."""
    for number in range(n):
        place = folder / "questions" / "doors_task" / f"door_{number:03d}"
        place.mkdir(parents=True)
        (place / "first_frame.png").write_bytes(encode_png(np.full((36, 64, 3), number, np.uint8)))
        (place / "prompt.txt").write_text(prompt.format(number))
    return folder / "questions"


@contextmanager
def serve(folder: Path, monkeypatch: pytest.MonkeyPatch, **how: Any) -> Iterator[PlainServer]:
    with PlainServer(make_video(folder), **how).running() as server:
        monkeypatch.setenv("PLAIN_BASE_URL", server.url)
        monkeypatch.setenv("PLAIN_API_KEY", KEY)
        yield server


def run_plain(folder: Path, *models: str, **how: Any) -> RunSummary:
    catalogue = how.pop("catalogue", {"plain-1": ROW})
    return run(models or ["plain-1"], folder / "questions", "first", folder / "outputs", catalogue=catalogue, **how)


def check_run(run: Run, server: PlainServer) -> None:
    """Check that a finished run is complete, and that its video was ordered for its question and sample.

    An order that was found in the provider's list may be that of another sample: samples send the same request."""
    question = load_question(question_of(run))
    assert (question.id, question.domain) == (run.question_id, run.domain)
    if run.status != "success":
        assert run.video is None
        return
    assert run.video is not None
    assert check_video(run.video).width == 64
    assert file_digest(run.video) == run.video_digest
    ordered = server.orders[order_in(run.video.read_bytes())]
    assert ordered.body["question"] == run.question_id
    record = json.loads((run.folder / "metadata.json").read_text("utf-8"))
    if record["request"]["sent"]:
        assert ordered.body["sample"] == run.sample
    assert record["provider"]["order"] == ordered.id


def check_videos_are_distinct(runs: Iterable[Run]) -> None:
    orders = [order_in(run.video.read_bytes()) for run in runs if run.video is not None]
    assert len(set(orders)) == len(orders)


def find_leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob(".*") if not path.name.startswith(".lock")]
