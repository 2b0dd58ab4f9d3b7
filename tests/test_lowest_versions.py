"""The constraints with which ``tools/lowest_versions.py`` installs the package."""

from __future__ import annotations

import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


def load_tool() -> ModuleType:
    spec = spec_from_file_location("lowest_versions", ROOT / "tools" / "lowest_versions.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_base_dependency_is_pinned_to_its_lower_bound() -> None:
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    constraints = load_tool().pin_lowest(dependencies)
    assert constraints == [dependency.replace(">=", "==") for dependency in dependencies]


@pytest.mark.parametrize("requirement", ["numpy", "numpy<3", "numpy>=2,<3", "numpy~=2.0"])
def test_a_requirement_without_a_single_lower_bound_is_refused(requirement: str) -> None:
    with pytest.raises(SystemExit, match="no single lower bound"):
        load_tool().pin_lowest([requirement])


def test_another_python_is_refused() -> None:
    with pytest.raises(SystemExit, match=r"call python3\.2 "):
        load_tool().check_python(">=3.2")
