"""No message advises an option that does not exist."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import typer

import vmevalkit
from vmevalkit.cli.main import make_app

PACKAGE = Path(vmevalkit.__file__).parent
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z_-]*")
OTHER_PROGRAMS = {
    "models/_azure.py",
    "models/rows/external.py",
    "models/weights.py",
    "vqa/task_file.py",
    "vqa/task_files/mmsi.py",
    "vqa/task_files/__init__.py",
}
"""Modules with options of other projects, such as lmms_eval, az and hf."""


@cache
def options_by_command() -> dict[str, set[str]]:
    app = typer.main.get_command(make_app())
    commands = {**app.commands, "": app}  # type: ignore[attr-defined]
    return {
        name: {"--help"} | {option for param in each.params for option in (*param.opts, *param.secondary_opts)}
        for name, each in commands.items()
    }


@cache
def find_options() -> list[tuple[str, str]]:
    """Return the options in the texts of the package, each with its module."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).as_posix()
        if module in OTHER_PROGRAMS:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found += [(module, option) for option in OPTION.findall(node.value)]
    return found


def test_every_option_in_a_text_exists() -> None:
    known = set.union(*options_by_command().values())
    assert len(find_options()) > 80
    assert [(module, option) for module, option in find_options() if option not in known] == []


@pytest.mark.parametrize(
    ("module", "commands"),
    [
        ("datasets/existing_questions.py", "generate benchmark experiment"),
        ("datasets/param_overrides.py", "generate"),
        ("runs/remote_model_runner.py", "run experiment"),
        ("runs/plan.py", "run"),
        ("runs/job_specs.py", "run"),
        ("runs/job_state.py", "run"),
        ("jobs/remote_job.py", "run experiment"),
        ("store/shards.py", "run experiment"),
        ("store/video_map.py", "score"),
        ("store/scores.py", "report score"),
        ("audit/tables.py", "audit"),
    ],
)
def test_an_option_exists_in_the_commands_that_print_the_message(module: str, commands: str) -> None:
    advised = {option for place, option in find_options() if place == module}
    assert advised
    options = options_by_command()
    elsewhere = {"runs/job_specs.py": {"--out"}}  # the command to generate questions
    for name in commands.split():
        assert advised - elsewhere.get(module, set()) <= options[name], name


@pytest.mark.parametrize("name", ["generate", "run", "experiment", "benchmark"])
def test_commands_that_refuse_other_files_can_be_forced(name: str) -> None:
    assert "--force" in options_by_command()[name]


@pytest.mark.parametrize(
    "option", ["--max-usd", "--assume-usd", "--force", "--retry-failed", "--resubmit-uncertain", "--limit", "--shard"]
)
def test_an_experiment_takes_what_its_messages_advise(option: str) -> None:
    assert option in options_by_command()["experiment"]


def test_a_reader_that_leaves_early_ends_a_command_silently() -> None:
    command = f"{sys.executable} -m vmevalkit.cli.main models | head -n 1; echo ${{PIPESTATUS[0]}}"
    for _ in range(3):
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True, timeout=120)
        assert done.stderr == ""
        assert done.stdout.splitlines()[-1] in ("0", "141"), "0 where all was written before the reader left"


OWN_SCORER = """
class Bad:
    evaluator = "Bad"
    def version(self, question): return "1"
    def score(self, question, video, placement, own_run):
        return 1 / 0
SCORERS = {"bad": Bad()}
"""


def test_an_exception_in_a_users_scorer_names_file_and_line_and_debug_adds_the_traceback(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN_SCORER)
    environment = {**os.environ, "VMEVALKIT_SCORERS": "own.py"}

    def call(*words: str) -> str:
        command = [sys.executable, "-m", "vmevalkit.cli.main", *words]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240)
        return done.stdout + done.stderr

    call("generate", "--task", "maze", "--n", "1", "--workers", "1")
    call("run", "--model", "static", "--experiment", "e", "--workers", "1")
    words = ("score", "--with", "bad", "--experiment", "e", "--workers", "1")
    text = call(*words)
    assert "ZeroDivisionError: division by zero (own.py, line 6)" in text and "Traceback" not in text
    assert "Traceback" in call("--debug", *words)
