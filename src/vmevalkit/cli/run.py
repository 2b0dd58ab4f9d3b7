"""``vmevalkit run``: let models generate videos of the questions."""

from __future__ import annotations

import re
from math import ceil
from typing import TYPE_CHECKING, Annotated

import typer

from vmevalkit.cli.command import (
    FAILED,
    confirm_resubmission,
    print_capped,
    report_failures,
    select_tasks,
    split_models,
)
from vmevalkit.cli.completion import complete_experiments, complete_models
from vmevalkit.cli.options import (
    OUTPUTS,
    QUESTIONS,
    WORKERS,
    Address,
    ExecutorName,
    Gpus,
    OrderAgain,
    Outputs,
    Questions,
    ResubmitUncertain,
    RetryFailed,
    RetryRefused,
    Shared,
    Tasks,
    Workers,
    Yes,
)
from vmevalkit.cli.progress import jobs_table
from vmevalkit.core.errors import UsageError
from vmevalkit.core.reference_baselines import add_reference_baselines
from vmevalkit.core.secrets import redact

if TYPE_CHECKING:
    from vmevalkit.runs.cost_estimate import CostEstimate, ModelEstimate
    from vmevalkit.runs.run import RunSummary

VIDEO, SWITCHES, LIMITS = "Videos", "Preparation", "Money and rates"
"""Groups of options in the help: a table of all of them would cut the long names at 80 columns."""


