"""Runs of baselines and of models on this machine, in a pool of processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vmevalkit.core.errors import ConflictError, SetupError, StoreError
from vmevalkit.core.randomness import rng_for
from vmevalkit.core.records import Placement, Question, Request, Run
from vmevalkit.jobs.executor import Executor
from vmevalkit.jobs.portable import Move, Output, PortableJob
from vmevalkit.jobs.result import JobFailure, JobResult
from vmevalkit.media.video import probe
from vmevalkit.models.model import LocalModel, ModelSpec
from vmevalkit.runs.generation_params import DEFAULT_SECONDS
from vmevalkit.runs.job_specs import JobSpec
from vmevalkit.store import layout
from vmevalkit.store.atomic import clean, file_digest
from vmevalkit.store.questions import list_question_files
from vmevalkit.store.records import read_record
from vmevalkit.store.runs import PendingRun, find_free_run_id, load_standalone_run, new_run_in
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.puzzle_loading import load_puzzle

if TYPE_CHECKING:
    from vmevalkit.baselines import BaselineRequest

BASELINE_FAMILY = "baseline"


def run_local(job_specs: Sequence[JobSpec], executor: Executor, on_run: Callable[[Run], None]) -> None:
    """Run the jobs. Each becomes a run, finished or failed."""

    def on_result(_: int, result: JobResult[JobSpec, Run]) -> None:
        if result.value is not None:
            on_run(result.value)
        elif result.error is not None:
            for error_type in (StoreError, SetupError):
                if result.error.is_a(error_type):
                    raise error_type(result.error.message)  # a full disk or missing weights would fail every job
            on_run(_write_failed_run(result.item, result.error))

    for job_specs_of_model, loads_model in _group_by_model(job_specs):
        executor.map(RunJob(), job_specs_of_model, on_result, loads_model=loads_model)


def _group_by_model(job_specs: Sequence[JobSpec]) -> Iterator[tuple[list[JobSpec], bool]]:
    """Yield the jobs of all baselines, then those of each model, and whether they need one that has to be loaded.

    One model at a time: the weights of two may not fit into the memory of a GPU."""
    groups: dict[str | None, list[JobSpec]] = {None: []}
    for job_spec in job_specs:
        groups.setdefault(None if job_spec.spec is None else job_spec.spec.name, []).append(job_spec)
    return ((group, name is not None) for name, group in groups.items() if group)


@dataclass(frozen=True, slots=True)
class RunJob(PortableJob[JobSpec, Run]):
    """Runs one job: ``run_job``, and what has to be known to run it on another machine."""

    def __call__(self, item: JobSpec) -> Run:
        try:
            return run_job(item)
        except ConflictError:
            # With a name of its own, the folder can only be from the same job, whose first process was thought dead.
            existing = self.find_value(item)
            if existing is None:
                raise
            return existing

    def prepare(self, item: JobSpec) -> JobSpec:
        """Name the run folder here: a machine without the data folder does not know which names are taken."""
        if item.run_id is not None:
            return item
        job = item.job
        return replace(item, run_id=find_free_run_id(item.folder, job.model, job.question_id, job.sample))

    def find_value(self, item: JobSpec) -> Run | None:
        if item.run_id is None or read_record(item.folder / item.run_id / layout.RUN_RECORD) is None:
            return None
        return load_standalone_run(item.folder / item.run_id)

    def list_inputs(self, item: JobSpec) -> Iterable[Path]:
        return list_question_files(item.question)

    def move_item(self, item: JobSpec, to: Move) -> JobSpec:
        question = replace(item.question, folder=to(item.question.folder))
        parent = None if item.run_parent is None else to(item.run_parent)
        return replace(item, question=question, outputs=to(item.outputs), run_parent=parent)

    def move_value(self, value: Run, to: Move) -> Run:
        return replace(value, folder=to(value.folder), video=None if value.video is None else to(value.video))

    def list_outputs(self, item: JobSpec, value: Run) -> Sequence[Path]:
        return [value.folder]

    def publish(self, item: JobSpec, outputs: Sequence[Output]) -> None:
        clean(item.folder)
        for output in outputs:
            output.write(replace=False, durable=True)


def run_job(job_spec: JobSpec) -> Run:
    """Generate the video, check it, and write the run folder. A model that fails gives a failed run."""
    with new_run_in(job_spec.folder, job_spec.job, job_spec.load_question(), job_spec.run_id) as pending:
        start = time.monotonic()
        spec = job_spec.spec
        extra: dict[str, Any] = {"family": BASELINE_FAMILY if spec is None else spec.family}
        if spec is not None:
            extra["request"] = make_request_record(_make_request(job_spec, spec))
        try:
            placement = _generate(job_spec, pending.video)
            probe(pending.video)
        except (StoreError, SetupError):
            raise
        except Exception as error:  # noqa: BLE001  - the job's edge: any exception of a model becomes its run's record
            seconds = time.monotonic() - start
            message = JobFailure.from_exception(error).describe()
            return pending.finish(replace(draft_run(job_spec, pending), error=message, seconds=seconds), extra)
        finished = replace(
            draft_run(job_spec, pending),
            status="success",
            video=pending.video,
            seconds=time.monotonic() - start,
            cost_usd=None if job_spec.spec is None else 0.0,
            placement=placement,
            video_digest=file_digest(pending.video),
        )
        return pending.finish(finished, extra)


def is_applicable(job_spec: JobSpec) -> bool:
    """Whether the model can generate a video of this question: a baseline may not apply to a puzzle."""
    if job_spec.spec is not None:
        return True
    from vmevalkit.baselines import BASELINES

    # On a question without a puzzle, a baseline that needs one gives a failed run: it is not skipped silently.
    request = _make_baseline_request(job_spec)
    return request.task is None or BASELINES[job_spec.job.model].applies_to(request)


def draft_run(job_spec: JobSpec, pending: PendingRun) -> Run:
    """Return the run as long as it has no video: failed."""
    job = job_spec.job
    return Run(
        experiment=job.experiment,
        model=job.model,
        question_id=job.question_id,
        domain=job.domain,
        sample=job.sample,
        run_id=pending.run_id,
        status="failed",
        folder=pending.target,
        question_digest=job_spec.question_digest,
        prompt_variant=job_spec.params.prompt_variant,
    )


def make_request_record(request: Request) -> dict[str, Any]:
    """Return a request for a run's record, without what the record has anyway and without the image's path."""
    return {
        "prompt": request.prompt,
        "seconds": request.seconds,
        "fps": request.fps,
        "size": request.size,
        "seed": request.seed,
        "parameters": dict(request.parameters),
    }


def _generate(job_spec: JobSpec, into: Path) -> Placement | None:
    if job_spec.spec is not None:
        return _load_model(_SpecKey(job_spec.spec)).generate(_make_request(job_spec, job_spec.spec), into)
    from vmevalkit.baselines import BASELINES

    return BASELINES[job_spec.job.model].generate(_make_baseline_request(job_spec), into)


class _SpecKey:
    """A row of the catalogue as a hashable key; rows contain mappings, so they cannot be hashed."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec

    def __hash__(self) -> int:
        return hash(self.spec.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SpecKey) and other.spec == self.spec


