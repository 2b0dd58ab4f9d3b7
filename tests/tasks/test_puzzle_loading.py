"""Hostile puzzles: every task refuses them when they are loaded, quickly and with one error."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from math import inf, nan
from pathlib import Path
from random import Random
from typing import Any

import pytest

from vmevalkit.core.errors import UsageError, VMEvalKitError
from vmevalkit.core.jsonable import to_json
from vmevalkit.datasets.generate import generate
from vmevalkit.eval.api import score_video
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzle_loading import load_puzzle

SEVEN = ("chess", "maze", "object_subtraction", "raven", "rotation", "rotation_puzzle", "sudoku")
HOSTILE = (
    nan,
    inf,
    -inf,
    2**31,
    2**63,
    10**400,
    -1,
    1e308,
    None,
    True,
    "x",
    "x" * 200_000,
    [],
    {},
    [[]],
    ["x"] * 200_000,
)


def example(name: str) -> Any:
    task = TASKS[name]
    return json.loads(json.dumps(to_json(plan(task, 1, 42, task.preset())[0])))


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value."""
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


def replace_at(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    changed = copy.deepcopy(data)
    inside = changed
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return changed


@pytest.mark.parametrize("name", SEVEN)
def test_a_puzzle_comes_back_as_it_was(name: str) -> None:
    task = TASKS[name]
    for puzzle in plan(task, 3, 7, task.preset()):
        assert load_puzzle(task, json.loads(json.dumps(to_json(puzzle))), "q") == puzzle


@pytest.mark.parametrize("name", SEVEN)
def test_hostile_values_are_refused_or_harmless(name: str) -> None:
    task, data, rng = TASKS[name], example(name), Random(3)
    chosen = list(places(data))
    for path in chosen if len(chosen) <= 40 else rng.sample(chosen, 40):
        for value in HOSTILE:
            try:
                puzzle = load_puzzle(task, replace_at(data, path, value), "q")
            except UsageError as error:
                assert "the puzzle of q is damaged" in str(error)
                assert len(str(error)) < 300_000
                continue
            width, height = task.size(puzzle)  # what is accepted can be drawn
            assert width * height < 5_000_000


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("rotation_puzzle", ("rows",), nan),
        ("rotation_puzzle", ("rows",), 2147483648),
        ("rotation_puzzle", ("rows",), 3),
        ("maze", ("grid_n",), 100_000),
        ("maze", ("start", 0), 99),
        ("sudoku", ("order",), 16),
        ("sudoku", ("givens", 0), 77),
        ("object_subtraction", ("canvas",), 10**6),
        ("object_subtraction", ("things", 0, "x"), -5000),
        ("rotation", ("elev_deg",), 1e9),
        ("rotation", ("voxels", 0, 0), 10**9),
        ("raven", ("tiles", 0, "shape"), "teapot"),
        ("chess", ("fen",), "8/8"),
        ("chess", ("mates", 0), "a1a1"),
    ],
)
def test_each_task_checks_its_ranges(name: str, path: tuple[Any, ...], value: Any) -> None:
    with pytest.raises(UsageError, match="generate the question again"):
        load_puzzle(TASKS[name], replace_at(example(name), path, value), "q")


@pytest.mark.parametrize("value", ["NaN", "2147483648", '"2"', "1e400"])
def test_a_hostile_puzzle_is_an_error_of_score(tmp_path: Path, value: str) -> None:
    generate(["rotation_puzzle"], 1, out=tmp_path, solutions=True)
    folder = tmp_path / "rotation_puzzle_task" / "rotation_puzzle_0000"
    record = json.loads((folder / "question_metadata.json").read_text())
    record["puzzle"]["rows"] = "ROWS"
    (folder / "question_metadata.json").write_text(json.dumps(record).replace('"ROWS"', value))
    with pytest.raises(VMEvalKitError, match="rotation_puzzle_0000"):
        score_video(folder, folder / "solution.mp4")
