"""200 remote jobs in a process that is killed at random moments, again and again: nothing is paid twice, and nothing
half-written is ever seen."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from plain_runs import KEY, a_film, ask, check_no_film_serves_twice, check_run, left_behind

from emulators.plain import FaultyShare, PlainServer
from vmevalkit.store.runs import all_runs, find_runs

QUESTIONS, SAMPLES = 50, 4
JOBS = QUESTIONS * SAMPLES
KILLS = 8


class Killer:
    """Kills the process after so many more requests."""

    def __init__(self) -> None:
        self._left, self._process = 0, None
        self._lock = threading.Lock()

    def aim(self, process: subprocess.Popen[str], requests: int) -> None:
        with self._lock:
            self._left, self._process = requests, process  # type: ignore[assignment]

    def __call__(self, kind: str) -> None:
        with self._lock:
            self._left -= 1
            if self._left == 0 and self._process is not None:
                self._process.kill()


def start(folder: Path, server: PlainServer, *more: str) -> subprocess.Popen[str]:
    emulators = Path(sys.modules[PlainServer.__module__].__file__ or "")
    settings = {
        "VMEVALKIT_MODELS": str(emulators),
        "PLAIN_BASE_URL": server.url,
        "PLAIN_API_KEY": KEY,
        "PLAIN_TIMEOUT_S": "0.5",
    }
    line = ["run", "--model", "plain-1", "--experiment", "first", "--questions", "questions", "--outputs", "outputs"]
    return subprocess.Popen(
        [sys.executable, "-m", "vmevalkit", *line, "--samples", str(SAMPLES), *more],
        cwd=folder, env={**os.environ, **settings}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def check_all_that_is_seen(folder: Path, server: PlainServer) -> None:
    runs = all_runs(folder / "outputs", "first")
    for run in runs:
        check_run(run, server)
    check_no_film_serves_twice(runs)


@pytest.mark.parametrize(("share", "seed"), [(0.0, 1), (0.2, 2)])
def test_killed_at_random_moments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float, seed: int) -> None:
    ask(tmp_path, QUESTIONS)
    rng, killer = Random(seed), Killer()
    monkeypatch.setenv("PLAIN_API_KEY", KEY)
    provider = PlainServer(a_film(tmp_path), faults=FaultyShare(share, seed), on_request=killer)
    with provider.running() as server:
        killed = 0
        while killed < KILLS:
            process = start(tmp_path, server)
            killer.aim(process, rng.randint(1, 150))
            process.communicate(timeout=120)
            if process.returncode != -9:
                break
            killed += 1
            check_all_that_is_seen(tmp_path, server)
        assert killed >= 5
        process = start(tmp_path, server)
        out, err = process.communicate(timeout=120)
        runs = find_runs(tmp_path / "outputs", "first")
        found = Counter(run.status for run in runs)
        assert len(runs) == JOBS, err
        assert set(found) <= {"success", "uncertain"}, [run.error for run in runs if run.status == "failed"]
        assert process.returncode == (1 if found["uncertain"] else 0)
        assert len(server.orders) <= JOBS
        # What was ordered is found again, be it by a ticket or in the provider's list: nothing was paid for in vain.
        assert found["success"] == len(server.orders)
        assert len(set(server.keys)) == len(server.keys)
        check_all_that_is_seen(tmp_path, server)
        assert left_behind(tmp_path / "outputs") == []
        assert found["success"] > JOBS // 2

        again = start(tmp_path, server)
        out, _ = again.communicate(timeout=120)
        assert out.startswith(f"first: 0 made, {JOBS} kept")

        ordered = len(server.orders)
        process = start(tmp_path, server, "--resubmit-uncertain")
        process.communicate(timeout=120)
        runs = find_runs(tmp_path / "outputs", "first")
        assert len(server.orders) <= ordered + found["uncertain"]
        assert Counter(run.status for run in runs)["success"] > found["success"] or not found["uncertain"]
        check_all_that_is_seen(tmp_path, server)
    assert not any(KEY.encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
