"""The jobs of a call, and the runs that exist already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vmevalkit.core.errors import ConflictError, StoreError, UsageError
from vmevalkit.core.jsonable import digest
from vmevalkit.core.records import Question, Run
from vmevalkit.models.model import ModelSpec
from vmevalkit.runs.generation_params import GenerationParams
from vmevalkit.runs.prompts import VARIANTS
from vmevalkit.store.atomic import remove_folder
from vmevalkit.store.journal import JobKey
from vmevalkit.store.questions import iter_questions, load_question, question_digest
from vmevalkit.store.runs import Job, load_job_runs, select_effective_runs

MAX_SAMPLES = 1000
"""More videos of one question are refused as a typing error."""
Shard = tuple[int, int]
"""Part i of n, from 1 to n."""


@dataclass(frozen=True, slots=True)
class JobSpec:
    """One job with everything that is needed to run it. It can be sent to another process."""

    job: Job
    question: Question
    """Perhaps without its metadata: see ``load_question``."""
    outputs: Path
    question_digest: str
    input_digest: str
    """Digest of the question and of the prompt as it is sent."""
    params: GenerationParams
    spec: ModelSpec | None = None
    """None for a baseline."""
    run_parent: Path | None = None
    """The parent of the run folder, if it is not the job's folder in the experiment."""
    run_id: str | None = None
    """The name of the run folder, if it is not made from the time. Then it identifies the job as well."""

    @property
    def folder(self) -> Path:
        """The parent of the job's run folders."""
        return self.job.folder(self.outputs) if self.run_parent is None else self.run_parent

    @property
    def key(self) -> JobKey:
        """Identifies the job in the model's journals."""
        return self.job.domain, self.run_id or self.job.question_id, self.job.sample

    def load_question(self) -> Question:
        """Return the question with its metadata, which ``question`` may lack: a plan does not keep those of all."""
        question = self.question
        if question.metadata:
            return question
        return replace(question, metadata=load_question(question.folder).metadata)

    def without_metadata(self) -> JobSpec:
        """Return the same job for a plan of many jobs."""
        return replace(self, question=replace(self.question, metadata={}))


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Which finished jobs are run again."""

    failed: bool = False
    refused: bool = False
    """Refused by the content policy: repeating it seldom helps."""
    uncertain: bool = False
    """The answer to the order was lost: a video may have been paid for already."""
    reorder: bool = False
    """Order again even where an earlier order may still get its video."""


def require_questions(root: Path | str, domains: Sequence[str] | None) -> Iterator[Question]:
    """Yield the questions below ``root``. Raises StoreError where there are none."""
    found = False
    for question in iter_questions(root, domains):
        found = True
        yield question
    if not found:
        raise StoreError(f"there are no questions in {root}; generate some first: vmevalkit generate --out {root}")


def make_job_specs(
    specs: Mapping[str, ModelSpec | None],
    questions: Sequence[Question],
    experiment: str,
    outputs: Path,
    samples: int,
    params: GenerationParams,
    shard: Shard | None = None,
    first_number: int = 0,
) -> list[JobSpec]:
    """Return a job for each model, question and sample, in this order. With a shard, every n-th job of each model.

    ``first_number`` is the number of the first question among all questions of the call."""
    if not 1 <= samples <= MAX_SAMPLES:
        raise UsageError(f"the number of samples is {samples}; it must be 1 to {MAX_SAMPLES}")
    part, parts = shard or (1, 1)
    if not 1 <= part <= parts:
        raise UsageError(f"--shard {part}/{parts} does not exist; shards go from 1/{parts} to {parts}/{parts}")
    variant = VARIANTS[params.prompt_variant]
    digests = [question_digest(question) for question in questions]
    inputs = [(q, of_q, digest([of_q, variant(q.prompt)])) for q, of_q in zip(questions, digests, strict=True)]
    return [
        JobSpec(job, question, outputs, of_question, input_digest, params, spec)
        for model, spec in specs.items()
        for number, (question, of_question, input_digest) in enumerate(inputs, first_number)
        for sample in range(samples)
        if (number * samples + sample) % parts == part - 1
        for job in (Job(experiment, model, question.domain, question.id, sample),)
    ]


def find_existing_runs(job_specs: Sequence[JobSpec], *, force: bool = False) -> dict[Job, Run]:
    """Return the effective run of each job that has one.

    Runs of other questions under the same ids, or with other prompts, raise a ConflictError. ``force`` removes them."""
    folders = {job_spec.job.folder(job_spec.outputs): job_spec for job_spec in job_specs}
    found = [(run, job_spec) for folder, job_spec in folders.items() for run in load_job_runs(folder)]
    conflicts = [(run, job_spec) for run, job_spec in found if _has_other_input(run, job_spec)]
    if conflicts and not force:
        run, job_spec = conflicts[0]
        videos = "videos of other questions"
        if run.question_digest == job_spec.question_digest:
            videos = f"videos with the prompt variant {run.prompt_variant!r}"
        raise ConflictError(
            f"the experiment {run.experiment!r} contains {videos} ({run.folder}) and was not changed; "
            "use another --experiment (--force would delete these videos, paid ones too)"
        )
    for run, _ in conflicts:
        remove_folder(run.folder)
    wanted = {job_spec.job for job_spec in job_specs}
    effective = select_effective_runs(run for run, job_spec in found if not _has_other_input(run, job_spec))
    return {job: run for run in effective if (job := Job.of(run)) in wanted}


def list_runs(job_specs: Sequence[JobSpec], runs: Mapping[Job, Run]) -> tuple[Run, ...]:
    """Return the runs in the order of the jobs, without jobs that have none."""
    return tuple(runs[job_spec.job] for job_spec in job_specs if job_spec.job in runs)


def limit_per_model(job_specs: Iterable[JobSpec], limit: int | None) -> list[JobSpec]:
    """Return the first ``limit`` jobs of each model; all of them without a limit."""
    check_limit(limit)
    if limit is None:
        return list(job_specs)
    counts: dict[str, int] = {}
    chosen = []
    for job_spec in job_specs:
        model = job_spec.job.model
        if counts.setdefault(model, 0) < limit:
            counts[model] += 1
            chosen.append(job_spec)
    return chosen


def check_limit(limit: int | None) -> None:
    if limit is not None and limit < 1:
        raise UsageError(f"--limit is {limit}; it must be at least 1")


def _has_other_input(run: Run, job_spec: JobSpec) -> bool:
    return run.question_digest != job_spec.question_digest or run.prompt_variant != job_spec.params.prompt_variant
