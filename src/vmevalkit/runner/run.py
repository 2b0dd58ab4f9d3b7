"""Run models on questions: one run folder for each job, finished or failed, and never the same job twice."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vmevalkit.core.errors import ModelError, Occupied, StoreError, UsageError
from vmevalkit.core.jsonable import from_json
from vmevalkit.core.randomness import rng_for
from vmevalkit.core.records import Placement, Question, Request, Run
from vmevalkit.jobs.done import Done, Failure
from vmevalkit.jobs.pool import check_workers, map_jobs
from vmevalkit.media.video import probe
from vmevalkit.store import layout
from vmevalkit.store.commit import file_digest, lock, remove_folder
from vmevalkit.store.questions import load_questions, question_digest
from vmevalkit.store.runs import Job, PendingRun, counting, new_run, runs_of
from vmevalkit.tasks import TASKS

if TYPE_CHECKING:
    from vmevalkit.baselines import BaselineRequest


@dataclass(frozen=True, slots=True)
class Errand:
    """One job with all that is needed to do it. It can be sent to another process."""

    job: Job
    question: Question
    outputs: Path
    seconds: float | None = None
    """Length of the film that is asked for; None leaves it to the task."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a call of ``run`` did."""

    runs: tuple[Run, ...]
    """The run that counts for each job that was asked for."""
    made: int
    kept: int
    """Jobs that were finished, or had failed, in an earlier call."""
    not_applicable: tuple[tuple[str, str], ...] = ()
    """Model and question where a baseline has nothing to film: its trick is another task's."""

    @property
    def failed(self) -> tuple[Run, ...]:
        return tuple(run for run in self.runs if run.status != "success")


def run(
    models: Sequence[str],
    questions: Path | str = layout.QUESTIONS,
    experiment: str = "first",
    outputs: Path | str = layout.OUTPUTS,
    *,
    domains: Sequence[str] | None = None,
    samples: int = 1,
    seconds: float | None = None,
    workers: int = 1,
    retry_failed: bool = False,
    force: bool = False,
    on_done: Callable[[int, int], None] | None = None,
) -> Summary:
    """Every model on every question, ``samples`` times.

    A job is (experiment, model, question, sample): one that has a film is not done again, one that failed only with
    ``retry_failed``. Films of other questions under the same ids are refused (Occupied) before anything is run, unless
    ``force`` is set, which removes them. A job that fails leaves a run folder that says why. ``on_done`` is told how
    many jobs of how many are finished.
    """
    from vmevalkit.baselines import BASELINES

    check_workers(workers)
    if samples < 1:
        raise UsageError(f"{samples} samples were asked for; ask for at least 1")
    for model in models:
        BASELINES[model]  # an unknown name is refused before anything is run
    asked = load_questions(questions, domains)
    if not asked:
        raise StoreError(
            f"there are no questions in {questions}; make some first: vmevalkit generate --out {questions}"
        )
    errands: list[Errand] = []
    idle: list[tuple[str, str]] = []
    for model in dict.fromkeys(models):
        for question in asked:
            jobs = [Job(experiment, model, question.domain, question.id, sample) for sample in range(samples)]
            wanted = [Errand(job, question, Path(outputs), seconds) for job in jobs]
            if _applies(wanted[0]):
                errands.extend(wanted)
            else:
                idle.append((model, question.id))
    with ExitStack() as locks:
        for model in dict.fromkeys(models):
            locks.enter_context(lock(layout.model_folder(Path(outputs), experiment, model)))
        _make_room(errands, force)
        there = _runs(errands)
        settled = {job for job, run in there.items() if run.status == "success" or not retry_failed}
        todo = [errand for errand in errands if errand.job not in settled]
        _do(todo, len(errands), workers, on_done)
        runs = _runs(errands)
    return Summary(tuple(runs.values()), len(todo), len(errands) - len(todo), tuple(idle))


def _applies(errand: Errand) -> bool:
    """Whether the baseline has a film of this question at all."""
    from vmevalkit.baselines import BASELINES

    return not _has_puzzle(errand.question) or BASELINES[errand.job.model].applies(_asked(errand))


