"""Every model that can be asked for: the rows of this package, of installed packages, and of a user's own files.

A package adds models by an entry point of the group ``vmevalkit.models`` that loads to a ModelSpec or several. A file
adds them by its ``ROWS``, once the setting ``VMEVALKIT_MODELS`` names it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from vmevalkit.core.errors import SetupError
from vmevalkit.core.registry import Registry
from vmevalkit.core.settings import setting
from vmevalkit.models import rows
from vmevalkit.models.model import LocalModel, ModelSpec, RemoteModel
from vmevalkit.models.weights import cached_weights, download_line, offline, weights_folder

GROUP = "vmevalkit.models"
FILES = "VMEVALKIT_MODELS"
"""The setting that names files of one's own, separated as PATH is."""


def load(spec: ModelSpec) -> LocalModel | RemoteModel:
    """The model itself. Raises before anything is spent: UsageError where it is retired, SetupError where a package,
    a key, a checkout or weights are missing. Weights that can be downloaded are, when the model first films."""
    spec.refuse_retired()
    lacking = (
        missing(spec) if offline() or not _downloads(spec) else [*_missing_packages(spec), *_missing_settings(spec)]
    )
    if lacking:
        where = " (in the environment or in .env)" if any(_missing_settings(spec)) else ""
        raise SetupError(f"{spec.name} cannot be used here: {'; '.join(lacking)}{where}")
    module, _, name = spec.adapter.partition(":")
    try:
        adapter = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise SetupError(f"the adapter {spec.adapter!r} of {spec.name} cannot be imported: {error}") from error
    model: LocalModel | RemoteModel = adapter(spec)
    return model


def missing(spec: ModelSpec) -> list[str]:
    """What is not ready here, each with its remedy; empty where the model can be used now."""
    return [*_missing_packages(spec), *_missing_settings(spec), *_missing_weights(spec)]


def _missing_packages(spec: ModelSpec) -> Iterator[str]:
    lacking = [name for name in spec.packages if not _installed(name)]
    if lacking:
        what = f"'vmevalkit[{spec.extra}]'" if spec.extra else " ".join(lacking)
        yield f"pip install {what} (no {', '.join(lacking)})"


def _missing_settings(spec: ModelSpec) -> Iterator[str]:
    for alternatives in spec.keys:
        if not any(setting(name) for name in alternatives.split("|")):
            yield f"set {alternatives.replace('|', ' or ')}"


def _missing_weights(spec: ModelSpec) -> Iterator[str]:
    if _downloads(spec) and not (weights_folder(spec) or cached_weights(spec)):
        yield f"weights: {download_line(spec)}"
    home, weights = spec.options.get("home"), spec.options.get("weights")
    folder = setting(home) if home and weights else None
    if folder and not (Path(folder).expanduser() / str(weights)).exists():
        yield f"weights: put {weights} in {home}, which is {folder}"


def _downloads(spec: ModelSpec) -> bool:
    """Whether its weights come from Hugging Face."""
    return spec.provider == "diffusers"


def _installed(name: str) -> bool:
    try:
        return name in sys.modules or find_spec(name) is not None
    except ModuleNotFoundError:  # its parent is not there
        return False


def _find() -> Mapping[str, ModelSpec]:
    found: dict[str, ModelSpec] = {}
    for place, specs in _sources():
        for spec in specs:
            if spec.name in found:
                raise SetupError(f"two models are called {spec.name!r}; rename or remove the one of {place}")
            found[spec.name] = spec
    return found


def _sources() -> Iterator[tuple[str, Iterable[ModelSpec]]]:
    for module in sorted(iter_modules(rows.__path__), key=lambda module: module.name):
        yield module.name, import_module(f"{rows.__name__}.{module.name}").ROWS
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        yield f"the entry point {point.name!r}", _of_entry_point(point)
    for path in filter(None, (setting(FILES) or "").split(os.pathsep)):
        yield path, _specs(_module_of(Path(path).expanduser()).__dict__.get("ROWS"), path)


def _of_entry_point(point: EntryPoint) -> tuple[ModelSpec, ...]:
    place = f"the entry point {point.name} = {point.value}"
    try:
        loaded = point.load()
    except Exception as error:  # the edge to a stranger's code: whatever it raises, name it
        raise SetupError(f"{place} cannot be loaded: {error}; mend or uninstall its package") from error
    return _specs(loaded, place)


def _module_of(path: Path) -> ModuleType:
    """The file as a module that adapters in it can be imported from."""
    name = f"vmevalkit_model_{path.stem}"
    found = spec_from_file_location(name, path)
    if not path.is_file() or found is None or found.loader is None:
        raise SetupError(f"{FILES} names {path}, which is no Python file")
    module = sys.modules[name] = module_from_spec(found)
    try:
        found.loader.exec_module(module)
    except Exception as error:  # the edge to a user's code
        del sys.modules[name]
        raise SetupError(f"{path}, which {FILES} names, cannot be loaded: {error}") from error
    return module


def _specs(loaded: Any, place: str) -> tuple[ModelSpec, ...]:
    specs = (loaded,) if isinstance(loaded, ModelSpec) else loaded
    if not isinstance(specs, Iterable):
        raise SetupError(f"{place} gives {type(loaded).__name__}; it must give a ModelSpec or several")
    rows_given = tuple(specs)
    stranger = next((row for row in rows_given if not isinstance(row, ModelSpec)), None)
    if stranger is not None:
        raise SetupError(f"{place} gives {type(stranger).__name__} among its rows; each must be a ModelSpec")
    return rows_given


MODELS: Registry[ModelSpec] = Registry("model", _find)
"""Every row by its name."""
