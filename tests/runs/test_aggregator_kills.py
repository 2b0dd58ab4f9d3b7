"""fal and Replicate in a process that is killed repeatedly: no video is ordered twice."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx")

from test_remote_providers import write_questions

from emulators.fal_server import FalEmulator
from emulators.killer import Killer
from emulators.replicate_server import ReplicateEmulator
from emulators.server import Answer, Call
from vmevalkit.media.image import encode_png
from vmevalkit.store.runs import load_all_runs

QUESTIONS, IN_FLIGHT = 16, 3
KILLED_AFTER = (3, 7, 5, 11)
"""Requests of each process before it is killed."""
ROWS = """
from dataclasses import replace
from vmevalkit.models.catalogue import find_models
from vmevalkit.models.rows import {rows}
row = next(row for row in {rows}.ROWS if row.name == "{name}")
limits = {{"poll_every_s": 0.02, "first_backoff_s": 0.01, "longest_backoff_s": 0.02, "in_flight": {in_flight},
          "orders_per_minute": 60_000}}
ROWS = [replace(row, name="quick", options={{**row.options, "limits": limits}})]
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("emulator", "rows", "name"),
    [(FalEmulator, "fal", "fal-pixverse-5.6"), (ReplicateEmulator, "replicate", "replicate-hailuo-2.3")],
)
def test_nothing_is_ordered_twice(emulator: Callable[[], Any], rows: str, name: str, tmp_path: Path) -> None:
    from emulators.adapter_harness import first_frame

    (tmp_path / "first_frame.png").write_bytes(encode_png(first_frame()))
    video = write_questions(tmp_path, QUESTIONS)
    (tmp_path / "quick.py").write_text(ROWS.format(rows=rows, name=name, in_flight=IN_FLIGHT))
    line = ["run", "--model", "quick", "--experiment", "first", "--questions", "questions", "--outputs", "outputs"]
    settings = {**os.environ, "VMEVALKIT_MODELS": "quick.py"}
    killer = Killer()
    with emulator() as provider:
        provider.video = lambda _: video
        settings |= provider.settings()
        answer = provider.answer

        def answer_or_kill(call: Call) -> Answer:
            reply: Answer = answer(call)  # first, so that a submit request that is killed was ordered
            killer()
            return reply

        def start() -> subprocess.Popen[str]:
            return subprocess.Popen(
                [sys.executable, "-m", "vmevalkit", *line], cwd=tmp_path, env=settings,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip

        provider.answer = answer_or_kill
        for requests in (*KILLED_AFTER, 0):
            process = killer.aim(start, requests)
            out, errors = process.communicate(timeout=240)
            assert process.returncode == -9 if requests else process.returncode in (0, 1), errors
            provider.wait_until_idle()  # an order of a process that was killed may arrive after its end
        assert provider.bugs == []
        orders = Counter(order.asked["prompt"] for order in provider.orders.values())
    runs = load_all_runs(tmp_path / "outputs", "first")
    assert set(orders.values()) == {1}, "a video was ordered and billed twice"
    assert len(runs) == QUESTIONS, errors
    # A process that is killed before its request arrives leaves a question that was never ordered, and cannot know it:
    # it stays uncertain, since ordering it again could pay twice.
    finished = [run for run in runs if run.status == "success"]
    assert {run.status for run in runs} <= {"success", "uncertain"}, out
    assert QUESTIONS - len(KILLED_AFTER) * IN_FLIGHT <= len(finished) <= len(orders) <= QUESTIONS
    if rows == "replicate":  # its list shows the orders whose answers were lost: each that was paid has its video
        assert len(finished) == len(orders)
