"""The scorers that can be audited, by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from vmevalkit.core.records import Placement, Score
from vmevalkit.core.registry import Registry
from vmevalkit.eval.api import score_puzzle
from vmevalkit.tasks.task import AnyTask

Scorer = Callable[[AnyTask, Any, Path, Placement | None], Score]
"""From a task, a puzzle, a film and how the picture was fitted (None where nobody says) to a verdict."""


def rules(task: AnyTask, puzzle: Any, film: Path, placement: Placement | None) -> Score:
    """The rule driver, on a film of our own run."""
    return score_puzzle(task, puzzle, film, placement=placement)


SCORERS: Registry[Scorer] = Registry("scorer", lambda: {"rules": rules})
