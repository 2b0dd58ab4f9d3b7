"""``vmevalkit run``: have models film the questions."""

from __future__ import annotations

import re
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vmevalkit.cli.command import FAILED, failures
from vmevalkit.cli.progress import jobs_table
from vmevalkit.core.errors import UsageError

if TYPE_CHECKING:
    from vmevalkit.runner.forecast import Forecast
    from vmevalkit.runner.run import Summary


def run(
    model: Annotated[list[str], typer.Option(help="One model or several, such as oracle veo-3.1.")],
    experiment: Annotated[str, typer.Option(help="Name of the experiment.")],
    questions: Annotated[Path, typer.Option(help="Where the questions lie.")] = Path("data/questions"),
    outputs: Annotated[Path, typer.Option(help="Where films go.")] = Path("data/outputs"),
    task: Annotated[list[str] | None, typer.Option(help="Only these tasks.", show_default="all that are there")] = None,
    samples: Annotated[int, typer.Option(help="Films of each question.")] = 1,
    seconds: Annotated[
        float | None,
        typer.Option(help="Length of a film.", show_default="8, or the nearest that a model makes; the task's own"),
    ] = None,
    size: Annotated[str | None, typer.Option(help="WIDTHxHEIGHT of a film.", show_default="the model's own")] = None,
    seed: Annotated[int, typer.Option(help="Of the films; -1 lets the provider choose.")] = -1,
    temperature: Annotated[float, typer.Option(help="Where a model has it.")] = 0.7,
    enhance_prompt: Annotated[bool, typer.Option(help="Let providers rewrite prompts.")] = True,
    auto_pad: Annotated[bool, typer.Option(help="Pad pictures to a size that a model takes.")] = True,
    prompt_variant: Annotated[
        str, typer.Option(help="How prompts are changed: default, empty, stepwise, still_camera.")
    ] = "default",
    workers: Annotated[int, typer.Option(help="Processes, for baselines and models on this machine.")] = 1,
    in_flight: Annotated[
        int | None, typer.Option(help="Orders at a provider at once.", show_default="by provider")
    ] = None,
    per_minute: Annotated[
        float | None, typer.Option(help="Orders a minute at a provider.", show_default="by provider")
    ] = None,
    max_usd: Annotated[
        float | None,
        typer.Option(help="Most that the experiment may cost, earlier calls included.", show_default="any"),
    ] = None,
    assume_usd: Annotated[
        float | None, typer.Option(help="Price of a film where nobody knows it.", show_default=False)
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Begin at most so many of each model.", show_default="all")] = None,
    shard: Annotated[
        str | None,
        typer.Option(help="Part I/N of the jobs, from 1/N to N/N, for several machines.", show_default="all"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done, what it costs, how long.")
    ] = False,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Try again what failed before.")] = False,
    retry_refused: Annotated[
        bool, typer.Option("--retry-refused", help="Ask again what a content policy refused.")
    ] = False,
    resubmit_uncertain: Annotated[
        bool, typer.Option("--resubmit-uncertain", help="Order again what may have been paid for already.")
    ] = False,
    order_again: Annotated[
        bool,
        typer.Option("--order-again", help="With --retry-failed: do not wait for earlier orders, pay for new ones."),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Remove films of other questions with the same ids.")] = False,
) -> None:
    """Have models film the questions. What is filmed already is kept; the same command goes on from there."""
    from vmevalkit.jobs.tally import Board

    board = Board()
    with jobs_table(board) as on_done:
        from vmevalkit.runner.errands import Again
        from vmevalkit.runner.forecast import forecast
        from vmevalkit.runner.plan import Money, Pace
        from vmevalkit.runner.run import run as film
        from vmevalkit.runner.wishes import Wishes

        wishes = Wishes(seconds, _size(size), seed, enhance_prompt, auto_pad, temperature, prompt_variant)
        again = Again(retry_failed, retry_refused, resubmit_uncertain, order_again)
        money, pace, part = Money(max_usd, assume_usd), Pace(in_flight, per_minute), shard_of(shard)
        if dry_run:
            ahead = forecast(
                model, questions, experiment, outputs, domains=task, samples=samples, wishes=wishes, again=again,
                shard=part, limit=limit, money=money, pace=pace,
            )  # fmt: skip
        else:
            summary = film(
                model, questions, experiment, outputs, domains=task, samples=samples, wishes=wishes, workers=workers,
                again=again, force=force, shard=part, limit=limit, money=money, pace=pace, board=board,
                on_done=on_done, tell=lambda line: typer.echo(line, err=True),
            )  # fmt: skip
    if dry_run:
        tell_ahead(ahead)
    else:
        tell_summary(experiment, summary)


def tell_summary(experiment: str, summary: Summary) -> None:
    """What was done. Leaves with an exit code that says so where anything failed, or was not allowed by the budget."""
    good = len(summary.runs) - len(summary.failed)
    spent = "" if summary.budget is None else f"; ${summary.budget.spent_usd:.2f} spent"
    typer.echo(
        f"{experiment}: {summary.made} made, {summary.kept} kept; {good} films, {len(summary.failed)} failed{spent}"
    )
    if summary.not_applicable:
        model_name, question_id = summary.not_applicable[0]
        typer.echo(f"{len(summary.not_applicable)} do not apply, such as {model_name} on {question_id}")
    if summary.unordered and summary.budget is not None:
        typer.echo(
            f"the budget is reached: ${summary.budget.spent_usd:.2f} of ${summary.budget.most_usd:.2f} are spent, and "
            f"{summary.unordered} films were not ordered; raise --max-usd and call again",
            err=True,
        )
    failures([f"{bad.model} on {bad.question_id}: {_why(bad.status, bad.error)}" for bad in summary.failed])
    if summary.unordered:
        raise typer.Exit(FAILED)


def _why(status: str, error: str | None) -> str:
    return (error or status) if status == "failed" else f"{status}: {error}"


def tell_ahead(ahead: Forecast) -> None:
    for prospect in ahead.prospects:
        price = "at an unknown price" if prospect.usd is None else f"for ${prospect.usd:.2f}"
        time = "" if prospect.minutes is None else f", at least {ceil(prospect.minutes)} min"
        more = [f"{prospect.keep} kept"] if prospect.keep else []
        more += [f"{prospect.poll} ordered before"] if prospect.poll else []
        more += [f"{prospect.reconcile} perhaps ordered before"] if prospect.reconcile else []
        typer.echo(
            f"{prospect.model}: {prospect.begin} of {prospect.jobs} films {price}{time}; {', '.join(more) or 'all new'}"
        )
        for line in (*prospect.unmet, *(f"missing: {what}" for what in prospect.lacking)):
            typer.echo(f"  {line}")
    most = "" if ahead.most_usd is None else f", ${ahead.most_usd:.2f} allowed"
    unknown = sum(prospect.begin for prospect in ahead.prospects if prospect.usd is None)
    besides = f" and {unknown} films at unknown prices" if unknown else ""
    typer.echo(f"together ${ahead.usd:.2f}{besides}; ${ahead.spent_usd:.2f} spent before{most}; nothing was ordered")


def shard_of(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]+)/([0-9]+)", text)
    if match is None:
        raise UsageError(f"--shard {text!r} is not I/N, such as 1/4")
    return int(match[1]), int(match[2])


def _size(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]+)x([0-9]+)", text)
    if match is None:
        raise UsageError(f"--size {text!r} is not WIDTHxHEIGHT, such as 1280x720")
    return int(match[1]), int(match[2])
