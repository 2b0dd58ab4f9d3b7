from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from vmevalkit.runner import TASK_CATALOG
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.kit.scene_task import SceneTask


def test_every_task_is_listed_as_the_specification_says() -> None:
    folders = [name for name, task in TASKS.items() if not isinstance(task, SceneTask)]
    assert list(TASK_CATALOG.TASK_CATALOG) == folders and len(folders) == 7
    for name, entry in TASK_CATALOG.TASK_CATALOG.items():
        assert set(entry) == {"name", "description", "module", "create_function", "process_dataset"}
        assert entry["module"] == f"vmevalkit.tasks.{name}_task"
        assert callable(getattr(import_module(entry["module"]), entry["create_function"]))


def test_an_entry_makes_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    entry = TASK_CATALOG.TASK_CATALOG["maze"]
    dataset = getattr(import_module(entry["module"]), entry["create_function"])(num_samples=2)
    assert [pair["id"] for pair in entry["process_dataset"](dataset, 2)] == ["maze_0000", "maze_0001"]
