"""Scoring many films: those of an experiment, or those that somebody brings. What is scored already stays."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vmevalkit.core.errors import StoreError, UnknownName, Unwritable, UsageError
from vmevalkit.core.records import Placement, Question, Run, Score
from vmevalkit.eval.scorers import SCORERS
from vmevalkit.jobs.done import Done
from vmevalkit.jobs.pool import map_jobs
from vmevalkit.store import layout
from vmevalkit.store.commit import file_digest, lock
from vmevalkit.store.questions import load_question, load_questions, question_digest
from vmevalkit.store.runs import find_runs, question_of
from vmevalkit.store.scores import Scored, load_score, save_score

FILM_ENDINGS = (".mp4", ".mov", ".mkv", ".webm", ".avi", ".m4v")


@dataclass(frozen=True, slots=True)
class FilmToScore:
    """One film, its question, and where the score goes. It can be sent to another process."""

    experiment: str
    model: str
    question: Question
    film: Path
    scorer: str
    evaluations: Path
    sample: int = 0
    run_id: str | None = None
    placement: Placement | None = None
    own_run: bool = True
    """Whether the film was made for this very question, by us."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """What became of one film."""

    film: FilmToScore
    score: Score | None
    """None where the scorer failed."""
    kept: bool = False
    """Whether the score was there already, made from the same film, puzzle and rules."""
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """What a call of ``score`` did."""

    scorings: tuple[Scoring, ...]
    without_film: tuple[str, ...] = ()
    """Runs that made no film, each with the reason."""
    strangers: tuple[str, ...] = ()
    """Films that fit no question."""

    @property
    def failed(self) -> tuple[Scoring, ...]:
        return tuple(scoring for scoring in self.scorings if scoring.error is not None)

    @property
    def unscored(self) -> tuple[Scoring, ...]:
        """Films that the scorer could say nothing about; their scores have the reason."""
        return tuple(scoring for scoring in self.scorings if scoring.score is not None and not scoring.score.scored)


def check_models(models: Sequence[str], experiment: str, outputs: Path | str = layout.OUTPUTS) -> None:
    """Refuse a model that has no runs in an experiment which has runs of others."""
    place = layout.experiment_folder(Path(outputs), experiment)
    # A folder may hold a journal alone: its films are ordered, but none is there.
    begun = [folder for folder in layout.subfolders(place) if next(layout.subfolders(folder), None) is not None]
    known = [layout.name_of(folder.name) for folder in begun]
    unknown = [model for model in models if model not in known]
    if known and unknown:
        raise UnknownName(f"runs in {place} of the model", unknown[0], known)


def score_experiment(
    experiment: str,
    outputs: Path | str = layout.OUTPUTS,
    evaluations: Path | str = layout.EVALUATIONS,
    scorer: str = "rules",
    models: Sequence[str] | None = None,
    workers: int = 1,
    on_done: Callable[[int, int], None] | None = None,
) -> Summary:
    """Score every film of an experiment, or those of ``models`` where they have any. ``on_done`` is told how many of
    how many are finished."""
    SCORERS[scorer]  # an unknown name is refused before anything is looked at
    runs = find_runs(outputs, experiment, list(models) if models else None)
    if not runs:
        raise StoreError(
            f"there are no runs in {layout.experiment_folder(Path(outputs), experiment)}; "
            f"make them first: {_run_command(experiment, Path(outputs), models)}"
        )
    films = [_film_of(run, scorer, Path(evaluations)) for run in runs if run.video is not None]
    missing = tuple(f"{run.model} on {run.question_id}: {run.error or run.status}" for run in runs if run.video is None)
    return Summary(_score_all(films, Path(evaluations), experiment, workers, on_done), missing)


def score_videos(
    videos: Path | str,
    questions: Path | str,
    name: str,
    evaluations: Path | str = layout.EVALUATIONS,
    experiment: str = "videos",
    scorer: str = "rules",
    workers: int = 1,
    on_done: Callable[[int, int], None] | None = None,
) -> Summary:
    """Score films that were made elsewhere. A film belongs to the question whose id is its name, or its folder's; where
    several domains have that id, a folder around it, ``maze_task``, says which."""
    SCORERS[scorer]
    place = Path(videos)
    if not place.is_dir():
        raise UsageError(f"there is no folder {place} with films in it")
    known: dict[str, list[Question]] = defaultdict(list)
    for asked in load_questions(questions):
        known[asked.id].append(asked)
    films, strangers = [], []
    for path in sorted(path for path in place.rglob("*") if path.suffix.lower() in FILM_ENDINGS and path.is_file()):
        question = _question_for(path, place, known)
        if question is None:
            strangers.append(f"{path.relative_to(place)}: neither its name nor its folder's is the id of a question")
        else:
            films.append(
                FilmToScore(experiment, name, question, path, scorer, Path(evaluations), own_run=False)
            )  # fmt: skip
    if not films:
        raise UsageError(
            f"no film in {place} belongs to a question of {questions}: name each film after its question, "
            f"such as {next(iter(known), 'maze_0000')}.mp4"
        )
    _refuse_twins(films)
    return Summary(_score_all(films, Path(evaluations), experiment, workers, on_done), strangers=tuple(strangers))


def _run_command(experiment: str, outputs: Path, models: Sequence[str] | None) -> str:
    words = ["vmevalkit", "run", "--model", *(models or ["MODEL"]), "--experiment", experiment]
    return shlex.join(words if outputs == layout.OUTPUTS else [*words, "--outputs", str(outputs)])


def _question_for(film: Path, place: Path, known: Mapping[str, Sequence[Question]]) -> Question | None:
    """The question that a film below ``place`` is named after; None where there is none."""
    candidates = known.get(film.stem) or known.get(film.parent.name) or ()
    if len(candidates) > 1:
        around = {place.absolute().name, *film.relative_to(place).parent.parts}
        fitting = [question for question in candidates if layout.domain_folder(question.domain) in around]
        if len(fitting) != 1:
            folders = " or ".join(layout.domain_folder(question.domain) for question in candidates)
            raise UsageError(
                f"{film} may answer any of {len(candidates)} questions with the id {candidates[0].id!r}; "
                f"put it in a folder {folders}"
            )
        candidates = fitting
    return next(iter(candidates), None)


def _film_of(run: Run, scorer: str, evaluations: Path) -> FilmToScore:
    assert run.video is not None
    return FilmToScore(
        run.experiment, run.model, load_question(question_of(run)), run.video, scorer, evaluations,
        sample=run.sample, run_id=run.run_id, placement=run.placement,
    )  # fmt: skip


def _refuse_twins(films: Sequence[FilmToScore]) -> None:
    taken: dict[tuple[str, str], Path] = {}
    for film in films:
        other = taken.setdefault((film.question.domain, film.question.id), film.film)
        if other != film.film:
            raise UsageError(f"two films claim the question {film.question.id}: {other} and {film.film}; remove one")


def _score_all(
    films: Sequence[FilmToScore], evaluations: Path, experiment: str, workers: int,
    on_done: Callable[[int, int], None] | None,
) -> tuple[Scoring, ...]:  # fmt: skip
    scorings: list[Scoring] = []

    def take(done: Done[FilmToScore, Scoring]) -> None:
        if done.error is not None and done.error.is_a(Unwritable):
            raise Unwritable(done.error.message)  # no other score would find more room
        scorings.append(done.value or Scoring(done.item, None, error=str(done.error)))
        if on_done:
            on_done(len(scorings), len(films))

    with lock(layout.experiment_folder(evaluations, experiment)):
        map_jobs(score_one, films, workers, take)
    return tuple(scorings)


def score_one(film: FilmToScore) -> Scoring:
    """Score a film and write the score, unless one made from the same film, puzzle and rules is there."""
    scorer = SCORERS[film.scorer]
    video_digest, puzzle_digest = file_digest(film.film), question_digest(film.question)
    scored = Scored(
        film.experiment, film.model, film.question.domain, film.question.id, scorer.evaluator,
        score=Score.unscored(scorer.evaluator, scorer.version(film.question), "not scored yet"),
        sample=film.sample, run_id=film.run_id, video_digest=video_digest, puzzle_digest=puzzle_digest,
        film=None if film.own_run else film.film.absolute(),
        question_folder=None if film.own_run else film.question.folder.absolute(),
    )  # fmt: skip
    there = load_score(scored.path(film.evaluations))
    if there is not None and there.made_from(
        video_digest=video_digest, puzzle_digest=puzzle_digest, version=scored.score.version
    ):
        if (there.film, there.question_folder) != (scored.film, scored.question_folder):
            save_score(film.evaluations, replace(scored, score=there.score, timestamp=there.timestamp))
        return Scoring(film, there.score, kept=True)
    score = scorer.score(film.question, film.film, film.placement, film.own_run)
    save_score(film.evaluations, replace(scored, score=score))
    return Scoring(film, score)
