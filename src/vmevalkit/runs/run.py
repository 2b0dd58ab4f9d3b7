"""Runs of models on questions: one run folder for each job, finished or failed, and never the same job twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from vmevalkit.core.errors import StoreError
from vmevalkit.core.records import Run
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.executor import Executor, LocalExecutor
from vmevalkit.jobs.interrupts import run_coroutine
from vmevalkit.jobs.progress import Progress
from vmevalkit.jobs.remote_job import Check
from vmevalkit.media.integrity import check_video
from vmevalkit.models.model import ModelSpec, RemoteVideoModel
from vmevalkit.runs.comparability import list_differences
from vmevalkit.runs.generation_params import GenerationParams
from vmevalkit.runs.job_specs import JobSpec, RetryPolicy, Shard, find_existing_runs, limit_per_model, list_runs
from vmevalkit.runs.job_state import group_by_step, load_entries, remove_torn_runs
from vmevalkit.runs.local import run_local
from vmevalkit.runs.plan import BudgetOptions, RateLimits, RunPlan, make_plan
from vmevalkit.runs.remote import BlockedProvider, run_remote
from vmevalkit.runs.remote_model_runner import RemoteBatch
from vmevalkit.store import layout
from vmevalkit.store.atomic import clean, lock
from vmevalkit.store.runs import Job
from vmevalkit.store.shards import shard_lock


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The result of a call of ``run``."""

    runs: tuple[Run, ...]
    """The effective run of each job of the call."""
    made: int
    """Number of jobs that this call ran."""
    kept: int
    """Number of jobs that an earlier call finished, or that failed then and are not retried."""
    not_applicable: tuple[tuple[str, str], ...] = ()
    """Model and question where a baseline does not apply to the puzzle."""
    unordered: int = 0
    """Number of jobs that the budget did not allow."""
    budget: Budget | None = None
    """The budget of the experiment, where a model of the call is remote."""
    blocked: tuple[BlockedProvider, ...] = ()
    """Providers that accepted no more orders: a wrong key, no credit, a long pause."""
    remarks: tuple[str, ...] = ()
    """What is odd about videos that this call got: one is much shorter than requested."""

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
    params: GenerationParams | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    retry_failed: bool = False,
    retry: RetryPolicy | None = None,
    force: bool = False,
    shard: Shard | None = None,
    limit: int | None = None,
    budget_options: BudgetOptions | None = None,
    rate_limits: RateLimits | None = None,
    catalogue: Mapping[str, ModelSpec] | None = None,
    check: Check | None = check_video,
    progress: Progress | None = None,
    on_done: Callable[[int, int], None] | None = None,
    on_message: Callable[[str], None] | None = None,
) -> RunSummary:
    """Run every model on every question, ``samples`` times, and return all runs.

    A job is an experiment, a model, a question and a sample. A job with a video is not run again; one that failed is
    run again with ``retry_failed`` or ``retry``. A failed job leaves a run folder with the reason.

    Which jobs:
        domains: only these domains of the questions.
        samples: videos of each question by each model.
        retry_failed, retry: which finished jobs to run again.
        force: remove videos of other questions under the same ids. Otherwise they raise a ConflictError at the start.
        shard: part i of n of the jobs, for several processes.
        limit: start at most this many jobs of each model.

    How they run:
        seconds, params: parameters of the videos. ``seconds`` replaces that of ``params``.
        workers: processes for baselines and models on this machine.
        executor: runs baselines and local models elsewhere than in these processes, such as on a cluster.
        budget_options: the limit in dollars, and an assumed price.
        rate_limits: limits of the account at the providers.
        catalogue: rows of models, in place of the installed ones.
        check: inspects each video that arrives from a provider.

    What is reported meanwhile:
        progress: counts of jobs by stage, updated all the time.
        on_done: gets the number of finished jobs and of all jobs whenever a job ends.
        on_message: gets a line about each model that does not support some of the parameters, and about what differs
            between models.
    """
    executor = executor or LocalExecutor(workers)
    params = params or GenerationParams()
    params = params if seconds is None else replace(params, seconds=seconds)
    retry = retry or RetryPolicy()
    retry = replace(retry, failed=retry.failed or retry_failed)
    budget_options, rate_limits = budget_options or BudgetOptions(), rate_limits or RateLimits()
    progress = Progress() if progress is None else progress
    plan = make_plan(
        models, questions, experiment, outputs,
        domains=domains, samples=samples, params=params, shard=shard, catalogue=catalogue,
    )  # fmt: skip
    remote = _load_remote_models(plan, params, on_message)
    prices = {name: budget_options.price_usd(model.spec, params) for name, model in remote.items()}

    def report_progress() -> None:
        if on_done:
            on_done(progress.finished, progress.total)

    with ExitStack() as locks:
        for folder in map(plan.model_folder, plan.specs):
            locks.enter_context(shard_lock(folder, *shard) if shard else lock(folder))
        work = _find_work(plan, remote, prices, retry, limit, force=force, shard=shard)
        experiment_folder = layout.experiment_folder(Path(outputs), experiment)
        own_journals = [layout.journal_file(batch.folder, batch.part) for batch in work.batches]
        progress.budget = budget_options.load_budget(experiment_folder, shard, own_journals) if remote else None
        _count_jobs(progress, plan, work)
        report_progress()
        made = _run_local_jobs(work.local, executor, progress, report_progress)
        unordered, blocked, remarks = 0, tuple[BlockedProvider, ...](), tuple[str, ...]()
        if progress.budget is not None:
            result = run_coroutine(
                run_remote(work.batches, rate_limits.limits_for, progress.budget, progress, check, report_progress)
            )
            made.update(result.runs)
            unordered, blocked, remarks = result.skipped, result.blocked, tuple(result.remarks)
    runs = list_runs(plan.job_specs, {**work.runs, **made})
    return RunSummary(
        runs, len(made), len(runs) - len(made), plan.not_applicable, unordered, progress.budget, blocked, remarks
    )


