"""The report of an experiment with hostile texts, shared by the tests of the report."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile_experiment import MADE

from benchmarks.made_experiment import write_experiment
from vmevalkit.report.build import ReportOptions, build_report


@pytest.fixture(scope="session")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of outputs and evaluations."""
    root = tmp_path_factory.mktemp("report")
    write_experiment(root, MADE)
    return root


@pytest.fixture(scope="session")
def page(experiment: Path) -> Path:
    """The first page of the report."""
    options = ReportOptions(exports=("huggingface", "every-eval-ever"), certificates=experiment / "none")
    return build_report(
        "made", experiment / "outputs", experiment / "evaluations", experiment / "report", options=options
    )