def _runs(errands: Sequence[Errand]) -> dict[Job, Run]:
    """The run that counts for each of the jobs, where there is one."""
    folders = dict.fromkeys(errand.job.folder(errand.outputs) for errand in errands)
    found = {Job.of(run): run for run in counting(run for folder in folders for run in runs_of(folder))}
    return {errand.job: found[errand.job] for errand in errands if errand.job in found}


def _make_room(errands: Sequence[Errand], force: bool) -> None:
    """Refuse, or remove, runs that were made for other questions of the same id."""
    strangers = [
        run
        for errand in errands
        if errand.job.sample == 0
        for run in runs_of(errand.job.folder(errand.outputs))
        if run.question_digest != question_digest(errand.question)
    ]
    if strangers and not force:
        raise Occupied(
            f"the experiment {strangers[0].experiment!r} holds films of other questions ({strangers[0].folder}) and "
            "was left as it is; use another --experiment, or --force to remove them"
        )
    for run in strangers:
        remove_folder(run.folder)


def _do(todo: Sequence[Errand], total: int, workers: int, on_done: Callable[[int, int], None] | None) -> None:
    finished = total - len(todo)

    def take(done: Done[Errand, Run]) -> None:
        nonlocal finished
        if done.error is not None:
            if done.error.is_a(StoreError):
                raise StoreError(done.error.message)  # the next job would fare no better on a full disk
            _record_failure(done.item, done.error)
        finished += 1
        if on_done:
            on_done(finished, total)

    if on_done:
        on_done(finished, total)
    map_jobs(carry_out, todo, workers, take)


def carry_out(errand: Errand) -> Run:
    """Have the model make its film, check it, and commit the run folder. A model that fails is a run that failed."""
    with new_run(errand.outputs, errand.job, errand.question) as pending:
        began = time.monotonic()
        try:
            placement = _film(errand, pending.video)
            probe(pending.video)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001  - the job's edge: whatever a model raises is its run's record
            seconds = time.monotonic() - began
            return pending.finish(replace(_begun(errand, pending), error=str(Failure.of(error)), seconds=seconds))
        film = replace(
            _begun(errand, pending),
            status="success",
            video=pending.video,
            seconds=time.monotonic() - began,
            placement=placement,
            video_digest=file_digest(pending.video),
        )
        return pending.finish(film)


def _film(errand: Errand, into: Path) -> Placement | None:
    from vmevalkit.baselines import BASELINES

    if not _has_puzzle(errand.question):
        raise ModelError(
            f"the baseline {errand.job.model!r} films known puzzles, and {errand.question.id} has none: "
            "use a real model"
        )
    return BASELINES[errand.job.model].generate(_asked(errand), into)


def _asked(errand: Errand) -> BaselineRequest:
    from vmevalkit.baselines import BaselineRequest

    question, job = errand.question, errand.job
    task = TASKS[question.domain]
    request = Request(
        question_id=question.id,
        prompt=question.prompt,
        first_frame=question.first_frame,
        seconds=errand.seconds or task.film_seconds,
        seed=rng_for("request", job.model, question.id, job.sample).getrandbits(31),
        sample=job.sample,
    )
    return BaselineRequest(request, task.name, _puzzle(question))


def _has_puzzle(question: Question) -> bool:
    return question.domain in TASKS and "puzzle" in question.metadata


def _puzzle(question: Question) -> Any:
    return from_json(TASKS[question.domain].puzzle_type, question.metadata["puzzle"])


def _begun(errand: Errand, pending: PendingRun) -> Run:
    job = errand.job
    return Run(
        experiment=job.experiment,
        model=job.model,
        question_id=job.question_id,
        domain=job.domain,
        sample=job.sample,
        run_id=pending.run_id,
        status="failed",
        folder=pending.target,
        question_digest=question_digest(errand.question),
    )


def _record_failure(errand: Errand, failure: Failure) -> None:
    """For a job whose process died before it could say anything."""
    with new_run(errand.outputs, errand.job, errand.question) as pending:
        pending.finish(replace(_begun(errand, pending), error=str(failure)))
