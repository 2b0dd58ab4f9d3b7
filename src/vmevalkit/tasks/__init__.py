"""The puzzles, one folder each. They are found by looking: a folder ``NAME_task`` whose package has a ``TASK``."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from vmevalkit.core.registry import Registry
from vmevalkit.tasks.task import AnyTask


def _find() -> Mapping[str, AnyTask]:
    folders = pkgutil.iter_modules([str(Path(__file__).parent)])
    names = sorted(info.name for info in folders if info.ispkg and info.name.endswith("_task"))
    tasks = [import_module(f"vmevalkit.tasks.{name}").TASK for name in names]
    return {task.name: task for task in tasks}


TASKS: Registry[AnyTask] = Registry("task", _find)
"""Every task by its name."""
