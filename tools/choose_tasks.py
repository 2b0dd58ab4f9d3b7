"""Choose the tasks whose turn it is: ``python tools/choose_tasks.py 8`` prints eight names, separated by commas.

A digest of the package's sources decides, so that every change audits another subset, and the same one everywhere.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path

from vmevalkit.tasks import TASKS

SOURCES = Path(__file__).parent.parent / "src" / "vmevalkit"


def compute_digest(folder: Path) -> str:
    """Return a digest of all Python files of a folder, with their names."""
    whole = sha256()
    for path in sorted(folder.rglob("*.py")):
        whole.update(f"{path.relative_to(folder).as_posix()}\n".encode())
        whole.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return whole.hexdigest()


def choose(names: list[str], count: int, digest: str) -> list[str]:
    """Return some of the names in order, each as likely as any other."""
    ranked = sorted(names, key=lambda name: sha256(f"{digest} {name}".encode()).digest())
    return sorted(ranked[:count])


if __name__ == "__main__":
    sys.stdout.write(",".join(choose(TASKS.list_own(), int(sys.argv[1]), compute_digest(SOURCES))) + "\n")
