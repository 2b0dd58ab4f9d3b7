"""Questions of one seed are the same whoever draws them: images by pixel, and all that is told of them but when."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vmevalkit.datasets.generate import generate
from vmevalkit.media.image import Frame, read_image
from vmevalkit.store.questions import load_questions

N, FEWER, SEED = 6, 4, 42
both_tasks = pytest.mark.parametrize("task", ["maze", "rotation"])


def by_command(out: Path, difficulty: str, workers: int) -> Path:
    """Questions of a process of its own, where sets have an order of their own."""
    line = f"generate --task maze rotation --n {N} --seed {SEED} --difficulty {difficulty} --workers {workers} --out"
    subprocess.run(
        [sys.executable, "-m", "vmevalkit", *line.split(), str(out)],
        env={**os.environ, "PYTHONHASHSEED": str(workers)}, capture_output=True, check=True, timeout=120,
    )  # fmt: skip
    return out


@pytest.fixture(scope="module", params=["easy", "hard"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same questions by one worker and by two, fewer of them, and those of another seed. Easy mazes are taken from
    a list of all, hard ones are made by chance."""
    difficulty, root = str(request.param), tmp_path_factory.mktemp("questions")
    tasks = ["maze", "rotation"]
    generate(tasks, FEWER, seed=SEED, difficulty=difficulty, out=root / "fewer")
    generate(tasks, N, seed=SEED + 1, difficulty=difficulty, out=root / "other")
    return {
        "one": by_command(root / "one", difficulty, 1),
        "two": by_command(root / "two", difficulty, 2),
        "fewer": root / "fewer",
        "other": root / "other",
    }


def records(root: Path, task: str) -> list[dict[str, Any]]:
    """What stands in the metadata of each question, but when it was made."""
    told = [dict(question.metadata) for question in load_questions(root, [task])]
    assert all(record.pop("created_at") for record in told)
    return told


def images(root: Path, task: str) -> list[Frame]:
    folders = [question.folder for question in load_questions(root, [task])]
    return [read_image(folder / name) for folder in folders for name in ("first_frame.png", "final_frame.png")]


def fingerprints(root: Path, task: str) -> tuple[str, str]:
    made = json.loads((root / "vmeval_dataset.json").read_text())["generation_info"]["tasks"][task]
    return made["fingerprint"], made["pixel_fingerprint"]


@pytest.mark.slow
@both_tasks
def test_neither_the_process_nor_the_workers_matter(made: dict[str, Path], task: str) -> None:
    assert records(made["one"], task) == records(made["two"], task)
    assert len(records(made["one"], task)) == N
    for one, two in zip(images(made["one"], task), images(made["two"], task), strict=True):
        assert np.array_equal(one, two)
    assert fingerprints(made["one"], task) == fingerprints(made["two"], task)


@both_tasks
def test_the_first_questions_do_not_depend_on_how_many_there_are(made: dict[str, Path], task: str) -> None:
    assert records(made["fewer"], task) == records(made["one"], task)[:FEWER]
    for few, many in zip(images(made["fewer"], task), images(made["one"], task)[: 2 * FEWER], strict=True):
        assert np.array_equal(few, many)


@both_tasks
def test_another_seed_gives_other_questions(made: dict[str, Path], task: str) -> None:
    one, other = images(made["one"], task)[::2], images(made["other"], task)[::2]
    assert len(other) == N
    assert not any(np.array_equal(here, there) for here in one for there in other)
    puzzles = [record["puzzle"] for record in records(made["one"], task)]
    assert not any(record["puzzle"] in puzzles for record in records(made["other"], task))
    for one_print, other_print in zip(*(fingerprints(made[name], task) for name in ("one", "other")), strict=True):
        assert one_print != other_print