@dataclass(frozen=True, slots=True)
class _Work:
    """Existing runs, and what is left to do."""

    runs: dict[Job, Run]
    local: list[JobSpec]
    batches: list[RemoteBatch]


def _find_work(
    plan: RunPlan,
    remote: Mapping[str, RemoteVideoModel],
    prices: Mapping[str, float | None],
    retry: RetryPolicy,
    limit: int | None,
    *,
    force: bool,
    shard: Shard | None,
) -> _Work:
    job_specs = {name: plan.job_specs_of(name) for name in remote}
    folders = {name: plan.model_folder(name) for name in remote}
    entries = {name: load_entries(folders[name], job_specs[name], force=force) for name in remote}
    for name in remote:
        remove_torn_runs(job_specs[name], entries[name])
    runs = find_existing_runs(plan.job_specs, force=force)
    local = [each for each in plan.job_specs if each.job.model not in remote and _is_open(each, runs, retry)]
    part = f"{shard[0]}-of-{shard[1]}" if shard else None
    batches = []
    for name, model in remote.items():
        steps = group_by_step(job_specs[name], entries[name], runs, retry)
        steps["order"] = limit_per_model(steps["order"], limit)
        batches.append(RemoteBatch(model, plan.outputs, folders[name], steps, runs, retry, prices[name], part))
    return _Work(runs, limit_per_model(local, limit), batches)


def _load_remote_models(
    plan: RunPlan, params: GenerationParams, on_message: Callable[[str], None] | None
) -> dict[str, RemoteVideoModel]:
    """Return the remote models of the plan. All models are loaded, so that missing setup raises before any order."""
    from vmevalkit.models.catalogue import load_model

    remote: dict[str, RemoteVideoModel] = {}
    for name, spec in plan.specs.items():
        if spec is None:
            continue
        model = load_model(spec)
        if hasattr(model, "submit"):
            remote[name] = cast(RemoteVideoModel, model)
        unsupported = params.list_unsupported(spec)
        if on_message and unsupported:
            on_message(f"{name}: {'; '.join(unsupported)}")
    if on_message:
        for line in list_differences(plan.specs, params):
            on_message(line)
    return remote


def _is_open(job_spec: JobSpec, runs: Mapping[Job, Run], retry: RetryPolicy) -> bool:
    run = runs.get(job_spec.job)
    return run is None or (run.status != "success" and retry.failed)


def _count_jobs(progress: Progress, plan: RunPlan, work: _Work) -> None:
    """Count each job in its stage at the start. Jobs beyond the limit are not counted."""
    local = {job_spec.job for job_spec in work.local}
    remote = {batch.model.spec.name for batch in work.batches}
    for job_spec in plan.job_specs:
        model_progress = progress.of(job_spec.job.model)
        if job_spec.job in local:
            model_progress.waiting += 1
        elif job_spec.job.model not in remote and job_spec.job in work.runs:
            model_progress.kept += 1
    for batch in work.batches:
        model_progress = progress.of(batch.model.spec.name)
        model_progress.kept = len(batch.steps["keep"])
        model_progress.waiting = sum(len(job_specs) for step, job_specs in batch.steps.items() if step != "keep")


def _run_local_jobs(
    job_specs: Sequence[JobSpec], executor: Executor, progress: Progress, report_progress: Callable[[], None]
) -> dict[Job, Run]:
    """Run the jobs of baselines and of models on this machine."""
    made: dict[Job, Run] = {}

    def on_run(run: Run) -> None:
        made[Job.of(run)] = run
        progress.of(run.model).move("waiting", run.status)
        report_progress()

    try:
        run_local(job_specs, executor, on_run)
    except StoreError:
        for folder in {job_spec.folder for job_spec in job_specs}:
            clean(folder)  # other workers were ended while they wrote
        raise
    return made
