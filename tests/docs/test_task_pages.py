"""The pages of the tasks are those that their tool makes of the code and of what was measured."""

from __future__ import annotations

import importlib.util
from pathlib import Path
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


def test_certificates_of_several_audits_are_counted_together(tool: Any, tmp_path: Path) -> None:
    paths = []
    for seed, wrong in ((1, 0), (2, 1)):
        rates = {"task": "clock", "cheats": 5, "wrong_passes": wrong, "honest": 6, "wrong_fails": 0}
        paths.append(tmp_path / f"{seed}.json")
        paths[-1].write_bytes(tool.orjson.dumps({"kinds": "all", "seed": seed, "sample": 5, "rates": [rates]}))
    measures: dict[str, Any] = {"clock": {"lines": 126}}
    tool.read_certificates(paths, measures)
    found = measures["clock"]["certificate"]
    assert (measures["clock"]["lines"], found["seeds"], found["sample"]) == (126, [1, 2], 5)
    assert (found["cheats"], found["wrong_passes"], found["honest"], found["wrong_fails"]) == (10, 1, 12, 0)
    assert 0.3 < found["wrong_passes_at_most"] < 0.5 and 0.2 < found["wrong_fails_at_most"] < 0.3
    text = tool._describe_certificate("clock", found)
    assert "Of 10 cheats of all kinds 1 passed" in text and "--sample 5 --seed 2`" in text
