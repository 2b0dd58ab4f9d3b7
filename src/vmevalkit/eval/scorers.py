"""The scorers by name: those of this package, of installed packages and of the user's files.

A package adds a scorer by an entry point of the group ``vmevalkit.scorers`` that is named like the scorer and loads to
an instance or a class without arguments. A file adds those in its ``SCORERS`` (a mapping from names) once the setting
``VMEVALKIT_SCORERS`` names the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vmevalkit.core.async_scorer import AnyScorer
from vmevalkit.core.errors import NotAVideo, SetupError, UsageError
from vmevalkit.core.plugins import SCORER_PLUGINS, describe_entry_point, load_entry_point
from vmevalkit.core.records import Placement, Question, Score
from vmevalkit.core.registry import Registry
from vmevalkit.core.scorer import RULES, ScoreFiles
from vmevalkit.eval.api import read_puzzle, score_frames, score_video
from vmevalkit.eval.evidence_strip import make_evidence_strip
from vmevalkit.eval.generic import GenericScorer
from vmevalkit.eval.judge import JudgeScorer
from vmevalkit.eval.judge_config import SPECIFICATION_MODEL, JudgeConfig, parse_judge_name
from vmevalkit.eval.question_puzzle import find_puzzle, read_first_frame
from vmevalkit.eval.trace_record import make_trace_record
from vmevalkit.media.image import encode_jpeg
from vmevalkit.store.traces import trace_bytes

JUDGE = "judge"
"""The name of the judge that options of a command describe."""


class RuleScorer:
    """Reads every frame back into puzzle states and judges them by the task's rules."""

    evaluator = RULES

    def version(self, question: Question) -> str:
        known = find_puzzle(question)
        return known.version if isinstance(known, Score) else known[0].version

    def score(self, question: Question, video: Path, placement: Placement | None, own_run: bool) -> Score:
        return score_video(question, video, placement=placement, own_run=own_run)

    def score_frames(self, question: Question, frames: NDArray[np.uint8], fps: float) -> Score:
        score = score_frames(question, frames, fps)
        assert isinstance(score, Score)  # not a batch
        return score

    def score_with_files(
        self, question: Question, video: Path, placement: Placement | None, own_run: bool
    ) -> tuple[Score, ScoreFiles]:
        known = find_puzzle(question)
        if isinstance(known, Score):
            return known, ScoreFiles()
        task, puzzle = known
        try:
            first_frame = read_first_frame(question)
            judged = read_puzzle(
                task, puzzle, video, placement=placement, own_run=own_run, first_frame=first_frame,
                final_frame=question.final_frame,
            )  # fmt: skip
            trace = make_trace_record(task, puzzle, judged.trace) if judged.trace else None
            strip = make_evidence_strip(task, puzzle, video, judged, placement, first_frame, question.final_frame)
        except NotAVideo as error:
            return Score.unscored(RULES, task.version, str(error)), ScoreFiles()
        return judged.score, ScoreFiles(
            None if trace is None else trace_bytes(trace), None if strip is None else encode_jpeg(strip, 80)
        )


def _find() -> Mapping[str, AnyScorer]:
    found: dict[str, AnyScorer] = {
        "rules": RuleScorer(),
        "generic": GenericScorer(),
        SPECIFICATION_MODEL: JudgeScorer(JudgeConfig()),
    }
    for place, name, loaded in _load_plugins():
        if name in found:
            raise SetupError(f"two scorers are called {name!r}; rename or remove the one of {place}")
        found[name] = _require_scorer(loaded, f"{place} ({name})")
    return found


def _load_plugins() -> list[tuple[str, str, Any]]:
    loaded = [
        (describe_entry_point(point), point.name, load_entry_point(point))
        for point in SCORER_PLUGINS.find_entry_points()
    ]
    for path, scorers in SCORER_PLUGINS.load_files():
        if not isinstance(scorers, Mapping):
            raise SetupError(f"{path} has no mapping SCORERS; add one from names to scorers")
        loaded += [(path, str(name), scorer) for name, scorer in scorers.items()]
    return loaded


def _require_scorer(loaded: Any, place: str) -> AnyScorer:
    scorer = loaded() if isinstance(loaded, type) else loaded
    last = "open_session" if hasattr(scorer, "open_session") else "score"
    lacking = [name for name in ("evaluator", "version", last) if not hasattr(scorer, name)]
    if lacking:
        raise SetupError(
            f"{place} gives {type(scorer).__name__} without {', '.join(lacking)}; see vmevalkit.core.scorer"
        )
    checked: AnyScorer = scorer
    return checked


SCORERS: Registry[AnyScorer] = Registry("scorer", _find)
"""Every scorer by the name that ``vmevalkit score --with`` and ``vmevalkit audit --scorer`` take."""


def find_scorer(name: str, judge: JudgeConfig | None = None) -> AnyScorer:
    """Return the scorer of a name: one of ``SCORERS``, or a judge such as ``judge:gpt-4.1+reason_first``.

    ``judge`` replaces the judge of the names ``judge`` and ``gpt-4o``. Raises UnknownName with the nearest name."""
    if judge is not None:
        if name not in (JUDGE, SPECIFICATION_MODEL):
            raise UsageError(f"the options of a judge have no effect on the scorer {name!r}; use --with {JUDGE}")
        return JudgeScorer(judge)
    if name == JUDGE:
        return SCORERS[SPECIFICATION_MODEL]
    config = None if name in SCORERS else parse_judge_name(name)
    return SCORERS[name] if config is None else JudgeScorer(config)
