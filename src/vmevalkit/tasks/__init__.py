"""The puzzles, one folder each. They are found by looking: a folder ``NAME_task`` whose package has a ``TASK``."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

from vmevalkit.core.errors import UnknownName
from vmevalkit.tasks.task import AnyTask


@cache
def _names() -> tuple[str, ...]:
    folders = pkgutil.iter_modules([str(Path(__file__).parent)])
    return tuple(sorted(info.name.removesuffix("_task") for info in folders if info.name.endswith("_task")))


class _Tasks(Mapping[str, AnyTask]):
    """A task is imported when it is asked for: who makes mazes need not load the chess pieces."""

    def __getitem__(self, name: str) -> AnyTask:
        if name not in _names():
            raise UnknownName("task", name, _names())
        task: AnyTask = import_module(f"vmevalkit.tasks.{name}_task").TASK
        return task

    def __contains__(self, name: object) -> bool:
        return name in _names()

    def __iter__(self) -> Iterator[str]:
        return iter(_names())

    def __len__(self) -> int:
        return len(_names())


TASKS: Mapping[str, AnyTask] = _Tasks()
"""Every task by its name."""
