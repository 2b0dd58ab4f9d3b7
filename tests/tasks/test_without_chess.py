"""Without python-chess, which is an extra, everything but chess works."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

BLOCK = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name == "chess" or name.startswith("chess."):
            raise ModuleNotFoundError("No module named 'chess'", name="chess")
sys.meta_path.insert(0, Block())
"""


def run(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", BLOCK + code], capture_output=True, text=True, cwd=folder, check=False)


def run_command(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return run(folder, f"sys.argv = {['vmevalkit', *args]!r}\nfrom vmevalkit.cli.main import main\nmain()")


def test_all_tasks_are_generated_but_chess(tmp_path: Path) -> None:
    done = run_command(tmp_path, "generate", "--n", "1", "--workers", "1", "--out", "questions")
    assert done.returncode == 0, done.stderr
    assert 'pip install "vmevalkit[chess]"' in done.stderr
    names = {path.name for path in (tmp_path / "questions").glob("*_task")}
    assert {"maze_task", "sudoku_task"} <= names and "chess_task" not in names


def test_tasks_are_listed_and_chess_says_what_it_needs(tmp_path: Path) -> None:
    listed = run_command(tmp_path, "tasks")
    assert listed.returncode == 0 and "maze:" in listed.stdout and "vmevalkit[chess]" in listed.stdout
    asked = run_command(tmp_path, "generate", "--n", "1", "--task", "chess")
    assert asked.returncode == 1 and asked.stderr.startswith("error: the task chess needs python-chess (GPL")
    code = (
        "import vmevalkit, vmevalkit.audit.kinds as kinds, vmevalkit.exchange.importing\n"
        "from vmevalkit.runner.TASK_CATALOG import TASK_CATALOG\nfrom vmevalkit.tasks import TASKS\n"
        "assert 'chess' not in TASK_CATALOG and kinds.find_kinds(TASKS['maze'])"
    )
    done = run(tmp_path, code)
    assert done.returncode == 0, done.stderr


def test_the_base_install_does_not_need_it() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert not any("chess" in line for line in project["dependencies"])
    assert project["optional-dependencies"]["chess"] == ["chess>=1.11"]
