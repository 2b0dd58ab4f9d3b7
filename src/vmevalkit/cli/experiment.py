"""``vmevalkit experiment``: questions, videos, scores and report as one file describes them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vmevalkit.cli import run as run_command
from vmevalkit.cli import score as score_command
from vmevalkit.cli.command import FAILED, confirm_resubmission, count_cores, inform, report_failures
from vmevalkit.cli.options import OrderAgain, ResubmitUncertain, RetryFailed, RetryRefused, Yes
from vmevalkit.cli.progress import jobs_table, progress
from vmevalkit.cli.report import write_report
from vmevalkit.cli.results import print_rates
from vmevalkit.cli.score import exits

if TYPE_CHECKING:
    from vmevalkit.runs.experiment_file import ExperimentFile
    from vmevalkit.runs.job_specs import RetryPolicy


def experiment(
    file: Annotated[Path, typer.Argument(help="A YAML file: name, models, tasks, n, seed, samples, scorers, ...")],
    limit: Annotated[
        int | None, typer.Option(help="Start at most this many videos of each model.", show_default="all")
    ] = None,
    shard: Annotated[
        str | None, typer.Option(help="Part I/N of the videos; without scores and report.", show_default="all")
    ] = None,
    max_usd: Annotated[float | None, typer.Option(help="Budget in place of the file's.", show_default=False)] = None,
    assume_usd: Annotated[
        float | None,
        typer.Option(help="Price of a video where it is unknown, in place of the file's.", show_default=False),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Number of worker processes.", show_default="the file's, or number of cores")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Generate questions and print what the videos would cost.")
    ] = False,
    retry_failed: RetryFailed = False,
    retry_refused: RetryRefused = False,
    resubmit_uncertain: ResubmitUncertain = False,
    yes: Yes = False,
    order_again: OrderAgain = False,
    force: Annotated[bool, typer.Option("--force", help="Replace other questions and videos of the same ids.")] = False,
) -> None:
    """Generate questions, run models, score the videos and write the report. The same command resumes."""
    from dataclasses import replace

    from vmevalkit.runs.experiment_file import read_experiment
    from vmevalkit.runs.job_specs import RetryPolicy

    plan = read_experiment(file)
    plan = replace(
        plan,
        max_usd=max_usd if max_usd is not None else plan.max_usd,
        assume_usd=assume_usd if assume_usd is not None else plan.assume_usd,
        workers=workers or plan.workers or count_cores(),
    )
    part = run_command.parse_shard(shard)
    _check_names(plan, needs_judges=part is None and not dry_run)
    if resubmit_uncertain and not dry_run:
        confirm_resubmission(Path(plan.outputs), plan.name, plan.all_models, yes)
    _generate(plan, force)
    retry = RetryPolicy(retry_failed, retry_refused, resubmit_uncertain, order_again)
    failed = _run(plan, part, limit, dry_run, retry, force)
    if part is None and not dry_run:
        failed |= _score(plan)
    if failed:
        raise typer.Exit(FAILED)


def _check_names(plan: ExperimentFile, needs_judges: bool) -> None:
    """Refuse a wrong name, or a judge without its key, before anything is generated."""
    from vmevalkit.eval.judge import JudgeScorer
    from vmevalkit.eval.scorers import find_scorer
    from vmevalkit.runs.plan import find_specs
    from vmevalkit.runs.prompts import VARIANTS
    from vmevalkit.tasks import TASKS

    for task in plan.tasks:
        TASKS[task]
    scorers = [find_scorer(scorer) for scorer in plan.scorers]
    VARIANTS[plan.prompt_variant]
    find_specs(plan.all_models)
    for scorer in scorers:
        if isinstance(scorer, JudgeScorer) and needs_judges:
            scorer.check_setup()


def _generate(plan: ExperimentFile, force: bool) -> None:
    with progress("questions") as on_done:
        from vmevalkit.datasets.generate import generate

        summary = generate(
            plan.tasks, plan.n, seed=plan.seed, difficulty=plan.difficulty, out=plan.questions,
            workers=plan.workers or 1, force=force, on_done=on_done,
        )  # fmt: skip
    for made in summary.tasks:
        inform(f"{made.task}: {made.drawn} drawn, {made.kept} kept; fingerprint {made.fingerprint[:16]}")
    report_failures(summary.problems)


def _run(
    plan: ExperimentFile,
    part: tuple[int, int] | None,
    limit: int | None,
    dry_run: bool,
    retry: RetryPolicy,
    force: bool,
) -> bool:
    """Run the models. Returns whether a video failed."""
    from vmevalkit.jobs.progress import Progress

    jobs = Progress()
    with jobs_table(jobs) as on_done:
        from vmevalkit.runs.cost_estimate import estimate_cost
        from vmevalkit.runs.generation_params import GenerationParams
        from vmevalkit.runs.plan import BudgetOptions
        from vmevalkit.runs.run import run

        params = GenerationParams(
            seconds=plan.seconds, size=run_command.parse_size(plan.size), prompt_variant=plan.prompt_variant
        )
        budget = BudgetOptions(plan.max_usd, plan.assume_usd)
        if dry_run:
            estimate = estimate_cost(
                plan.all_models, plan.questions, plan.name, plan.outputs, domains=plan.tasks, samples=plan.samples,
                params=params, retry=retry, shard=part, limit=limit, budget_options=budget,
            )  # fmt: skip
        else:
            summary = run(
                plan.all_models, plan.questions, plan.name, plan.outputs, domains=plan.tasks, samples=plan.samples,
                params=params, retry=retry, workers=plan.workers or 1, force=force, shard=part, limit=limit,
                budget_options=budget, progress=jobs, on_done=on_done,
                on_message=lambda line: typer.echo(line, err=True),
            )  # fmt: skip
    if dry_run:
        run_command.print_estimate(estimate)
        return False
    return exits(run_command.print_summary, plan.name, summary)


def _score(plan: ExperimentFile) -> bool:
    """Score the videos, print the rates and write the report. Returns whether a video has no verdict."""
    from vmevalkit.core.async_scorer import CallOptions
    from vmevalkit.eval.experiment import score_experiment

    failed = False
    for scorer in plan.scorers:
        with progress("scores") as on_done:
            summary = score_experiment(
                plan.name, plan.outputs, plan.evaluations, scorer, list(plan.all_models), plan.workers or 1, on_done,
                keep_results=False,
                calls=CallOptions(max_usd=plan.judge_max_usd, assumed_usd=plan.judge_assume_usd),
            )  # fmt: skip
        failed |= exits(score_command.print_summary, f"{plan.name}, {scorer}", summary)
    print_rates(plan.name, Path(plan.outputs), Path(plan.evaluations))
    write_report(plan.name, Path(plan.outputs), Path(plan.evaluations))
    return failed
