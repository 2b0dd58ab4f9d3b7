"""``vmevalkit score``: score the videos of an experiment, or videos that were made elsewhere."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from vmevalkit.cli.command import FAILED, inform, print_capped, report_failures, split_names
from vmevalkit.cli.completion import complete_experiments, complete_models
from vmevalkit.cli.judge_options import (
    Answers,
    AssumeUsd,
    BaseUrl,
    DryRun,
    InFlight,
    JudgeModel,
    MaxUsd,
    PerMinute,
    RetryRefused,
    Variant,
    Votes,
    format_estimate,
    make_call_options,
    select_scorer,
)
from vmevalkit.cli.options import (
    EVALUATIONS,
    OUTPUTS,
    QUESTIONS,
    WORKERS,
    Address,
    Evaluations,
    ExecutorName,
    Outputs,
    Questions,
    Shared,
    Workers,
)
from vmevalkit.cli.progress import progress
from vmevalkit.cli.results import print_rates
from vmevalkit.core.errors import UsageError

if TYPE_CHECKING:
    from vmevalkit.core.async_scorer import AnyScorer, CallOptions
    from vmevalkit.eval.experiment import ScoreSummary
    from vmevalkit.eval.score_job import ScoreJob

S = TypeVar("S")


def score(
    experiment: Annotated[
        str | None,
        typer.Option(
            help="The experiment to score; with --videos, the one that gets the scores.",
            show_default=False,
            autocompletion=complete_experiments,
        ),
    ] = None,
    with_: Annotated[
        str, typer.Option("--with", help="Name of the scorer: rules, generic, gpt-4o, judge with its options below.")
    ] = "rules",
    model: Annotated[
        list[str] | None, typer.Option(help="Only these models.", show_default="all", autocompletion=complete_models)
    ] = None,
    videos: Annotated[
        Path | None,
        typer.Option(
            help="Score videos made elsewhere: a folder in which videos are named after their questions "
            "(maze_0007.mp4, maze_0007_seed3.mp4, maze_0007/any.mp4), or a CSV file with the columns "
            "path, question, model, sample.",
            show_default=False,
        ),
    ] = None,
    questions: Questions = QUESTIONS,
    name: Annotated[str | None, typer.Option(help="The model that made --videos.", show_default=False)] = None,
    outputs: Outputs = OUTPUTS,
    evaluations: Evaluations = EVALUATIONS,
    workers: Workers = WORKERS,
    executor: ExecutorName = "local",
    address: Address = None,
    shared: Shared = False,
    judge_model: JudgeModel = None,
    base_url: BaseUrl = None,
    variant: Variant = None,
    votes: Votes = None,
    max_usd: MaxUsd = None,
    assume_usd: AssumeUsd = None,
    in_flight: InFlight = None,
    per_minute: PerMinute = None,
    retry_refused: RetryRefused = False,
    answers: Answers = None,
    dry_run: DryRun = False,
) -> None:
    """Score the videos of an experiment, or videos made elsewhere.

    Scores of the same video, puzzle and rules are kept. The exit code is 1 when a video gets no verdict. Runs without a
    video and videos that match no question are listed; they are not failures of scoring.
    """
    models = split_names(model)
    _check_options(experiment, videos, name, models)
    place = experiment or name or (videos.stem if videos else "")
    by = select_scorer(with_, judge_model, base_url, variant, votes)
    calls = make_call_options(max_usd, assume_usd, in_flight, per_minute, retry_refused, answers)
    if videos is None:
        from vmevalkit.eval.experiment import require_models_with_runs

        require_models_with_runs(models, place, outputs)
    if dry_run:
        _print_estimate(place, by, outputs, evaluations, models, calls, videos)
        return
    with progress("scores") as on_done:
        from vmevalkit.core.async_scorer import is_async
        from vmevalkit.eval.experiment import score_experiment, score_videos
        from vmevalkit.jobs.executor import open_executor

        scorer = by if is_async(by) else with_
        with open_executor(executor, workers=workers, address=address, shared=shared) as where:
            if videos is not None:
                summary = score_videos(
                    videos, questions, name, evaluations, place, scorer, on_done=on_done, executor=where, calls=calls
                )
            else:
                summary = score_experiment(
                    place, outputs, evaluations, scorer, models or None, on_done=on_done, executor=where,
                    keep_results=False, calls=calls,
                )  # fmt: skip
    failed = exits(print_summary, place, summary)
    print_rates(place, outputs, evaluations)
    if failed:
        raise typer.Exit(FAILED)
    inform(f"next: {_report_command(place, outputs, evaluations)}")


def exits(print_result: Callable[[str, S], None], name: str, summary: S) -> bool:
    """Print a result. Returns whether that exits with a failure: the caller has more to do before it exits."""
    try:
        print_result(name, summary)
    except typer.Exit:
        return True
    return False


def print_summary(title: str, summary: ScoreSummary) -> None:
    """Print what was scored; the title is the name of the experiment. Exits with 1 where a video has no verdict."""
    missing = len(summary.without_video)
    without = f"; {missing} {'run' if missing == 1 else 'runs'} without a video" if missing else ""
    spent = "" if summary.spent_usd is None else f"; ${summary.spent_usd:.2f} spent"
    typer.echo(
        f"{title}: {summary.scored - summary.kept} scored, {summary.kept} kept; {summary.passed} passed, "
        f"{len(summary.unscored)} without a verdict{without}{spent}"
    )
    skipped = [f"no video to score: {line}" for line in (*summary.without_video, *summary.unmatched)]
    print_capped(skipped, "no video to score: {} more")
    failures = [f"{_describe(bad.job)}: {bad.error}" for bad in summary.failed]
    failures += [f"{_describe(bad.job)}: no verdict: {bad.score.explanation}" for bad in summary.unscored if bad.score]
    report_failures(sorted(failures))  # workers finish in any order


def _print_estimate(
    experiment: str, scorer: AnyScorer, outputs: Path, evaluations: Path, models: list[str], calls: CallOptions,
    videos: Path | None,
) -> None:  # fmt: skip
    from vmevalkit.core.async_scorer import is_async
    from vmevalkit.eval.experiment import estimate_experiment

    if not is_async(scorer):
        raise UsageError("--dry-run is for judges; this scorer makes no calls and costs nothing")
    if videos is not None:
        raise UsageError("--dry-run estimates the videos of an experiment, not --videos")
    estimate = estimate_experiment(experiment, outputs, evaluations, scorer, models or None, calls)
    typer.echo(
        f"{experiment}, {scorer.evaluator}: {estimate.videos} videos, {estimate.kept} kept; "
        f"{format_estimate(estimate.calls, estimate.usd)}; nothing was asked"
    )


def _report_command(experiment: str, outputs: Path, evaluations: Path) -> str:
    """Return the command that reports what was just scored, quoted for a shell."""
    words = ["vmevalkit", "report", "--experiment", experiment]
    if outputs != OUTPUTS:
        words += ["--outputs", str(outputs)]
    if evaluations != EVALUATIONS:
        words += ["--evaluations", str(evaluations)]
    return shlex.join(words)


def _describe(job: ScoreJob) -> str:
    sample = f", sample {job.sample}" if job.sample else ""
    return f"{job.model} on {job.question.id}{sample}"


def _check_options(experiment: str | None, videos: Path | None, name: str | None, models: list[str]) -> None:
    """Refuse options that would have no effect, and calls that lack one."""
    if videos is None and experiment is None:
        raise UsageError("nothing to score: give --experiment NAME, or --videos DIR --questions DIR --name MODEL")
    if videos is None and name is not None:
        raise UsageError(
            f"--name {name} is the model of --videos, which are not given; "
            f"to score one model of an experiment: --model {name}"
        )
    if videos is not None and name is None and videos.suffix.lower() != ".csv":
        raise UsageError(f"the videos in {videos} need the name of their model: --name MODEL")
    if videos is not None and models:
        raise UsageError(
            f"--model {' '.join(models)} selects runs of an experiment and has no effect on --videos; "
            "--name is the model of the videos"
        )
