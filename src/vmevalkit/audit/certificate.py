"""The certificate of a scorer: upper bounds of its error rates, how often each trick passed, and each wrong verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from vmevalkit import __version__
from vmevalkit.audit.audit import Trial
from vmevalkit.audit.design import conditions
from vmevalkit.core.jsonable import to_json
from vmevalkit.core.records import Score
from vmevalkit.stats.intervals import upper_bound, wilson

MUST_PASS = 0.99
"""Lowest pass rate of videos that deserve to pass."""
MAY_PASS = 0.01
"""Highest pass rate of videos that deserve to fail."""


@dataclass(frozen=True, slots=True)
class CertificateCell:
    """The verdicts on one group of videos."""

    task: str
    name: str
    """Name of the trick or of the degradation."""
    expected: str
    """``pass`` or ``fail``: what the videos deserve."""
    n: int
    """Videos with a verdict."""
    passed: int
    unscored: int
    """Videos without a verdict. They do not count in the rate, and are wrong verdicts."""
    low: float
    high: float
    """Wilson's 95% bounds of the rate of passes."""

    @property
    def rate(self) -> float:
        return self.passed / self.n if self.n else 0.0

    @property
    def ok(self) -> bool:
        if self.unscored or not self.n:
            return False
        return self.rate >= MUST_PASS if self.expected == "pass" else self.rate <= MAY_PASS

    @property
    def is_plausible(self) -> bool:
        """Whether the required rate is inside the interval: of few videos, one may be wrong by chance."""
        if self.unscored or not self.n:
            return False
        return self.high >= MUST_PASS if self.expected == "pass" else self.low <= MAY_PASS


@dataclass(frozen=True, slots=True)
class WrongVerdict:
    """One video that got the wrong verdict, or none."""

    trial_id: str
    difficulty: str
    expected: str
    got: str
    """``pass``, ``fail``, ``unscored`` or ``error``."""
    explanation: str


@dataclass(frozen=True, slots=True)
class ErrorBounds:
    """The errors of a scorer on one task, with upper bounds (95%) of their rates on such videos."""

    task: str
    cheats: int
    """Videos that deserve to fail."""
    wrong_passes: int
    """Cheats that passed or got no verdict."""
    honest: int
    """Videos that deserve to pass."""
    wrong_fails: int
    """Honest videos that failed or got no verdict."""
    max_wrong_pass_rate: float
    max_wrong_fail_rate: float


@dataclass(frozen=True, slots=True)
class Certificate:
    """What an audit found out about a scorer."""

    scorer: str
    versions: dict[str, str]
    """Of the scorer, by task."""
    package: str
    """The version of VMEvalKit."""
    seed: int
    videos: int
    """How many videos were made."""
    cells: tuple[CertificateCell, ...]
    """By task, trick and deserved verdict."""
    degradations: tuple[CertificateCell, ...]
    """The same videos by task, degradation and deserved verdict."""
    static_videos: int
    static_at_zero: int
    """Static videos with an outcome of 0.00."""
    failures: tuple[WrongVerdict, ...]
    final_state_only: bool = False
    """Whether the scorer sees only the end of a video, so that it is held to the final state alone."""

    @property
    def bounds(self) -> tuple[ErrorBounds, ...]:
        """The errors on each task."""
        return tuple(_bound_errors(task, self.cells) for task in dict.fromkeys(cell.task for cell in self.cells))

    def is_within(self, wrong_passes: int, wrong_fails: int) -> bool:
        """Return whether there are no more errors than these, and static videos got nothing."""
        passes, fails = sum(each.wrong_passes for each in self.bounds), sum(each.wrong_fails for each in self.bounds)
        return bool(self.cells) and passes <= wrong_passes and fails <= wrong_fails and self.static_ok

    @property
    def static_ok(self) -> bool:
        return self.static_at_zero >= MUST_PASS * self.static_videos


