"""Tasks and scorers of others: an installed package adds them by entry points, a file once a setting names it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PYPROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "stone-field-puzzle"
version = "1.0"

[project.entry-points."vmevalkit.tasks"]
stone_field = "stone_field_puzzle:TASK"

[project.entry-points."vmevalkit.scorers"]
generous = "stone_field_puzzle.generous:GenerousScorer"
"""

SCORER = '''
from vmevalkit.core.records import Score


class GenerousScorer:
    """Every video passes."""

    evaluator = "GenerousScorer"

    def version(self, question):
        return "1"

    def score(self, question, video, placement, own_run):
        return Score(self.evaluator, "1", value=5, solved=True, passed=True, outcome=1.0, process=1.0)
'''


def read_template() -> str:
    words = [sys.executable, "-m", "vmevalkit", "tasks", "--template", "move"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the template of a puzzle, as a package of its own."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    package = source / "stone_field_puzzle"
    package.mkdir()
    (package / "__init__.py").write_text(read_template(), "utf-8")
    (package / "generous.py").write_text(SCORER)
    (source / "pyproject.toml").write_text(PYPROJECT)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--target", str(target), str(source)], check=True)
    return target


def call(site: Path, where: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(site)}
    return subprocess.run(
        [sys.executable, "-m", "vmevalkit", *words], cwd=where, env=environment, capture_output=True, text=True
    )


def passed_by_model(place: Path, evaluator: str) -> dict[str, set[bool]]:
    found: dict[str, set[bool]] = {}
    for path in place.rglob(f"{evaluator}.json"):
        record = json.loads(path.read_text("utf-8"))
        found.setdefault(record["metadata"]["model_name"], set()).add(record["result"]["passed"])
    return found


@pytest.mark.slow
def test_a_task_of_an_installed_package_passes_every_command_with_two_workers(site: Path, tmp_path: Path) -> None:
    for line in (
        "tasks",
        "generate --task stone_field --n 3 --out data/questions --workers 2",
        "run --model oracle static stops_short --questions data/questions --experiment stones --workers 2",
        "score --experiment stones --workers 2",
        "score --with generous --experiment stones --workers 2",
    ):
        done = call(site, tmp_path, *line.split())
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    place = tmp_path / "data/evaluations/stones"
    assert passed_by_model(place, "RuleEvaluator") == {"oracle": {True}, "static": {False}, "stops_short": {False}}
    assert passed_by_model(place, "GenerousScorer") == {"oracle": {True}, "static": {True}, "stops_short": {True}}


@pytest.mark.slow
@pytest.mark.parametrize(("scorer", "refused"), [("rules", None), ("generous", "stone_field: 2 of 2 cheats passed")])
def test_the_audit_takes_its_tasks_and_scorers(site: Path, tmp_path: Path, scorer: str, refused: str | None) -> None:
    line = "audit --task stone_field --trick oracle static --videos 2 --workers 2 --scorer"
    done = call(site, tmp_path, *line.split(), scorer)
    assert done.returncode == (1 if refused else 0), done.stdout + done.stderr
    assert (refused or "stone_field: 0 of 2 cheats passed") in " ".join(done.stdout.split())


@pytest.mark.slow
def test_a_file_adds_tasks_and_scorers(tmp_path: Path) -> None:
    """The same task as a single file, in a process that does not have the package."""
    mine = tmp_path / "mine.py"
    mine.write_text(read_template(), "utf-8")
    scorers = tmp_path / "scorers.py"
    scorers.write_text(SCORER + '\nSCORERS = {"generous": GenerousScorer()}\n', "utf-8")
    environment = {**os.environ, "VMEVALKIT_TASKS": str(mine), "VMEVALKIT_SCORERS": str(scorers)}
    for line in (
        "generate --task stone_field --n 3 --out data/questions --workers 2",
        "run --model oracle --questions data/questions --experiment stones --workers 2",
        "score --with generous --experiment stones --workers 2",
        "audit --task stone_field --trick oracle --videos 2 --workers 2 --scorer generous",
    ):
        done = subprocess.run(
            [sys.executable, "-m", "vmevalkit", *line.split()],
            cwd=tmp_path, env=environment, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    assert passed_by_model(tmp_path / "data/evaluations/stones", "GenerousScorer") == {"oracle": {True}}


UNLIMITED = """
from vmevalkit.tasks.puzzles.sokoban import TASK as SOKOBAN
class Unlimited(type(SOKOBAN)):
    name = "unlimited"
    motion = None
TASK = Unlimited()
"""
"""A puzzle in which every move must be visible, and none is too fast."""


@pytest.mark.parametrize(
    ("setting", "text", "message"),
    [
        ("VMEVALKIT_TASKS", None, "is not a Python file"),
        ("VMEVALKIT_TASKS", "1 / 0", "cannot be loaded: division by zero"),
        ("VMEVALKIT_TASKS", "", "has neither a TASK nor a list TASKS"),
        ("VMEVALKIT_TASKS", UNLIMITED, "without limits of its motion; give its class a motion = MotionLimits(...)"),
        ("VMEVALKIT_TASKS", "TASKS = [3]", "it must give an instance of vmevalkit.tasks.task.Task"),
        ("VMEVALKIT_SCORERS", "SCORERS = [3]", "has no mapping SCORERS"),
        ("VMEVALKIT_SCORERS", "SCORERS = {'rules': 3}", "two scorers are called 'rules'"),
        ("VMEVALKIT_SCORERS", "SCORERS = {'x': 3}", "gives int without evaluator, version, score"),
    ],
)
def test_a_broken_plugin_is_named(tmp_path: Path, setting: str, text: str | None, message: str) -> None:
    path = tmp_path / "mine.py"
    if text is not None:
        path.write_text(text)
    module, name = (
        ("vmevalkit.tasks", "TASKS") if setting == "VMEVALKIT_TASKS" else ("vmevalkit.eval.scorers", "SCORERS")
    )
    code = f"from {module} import {name}; len({name})"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, setting: str(path)}, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "SetupError" in done.stderr and message in done.stderr, done.stderr