@cache
def _load_model(key: _SpecKey) -> LocalModel:
    """Return the model. Weights are loaded once in a process."""
    from vmevalkit.models.catalogue import load_model

    model = load_model(key.spec)
    assert not hasattr(model, "submit"), f"{key.spec.name} does not run on this machine"
    return model


def _make_request(job_spec: JobSpec, spec: ModelSpec) -> Request:
    return job_spec.params.request(spec, job_spec.question, job_spec.job.sample)


def _make_baseline_request(job_spec: JobSpec) -> BaselineRequest:
    from vmevalkit.baselines import BaselineRequest

    question, job = job_spec.load_question(), job_spec.job
    task = TASKS[question.domain] if _has_puzzle(question) else None
    request = Request(
        question_id=question.id,
        prompt=question.prompt,
        first_frame=question.first_frame,
        seconds=job_spec.params.seconds or (task.video_seconds if task else DEFAULT_SECONDS),
        seed=rng_for("request", job.model, question.id, job.sample).getrandbits(31),
        sample=job.sample,
    )
    if task is None:
        return BaselineRequest(request)
    puzzle = load_puzzle(task, question.metadata["puzzle"], f"{question.id} in {question.folder}")
    return BaselineRequest(request, task.name, puzzle)


def _has_puzzle(question: Question) -> bool:
    return question.domain in TASKS and "puzzle" in question.metadata


def _write_failed_run(job_spec: JobSpec, failure: JobFailure) -> Run:
    """Write the run of a job whose process died."""
    with new_run_in(job_spec.folder, job_spec.job, job_spec.load_question(), job_spec.run_id) as pending:
        return pending.finish(replace(draft_run(job_spec, pending), error=str(failure)))
