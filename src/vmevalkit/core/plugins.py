"""What others add to VMEvalKit: tasks, models and scorers of installed packages and of single Python files.

A package adds them by entry points, a file by an attribute of its own once a setting names the file. All three kinds
are found the same way, so that this is the only place that loads other people's code.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import EntryPoint, entry_points
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from vmevalkit.core.errors import SetupError
from vmevalkit.core.settings import setting


@dataclass(frozen=True, slots=True)
class PluginKind:
    """Where one kind of plugin is looked for."""

    group: str
    """The group of entry points, such as ``vmevalkit.tasks``."""
    files: str
    """The setting that names Python files, separated like PATH, such as ``VMEVALKIT_TASKS``."""
    attribute: str
    """What a file must define, such as ``TASKS``."""
    single: str = ""
    """What it may define instead, for one plugin, such as ``TASK``."""

    def find_entry_points(self) -> list[EntryPoint]:
        """Return the entry points of installed packages, sorted by name."""
        return sorted(entry_points(group=self.group), key=lambda point: (point.name, point.value))

    def load_files(self) -> Iterator[tuple[str, Any]]:
        """Yield each file that the setting names, with the value of its attribute (None where it has none)."""
        for name in filter(None, (setting(self.files) or "").split(os.pathsep)):
            module = self._load_file(Path(name).expanduser())
            listed = getattr(module, self.attribute, None)
            one = getattr(module, self.single, None) if self.single else None
            yield name, [one] if listed is None and one is not None else listed

    def load_all(self) -> Iterator[tuple[str, Any]]:
        """Yield (place, value) for every entry point and file. ``place`` names the source in error messages."""
        for point in self.find_entry_points():
            yield describe_entry_point(point), load_entry_point(point)
        yield from self.load_files()

    def _load_file(self, path: Path) -> ModuleType:
        """Return the file as a module. Other processes import it by its name: see ``PluginFileFinder``."""
        if not path.is_file() or path.suffix != ".py":
            raise SetupError(f"{self.files} names {path}, which is not a Python file; correct the setting")
        name = f"{self.module_prefix}{path.stem}"
        loaded = sys.modules.get(name)
        if loaded is not None and loaded.__file__ != str(path.absolute()):
            del sys.modules[name]
        try:
            return import_module(name)
        except Exception as error:  # other people's code may raise anything
            raise SetupError(f"{path}, named by {self.files}, cannot be loaded: {error}") from error

    @property
    def module_prefix(self) -> str:
        """What the names of its modules begin with, such as ``vmevalkit_tasks_``."""
        return f"{self.group.replace('.', '_')}_"

    def find_file(self, module: str) -> Path | None:
        """Return the file of a module of this name; None where the setting names none."""
        stem = module.removeprefix(self.module_prefix)
        paths = [Path(name).expanduser() for name in filter(None, (setting(self.files) or "").split(os.pathsep))]
        return next((path.absolute() for path in paths if path.stem == stem), None)


TASK_PLUGINS = PluginKind("vmevalkit.tasks", "VMEVALKIT_TASKS", "TASKS", "TASK")
MODEL_PLUGINS = PluginKind("vmevalkit.models", "VMEVALKIT_MODELS", "ROWS")
SCORER_PLUGINS = PluginKind("vmevalkit.scorers", "VMEVALKIT_SCORERS", "SCORERS")


class PluginFileFinder(MetaPathFinder):
    """Finds the modules of plugin files, so that worker processes can unpickle objects of their classes."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        for kind in (TASK_PLUGINS, MODEL_PLUGINS, SCORER_PLUGINS):
            if fullname.startswith(kind.module_prefix) and (file := kind.find_file(fullname)) is not None:
                return spec_from_file_location(fullname, file)
        return None


if not any(isinstance(finder, PluginFileFinder) for finder in sys.meta_path):
    sys.meta_path.append(PluginFileFinder())


def describe_entry_point(point: EntryPoint) -> str:
    """Return the entry point as its package's metadata has it, for messages."""
    return f"the entry point {point.name} = {point.value}"


def load_entry_point(point: EntryPoint) -> Any:
    """Return what the entry point names. Raises SetupError that names it where its code cannot be loaded."""
    try:
        return point.load()
    except Exception as error:  # other people's code may raise anything
        raise SetupError(
            f"{describe_entry_point(point)} cannot be loaded: {error}; repair or uninstall its package"
        ) from error
