"""A run of 1,000 samples with faults and kills: complete at the end, and nothing that was answered is asked again."""

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

from emulators.chat_server import ChatEmulator
from emulators.server import Answer, Call, _Broken
from vmevalkit.media.image import encode_png
from vmevalkit.store.atomic import write_file
from vmevalkit.vqa.results import load_results

SAMPLES, FAULTS, KILLS, IN_FLIGHT = 1000, 0.2, 3, 8


class FlakyChat(ChatEmulator):
    """Fails every fifth call in one of several ways, and counts the answers of each question that were delivered."""

    def __init__(self) -> None:
        super().__init__(lambda body: "``" + "ABCD"[_number(body) % 4] + "``")
        self.delivered: Counter[int] = Counter()
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
            self.delivered[_number(call.json)] += 1
        return answer


def _number(body: dict[str, Any]) -> int:
    text = next(part["text"] for part in body["messages"][-1]["content"] if part["type"] == "text")
    return int(re.search(r"Question (\d+)\.", text)[1])  # type: ignore[index]


def write_questions(folder: Path) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    image = encode_png(np.full((8, 8, 3), 90, np.uint8))
    rows = [
        {
            "id": str(i), "images": [image, image], "question_type": "MSR", "answer": "ABCD"[i * i % 4],
            "question": f"Question {i}. Options: A: one, B: two, C: three, D: four",
        }
        for i in range(SAMPLES)
    ]  # fmt: skip
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), buffer, row_group_size=100)
    write_file(folder / "test.parquet", buffer.getvalue())
    return folder / "test.parquet"


@pytest.mark.slow
def test_a_thousand_samples_with_faults_and_kills(tmp_path: Path) -> None:
    questions = write_questions(tmp_path)
    command = [
        sys.executable, "-m", "vmevalkit.vqa", "--model", "openai_chat", "--model_args", "model=gpt-4o",
        "--tasks", "mmsi_msr", "--dataset", str(questions), "--output_path", str(tmp_path / "logs"),
        "--in-flight", str(IN_FLIGHT), "--per-minute", "1000000",
    ]  # fmt: skip
    with FlakyChat() as server:
        server.retry_after_s = 0
        environment = {**os.environ, **server.settings()}
        for part in range(1, KILLS + 1):
            process = subprocess.Popen(command, env=environment, cwd=tmp_path, stderr=subprocess.DEVNULL)
            while len(server.delivered) < part * SAMPLES // (KILLS + 2) and process.poll() is None:
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
        # A call that failed on every attempt is a failed sample: the next call asks it again.
        while done.returncode == 1 and "failed" in done.stderr:
            done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        calls = sum(server.delivered.values())
        kept = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
        assert kept.returncode == 0 and sum(server.delivered.values()) == calls
    assert server.bugs == []
    assert set(server.delivered) == set(range(SAMPLES))
    assert server.faulty > FAULTS * SAMPLES / 2
    # What was in flight when the process was killed is all that may be asked again.
    assert calls - SAMPLES <= KILLS * IN_FLIGHT
    [result] = load_results(tmp_path / "logs").tasks
    expected = sum("ABCD"[i % 4] == "ABCD"[i * i % 4] for i in range(SAMPLES))
    assert (result.accuracy.n, result.counts["correct"], result.missing) == (SAMPLES, expected, 0)