def certify(trials: Sequence[Trial], scorer: str, seed: int, final_state_only: bool = False) -> Certificate:
    """Return the certificate that follows from the trials of an audit."""
    static = [t.score for t in trials if t.trial_id.trick == "static" and t.score is not None and t.scored]
    return Certificate(
        scorer=scorer,
        versions={
            task: ", ".join(sorted({t.score.version for t in trials if t.score and t.trial_id.task == task}))
            for task in dict.fromkeys(t.trial_id.task for t in trials)
        },
        package=__version__,
        seed=seed,
        videos=len(trials),
        cells=_cells(trials, lambda trial: trial.trial_id.trick),
        degradations=_by_degradation(trials),
        static_videos=len(static),
        static_at_zero=sum(_is_at_zero(score) for score in static),
        failures=tuple(describe_wrong_verdict(trial) for trial in trials if not trial.is_right),
        final_state_only=final_state_only,
    )


def _bound_errors(task: str, cells: Iterable[CertificateCell]) -> ErrorBounds:
    cheats = [cell for cell in cells if cell.task == task and cell.expected == "fail"]
    honest = [cell for cell in cells if cell.task == task and cell.expected == "pass"]
    shown_cheats, shown_honest = (sum(cell.n + cell.unscored for cell in group) for group in (cheats, honest))
    passes = sum(cell.passed + cell.unscored for cell in cheats)
    fails = sum(cell.n - cell.passed + cell.unscored for cell in honest)
    return ErrorBounds(
        task, shown_cheats, passes, shown_honest, fails,
        *(ceil(1000 * upper_bound(*each)) / 1000 for each in ((passes, shown_cheats), (fails, shown_honest))),
    )  # fmt: skip


def _is_at_zero(score: Score) -> bool:
    """Whether a static video got nothing: an outcome of 0.00, or a value of 1 where the scorer judges no outcome."""
    return score.value == 1 if score.outcome is None else round(score.outcome, 2) == 0


def _cells(trials: Iterable[Trial], named: Callable[[Trial], str]) -> tuple[CertificateCell, ...]:
    groups: dict[tuple[str, str, str], list[Trial]] = {}
    for trial in trials:
        groups.setdefault((trial.trial_id.task, named(trial), trial.expected), []).append(trial)
    return tuple(_cell(*key, group) for key, group in groups.items())


def _by_degradation(trials: Sequence[Trial]) -> tuple[CertificateCell, ...]:
    """Return the cells in the order of the degradations, those that deserve to pass first."""
    order = {str(condition): place for place, condition in enumerate(conditions())}
    tasks = list(dict.fromkeys(trial.trial_id.task for trial in trials))
    cells = _cells(trials, lambda trial: str(trial.trial_id.condition))
    return tuple(sorted(cells, key=lambda cell: (tasks.index(cell.task), cell.expected != "pass", order[cell.name])))


def _cell(task: str, name: str, expected: str, trials: Sequence[Trial]) -> CertificateCell:
    scored = [trial for trial in trials if trial.scored]
    passed = sum(trial.passed for trial in scored)
    low, high = wilson(passed, len(scored))
    return CertificateCell(
        task, name, expected, len(scored), passed, len(trials) - len(scored), round(low, 4), round(high, 4)
    )


def describe_wrong_verdict(trial: Trial) -> WrongVerdict:
    """Return what a trial got and why."""
    got = "error" if trial.score is None else "unscored" if not trial.scored else "pass" if trial.passed else "fail"
    return WrongVerdict(str(trial.trial_id), trial.difficulty, trial.expected, got, trial.explanation)


def to_record(certificate: Certificate) -> dict[str, Any]:
    """Return the certificate as plain JSON values, with rates and verdicts beside the counts."""

    def with_rate(cell: CertificateCell, ok: bool) -> dict[str, Any]:
        return {**to_json(cell), "rate": round(cell.rate, 4), "ok": ok}

    return {
        **to_json(certificate),
        "cells": [with_rate(cell, cell.ok) for cell in certificate.cells],
        "degradations": [with_rate(cell, cell.is_plausible) for cell in certificate.degradations],
        "bounds": [to_json(bounds) for bounds in certificate.bounds],
    }
