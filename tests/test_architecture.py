"""The packages and what each may import: the table of docs/ARCHITECTURE.md, as tight as the code."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import vmevalkit

SRC = Path(vmevalkit.__file__).parent

PACKAGES: dict[str, set[str]] = {
    "core": set(),
    "stats": set(),
    "media": {"core"},
    "store": {"core"},
    "jobs": {"core", "store"},
    "tasks": {"core", "media", "store"},
    "models": {"core", "media"},
    "baselines": {"core", "media", "tasks", "models"},
    "datasets": {"core", "media", "store", "jobs", "tasks"},
    "runs": {"core", "media", "store", "jobs", "tasks", "models", "baselines"},
    "results": {"core", "store", "stats"},
    "eval": {"core", "media", "store", "jobs", "tasks", "models"},
    "audit": {"core", "media", "store", "stats", "jobs", "tasks", "baselines"},
    "reward": {"core", "media", "store", "jobs", "tasks", "eval"},
    "exchange": {"core", "media", "store", "tasks"},
    "play": {"core", "media", "store", "tasks"},
    "report": {"core", "media", "store", "stats", "jobs", "results"},
    "vqa": {"core", "media", "store", "jobs", "tasks", "models", "stats"},
    "runner": {"runs", "tasks", "models"},
    "cli": {
        "core", "store", "jobs", "tasks", "models", "baselines", "datasets", "runs", "results", "eval", "audit",
        "exchange", "play", "report", "reward", "stats", "vqa",
    },
}  # fmt: skip


def imports(path: Path) -> set[tuple[str, str]]:
    """(module, name) for each import of the package in a file, at any depth."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {(alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            found |= {(node.module, alias.name) for alias in node.names}
    return {pair for pair in found if pair[0].split(".")[0] == "vmevalkit"}


def package_of(module: str, name: str) -> str | None:
    parts = [*module.split("."), name]
    return parts[1] if len(parts) > 1 and parts[1] in PACKAGES else None


FILES = sorted(SRC.rglob("*.py"))


def test_every_folder_is_in_the_table() -> None:
    folders = {path.name for path in SRC.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert folders == set(PACKAGES)


def test_imports_are_those_of_the_table() -> None:
    used: dict[str, set[str]] = {package: set() for package in PACKAGES}
    for path in FILES:
        package = path.relative_to(SRC).parts[0]
        if package in PACKAGES:  # the package's own __init__ may load any of them, at use
            used[package] |= {other for module, name in imports(path) if (other := package_of(module, name))}
    assert {package: others - {package} for package, others in used.items()} == PACKAGES


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SRC)))
def test_private_modules_stay_in_their_folder(path: Path) -> None:
    for module, _ in imports(path):
        private = [part for part in module.split(".") if part.startswith("_")]
        if private:
            home = SRC.joinpath(*module.split(".")[1:]).parent
            assert home == path.parent, f"{path} uses {module}"


def test_tasks_do_not_know_of_each_other() -> None:
    for path in (SRC / "tasks").glob("*_task/*.py"):
        for module, _ in imports(path):
            parts = module.split(".")
            if len(parts) > 2 and parts[1] == "tasks" and parts[2].endswith("_task"):
                assert parts[2] == path.parent.name, f"{path} imports {module}"


@pytest.mark.parametrize("statement", ["import vmevalkit", "import vmevalkit.cli.main"])
def test_heavy_packages_load_at_use(statement: str) -> None:
    heavy = ["cv2", "matplotlib", "av", "numpy", "jinja2", "pandas", "pyarrow", "scipy"]
    code = f"{statement}; import sys; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
