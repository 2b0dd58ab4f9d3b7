"""Running an audit: each film is made, encoded, decoded, scored, and its verdict compared with the one it deserves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from vmevalkit.audit.design import Recipe, covering, puzzles
from vmevalkit.audit.scorers import Scorer
from vmevalkit.baselines.artefacts import ARTEFACTS
from vmevalkit.baselines.baseline import film, trick_for, write
from vmevalkit.baselines.tricks import TRICKS, own_tricks
from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.core.randomness import rng_for
from vmevalkit.core.records import Placement, Score
from vmevalkit.jobs.done import Done
from vmevalkit.jobs.pool import map_jobs
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.task import AnyTask, Expected

SECONDS = 3.0
"""Audit films are short, to keep an audit affordable."""
FPS = 12.0


@dataclass(frozen=True, slots=True)
class Job:
    """One film to make and to score. It can be sent to another process."""

    recipe: Recipe
    task: AnyTask
    puzzle: Any
    difficulty: str
    expected: Expected
    seed: int


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of one film."""

    recipe: Recipe
    difficulty: str
    expected: Expected
    score: Score | None = None
    """None where the scorer failed."""
    error: str | None = None
    film_cpu_s: float = field(default=0.0, compare=False)
    """CPU time to make the film."""
    score_cpu_s: float = field(default=0.0, compare=False)

    @property
    def scored(self) -> bool:
        return self.score is not None and self.score.scored

    @property
    def passed(self) -> bool:
        return self.score is not None and self.score.passed

    @property
    def right(self) -> bool:
        """Whether the film got the verdict that it deserves."""
        return self.scored and self.passed == (self.expected == "pass")

    @property
    def told(self) -> str:
        """What the scorer said, in a line."""
        if self.score is None:
            return f"error: {self.error}"
        return self.score.explanation if self.scored else f"unscored: {self.score.explanation}"


def jobs_for(
    task: AnyTask, films: int, seed: int, tricks: Sequence[str] = (), own_films: int | None = None
) -> list[Job]:
    """The films of one task's audit: ``films`` of each trick, fewer where not every puzzle has the trick.

    A trick of the task's own meets no other task, so it may have more: ``own_films``.
    """
    own_films = films if own_films is None else own_films
    for number in (films, own_films):
        if number < 1:
            raise UsageError(f"an audit of {number} films a trick says nothing; ask for 1 or more")
    made = puzzles(task, max(films, own_films), seed)
    deserved = [_deserved(task, puzzle, index, seed) for index, (_, puzzle) in enumerate(made)]
    names = list(dict.fromkeys(name for each in deserved for name in each))
    unknown = [name for name in tricks if name not in names]
    if unknown:
        raise UnknownName(f"trick of {task.name}", unknown[0], names)
    jobs = []
    for name in tricks or names:
        tried = deserved[: films if name in TRICKS else own_films]
        having = [index for index, each in enumerate(tried) if name in each]
        for recipe in covering(task.name, name, having, seed):
            difficulty, puzzle = made[recipe.index]
            jobs.append(Job(recipe, task, puzzle, difficulty, deserved[recipe.index][name], seed))
    return jobs


def job_of(recipe: Recipe, seed: int) -> Job:
    """The film that a recipe names, to be made again."""
    task = TASKS[recipe.task]
    difficulty, puzzle = puzzles(task, recipe.index + 1, seed)[recipe.index]
    deserved = _deserved(task, puzzle, recipe.index, seed)
    if recipe.trick not in deserved:
        raise UnknownName(f"trick of {task.name}, puzzle {recipe.index},", recipe.trick, deserved)
    return Job(recipe, task, puzzle, difficulty, deserved[recipe.trick], seed)


def _deserved(task: AnyTask, puzzle: Any, index: int, seed: int) -> dict[str, Expected]:
    """The tricks that this puzzle has, each with its verdict. What is not applicable is left out."""
    generic = {name: task.tricks[name] for name in TRICKS if name in task.tricks}
    own = {name: expected for name, (_, expected) in own_tricks(task, puzzle, _films_rng(task, index, seed)).items()}
    both = generic.keys() & own.keys()
    if both:
        raise UsageError(f"{task.name} has a film {min(both)!r} of its own: that is the name of a generic trick")
    return {name: expected for name, expected in (generic | own).items() if expected != "n/a"}


def _films_rng(task: AnyTask, index: int, seed: int) -> Random:
    return rng_for("audit", seed, task.name, "films", index)


def shoot(job: Job, into: Path) -> Placement | None:
    """Make the film of a job. Returns what the scorer shall be told about the fit."""
    recipe = job.recipe
    trick = trick_for(job.task, job.puzzle, recipe.trick, _films_rng(job.task, recipe.index, job.seed))
    if trick is None:
        raise UsageError(f"{recipe} cannot be filmed: its puzzle has no film {recipe.trick!r}")
    artefact = ARTEFACTS[recipe.condition.artefact]
    take = film(job.task, job.puzzle, trick, artefact, rng_for("audit", job.seed, recipe), SECONDS, FPS)
    write(take, into)
    return take.placement if recipe.condition.placed else None


@dataclass(frozen=True, slots=True)
class Examiner:
    """Makes and scores one film; it can be sent to another process."""

    scorer: Scorer

    def __call__(self, job: Job) -> Trial:
        with TemporaryDirectory(prefix="vmevalkit-audit-") as folder:
            return self.keep(job, Path(folder) / "film.mp4")

    def keep(self, job: Job, into: Path) -> Trial:
        """As a call, but the film stays."""
        start = process_time()
        placement = shoot(job, into)
        made = process_time()
        score = self.scorer(job.task, job.puzzle, into, placement)
        scored = process_time()
        return Trial(job.recipe, job.difficulty, job.expected, score, None, made - start, scored - made)


def examine(
    jobs: Sequence[Job], scorer: Scorer, workers: int = 1, on_trial: Callable[[Trial], None] | None = None
) -> list[Trial]:
    """Every film made and scored, in the order of the jobs. A scorer that raises is recorded, and ends nothing."""

    def tell(done: Done[Job, Trial]) -> None:
        if on_trial:
            on_trial(_trial(done))

    return [_trial(done) for done in map_jobs(Examiner(scorer), jobs, workers, tell)]


def _trial(done: Done[Job, Trial]) -> Trial:
    if done.value is not None:
        return done.value
    return Trial(done.item.recipe, done.item.difficulty, done.item.expected, None, str(done.error))
