"""The certificate of a scorer: how often each trick passed, how far that can be trusted, and what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from vmevalkit import __version__
from vmevalkit.audit.audit import Trial
from vmevalkit.audit.design import conditions
from vmevalkit.core.jsonable import to_json
from vmevalkit.stats.intervals import wilson

MUST_PASS = 0.99
"""Films that deserve to pass do so at this rate or above."""
MAY_PASS = 0.01
"""Films that deserve to fail pass at this rate or below."""


@dataclass(frozen=True, slots=True)
class Cell:
    """How one group of films did."""

    task: str
    name: str
    """A trick, or an artefact."""
    expected: str
    """``pass`` or ``fail``: what the films deserve."""
    n: int
    """Films with a verdict."""
    passed: int
    unscored: int
    """Films without a verdict. They count neither way, and the certificate falls with them."""
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
    def tenable(self) -> bool:
        """Whether its films may be as good as asked: of a few films one may be wrong by chance."""
        if self.unscored or not self.n:
            return False
        return self.high >= MUST_PASS if self.expected == "pass" else self.low <= MAY_PASS


@dataclass(frozen=True, slots=True)
class Failure:
    """One film that got the wrong verdict, or none."""

    recipe: str
    difficulty: str
    expected: str
    got: str
    """``pass``, ``fail``, ``unscored`` or ``error``."""
    told: str


@dataclass(frozen=True, slots=True)
class Certificate:
    """The verdict on a scorer."""

    scorer: str
    versions: dict[str, str]
    """Of the scorer, by task."""
    package: str
    """The version of VMEvalKit."""
    seed: int
    films: int
    """How many films were made."""
    cells: tuple[Cell, ...]
    """By task, trick and deserved verdict: the certificate stands if all are ok."""
    artefacts: tuple[Cell, ...]
    """The same films by task, artefact and deserved verdict: none may be surely worse than asked."""
    static_films: int
    static_at_zero: int
    """How many films in which nothing happens have an outcome of 0.00."""
    failures: tuple[Failure, ...]

    @property
    def ok(self) -> bool:
        return bool(self.cells) and not self.fallen and self.static_ok

    @property
    def fallen(self) -> list[Cell]:
        """The cells that the certificate falls with."""
        tricks = [cell for cell in self.cells if not cell.ok]
        return tricks + [cell for cell in self.artefacts if not cell.tenable]

    @property
    def static_ok(self) -> bool:
        return self.static_at_zero >= MUST_PASS * self.static_films


def certify(trials: Sequence[Trial], scorer: str, seed: int) -> Certificate:
    """The certificate that follows from an audit."""
    static = [t.score for t in trials if t.recipe.trick == "static" and t.score is not None and t.scored]
    return Certificate(
        scorer=scorer,
        versions={
            task: ", ".join(sorted({t.score.version for t in trials if t.score and t.recipe.task == task}))
            for task in dict.fromkeys(t.recipe.task for t in trials)
        },
        package=__version__,
        seed=seed,
        films=len(trials),
        cells=_cells(trials, lambda trial: trial.recipe.trick),
        artefacts=_by_artefact(trials),
        static_films=len(static),
        static_at_zero=sum(round(score.outcome, 2) == 0 for score in static),
        failures=tuple(_failure(trial) for trial in trials if not trial.right),
    )


def _cells(trials: Iterable[Trial], named: Callable[[Trial], str]) -> tuple[Cell, ...]:
    groups: dict[tuple[str, str, str], list[Trial]] = {}
    for trial in trials:
        groups.setdefault((trial.recipe.task, named(trial), trial.expected), []).append(trial)
    return tuple(_cell(*key, group) for key, group in groups.items())


def _by_artefact(trials: Sequence[Trial]) -> tuple[Cell, ...]:
    """In the order of the artefacts, those that deserve to pass first."""
    order = {str(condition): place for place, condition in enumerate(conditions())}
    tasks = list(dict.fromkeys(trial.recipe.task for trial in trials))
    cells = _cells(trials, lambda trial: str(trial.recipe.condition))
    return tuple(sorted(cells, key=lambda cell: (tasks.index(cell.task), cell.expected != "pass", order[cell.name])))


def _cell(task: str, name: str, expected: str, trials: Sequence[Trial]) -> Cell:
    scored = [trial for trial in trials if trial.scored]
    passed = sum(trial.passed for trial in scored)
    low, high = wilson(passed, len(scored))
    return Cell(task, name, expected, len(scored), passed, len(trials) - len(scored), round(low, 4), round(high, 4))


def _failure(trial: Trial) -> Failure:
    got = "error" if trial.score is None else "unscored" if not trial.scored else "pass" if trial.passed else "fail"
    return Failure(str(trial.recipe), trial.difficulty, trial.expected, got, trial.told)


def to_record(certificate: Certificate) -> dict[str, Any]:
    """Plain values for JSON, with what follows from the counts beside them."""

    def told(cell: Cell, ok: bool) -> dict[str, Any]:
        return {**to_json(cell), "rate": round(cell.rate, 4), "ok": ok}

    return {
        **to_json(certificate),
        "cells": [told(cell, cell.ok) for cell in certificate.cells],
        "artefacts": [told(cell, cell.tenable) for cell in certificate.artefacts],
        "ok": certificate.ok,
    }
