"""Which verdicts of an experiment count: those on the films that are there now. And what has none."""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from vmevalkit.core.records import Run
from vmevalkit.store import layout
from vmevalkit.store.runs import Job, find_runs
from vmevalkit.store.scores import Scored, load_scores


@dataclass(frozen=True, slots=True)
class Verdict:
    """A score that counts."""

    scored: Scored
    run: Run | None
    """The run that made the film; None for a film from elsewhere."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What is known of the films of an experiment."""

    counted: tuple[Verdict, ...]
    not_scored: tuple[Run, ...]
    """Films without a verdict, or with one on the film that was there before."""
    without_film: tuple[Run, ...]
    gone: tuple[Scored, ...]
    """Verdicts on films whose runs are no longer there."""


def read_verdicts(experiment: str, outputs: Path, evaluations: Path) -> Verdicts:
    """Runs and scores are compared by their records; a film is read only where these differ."""
    scores = [scored for scored in load_scores(evaluations, experiment) if scored.annotator is None]
    runs = {Job.of(run): run for run in find_runs(outputs, experiment)}
    counted, gone = [], []
    judged: set[Job] = set()
    for scored in scores:
        job = Job(experiment, scored.model, scored.domain, scored.question_id, scored.sample)
        run = runs.get(job)
        if run is not None and scored.is_of(run):
            counted.append(Verdict(scored, run))
            judged.add(job)
        elif scored.run_id is None:
            counted.append(Verdict(scored, None))
        elif run is None:
            gone.append(scored)
    return Verdicts(
        tuple(counted),
        tuple(run for job, run in runs.items() if run.video is not None and job not in judged),
        tuple(run for run in runs.values() if run.video is None),
        tuple(gone),
    )


def remarks(verdicts: Verdicts, experiment: str, outputs: Path, evaluations: Path) -> list[str]:
    """What the pass rates leave out, a line each, with the remedy."""
    told = []
    if verdicts.not_scored:
        subject = _many(len(verdicts.not_scored), "film has no current verdict", "films have no current verdict")
        command = _score_command(experiment, outputs, evaluations)
        told.append(f"{subject}: {_by_model(verdicts.not_scored)}; call {command}")
    if verdicts.without_film:
        subject = _many(len(verdicts.without_film), "run has no film", "runs have no film")
        told.append(f"{subject}: {_by_model(verdicts.without_film)}; the pass rates leave them out")
    if verdicts.gone:
        subject = _many(len(verdicts.gone), "verdict is on a film", "verdicts are on films")
        place = layout.experiment_folder(outputs, experiment)
        told.append(f"{subject} no longer in {place}, and not counted")
    return told


def _many(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"


def _by_model(runs: tuple[Run, ...]) -> str:
    counts = Counter(run.model for run in runs)
    return ", ".join(f"{model} {count}" for model, count in sorted(counts.items()))


def _score_command(experiment: str, outputs: Path, evaluations: Path) -> str:
    words = ["vmevalkit", "score", "--experiment", experiment]
    for option, place, usual in (
        ("--outputs", outputs, layout.OUTPUTS),
        ("--evaluations", evaluations, layout.EVALUATIONS),
    ):
        if place != usual:
            words += [option, str(place)]
    return shlex.join(words)
