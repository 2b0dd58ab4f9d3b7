"""The contract of everything that scores videos: rules, judges, people's labels, other people's code."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from vmevalkit.core.records import Placement, Question, Score

RULES = "RuleEvaluator"
"""The name of the score files of the rules."""
PEOPLE = "HumanEvaluator"
"""The name of the folders of people's labels, a file for each person."""


class Scorer(Protocol):
    """Scores one video of one question. A scorer must be picklable: videos are scored in several processes."""

    @property
    def evaluator(self) -> str:
        """The name of its score files, such as ``RuleEvaluator``."""
        ...

    def version(self, question: Question) -> str:
        """Return the version of the rules for this question. A score of another version is made again."""
        ...

    def score(self, question: Question, video: Path, placement: Placement | None, own_run: bool) -> Score:
        """Return the verdict. ``placement`` says how the first frame was fitted to the model's canvas, None where that
        is unknown; ``own_run`` that the video was generated for this very question."""
        ...


@dataclass(frozen=True, slots=True)
class ScoreFiles:
    """What a scorer writes beside a score."""

    trace: bytes | None = None
    """JSON: what was read from each frame (docs/RESULTS.md has the format)."""
    evidence: bytes | None = None
    """JPEG: frames around the findings, with what was read drawn over them."""


@runtime_checkable
class TracingScorer(Protocol):
    """A scorer that also says what it read. ``score`` of the other contract writes no files; this one is for them."""

    def score_with_files(
        self, question: Question, video: Path, placement: Placement | None, own_run: bool
    ) -> tuple[Score, ScoreFiles]:
        """Return the verdict and what belongs beside it."""
        ...


@runtime_checkable
class FrameScorer(Protocol):
    """A scorer that also takes a video in memory, so that no file is written for it."""

    def score_frames(self, question: Question, frames: NDArray[np.uint8], fps: float) -> Score:
        """Return the verdict on the frames (time, height, width, RGB) of a video that was made for this question."""
        ...
