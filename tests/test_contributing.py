"""CONTRIBUTING.md adds a puzzle step by step: here those very steps are followed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GUIDE = ROOT / "CONTRIBUTING.md"


@pytest.mark.slow
def test_the_commands_of_the_guide_work(tmp_path: Path) -> None:
    [block] = re.findall(
        r"^### 1\. Start from a template\n.*?^```bash\n(.*?)^```$", GUIDE.read_text("utf-8"), re.M | re.S
    )
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "By trick" in done.stdout
    place = tmp_path / "data/evaluations/trial"
    files = list(place.rglob("RuleEvaluator.json"))
    assert len(files) == 9
    passed = {(path.relative_to(place).parts[0], json.loads(path.read_text())["result"]["passed"]) for path in files}
    assert passed == {("oracle", True), ("static", False), ("stops_short", False)}
