"""The tasks as the specification lists them. It is made by looking at the tasks: a new folder appears by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vmevalkit.tasks import TASKS


def process_dataset(dataset: Mapping[str, Any], num_samples: int) -> list[dict[str, Any]]:  # noqa: ARG001
    """The pairs of a dataset: there are as many as were asked for."""
    pairs: list[dict[str, Any]] = dataset["pairs"]
    return pairs


def _entries() -> dict[str, dict[str, Any]]:
    return {
        name: {
            "name": task.title,
            "description": task.description,
            "module": f"vmevalkit.tasks.{name}_task",
            "create_function": "create_dataset",
            "process_dataset": process_dataset,
        }
        for name, task in TASKS.items()
    }


TASK_CATALOG: dict[str, dict[str, Any]] = _entries()
"""By the task's name: name, description, module, create_function, process_dataset."""
