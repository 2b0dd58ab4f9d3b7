"""The tasks that have a folder of their own, in the form of the specification, made from the registry.

Puzzles of the kit are created by ``vmevalkit.create_dataset``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vmevalkit.tasks import TASKS
from vmevalkit.tasks.kit.scene_task import SceneTask


def process_dataset(dataset: Mapping[str, Any], num_samples: int) -> list[dict[str, Any]]:  # noqa: ARG001
    """Return the pairs of a dataset, which has as many as were requested."""
    pairs: list[dict[str, Any]] = dataset["pairs"]
    return pairs


def _make_entries() -> dict[str, dict[str, Any]]:
    return {
        name: {
            "name": task.title,
            "description": task.description,
            "module": f"vmevalkit.tasks.{name}_task",
            "create_function": "create_dataset",
            "process_dataset": process_dataset,
        }
        for name, task in TASKS.items()
        if not isinstance(task, SceneTask)
    }


TASK_CATALOG: dict[str, dict[str, Any]] = _make_entries()
"""By the task's name: name, description, module, create_function, process_dataset."""
