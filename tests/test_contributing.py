"""CONTRIBUTING.md adds a task step by step: here those very steps are followed, in a copy of the package."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import vmevalkit

ROOT = Path(__file__).parent.parent
GUIDE = ROOT / "CONTRIBUTING.md"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the guide's files added."""
    place = tmp_path_factory.mktemp("checkout")
    package = Path(vmevalkit.__file__).parent
    shutil.copytree(package, place / "src" / "vmevalkit", ignore=shutil.ignore_patterns("__pycache__"))
    files = re.findall(r"^`(src/\S+\.py)`\n\n```python\n(.*?)^```$", GUIDE.read_text("utf-8"), re.M | re.S)
    assert len(files) == 3
    for name, text in files:
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return place


def vmevalkit_command(checkout: Path, line: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    words = [sys.executable, "-m", "vmevalkit", *line.split()[1:]]
    return subprocess.run(words, cwd=checkout, env=environment, capture_output=True, text=True)


@pytest.mark.slow
def test_the_commands_of_the_guide_work(checkout: Path) -> None:
    [block] = re.findall(r"^### 4\. Try it\n\n```bash\n(.*?)^```$", GUIDE.read_text("utf-8"), re.M | re.S)
    lines = block.splitlines()
    assert len(lines) == 4
    for line in lines:
        done = vmevalkit_command(checkout, line)
        allowed = (0, 1) if "audit" in line else (0,)  # the audit may refuse a simple reader, and says so with a 1
        assert done.returncode in allowed, f"{line}\n{done.stdout}\n{done.stderr}"
    assert "By trick" in done.stdout
    place = checkout / "data/evaluations/slider"
    files = list(place.rglob("RuleEvaluator.json"))
    assert len(files) == 9
    passed = {(path.relative_to(place).parts[0], json.loads(path.read_text())["result"]["passed"]) for path in files}
    assert passed == {("oracle", True), ("static", False), ("stops_short", False)}
