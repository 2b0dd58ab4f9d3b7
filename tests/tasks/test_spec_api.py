"""The functions that make single questions are the same for all tasks that have a folder."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from vmevalkit.core.errors import UsageError
from vmevalkit.core.jsonable import to_json
from vmevalkit.runner.TASK_CATALOG import TASK_CATALOG
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan

NAMES = sorted(TASK_CATALOG)
JSON_ONLY = [name for name in NAMES if name != "rotation"]  # whose dicts are task data, with keys of their own


def functions(name: str) -> Any:
    return import_module(TASK_CATALOG[name]["module"])


def first_puzzle(name: str) -> Any:
    return plan(TASKS[name], 1, 5, TASKS[name].preset())[0]


@pytest.mark.parametrize("name", NAMES)
def test_a_puzzle_becomes_a_question(name: str, tmp_path: Path) -> None:
    puzzle = first_puzzle(name)
    pair = functions(name).create_task_pair(puzzle, "mine", tmp_path)
    assert pair["puzzle"] == to_json(puzzle)
    assert (pair["id"], pair["difficulty"]) == ("mine", "custom")
    assert (tmp_path / pair["first_image_path"]).is_file()
    assert functions(name).generate_prompt(puzzle) == pair["prompt"] == TASKS[name].prompt(puzzle)


@pytest.mark.parametrize("name", JSON_ONLY)
def test_a_dict_of_the_fields_is_the_same_puzzle(name: str) -> None:
    puzzle = first_puzzle(name)
    assert functions(name).generate_prompt(to_json(puzzle)) == TASKS[name].prompt(puzzle)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_a_puzzle_is_refused_with_the_remedy(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"not (a )?valid .*\(\)"):
        functions(name).create_task_pair({"nothing": 1}, "bad", tmp_path)
    assert not any(tmp_path.iterdir())


def test_the_stated_difficulty_is_kept(tmp_path: Path) -> None:
    chess = functions("chess")
    [position] = chess.ChessGenerator(difficulty="hard").generate_mate_positions(1)
    assert chess.create_task_pair(position, "mine", tmp_path)["difficulty"] == "hard"
