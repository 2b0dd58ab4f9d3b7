"""The notebook of a first experiment: its cells run in order, in a fresh folder, without Jupyter."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "first_experiment.ipynb"


@pytest.mark.docs
def test_every_cell_runs(tmp_path: Path) -> None:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 5
    (tmp_path / "cells.py").write_text("\n\n".join(code), "utf-8")
    done = subprocess.run(
        [sys.executable, "cells.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "report" / "index.html").is_file()


def test_the_notebook_is_committed_without_outputs() -> None:
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    assert notebook["nbformat"] == 4
    assert all(not cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code")
