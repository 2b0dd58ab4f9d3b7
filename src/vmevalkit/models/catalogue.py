"""The catalogue: the model rows of this package, of installed packages, and of the user's own files.

A package adds models by an entry point of the group ``vmevalkit.models`` that loads to a ModelSpec or several. A file
adds them by its ``ROWS``, once the setting ``VMEVALKIT_MODELS`` names it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from vmevalkit.core.errors import SetupError
from vmevalkit.core.extras import make_install_command
from vmevalkit.core.plugins import MODEL_PLUGINS
from vmevalkit.core.registry import Registry
from vmevalkit.core.settings import setting
from vmevalkit.models import rows
from vmevalkit.models._provider_settings import list_invalid_settings
from vmevalkit.models.model import LocalModel, ModelSpec, RemoteVideoModel
from vmevalkit.models.weights import find_cached_weights, find_weights_folder, is_offline, make_download_command


def load_model(spec: ModelSpec) -> LocalModel | RemoteVideoModel:
    """Return the model's adapter. Weights that can be downloaded are downloaded for the first video.

    Raises UsageError where the model is retired, and SetupError where a package, a key, a checkout or weights are
    missing, or where a key or an address is malformed.
    """
    spec.refuse_retired()
    needs_weights = is_offline() or not _has_downloadable_weights(spec)
    missing = list_missing(spec) if needs_weights else [*_missing_packages(spec), *_missing_settings(spec)]
    if missing:
        where = " (in the environment or in .env)" if any(_missing_settings(spec)) else ""
        raise SetupError(f"{spec.name} cannot be used here: {'; '.join(missing)}{where}")
    module, _, name = spec.adapter.partition(":")
    try:
        adapter = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise SetupError(f"the adapter {spec.adapter!r} of {spec.name} cannot be imported: {error}") from error
    model: LocalModel | RemoteVideoModel = adapter(spec)
    return model


def list_missing(spec: ModelSpec) -> list[str]:
    """Return what is missing to use the model here, each with its remedy; empty where the model is ready."""
    return [*_missing_packages(spec), *_missing_settings(spec), *_missing_weights(spec)]


def _missing_packages(spec: ModelSpec) -> Iterator[str]:
    missing = [name for name in spec.packages if not _is_installed(name)]
    if missing:
        command = make_install_command(spec.extra) if spec.extra else f"pip install {' '.join(missing)}"
        yield f"{command} (no {', '.join(missing)})"


def _missing_settings(spec: ModelSpec) -> Iterator[str]:
    for alternatives in spec.keys:
        if not any(setting(name) for name in alternatives.split("|")):
            yield f"set {alternatives.replace('|', ' or ')}"
    yield from list_invalid_settings(spec)


def _missing_weights(spec: ModelSpec) -> Iterator[str]:
    if _has_downloadable_weights(spec) and not (find_weights_folder(spec) or find_cached_weights(spec)):
        yield f"weights: {make_download_command(spec)}"
    home, weights = spec.options.get("home"), spec.options.get("weights")
    folder = setting(home) if home and weights else None
    if folder and not (Path(folder).expanduser() / str(weights)).exists():
        yield f"weights: put {weights} in {home}, which is {folder}"


def _has_downloadable_weights(spec: ModelSpec) -> bool:
    """Return whether the weights come from Hugging Face."""
    return spec.provider == "diffusers"


def _is_installed(name: str) -> bool:
    try:
        return name in sys.modules or find_spec(name) is not None
    except ModuleNotFoundError:  # the parent package is not installed
        return False


def find_models() -> Mapping[str, ModelSpec]:
    """Return every row by its name. Raises SetupError where two have the same name."""
    found: dict[str, ModelSpec] = {}
    for place, specs in _iter_sources():
        for spec in specs:
            if spec.name in found:
                raise SetupError(f"two models are called {spec.name!r}; rename or remove the one of {place}")
            found[spec.name] = spec
    return found


def _iter_sources() -> Iterator[tuple[str, Iterable[ModelSpec]]]:
    for module in sorted(iter_modules(rows.__path__), key=lambda module: module.name):
        yield module.name, import_module(f"{rows.__name__}.{module.name}").ROWS
    for place, value in MODEL_PLUGINS.load_all():
        yield place, _validate_rows(value, place)


def _validate_rows(value: Any, place: str) -> tuple[ModelSpec, ...]:
    specs = (value,) if isinstance(value, ModelSpec) else value
    if not isinstance(specs, Iterable):
        raise SetupError(f"{place} gives {type(value).__name__}; it must give a ModelSpec or several")
    found = tuple(specs)
    wrong = next((row for row in found if not isinstance(row, ModelSpec)), None)
    if wrong is not None:
        raise SetupError(f"{place} gives {type(wrong).__name__} among its rows; each must be a ModelSpec")
    return found


MODELS: Registry[ModelSpec] = Registry("model", find_models)
"""Every row by its name."""
