"""Runs with faults and kills, of a model that thinks for 4,000 tokens: complete at the end, and nothing asked again."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("openai")

from emulators.image_server import ImageEmulator, parse_form
from emulators.server import Answer, Call, _Broken, decode_image
from vmevalkit.media.image import encode_png
from vmevalkit.store.atomic import write_file
from vmevalkit.vqa.results import load_results

SAMPLES, DRAWN, FAULTS, KILLS, IN_FLIGHT = 1000, 80, 0.2, 3, 8


class FlakyServer(ImageEmulator):
    """Fails every fifth call in one of several ways, and counts what was delivered for each question: answers, and
    drawings."""

    reasoning_tokens = 4000

    def __init__(self) -> None:
        super().__init__(lambda body: "``" + "ABCD"[_number(body) % 4] + "``")
        self.delivered: Counter[int] = Counter()
        self.drawn: Counter[int] = Counter()
        self.faulty = 0
        self._rng = Random(3)

    def answer(self, call: Call) -> Answer:
        with self._lock:
            fault = self._rng.choice(("throttle", "fail", "drop", "garbage")) if self._rng.random() < FAULTS else None
            self.faulty += fault is not None
        if fault == "throttle":
            return self.error(429, "Too many requests.", code="rate_limit_exceeded")
        if fault == "fail":
            return self.error(500, "Something went wrong on our side.", code="server_error")
        if fault == "drop":
            raise _Broken
        if fault == "garbage":
            return Answer(200, b"<html>it works</html>")
        answer = self._respond(call)
        with self._lock:
            if "/images/" in call.path:
                self.drawn[_read_number(call)] += 1
            else:
                self.delivered[_number(call.json)] += 1
        return answer


def _number(body: dict[str, Any]) -> int:
    text = next(part["text"] for part in body["messages"][-1]["content"] if part["type"] == "text")
    return int(re.search(r"Question (\d+)\.", text)[1])  # type: ignore[index]


def _read_number(call: Call) -> int:
    """Return the question whose first image an edit got: see ``write_questions``."""
    _, _, mime, content = next(part for part in parse_form(call) if part[1] is not None)
    red, _, blue = decode_image(content, mime, "image")[0, 0]
    return int(red) + 200 * int(blue)


def write_questions(folder: Path, count: int) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    last = encode_png(np.full((8, 8, 3), 90, np.uint8))
    rows = [
        {
            "id": str(i), "images": [encode_png(np.full((8, 8, 3), (i % 200, 0, i // 200), np.uint8)), last],
            "question_type": "MSR", "answer": "ABCD"[i * i % 4],
            "question": f"Question {i}. Options: A: one, B: two, C: three, D: four",
        }
        for i in range(count)
    ]  # fmt: skip
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), buffer, row_group_size=100)
    write_file(folder / "test.parquet", buffer.getvalue())
    return folder / "test.parquet"


def run_with_kills(server: FlakyServer, folder: Path, count: int, model: str, args: str, task: str) -> None:
    """Run the command, kill it several times, run it to its end, and check that everything was answered once."""
    server.retry_after_s = 0
    environment = {**os.environ, **server.settings()}
    command = [
        sys.executable, "-m", "vmevalkit.vqa", "--model", model, "--model_args", args, "--tasks", task,
        "--dataset", str(write_questions(folder, count)), "--output_path", str(folder / "logs"),
        "--in-flight", str(IN_FLIGHT), "--per-minute", "1000000",
    ]  # fmt: skip

    def finish() -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)

    for part in range(1, KILLS + 1):
        process = subprocess.Popen(command, env=environment, cwd=folder, stderr=subprocess.DEVNULL)
        while len(server.delivered) < part * count // (KILLS + 2) and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    done = finish()
    # A call that failed on every attempt is a failed sample: the next call asks it again.
    while done.returncode == 1 and "failed" in done.stderr:
        done = finish()
    assert done.returncode == 0 and "cut off" not in done.stderr, done.stderr
    calls = server.delivered.total() + server.drawn.total()
    assert finish().returncode == 0 and server.delivered.total() + server.drawn.total() == calls
    assert server.bugs == []
    assert set(server.delivered) == set(range(count))
    assert server.faulty > FAULTS * count / 2
    # What was in flight when the process was killed is all that may be asked again.
    assert server.delivered.total() - count <= KILLS * IN_FLIGHT
    [result] = load_results(folder / "logs").tasks
    expected = sum("ABCD"[i % 4] == "ABCD"[i * i % 4] for i in range(count))
    assert (result.accuracy.n, result.counts["correct"], result.missing) == (count, expected, 0)
    assert result.cut_off == 0


@pytest.mark.slow
def test_a_thousand_samples_with_faults_and_kills(tmp_path: Path) -> None:
    with FlakyServer() as server:
        run_with_kills(server, tmp_path, SAMPLES, "openai_chat", "model=gpt-4o", "mmsi_msr")


@pytest.mark.slow
def test_two_stages_with_faults_and_kills(tmp_path: Path) -> None:
    with FlakyServer() as server:
        run_with_kills(server, tmp_path, DRAWN, "azure_trapi_visual_cot", "", "mmsi_msr_visual_cot")
    assert set(server.drawn) == set(range(DRAWN)) and server.drawn.total() - DRAWN <= 2 * KILLS * IN_FLIGHT
