"""The built wheel, installed with pip into a clean environment: it has every file that it needs, and its command works.

The environment sees the installed dependencies behind the wheel, so that nothing is downloaded; the checkout is not on
its path.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.docs

ROOT = Path(__file__).parents[1]


def run(*words: object, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_a_built_wheel_works_in_a_clean_environment(tmp_path: Path) -> None:
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "dist", cwd=ROOT)
    [wheel] = (tmp_path / "dist").glob("*.whl")
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    place = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path).strip())
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index",
        "--disable-pip-version-check", wheel, cwd=tmp_path)  # fmt: skip
    (place / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    home = run(python, "-c", "import vmevalkit; print(vmevalkit.__file__)", cwd=tmp_path).strip()
    assert Path(home).is_relative_to(place)
    command = tmp_path / "env" / "bin" / "vmevalkit"
    run(command, "generate", "--task", "colouring", "raven", "--n", "1", "--workers", "1", cwd=tmp_path)
    run(command, "run", "--model", "oracle", "--experiment", "first", "--seconds", "1", "--workers", "1", cwd=tmp_path)
    assert "2 passed" in run(command, "score", "--experiment", "first", "--workers", "1", cwd=tmp_path)
    run(command, "report", "--experiment", "first", cwd=tmp_path)
    assert "TASK = " in run(command, "tasks", "--template", "fill", cwd=tmp_path)
    for file in ("play/page/play.js", "report/assets/tables.js", "eval/annotation/page.js"):
        assert (place / "vmevalkit" / file).is_file(), file
