"""200 remote jobs in a process that is killed repeatedly: nothing is paid twice, and no partial file is visible."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from plain_runs import KEY, check_run, check_videos_are_distinct, find_leftovers, make_video, write_questions

from emulators.killer import Killer
from emulators.plain import FaultyShare, PlainServer
from vmevalkit.store.runs import find_runs, load_all_runs

QUESTIONS, SAMPLES = 50, 4
JOBS = QUESTIONS * SAMPLES
KILLS = 8


def start(folder: Path, server: PlainServer, *more: str, model: str = "plain-1") -> subprocess.Popen[str]:
    emulators = Path(sys.modules[PlainServer.__module__].__file__ or "")
    settings = {
        "VMEVALKIT_MODELS": str(emulators),
        "PLAIN_BASE_URL": server.url,
        "PLAIN_API_KEY": KEY,
        "PLAIN_TIMEOUT_S": "2",
    }
    line = ["run", "--model", model, "--experiment", "first", "--questions", "questions", "--outputs", "outputs"]
    return subprocess.Popen(
        [sys.executable, "-m", "vmevalkit", *line, "--samples", str(SAMPLES), *more],
        cwd=folder, env={**os.environ, **settings}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def check_visible_runs(folder: Path, server: PlainServer) -> None:
    runs = load_all_runs(folder / "outputs", "first")
    for run in runs:
        check_run(run, server)
    check_videos_are_distinct(runs)


@pytest.mark.parametrize(("share", "seed"), [pytest.param(0.0, 1, marks=pytest.mark.slow), (0.2, 2)])
def test_killed_at_random_moments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float, seed: int) -> None:
    write_questions(tmp_path, QUESTIONS)
    rng, killer = Random(seed), Killer()
    monkeypatch.setenv("PLAIN_API_KEY", KEY)
    provider = PlainServer(make_video(tmp_path), faults=FaultyShare(share, seed), on_request=killer)
    with provider.running() as server:
        killed = 0
        while killed < KILLS:
            process = killer.aim(lambda: start(tmp_path, server), rng.randint(1, 150))
            process.communicate(timeout=120)
            server.wait_until_idle()
            if process.returncode != -9:
                break
            killed += 1
            check_visible_runs(tmp_path, server)
        assert killed >= 5
        process = start(tmp_path, server)
        out, err = process.communicate(timeout=120)
        runs = find_runs(tmp_path / "outputs", "first")
        found = Counter(run.status for run in runs)
        assert len(runs) == JOBS, err
        assert set(found) <= {"success", "uncertain"}, [run.error for run in runs if run.status == "failed"]
        assert process.returncode == (1 if found["uncertain"] else 0)
        assert len(server.orders) <= JOBS
        # Every order is found again, by its ticket or in the provider's list.
        assert found["success"] == len(server.orders)
        assert len(set(server.keys)) == len(server.keys)
        check_visible_runs(tmp_path, server)
        assert find_leftovers(tmp_path / "outputs") == []
        assert found["success"] > JOBS // 2

        retry = start(tmp_path, server)
        out, _ = retry.communicate(timeout=120)
        assert out.startswith(f"first: 0 run, {JOBS} kept")

        ordered = len(server.orders)
        server.faults = lambda _kind: None
        process = start(tmp_path, server, "--resubmit-uncertain", "--yes")
        _, err = process.communicate(timeout=120)
        runs = find_runs(tmp_path / "outputs", "first")
        assert len(server.orders) == ordered + found["uncertain"]
        assert Counter(run.status for run in runs) == {"success": JOBS}, err
        check_visible_runs(tmp_path, server)
    assert not any(KEY.encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_two_processes_with_different_models_share_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 12)
    monkeypatch.setenv("PLAIN_API_KEY", KEY)
    with PlainServer(make_video(tmp_path)).running() as server:
        both = [start(tmp_path, server, "--max-usd", "10", model=model) for model in ("plain-1", "plain-2")]
        texts = [process.communicate(timeout=120)[1] for process in both]
        assert 23 <= len(server.orders) <= 25  # at $0.40
        assert {process.returncode for process in both} == {1}, texts
        assert all("the budget is reached" in text for text in texts)
        assert {run.status for run in find_runs(tmp_path / "outputs", "first")} == {"success"}
