"""Options of ``vmevalkit`` itself, the help of every command, completion, and the data folder."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from vmevalkit import __version__
from vmevalkit.cli import command
from vmevalkit.cli.main import COMMANDS, GROUPS, OTHERS, make_app


def call(line: str, **environment: str) -> Result:
    return CliRunner().invoke(make_app(), line.split(), env=environment)


def test_the_version_is_printed() -> None:
    assert call("--version").stdout == f"vmevalkit {__version__}\n"


def test_the_help_lists_every_command() -> None:
    text = call("--help", COLUMNS="80").stdout
    assert re.findall(r"^│ ([a-z][a-z-]*)  +[A-Z]", text, re.MULTILINE) == [name.replace("_", "-") for name in COMMANDS]


def test_a_flag_takes_no_value_in_the_help() -> None:
    for line in ("--help", "report --help"):
        text = call(line, COLUMNS="100").stdout
        assert "bool" not in text.lower()
    assert re.search(r"--no-videos +Leave", text)


def test_every_command_is_in_a_group() -> None:
    text = call("--help", COLUMNS="80").stdout
    assert [name for name in (*GROUPS, OTHERS) if f"─ {name} ─" in text] == list(GROUPS)


@pytest.mark.slow
def test_without_a_command_the_first_steps_are_printed_and_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    steps = re.findall(r"^  vmevalkit (.+?)  ", call("").stdout, re.MULTILINE)
    assert [step.split()[0] for step in steps] == ["generate", "run", "score"]
    for step in steps:
        shorter = " --seconds 1" if step.startswith("run") else ""
        assert call(f"-q {step}{shorter}").exit_code == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_that_fits_in_80_columns(name: str) -> None:
    name = name.replace("_", "-")
    short, long = call(f"{name} -h", COLUMNS="80"), call(f"{name} --help", COLUMNS="80")
    assert (short.exit_code, short.stdout) == (0, long.stdout)
    assert f"Usage: vmevalkit {name}" in long.stdout or f"Usage: root {name}" in long.stdout
    assert max(map(len, long.stdout.splitlines())) <= 80
    assert "\u2026" not in long.stdout, "an option is cut"


def test_quiet_silences_information_but_not_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = call("--quiet generate --task maze --n 1")
    assert (result.exit_code, result.output) == (0, "")
    result = call("-q run --model oracle --experiment first --seconds 1")
    assert (result.stdout, result.stderr) == ("first: 1 run, 0 kept; 1 videos, 0 failed\n", "")
    result = call("--quiet score --experiment first")
    first, heading, rate = result.output.splitlines()
    assert first == "first: 1 scored, 0 kept; 1 passed, 0 without a verdict"
    assert (heading.split()[0], rate.split()[:3]) == ("model", ["oracle", "maze", "100%"])
    result = call("--quiet generate --task maze --n 1 --seed 7")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: data/questions/maze_task holds other questions")
    assert call("generate --task maze --n 1").stdout.startswith("maze: 0 drawn, 1 kept; fingerprint ")


def complete(text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return what bash would offer after the text."""
    monkeypatch.setenv("_VMEVALKIT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", text)
    monkeypatch.setenv("COMP_CWORD", str(len(text.split()) - (not text.endswith(" "))))
    with pytest.raises(SystemExit):
        make_app()(prog_name="vmevalkit", args=[])
    return capsys.readouterr().out.split()


def test_a_shell_completes_commands_and_options(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "--show-completion" in call("--help").stdout
    assert complete("vmevalkit ga", monkeypatch, capsys) == ["gallery"]
    assert complete("vmevalkit run --retry", monkeypatch, capsys) == ["--retry-failed", "--retry-refused"]


def test_a_shell_completes_tasks_models_and_experiments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("data/outputs/first/oracle", "data/outputs/first/static", "other/second/noise"):
        (tmp_path / folder).mkdir(parents=True)
    expected = {
        "vmevalkit generate --task maz": ["maze"],
        "vmevalkit generate --task maze che": ["chess"],
        "vmevalkit generate --task maze,che": ["maze,chess"],
        "vmevalkit tasks sud": ["sudoku"],
        "vmevalkit run --model oracle cut_to": ["cut_to_final"],
        "vmevalkit run --model veo-3.0-g": ["veo-3.0-generate"],
        "vmevalkit score --experiment ": ["first"],
        "vmevalkit score --outputs other --experiment ": ["second"],
        "vmevalkit score --experiment first --model ": ["oracle", "static"],
        "vmevalkit score --experiment none --outputs nowhere --model ora": ["oracle"],
        "vmevalkit results --experiment first oth": [],
    }
    assert {text: complete(text, monkeypatch, capsys) for text in expected} == expected


def test_as_many_workers_as_cores_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {3, 5, 7}, raising=False)
    assert command.count_cores() == 3
    monkeypatch.delattr("os.sched_getaffinity")  # as on macOS
    assert command.count_cores() == 64


def test_workers_default_to_the_cores() -> None:
    app = typer.main.get_command(make_app())
    for name in ("generate", "run", "score", "audit", "benchmark"):
        [workers] = [param for param in app.commands[name].params if param.name == "workers"]  # type: ignore[attr-defined]
        assert workers.default == command.count_cores(), name


CALLS = """
from vmevalkit.cli.main import make_app

for line in (
    "generate --task maze --n 1 --workers 1",
    "run --model oracle --experiment first --seconds 1 --workers 1",
    "score --experiment first --workers 1",
    "report --experiment first",
):
    make_app()(line.split(), standalone_mode=False)
"""


@pytest.mark.slow
def test_one_setting_moves_the_data_folder_of_all_commands(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("VMEVALKIT_DATA=elsewhere/mine\n")
    result = subprocess.run(
        [sys.executable, "-c", CALLS], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert result.returncode == 0, result.stderr
    assert "index: elsewhere/mine/questions/vmeval_dataset.json" in result.stdout
    assert "next: vmevalkit report --experiment first\n" in result.stdout
    assert result.stdout.endswith("report: elsewhere/mine/reports/first/index.html\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".env", "elsewhere"]
    assert {"questions", "outputs", "evaluations", "reports"} <= {
        path.name for path in (tmp_path / "elsewhere" / "mine").iterdir()
    }
