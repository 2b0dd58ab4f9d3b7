"""An experiment of the embedded baselines, as the commands leave it on the disk."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from vmevalkit.datasets.generate import generate
from vmevalkit.eval.experiment import score_experiment
from vmevalkit.runs.run import run


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two mazes, sudokus and chess problems with a video of each by ``oracle`` and ``static``, all scored."""
    data = tmp_path_factory.mktemp("finished") / "data"
    generate(["maze", "sudoku", "chess"], n=2, seed=1, out=data / "questions")
    run(["oracle", "static"], data / "questions", "first", data / "outputs", seconds=1.0)
    score_experiment("first", data / "outputs", data / "evaluations")
    return data


@pytest.fixture
def data(finished: Path, tmp_path: Path) -> Path:
    """A copy of the finished experiment, which a test may change."""
    shutil.copytree(finished, tmp_path / "data")
    return tmp_path / "data"
