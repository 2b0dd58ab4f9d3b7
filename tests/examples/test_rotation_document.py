"""The examples of the rotation task's document run unchanged, each in its own process and folder."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from vmevalkit.media.image import read_image
from vmevalkit.store.questions import load_questions
from vmevalkit.tasks.rotation_task import create_dataset

CREATE_QUESTIONS = Path(__file__).parents[2] / "examples" / "create_questions.py"
FILES = {"first_frame.png", "final_frame.png", "prompt.txt", "question_metadata.json"}

IN_PARALLEL = '''\
from vmevalkit.tasks.rotation_task import RotationGenerator, create_task_pair

from multiprocessing import Pool
from functools import partial

def process_single_task(task_id, task_data):
    """Process a single task (for parallel execution)"""
    return create_task_pair(task_data, f"rotation_{task_id:04d}")

# Generate task data
generator = RotationGenerator()
tasks = generator.generate_tasks(100)

# Process in parallel
with Pool() as pool:
    process_func = partial(process_single_task)
    pairs = pool.starmap(process_func, enumerate(tasks))

print(f"Processed {len(pairs)} tasks in parallel")
'''
"""The document's text, after the imports of its earlier examples."""


def run_python(where: Path, *args: str) -> list[str]:
    """Return the lines that a program prints. It must exit with 0 and print nothing to stderr."""
    process = subprocess.run(
        [sys.executable, *args], cwd=where, capture_output=True, text=True, check=False, timeout=120
    )
    assert (process.returncode, process.stderr) == (0, "")
    return process.stdout.splitlines()


def check_questions(root: Path, number: int) -> None:
    """Assert that every question is complete, and that there are no others."""
    names = [f"rotation_{i:04d}" for i in range(number)]
    assert sorted(path.name for path in (root / "rotation_task").iterdir() if path.name != ".lock") == names
    for question, name in zip(load_questions(root), names, strict=True):
        assert (question.id, question.domain, question.folder.name) == (name, "rotation", name)
        assert {path.name for path in question.folder.iterdir()} == FILES
        assert (question.folder / "prompt.txt").read_text("utf-8") == question.metadata["prompt"]
        first, final = (read_image(root / question.metadata[f"{end}_image_path"]) for end in ("first", "final"))
        assert first.shape == final.shape == (400, 400, 3)
        assert not np.array_equal(first, final)


@pytest.mark.slow
def test_questions_are_created_in_parallel(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(IN_PARALLEL)
    assert run_python(tmp_path, "script.py") == ["Processed 100 tasks in parallel"]
    root = tmp_path / "data" / "questions"
    check_questions(root, 100)
    alone = create_dataset(num_samples=100, output_dir=tmp_path / "alone")["pairs"]
    parallel = [question.metadata for question in load_questions(root)]
    assert [pair["puzzle"] for pair in parallel] == [pair["puzzle"] for pair in alone]
    assert [pair["pixel_digests"] for pair in parallel] == [pair["pixel_digests"] for pair in alone]


def test_questions_are_created_by_the_example_program(tmp_path: Path) -> None:
    lines = run_python(tmp_path, str(CREATE_QUESTIONS), "--task", "rotation", "--pairs-per-domain", "3")
    assert lines == ["rotation: 3 drawn, 0 kept", "index: data/questions/vmeval_dataset.json"]
    root = tmp_path / "data" / "questions"
    check_questions(root, 3)
    pairs = [question.metadata for question in load_questions(root)]
    assert json.loads((root / "vmeval_dataset.json").read_text())["pairs"] == pairs
    listed = json.loads((tmp_path / "data" / "rotation_tasks" / "rotation_tasks.json").read_text())
    assert (listed["name"], listed["pairs"]) == ("rotation_tasks", pairs)
    assert all(pair["rotation_data"]["angle_difference"] == 180 for pair in pairs)