def run(
    model: Annotated[
        list[str],
        typer.Option(
            help="Models or baselines: vmevalkit models lists them. Or http:URL, or cmd:COMMAND.",
            autocompletion=complete_models,
        ),
    ],
    experiment: Annotated[str, typer.Option(help="Name of the experiment.", autocompletion=complete_experiments)],
    questions: Questions = QUESTIONS,
    outputs: Outputs = OUTPUTS,
    task: Tasks = None,
    samples: Annotated[int, typer.Option(help="Videos of each question.")] = 1,
    with_baselines: Annotated[
        bool,
        typer.Option(
            "--with-baselines", help="Run the trick baselines static, cut_to_final and noise, the reference baselines."
        ),
    ] = False,
    workers: Workers = WORKERS,
    limit: Annotated[
        int | None, typer.Option(help="Start at most this many videos of each model.", show_default="all")
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(help="Part I/N of the videos, 1/N to N/N, for several machines.", show_default="all"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be ordered, cost and time; order nothing.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Remove videos of other questions with the same ids.")] = False,
    seconds: Annotated[
        float | None,
        typer.Option(
            help="Length of a video.", show_default="8, or the nearest that the model supports", rich_help_panel=VIDEO
        ),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(help="Size of a video, WIDTHxHEIGHT.", show_default="the nearest to 720p", rich_help_panel=VIDEO),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Seed of the videos; -1 lets the provider choose.", rich_help_panel=VIDEO)
    ] = -1,
    temperature: Annotated[
        float, typer.Option(help="Temperature, for models that support it.", rich_help_panel=VIDEO)
    ] = 0.7,
    prompt_variant: Annotated[
        str,
        typer.Option(help="Change of the prompts: default, empty, stepwise or still_camera.", rich_help_panel=VIDEO),
    ] = "default",
    enhance_prompt: Annotated[
        bool, typer.Option(help="Whether providers may rewrite prompts.", rich_help_panel=SWITCHES)
    ] = True,
    auto_pad: Annotated[
        bool, typer.Option(help="Whether images are padded to a size of the model.", rich_help_panel=SWITCHES)
    ] = True,
    max_usd: Annotated[
        float | None,
        typer.Option(
            help="Budget of the experiment in dollars, earlier calls included.",
            show_default="no limit",
            rich_help_panel=LIMITS,
        ),
    ] = None,
    assume_usd: Annotated[
        float | None,
        typer.Option(help="Price of a video where it is unknown.", show_default=False, rich_help_panel=LIMITS),
    ] = None,
    in_flight: Annotated[
        int | None,
        typer.Option(help="Most orders at a provider at once.", show_default="by provider", rich_help_panel=LIMITS),
    ] = None,
    per_minute: Annotated[
        float | None,
        typer.Option(help="Most orders at a provider per minute.", show_default="by provider", rich_help_panel=LIMITS),
    ] = None,
    retry_failed: RetryFailed = False,
    retry_refused: RetryRefused = False,
    resubmit_uncertain: ResubmitUncertain = False,
    yes: Yes = False,
    order_again: OrderAgain = False,
    executor: ExecutorName = "local",
    address: Address = None,
    shared: Shared = False,
    gpus: Gpus = None,
) -> None:
    """Let models generate videos. Existing videos are kept; the same command resumes."""
    from vmevalkit.jobs.progress import Progress

    models, tasks = split_models(model), select_tasks(task)
    models = add_reference_baselines(models) if with_baselines else models
    if resubmit_uncertain and not dry_run:
        confirm_resubmission(outputs, experiment, models, yes)
    jobs = Progress()
    with jobs_table(jobs) as on_done:
        from vmevalkit.jobs.executor import open_executor
        from vmevalkit.runs.cost_estimate import estimate_cost
        from vmevalkit.runs.generation_params import GenerationParams
        from vmevalkit.runs.job_specs import RetryPolicy
        from vmevalkit.runs.plan import BudgetOptions, RateLimits
        from vmevalkit.runs.run import run as run_models

        params = GenerationParams(
            seconds, parse_size(size), seed, enhance_prompt, auto_pad, temperature, prompt_variant
        )
        retry = RetryPolicy(retry_failed, retry_refused, resubmit_uncertain, order_again)
        budget, rates, part = BudgetOptions(max_usd, assume_usd), RateLimits(in_flight, per_minute), parse_shard(shard)
        if dry_run:
            estimate = estimate_cost(
                models, questions, experiment, outputs, domains=tasks, samples=samples, params=params, retry=retry,
                shard=part, limit=limit, budget_options=budget, rate_limits=rates,
            )  # fmt: skip
        else:
            with open_executor(executor, workers=workers, address=address, shared=shared, gpus=gpus) as place:
                summary = run_models(
                    models, questions, experiment, outputs, domains=tasks, samples=samples, params=params,
                    executor=place, retry=retry, force=force, shard=part, limit=limit, budget_options=budget,
                    rate_limits=rates, progress=jobs, on_done=on_done,
                    on_message=lambda line: typer.echo(line, err=True),
                )  # fmt: skip
    if dry_run:
        print_estimate(estimate)
    else:
        print_summary(experiment, summary)


def print_summary(experiment: str, summary: RunSummary) -> None:
    """Print what was generated. Exits with 1 where a video failed or the budget was reached."""
    good = len(summary.runs) - len(summary.failed)
    spent = "" if summary.budget is None else f"; ${summary.budget.spent_usd:.2f} spent"
    typer.echo(
        f"{experiment}: {summary.made} run, {summary.kept} kept; {good} videos, {len(summary.failed)} failed{spent}"
    )
    if summary.not_applicable:
        name, question_id = summary.not_applicable[0]
        typer.echo(f"{len(summary.not_applicable)} not applicable, such as {name} on {question_id}")
    if summary.unordered and summary.budget is not None:
        typer.echo(
            f"the budget is reached: ${summary.budget.spent_usd:.2f} of ${summary.budget.max_usd:.2f} are spent, and "
            f"{summary.unordered} videos were not ordered; raise --max-usd and run the command again",
            err=True,
        )
    print_capped([f"note: {remark}" for remark in summary.remarks], "note: {} more")
    for block in summary.blocked:
        typer.echo(redact(f"stopped: {block.reason}; {block.jobs} videos are left: run the command again"), err=True)
    report_failures([f"{bad.model} on {bad.question_id}: {_explain(bad.status, bad.error)}" for bad in summary.failed])
    if summary.unordered or summary.blocked:
        raise typer.Exit(FAILED)


def _explain(status: str, error: str | None) -> str:
    return (error or status) if status == "failed" else f"{status}: {error}"


def print_estimate(estimate: CostEstimate) -> None:
    """Print the cost estimate of a dry run."""
    for model in estimate.models:
        typer.echo(_describe_estimate(model))
        for line in (*model.unsupported, *(f"missing: {what}" for what in model.missing)):
            typer.echo(f"  {line}")
    for line in estimate.differences:
        typer.echo(line)
    limit = "" if estimate.max_usd is None else f", ${estimate.max_usd:.2f} allowed"
    begin = sum(model.begin for model in estimate.models)
    if estimate.affordable < begin:
        typer.echo(f"the budget allows {estimate.affordable} of these {begin} videos; raise --max-usd for the others")
    unknown = sum(model.begin for model in estimate.models if model.usd is None)
    besides = f" and {unknown} videos at unknown prices" if unknown else ""
    typer.echo(
        f"total ${estimate.usd:.2f}{besides}; ${estimate.spent_usd:.2f} spent before{limit}; nothing was ordered"
    )


def _describe_estimate(model: ModelEstimate) -> str:
    price = "at an unknown price" if model.usd is None else f"for ${model.usd:.2f}"
    time = "" if model.minutes is None else f", at least {ceil(model.minutes)} min"
    counts = ((model.keep, "kept"), (model.poll, "ordered before"), (model.reconcile, "perhaps ordered before"))
    rest = ", ".join(f"{count} {what}" for count, what in counts if count)
    return f"{model.model}: {model.begin} of {model.jobs} videos {price}{time}; {rest or 'all new'}"


def parse_shard(text: str | None) -> tuple[int, int] | None:
    """Return the part and the number of parts of ``--shard``."""
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]+)/([0-9]+)", text)
    if match is None:
        raise UsageError(f"--shard {text!r} is not of the form I/N, such as 1/4")
    return int(match[1]), int(match[2])


def parse_size(text: str | None) -> tuple[int, int] | None:
    """Return the width and height of ``--size``."""
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]+)x([0-9]+)", text)
    if match is None:
        raise UsageError(f"--size {text!r} is not of the form WIDTHxHEIGHT, such as 1280x720")
    return int(match[1]), int(match[2])
