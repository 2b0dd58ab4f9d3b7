"""The rooms and what each may import: the table of docs/ARCHITECTURE.md, held."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import vmevalkit

SRC = Path(vmevalkit.__file__).parent

ROOMS: dict[str, set[str]] = {
    "core": set(),
    "stats": set(),
    "media": {"core"},
    "store": {"core"},
    "jobs": {"core", "store", "models"},
    "tasks": {"core", "media", "store"},
    "models": {"core", "media"},
    "baselines": {"core", "media", "tasks", "models"},
    "runner": {"core", "media", "store", "jobs", "tasks", "models", "baselines"},
    "eval": {"core", "media", "store", "jobs", "tasks", "models"},
    "audit": {"core", "media", "store", "stats", "jobs", "tasks", "models", "baselines", "eval"},
    "report": {"core", "media", "store", "stats"},
}
ROOMS["cli"] = set(ROOMS)


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


def room_of(module: str, name: str) -> str | None:
    parts = [*module.split("."), name]
    return parts[1] if len(parts) > 1 and parts[1] in ROOMS else None


FILES = sorted(SRC.rglob("*.py"))


def test_every_folder_is_a_room() -> None:
    folders = {path.name for path in SRC.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert folders <= set(ROOMS)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SRC)))
def test_imports_keep_to_the_table(path: Path) -> None:
    inside = path.relative_to(SRC)
    room = inside.parts[0]
    if room not in ROOMS:  # the package's own front door may open any room, at use
        return
    used = {room_of(module, name) for module, name in imports(path)} - {None, room}
    assert used <= ROOMS[room], f"{inside} imports {used - ROOMS[room]}"


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
    heavy = ["cv2", "matplotlib", "av", "numpy", "jinja2"]
    code = f"{statement}; import sys; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
