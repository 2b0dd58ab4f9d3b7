"""``vmevalkit tasks``, and ``generate --set`` with what it prints."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from vmevalkit.cli.main import make_app
from vmevalkit.datasets.param_overrides import override_params, parse_overrides
from vmevalkit.store.questions import load_questions
from vmevalkit.tasks import TASKS


def call(*args: str) -> Result:
    return CliRunner().invoke(make_app(), list(args))


def test_tasks_are_listed_in_one_line_each() -> None:
    *lines, empty, hint = call("tasks").stdout.splitlines()
    assert lines == [f"{name}: {task.description} ({', '.join(task.difficulties)})" for name, task in TASKS.items()]
    assert (empty, hint) == ("", "parameters of a task: vmevalkit tasks NAME")


def test_one_task_is_shown_with_what_differs_by_difficulty() -> None:
    result = call("tasks", "chess")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        f"chess: {TASKS['chess'].description}",
        "  easy (default):",
        "    families=back_rank,queen_corner,smothered,rook_endgame,minor_pieces,pawn  (tuple[str, ...])",
        "    extra_pieces=1,5  (tuple[int, int])",
        "    unique=True  (bool)",
        "    side=either  (one of white, black, either)",
        "  medium: extra_pieces=6,10",
        "  hard: extra_pieces=12,18  unique=False",
    ]


def test_several_tasks_are_shown_and_an_unknown_one_is_refused() -> None:
    assert [line for line in call("tasks", "maze", "sudoku").stdout.splitlines() if not line.startswith(" ")] == [
        f"maze: {TASKS['maze'].description}", "", f"sudoku: {TASKS['sudoku'].description}",
    ]  # fmt: skip
    result = call("tasks", "mazze")
    assert (result.exit_code, result.stderr) == (2, "error: no task 'mazze'; did you mean 'maze'?\n")


@pytest.mark.parametrize("name", list(TASKS))
def test_every_printed_parameter_can_be_set(name: str) -> None:
    task = TASKS[name]
    printed = call("tasks", name).stdout.splitlines()[2:]
    of_default = [line.split("  (")[0].strip() for line in printed if line.startswith("    ")]
    assert [text.split("=")[0] for text in of_default] == [field.name for field in fields(task.params_type)]
    assert override_params(task, None, parse_overrides(task, of_default)) == task.preset()
    for line in printed:
        if not line.startswith("    "):
            difficulty, _, values = line.strip().partition(": ")
            values_of_preset = parse_overrides(task, values.split("  "))
            assert override_params(task, None, values_of_preset) == task.preset(difficulty)


@pytest.mark.parametrize(
    ("task", "text", "name", "value"),
    [
        ("object_subtraction", "num_objects=(6, 7)", "num_objects", [6, 7]),
        ("object_subtraction", "num_objects=6,7", "num_objects", [6, 7]),
        ("object_subtraction", "num_objects=[6, 7]", "num_objects", [6, 7]),
        ("object_subtraction", "levels=L2", "levels", ["L2"]),
        ("object_subtraction", "levels=('L2',)", "levels", ["L2"]),
        ("object_subtraction", 'levels=["L2"]', "levels", ["L2"]),
        ("object_subtraction", "animation=slide", "animation", "slide"),
        ("chess", "unique=False", "unique", False),
        ("chess", "unique=false", "unique", False),
        ("maze", "grid_n=5", "grid_n", 5),
        ("rotation", "p_branch=0", "p_branch", 0),
    ],
)
def test_values_may_be_written_as_printed_as_python_or_as_json(
    tmp_path: Path, task: str, text: str, name: str, value: object
) -> None:
    result = call("generate", "--task", task, "--n", "1", "--set", text, "--out", str(tmp_path), "--workers", "1")
    assert result.exit_code == 0, result.output
    [question] = load_questions(tmp_path)
    assert question.metadata["params"][name] == value


def test_several_values_follow_one_option(tmp_path: Path) -> None:
    line = f"generate --task maze --n 1 --workers 1 --set grid_n=4 least_steps=6 --out {tmp_path}"
    assert call(*line.split()).exit_code == 0
    [question] = load_questions(tmp_path)
    assert question.metadata["params"] == {"grid_n": 4, "least_steps": 6}


@pytest.mark.parametrize(
    ("task", "text", "message"),
    [
        ("chess", "unique=maybe", "chess: unique='maybe' is not of the type bool"),
        ("maze", "grid_n=5.5", "maze: grid_n='5.5' is not of the type int"),
        ("rotation", "voxels=8", "rotation: voxels='8' is not of the type tuple[int, int]"),
        ("chess", "side=green", "chess: side='green' is not of the type Literal['white', 'black', 'either']"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(tmp_path: Path, task: str, text: str, message: str) -> None:
    result = call("generate", "--task", task, "--n", "1", "--set", text, "--out", str(tmp_path))
    assert (result.exit_code, result.stderr) == (2, f"error: {message}\n")
    assert list(tmp_path.iterdir()) == []
