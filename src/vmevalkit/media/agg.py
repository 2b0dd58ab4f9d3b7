"""Agg and FreeType from matplotlib's extension modules, loaded without matplotlib itself.

Drawing needs only these two modules. Importing all of matplotlib takes 0.2 seconds in every command and every worker.
"""

from __future__ import annotations

from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any


def _import_extension(name: str) -> ModuleType:
    """Return the extension module alone, or by way of its package where it does not load alone."""
    try:
        return _load_file(name) or import_module(name)
    except ImportError:
        return import_module(name)


def _load_file(name: str) -> ModuleType | None:
    """Return the extension module from its file, without its package; None where there is no such file."""
    package, *inner = name.split(".")
    found = find_spec(package)
    if found is None or found.origin is None:
        return None
    base = Path(found.origin).parent.joinpath(*inner)
    file = next((path for suffix in EXTENSION_SUFFIXES if (path := Path(f"{base}{suffix}")).is_file()), None)
    spec = spec_from_file_location(name, file) if file else None
    if spec is None or spec.loader is None:
        return None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_agg, _freetype = _import_extension("matplotlib.backends._backend_agg"), _import_extension("matplotlib.ft2font")
RendererAgg: Any = _agg.RendererAgg
FT2Font: Any = _freetype.FT2Font
LoadFlags: Any = _freetype.LoadFlags
