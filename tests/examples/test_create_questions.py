from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "create_questions.py"


def call(where: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(EXAMPLE), *args], cwd=where, capture_output=True, text=True, check=False, timeout=120
    )


def test_the_example_of_the_documents_makes_questions(tmp_path: Path) -> None:
    done = call(tmp_path, "--task", "maze", "--pairs-per-domain", "3", "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["maze: 3 drawn, 0 kept", "the index is at data/questions/vmeval_dataset.json"]
    listed = json.loads((tmp_path / "data" / "maze_tasks" / "maze_tasks.json").read_text())
    assert [pair["id"] for pair in listed["pairs"]] == ["maze_0000", "maze_0001", "maze_0002"]
    assert all((tmp_path / "data" / "questions" / pair["first_image_path"]).is_file() for pair in listed["pairs"])


def test_an_unknown_task_is_one_line(tmp_path: Path) -> None:
    done = call(tmp_path, "--task", "mace")
    assert done.returncode == 1
    assert done.stderr == "error: no task 'mace'; did you mean 'maze'?\n"
    assert list(tmp_path.iterdir()) == []


def test_other_questions_are_refused_and_stay(tmp_path: Path) -> None:
    assert call(tmp_path, "--task", "maze", "--pairs-per-domain", "1").returncode == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = call(tmp_path, "--task", "maze", "--pairs-per-domain", "1", "--seed", "7")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ") and "other questions" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
