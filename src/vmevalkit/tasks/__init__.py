"""The puzzles: a file ``puzzles/NAME.py``, or a folder ``NAME_task`` where a puzzle needs a reader of its own. Each
has a ``TASK``.

Other packages add tasks by an entry point of the group ``vmevalkit.tasks`` that is named like the task and loads to it.
A Python file adds its ``TASK``, or those in its list ``TASKS``, once the setting ``VMEVALKIT_TASKS`` names the file.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import SetupError, UnknownName
from vmevalkit.core.extras import make_install_command
from vmevalkit.core.plugins import TASK_PLUGINS, describe_entry_point, load_entry_point
from vmevalkit.tasks.task import AnyTask, Task

EXTRAS = {"chess": "chess"}
"""Tasks that need a package of an extra, which is called like the task: its licence is not permissive."""


class Tasks(Mapping[str, AnyTask]):
    """Every task by its name. A task is imported when it is asked for: generating mazes does not load chess pieces.

    A task that needs a package which is not installed is known by its name, and is not among all tasks."""

    def __init__(self) -> None:
        self._loaders: dict[str, Callable[[], AnyTask]] | None = None

    def __getitem__(self, name: str) -> AnyTask:
        loaders = self._find()
        if name not in loaders:
            raise UnknownName("task", name, loaders)
        return loaders[name]()

    def __contains__(self, name: object) -> bool:
        return name in self._find()

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._find() if _is_installed(name))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def list_own(self) -> list[str]:
        """Return the names of this package's tasks, without those of other packages and of the user's files."""
        return sorted(name for _, name, _ in _find_own_loaders() if _is_installed(name))

    def list_missing(self) -> list[str]:
        """Return a line for each task that is left out of all tasks, with the command that adds it."""
        return [_describe_missing(name) for name in self._find() if not _is_installed(name)]

    def _find(self) -> dict[str, Callable[[], AnyTask]]:
        if self._loaders is None:
            found: dict[str, Callable[[], AnyTask]] = {}
            for place, name, loader in _find_loaders():
                if name in found:
                    raise SetupError(f"two tasks are called {name!r}; rename or remove the one of {place}")
                found[name] = loader
            self._loaders = dict(sorted(found.items()))
        return self._loaders


def _find_own_loaders() -> Iterator[tuple[str, str, Callable[[], AnyTask]]]:
    for info in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if info.name.endswith("_task"):
            yield "this package", info.name.removesuffix("_task"), partial(_load_module, info.name)
    for info in pkgutil.iter_modules([str(Path(__file__).parent / "puzzles")]):
        yield "this package", info.name, partial(_load_module, f"puzzles.{info.name}")


def _find_loaders() -> Iterator[tuple[str, str, Callable[[], AnyTask]]]:
    yield from _find_own_loaders()
    for point in TASK_PLUGINS.find_entry_points():
        yield describe_entry_point(point), point.name, partial(_load_entry_point, point)
    for path, tasks in TASK_PLUGINS.load_files():
        if not isinstance(tasks, Iterable):
            raise SetupError(f"{path} has neither a TASK nor a list TASKS; add one")
        for task in tasks:
            checked = _require_task(task, path)
            yield path, checked.name, partial(_require_task, checked, path)


def _is_installed(name: str) -> bool:
    """Whether the package that a task needs can be imported."""
    if name not in EXTRAS:
        return True
    try:
        return find_spec(EXTRAS[name]) is not None
    except ImportError:
        return False


def _describe_missing(name: str) -> str:
    return (
        f"the task {name} needs python-{EXTRAS[name]} (GPL-3.0-or-later), which is not installed: "
        f"{make_install_command(name)}"
    )


def _load_module(folder: str) -> AnyTask:
    name = folder.removesuffix("_task")
    if not _is_installed(name):
        raise SetupError(_describe_missing(name))
    return _require_task(import_module(f"vmevalkit.tasks.{folder}").TASK, "this package")


def _load_entry_point(point: EntryPoint) -> AnyTask:
    place = describe_entry_point(point)
    task = _require_task(load_entry_point(point), place)
    if task.name != point.name:
        raise SetupError(f"{place} gives the task {task.name!r}; name the entry point {task.name!r} too")
    return task


def _require_task(loaded: Any, place: str) -> AnyTask:
    if not isinstance(loaded, Task):
        raise SetupError(
            f"{place} gives {type(loaded).__name__}; it must give an instance of vmevalkit.tasks.task.Task"
        )
    if loaded.tricks.get("cut_to_final") == "fail" and loaded.motion is None:
        raise SetupError(
            f"{place} gives the task {loaded.name!r}, where every move must be visible, without limits of its motion; "
            "give its class a motion = MotionLimits(...)"
        )
    return loaded


TASKS = Tasks()
"""Every task by its name: those of this package, of installed packages and of the user's files."""


def load_task(name: str) -> AnyTask:
    """Return the task of this name. Raises UnknownName with the nearest one."""
    return TASKS[name]
