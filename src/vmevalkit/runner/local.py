"""Baselines and models on this machine: jobs for a pool of processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vmevalkit.core.errors import ModelError, SetupError, StoreError
from vmevalkit.core.jsonable import from_json
from vmevalkit.core.randomness import rng_for
from vmevalkit.core.records import Placement, Question, Request, Run
from vmevalkit.jobs.done import Done, Failure
from vmevalkit.jobs.pool import map_jobs
from vmevalkit.media.video import probe
from vmevalkit.models.model import LocalModel, ModelSpec
from vmevalkit.runner.errands import Errand
from vmevalkit.store.commit import file_digest
from vmevalkit.store.runs import PendingRun, new_run_in
from vmevalkit.tasks import TASKS

if TYPE_CHECKING:
    from vmevalkit.baselines import BaselineRequest


def film_here(errands: Sequence[Errand], workers: int, on_run: Callable[[Run], None]) -> None:
    """Do the jobs; each becomes a run, finished or failed."""

    def take(done: Done[Errand, Run]) -> None:
        if done.value is not None:
            on_run(done.value)
        elif done.error is not None:
            for kind in (StoreError, SetupError):
                if done.error.is_a(kind):
                    raise kind(done.error.message)  # on a full disk, or without weights, no job would fare better
            on_run(_failure(done.item, done.error))

    map_jobs(carry_out, errands, workers, take)


def carry_out(errand: Errand) -> Run:
    """Have the model make its film, check it, and commit the run folder. A model that fails is a run that failed."""
    with new_run_in(errand.folder, errand.job, errand.question, errand.run_id) as pending:
        began = time.monotonic()
        more = None if errand.spec is None else {"request": request_record(_request(errand, errand.spec))}
        try:
            placement = _film(errand, pending.video)
            probe(pending.video)
        except (StoreError, SetupError):
            raise
        except Exception as error:  # noqa: BLE001  - the job's edge: whatever a model raises is its run's record
            seconds = time.monotonic() - began
            failed = replace(begun(errand, pending), error=str(Failure.of(error)), seconds=seconds)
            return pending.finish(failed, more)
        film = replace(
            begun(errand, pending),
            status="success",
            video=pending.video,
            seconds=time.monotonic() - began,
            cost_usd=None if errand.spec is None else 0.0,
            placement=placement,
            video_digest=file_digest(pending.video),
        )
        return pending.finish(film, more)


def applies(errand: Errand) -> bool:
    """Whether there is a film of this question at all: a baseline may have none."""
    if errand.spec is not None:
        return True
    from vmevalkit.baselines import BASELINES

    return not _has_puzzle(errand.question) or BASELINES[errand.job.model].applies(_of_baseline(errand))


def begun(errand: Errand, pending: PendingRun) -> Run:
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
        question_digest=errand.question_digest,
        prompt_variant=errand.wishes.prompt_variant,
    )


def request_record(request: Request) -> dict[str, Any]:
    """A request for a run's record: without what stands there anyway, and without the place of the picture."""
    return {
        "prompt": request.prompt,
        "seconds": request.seconds,
        "fps": request.fps,
        "size": request.size,
        "seed": request.seed,
        "parameters": dict(request.parameters),
    }


def _film(errand: Errand, into: Path) -> Placement | None:
    if errand.spec is not None:
        return _loaded(_Row(errand.spec)).generate(_request(errand, errand.spec), into)
    from vmevalkit.baselines import BASELINES

    if not _has_puzzle(errand.question):
        raise ModelError(
            f"the baseline {errand.job.model!r} films known puzzles, and {errand.question.id} has none: "
            "use a real model"
        )
    return BASELINES[errand.job.model].generate(_of_baseline(errand), into)


class _Row:
    """A row as a key: rows with the same name are the same."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec

    def __hash__(self) -> int:
        return hash(self.spec.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Row) and other.spec == self.spec


@cache
def _loaded(row: _Row) -> LocalModel:
    """Weights are loaded once in a process."""
    from vmevalkit.models.catalogue import load

    model = load(row.spec)
    assert not hasattr(model, "submit"), f"{row.spec.name} does not run on this machine"
    return model


def _request(errand: Errand, spec: ModelSpec) -> Request:
    return errand.wishes.request(spec, errand.question, errand.job.sample)


def _of_baseline(errand: Errand) -> BaselineRequest:
    from vmevalkit.baselines import BaselineRequest

    question, job = errand.question, errand.job
    task = TASKS[question.domain]
    request = Request(
        question_id=question.id,
        prompt=question.prompt,
        first_frame=question.first_frame,
        seconds=errand.wishes.seconds or task.film_seconds,
        seed=rng_for("request", job.model, question.id, job.sample).getrandbits(31),
        sample=job.sample,
    )
    return BaselineRequest(request, task.name, from_json(task.puzzle_type, question.metadata["puzzle"]))


def _has_puzzle(question: Question) -> bool:
    return question.domain in TASKS and "puzzle" in question.metadata


def _failure(errand: Errand, failure: Failure) -> Run:
    """For a job whose process died before it could say anything."""
    with new_run_in(errand.folder, errand.job, errand.question, errand.run_id) as pending:
        return pending.finish(replace(begun(errand, pending), error=str(failure)))
