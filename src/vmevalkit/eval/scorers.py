"""The scorers, by name. A scorer is one file: it takes a question and a film, and returns a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from vmevalkit.core.records import Placement, Question, Score
from vmevalkit.core.registry import Registry
from vmevalkit.eval.api import puzzle_of, score_video
from vmevalkit.eval.rules import SCORER


class Scorer(Protocol):
    """What scores films. It must be picklable: films are scored in several processes."""

    @property
    def evaluator(self) -> str:
        """Names its score files, such as ``RuleEvaluator``."""
        ...

    def version(self, question: Question) -> str:
        """Part of what makes a score current: another version scores again."""
        ...

    def score(self, question: Question, film: Path, placement: Placement | None, own_run: bool) -> Score: ...


class RuleScorer:
    """Reads every frame back into puzzle states."""

    evaluator = SCORER

    def version(self, question: Question) -> str:
        known = puzzle_of(question)
        return "-" if known is None else known[0].version

    def score(self, question: Question, film: Path, placement: Placement | None, own_run: bool) -> Score:
        return score_video(question, film, placement=placement, own_run=own_run)


def _find() -> Mapping[str, Scorer]:
    return {"rules": RuleScorer()}


SCORERS: Registry[Scorer] = Registry("scorer", _find)
"""Every scorer by the name that ``vmevalkit score --with`` takes."""
