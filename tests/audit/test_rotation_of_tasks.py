"""Which tasks a quick audit takes: another subset with every change of the sources, and the same everywhere."""

from __future__ import annotations

import importlib.util
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool() -> Any:
    spec = importlib.util.spec_from_file_location("choose_tasks", ROOT / "tools" / "choose_tasks.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_digest_chooses_the_same_tasks_always_and_all_have_their_turn(tool: Any) -> None:
    names = [f"task{index}" for index in range(30)]
    assert tool.choose(names, 8, "a") == tool.choose(names[::-1], 8, "a")
    turns = Counter(name for digest in range(100) for name in tool.choose(names, 8, str(digest)))
    assert set(turns) == {*names} and min(turns.values()) > 10
    assert tool.choose(names[:3], 8, "a") == names[:3]


def test_any_change_of_a_source_changes_the_digest(tool: Any, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x = 1\n")
    first = tool.compute_digest(tmp_path)
    (tmp_path / "a.py").write_bytes(b"x = 1\r\n")
    assert tool.compute_digest(tmp_path) == first
    (tmp_path / "a.py").write_bytes(b"x = 2\n")
    assert tool.compute_digest(tmp_path) != first
