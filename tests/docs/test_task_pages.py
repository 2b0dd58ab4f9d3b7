"""The pages of the tasks are those that their tool makes of the code and of what was measured."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from typing import Any

import pytest
from code_blocks import ROOT

from vmevalkit.tasks import TASKS


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("task_pages", ROOT / "tools" / "task_pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_up_to_date(tool: Any) -> None:
    pages = tool.make_pages()
    outdated = [str(path.relative_to(ROOT)) for path, text in pages.items() if path.read_text("utf-8") != text]
    assert outdated == [], "write them anew: python tools/task_pages.py"
    assert {*(ROOT / "docs" / "puzzles").glob("*.md")} == {path for path in pages if path.parent.name == "puzzles"}


def test_the_table_has_a_row_for_every_task_and_every_measured_one_is_known(tool: Any) -> None:
    [table] = [text for path, text in tool.make_pages().items() if path.name == "TASKS.md"]
    for name in TASKS.list_own():
        assert table.count(f"| [{TASKS[name].title}](") == 1
    assert {*tool.orjson.loads(tool.MEASURES.read_bytes())} <= {*TASKS.list_own()}


def test_what_is_measured_of_a_task_is_plausible(tool: Any) -> None:
    task = TASKS["hanoi"]
    assert 50 < tool.count_lines(task) <= 200 < tool.count_lines(TASKS["maze"])
    assert tool.read_field_docs(TASKS["mirrored_clock"].params_type)["digits"] == "Whether the faces have numbers."
    difficulty = tool._average_difficulty(task, "easy")
    assert 4 <= difficulty["moves"] <= 7
