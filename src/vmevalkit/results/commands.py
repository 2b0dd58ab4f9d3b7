"""Commands that a message tells the reader to run, quoted for a shell."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from vmevalkit.store import layout


def format_command(words: Sequence[str], outputs: Path | None = None, evaluations: Path | None = None) -> str:
    """Return a command, with the options of the folders that are not the default ones."""
    options: list[str] = []
    if outputs is not None and outputs != layout.OUTPUTS:
        options += ["--outputs", str(outputs)]
    if evaluations is not None and evaluations != layout.EVALUATIONS:
        options += ["--evaluations", str(evaluations)]
    return shlex.join(["vmevalkit", *words, *options])


def score_command(experiment: str, outputs: Path, evaluations: Path) -> str:
    """Return the command that scores an experiment."""
    return format_command(["score", "--experiment", experiment], outputs, evaluations)
