"""What a puzzle file is: short, importing the kit alone; and templates that run as they are."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest
from typer.testing import CliRunner

import vmevalkit
from vmevalkit.cli.main import make_app
from vmevalkit.core.errors import UnknownName

PUZZLES = sorted((Path(vmevalkit.__file__).parent / "tasks" / "puzzles").glob("[a-z]*.py"))
TEMPLATES = sorted((Path(vmevalkit.__file__).parent / "tasks" / "kit" / "templates").glob("[a-z]*.py"))
MOST_LINES = 200


@pytest.mark.parametrize("path", [*PUZZLES, *TEMPLATES], ids=lambda path: path.stem)
def test_a_puzzle_file_is_short_and_imports_the_kit_alone(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    assert set(re.findall(r"^(?:from|import) (vmevalkit\S*)", text, re.M)) == {"vmevalkit.tasks.kit"}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_is_a_task_as_it_is(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = CliRunner().invoke(make_app(), ["tasks", "--template", path.stem])
    assert printed.exit_code == 0 and printed.output == path.read_text("utf-8")
    own = tmp_path / f"my_{path.stem}.py"
    own.write_text(printed.output, "utf-8")
    monkeypatch.setenv("VMEVALKIT_TASKS", str(own))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("vmevalkit.tasks.TASKS._loaders", None)
    [name] = re.findall(r'^    name = "(\w+)"$', printed.output, re.M)
    assert name in vmevalkit.list_tasks()
    dataset = vmevalkit.create_dataset(name, n=2, seed=1)
    assert [pair["id"] for pair in dataset["pairs"]] == [f"{name}_0000", f"{name}_0001"]
    monkeypatch.undo()
    vmevalkit.TASKS._loaders = None  # type: ignore[attr-defined]


def test_a_dataset_of_any_task_in_one_call(tmp_path: Path) -> None:
    dataset = vmevalkit.create_dataset("sokoban", n=2, seed=1, output_dir=tmp_path, side=6)
    assert all(pair["sokoban_data"]["side"] == 6 for pair in dataset["pairs"])
    assert all(pair["group"] == "planning" for pair in dataset["pairs"])
    with pytest.raises(UnknownName, match="did you mean 'sokoban'"):
        vmevalkit.create_dataset("sokobn")
    with pytest.raises(UnknownName, match="did you mean 'side'"):
        vmevalkit.create_dataset("sokoban", sides=6)


def test_the_templates_are_in_the_package() -> None:
    folder = resources.files("vmevalkit.tasks.kit.templates")
    assert {path.name for path in folder.iterdir() if path.name.endswith(".py")} >= {"fill.py", "move.py", "turn.py"}
