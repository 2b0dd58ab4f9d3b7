from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "create_questions.py"


def call(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(EXAMPLE), *args], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


def test_the_documented_example_generates_questions(tmp_path: Path) -> None:
    result = call(tmp_path, "--task", "maze", "--pairs-per-domain", "3", "--workers", "2")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == ["maze: 3 drawn, 0 kept", "index: data/questions/vmeval_dataset.json"]
    listed = json.loads((tmp_path / "data" / "maze_tasks" / "maze_tasks.json").read_text())
    assert [pair["id"] for pair in listed["pairs"]] == ["maze_0000", "maze_0001", "maze_0002"]
    assert all((tmp_path / "data" / "questions" / pair["first_image_path"]).is_file() for pair in listed["pairs"])


def test_an_unknown_task_is_one_line(tmp_path: Path) -> None:
    result = call(tmp_path, "--task", "mace")
    assert result.returncode == 1
    assert result.stderr == "error: no task 'mace'; did you mean 'maze'?\n"
    assert list(tmp_path.iterdir()) == []


def test_other_questions_are_refused_and_kept_until_force_replaces_them(tmp_path: Path) -> None:
    assert call(tmp_path, "--task", "maze", "--pairs-per-domain", "1").returncode == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    other = ("--task", "maze", "--pairs-per-domain", "1", "--seed", "7")
    result = call(tmp_path, *other)
    assert result.returncode == 1
    assert result.stderr.startswith("error: ") and "other questions" in result.stderr
    assert result.stderr.endswith("or replace them with --force\n")
    assert len(result.stderr.splitlines()) == 1
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    result = call(tmp_path, *other, "--force")
    assert (result.returncode, result.stdout.splitlines()[0]) == (0, "maze: 1 drawn, 0 kept")
