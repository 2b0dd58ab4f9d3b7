"""Generate, run and score are killed at random moments: the final state equals that of undisturbed commands."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from vmevalkit.core.records import Score
from vmevalkit.store.runs import find_runs
from vmevalkit.store.scores import load_scores

COMMANDS = (
    "generate --task maze --n 6 --workers 2",
    "run --model static oracle --experiment first --seconds 1 --workers 2",
    "score --experiment first --workers 2",
)


def start(folder: Path, command: str) -> subprocess.Popen[str]:
    line = [sys.executable, "-m", "vmevalkit", *command.split()]
    return subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(folder: Path, command: str) -> float:
    """Run a command to its end. Returns the seconds that it took."""
    begin = time.monotonic()
    process = start(folder, command)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return time.monotonic() - begin


def read_state(folder: Path) -> tuple[str, dict[tuple[str, str], str | None], dict[tuple[str, str], Score]]:
    """Return what must not depend on interruptions: questions, videos and scores."""
    index = json.loads((folder / "data" / "questions" / "vmeval_dataset.json").read_text())
    runs = find_runs(folder / "data" / "outputs", "first")
    scores = load_scores(folder / "data" / "evaluations", "first")
    return (
        index["generation_info"]["tasks"]["maze"]["pixel_fingerprint"],
        {(run.model, run.question_id): run.video_digest for run in runs},
        {(scored.model, scored.question_id): scored.score for scored in scores},
    )


def run_campaign(folder: Path, kills: int, seed: int) -> None:
    calm, disturbed = folder / "calm", folder / "disturbed"
    calm.mkdir()
    disturbed.mkdir()
    rng, killed = Random(seed), 0
    for command in COMMANDS:
        seconds = finish(calm, command)
        for _ in range(kills):
            process = start(disturbed, command)
            try:
                process.communicate(timeout=rng.uniform(0.1, seconds))
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                killed += 1
        finish(disturbed, command)
        finish(disturbed, command)  # a complete state stays complete
    assert killed
    assert read_state(disturbed) == read_state(calm)
    hidden = [path for path in disturbed.rglob(".*") if not path.name.startswith(".lock")]
    assert hidden == []


@pytest.mark.slow
def test_a_few_kills_leave_no_trace(tmp_path: Path) -> None:
    run_campaign(tmp_path, kills=1, seed=1)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(4))
def test_many_kills_leave_no_trace(tmp_path: Path, seed: int) -> None:
    run_campaign(tmp_path, kills=12, seed=seed)
