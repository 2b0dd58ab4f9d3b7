"""``vmevalkit audit``: trick videos with known verdicts over a scorer, and its certificate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vmevalkit.cli.command import FAILED, inform, select_tasks, split_names
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
from vmevalkit.cli.options import WORKERS, Address, ExecutorName, Tasks, Workers
from vmevalkit.cli.progress import print_tables, progress
from vmevalkit.core.errors import UsageError
from vmevalkit.store.layout import DATA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vmevalkit.audit.audit import Trial, TrialSpec
    from vmevalkit.audit.certificate import Certificate
    from vmevalkit.core.async_scorer import AnyScorer, AsyncScorer, CallOptions
    from vmevalkit.core.scorer import Scorer
    from vmevalkit.jobs.executor import Executor

VIDEOS, JUDGE_VIDEOS = 40, 2
"""Videos of each trick and task: computing costs time, a judge money."""


def audit(
    task: Tasks = None,
    trick: Annotated[list[str] | None, typer.Option(help="Only these tricks.", show_default="all")] = None,
    videos: Annotated[
        int | None, typer.Option(help="Videos of each trick and task.", show_default="40, and 2 for a judge")
    ] = None,
    own_videos: Annotated[
        int | None, typer.Option(help="Videos of each of a task's own tricks.", show_default="as --videos")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the puzzles and of the videos.")] = 0,
    scorer: Annotated[str, typer.Option(help="Name of the scorer.")] = "rules",
    workers: Workers = WORKERS,
    out: Annotated[
        Path | None, typer.Option(help="Write the certificate to this Markdown file.", show_default=False)
    ] = None,
    json: Annotated[
        Path | None, typer.Option(help="Write it to this JSON file, with every wrong verdict.", show_default=False)
    ] = None,
    trial_cache: Annotated[
        Path | None,
        typer.Option(help="Keep finished trials in this file: the next call resumes.", show_default=False),
    ] = None,
    kinds: Annotated[
        str | None,
        typer.Option(
            help="Score kinds of videos instead of tricks: round_1, round_2, parts or all; --videos of each kind.",
            show_default=False,
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            help="With --kinds: only so many cheats and so many honest videos of each task, drawn by the seed.",
            show_default="all",
            min=1,
        ),
    ] = None,
    allow_passes: Annotated[int, typer.Option(help="Wrong passes up to which the exit code is 0.", min=0)] = 0,
    allow_fails: Annotated[int, typer.Option(help="Wrong fails up to which the exit code is 0.", min=0)] = 0,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Run single trials again, such as maze/static/zoom_75/17.", show_default=False),
    ] = None,
    evidence: Annotated[Path, typer.Option(help="Where --only keeps videos, filmstrips and scores.")] = DATA / "audit",
    executor: ExecutorName = "local",
    address: Address = None,
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
    """Make every trick video through every degradation, score it, and state upper bounds of the scorer's error rates.

    The exit code is 1 where more videos got a wrong verdict than allowed.

    A scorer that sees only final frames, such as gpt-4o, is held to the final state alone. The expected cost of a judge
    is printed before it is asked.
    """
    from vmevalkit.audit.audit import find_trial, plan_trials
    from vmevalkit.audit.certificate import certify
    from vmevalkit.audit.design import TrialId
    from vmevalkit.audit.fresh_kinds import plan_round
    from vmevalkit.core.async_scorer import is_async, require_sync
    from vmevalkit.jobs.executor import open_executor
    from vmevalkit.tasks import TASKS

    audited = select_scorer(scorer, judge_model, base_url, variant, votes)
    calls = make_call_options(max_usd, assume_usd, in_flight, per_minute, retry_refused, answers)
    if only:
        _rerun([find_trial(TrialId.parse(text), seed) for text in only], audited, evidence, calls)
        return
    if dry_run and not is_async(audited):
        raise UsageError(f"--dry-run is for judges; {scorer} makes no calls and costs nothing")
    videos = videos or (JUDGE_VIDEOS if is_async(audited) else VIDEOS)
    names, tricks = select_tasks(task) or list(TASKS), split_names(trick)
    if sample is not None and kinds is None:
        raise UsageError("--sample draws from kinds of videos: add --kinds all, or leave it out")
    if kinds is not None:
        if tricks or own_videos is not None:
            raise UsageError("--kinds does not go with --trick or --own-videos: leave them out")
        if getattr(audited, "final_state_only", False) or is_async(audited):
            raise UsageError("--kinds has verdicts on whole videos; a judge is audited by tricks: leave it out")
        specs = [spec for name in names for spec in plan_round(TASKS[name], kinds, videos, seed, sample)]
        with open_executor(executor, workers=workers, address=address) as place:
            _audit_kinds(specs, require_sync(audited, scorer), kinds, seed, sample, place, out, json, trial_cache)
        return
    specs = [spec for name in names for spec in plan_trials(TASKS[name], videos, seed, tricks, own_videos)]
    _check_writable(out, json, trial_cache)
    name = audited.evaluator if scorer == "judge" else scorer
    if is_async(audited):
        judged = _judge_trials(specs, audited, workers, calls, dry_run)
        if judged is None:
            return
        trials = judged
    else:
        with open_executor(executor, workers=workers, address=address) as place:
            trials = _run_trials(specs, require_sync(audited, scorer), place, trial_cache)
    certificate = certify(trials, name, seed, getattr(audited, "final_state_only", False))
    is_within = certificate.is_within(allow_passes, allow_fails)
    _print(certificate, is_within)
    _print_cpu_times(trials)
    _write(certificate, out, json)
    if not is_within:
        raise typer.Exit(FAILED)


def _check_writable(*paths: Path | None) -> None:
    from vmevalkit.store.atomic import check_writable

    for path in paths:
        if path is not None:
            check_writable(path)


def _audit_kinds(
    specs: Sequence[TrialSpec], scorer: Scorer, kinds: str, seed: int, sample: int | None, executor: Executor,
    out: Path | None, record: Path | None, trial_cache: Path | None,
) -> None:  # fmt: skip
    """Score kinds of videos, and print and write how often the scorer errs."""
    from json import dumps

    from vmevalkit.audit.fresh_kinds import format_kinds_markdown, measure_errors, summarise_kinds, to_kinds_record
    from vmevalkit.audit.tables import LISTED

    _check_writable(out, record, trial_cache)
    trials = _run_trials(specs, scorer, executor, trial_cache)
    report = measure_errors(trials, scorer.evaluator, kinds, seed, sample)
    for failure in report.failures[:LISTED]:
        typer.echo(f"{failure.trial_id} deserves {failure.expected}, got {failure.got}: {failure.explanation}")
    for rates in report.rates[:-1]:
        typer.echo(
            f"{rates.task}: {rates.wrong_passes} of {rates.cheats} cheats passed, "
            f"{rates.wrong_fails} of {rates.honest} honest videos failed"
        )
    _print_cpu_times(trials)
    typer.secho(summarise_kinds(report), fg="green" if report.ok else "red", bold=True)
    _write_files(
        "report", (out, format_kinds_markdown(report)), (record, dumps(to_kinds_record(report), indent=2) + "\n")
    )
    if not report.ok:
        raise typer.Exit(FAILED)


def _run_trials(
    specs: Sequence[TrialSpec], scorer: Scorer, executor: Executor, trial_cache: Path | None
) -> list[Trial]:
    from vmevalkit.audit.audit import run_trials
    from vmevalkit.audit.trial_cache import run_remaining_trials

    finished = 0
    with progress("videos") as on_done:

        def on_trial(_: Trial) -> None:
            nonlocal finished
            finished += 1
            on_done(finished, len(specs))

        if trial_cache is not None:
            return run_remaining_trials(specs, scorer, trial_cache, on_trial=on_trial, executor=executor)
        return run_trials(specs, scorer, on_trial=on_trial, executor=executor)


def _judge_trials(
    specs: Sequence[TrialSpec], scorer: AsyncScorer, workers: int, calls: CallOptions, dry_run: bool
) -> list[Trial] | None:
    """Make the videos, print what judging them costs, and judge them. Returns None after a dry run."""
    from dataclasses import replace
    from tempfile import TemporaryDirectory

    from vmevalkit.audit.session_trials import PURPOSE, estimate_trials, judge_trials, make_videos

    calls = replace(calls, purpose=f"{PURPOSE}/{scorer.evaluator}")
    with TemporaryDirectory(prefix="vmevalkit-audit-") as folder:
        with progress("videos") as on_done:
            made = make_videos(specs, Path(folder), workers, on_done)
        count, usd = estimate_trials(made.videos, scorer, calls)
        end = "; nothing was asked" if dry_run else ""
        typer.echo(f"{scorer.evaluator}: {len(specs)} videos; {format_estimate(count, usd)}{end}")
        if dry_run:
            return None
        finished = 0
        with progress("judgements") as on_done:

            def on_trial(_: Trial) -> None:
                nonlocal finished
                finished += 1
                on_done(finished, len(specs))

            trials, spent_usd = judge_trials(made, scorer, calls, on_trial)
    typer.echo(f"audits with {scorer.evaluator} have cost ${spent_usd:.2f}")
    return trials


def _rerun(specs: Sequence[TrialSpec], scorer: AnyScorer, folder: Path, calls: CallOptions) -> None:
    from vmevalkit.audit.evidence import save_evidence

    wrong = 0
    for spec in specs:
        trial, strip = save_evidence(spec, scorer, folder, calls)
        wrong += not trial.is_right
        got = "pass" if trial.passed else "fail" if trial.scored else "no verdict"
        typer.echo(f"{spec.trial_id} ({spec.difficulty}) deserves {trial.expected}, got {got}: {trial.explanation}")
        typer.echo(f"  {strip}, with the video and the score beside it")
    if wrong:
        raise typer.Exit(FAILED)


def _print(certificate: Certificate, is_within: bool) -> None:
    from vmevalkit.audit.tables import LISTED, command, summary, terminal

    print_tables(terminal(certificate))
    for failure in certificate.failures[:LISTED]:
        typer.echo(f"{failure.trial_id} deserves {failure.expected}, got {failure.got}: {failure.explanation}")
    if certificate.failures:
        typer.echo(f"run one again: {command(certificate.failures[0].trial_id, certificate)}")
    typer.secho(summary(certificate), fg="green" if is_within else "red", bold=True)


def _print_cpu_times(trials: Sequence[Trial]) -> None:
    for name in dict.fromkeys(trial.trial_id.task for trial in trials):
        scored = [trial for trial in trials if trial.trial_id.task == name and trial.score is not None]
        if scored:
            video_s = sum(trial.video_cpu_s for trial in scored) / len(scored)
            score_s = sum(trial.score_cpu_s for trial in scored) / len(scored)
            inform(f"{name}: CPU seconds per video: {video_s:.2f} to make, {score_s:.2f} to score")


def _write(certificate: Certificate, out: Path | None, record: Path | None) -> None:
    from json import dumps

    from vmevalkit.audit.certificate import to_record
    from vmevalkit.audit.tables import markdown

    _write_files(
        "certificate",
        (out, markdown(certificate)),
        (record, dumps(to_record(certificate), indent=2, ensure_ascii=False) + "\n"),
    )


def _write_files(what: str, *files: tuple[Path | None, str]) -> None:
    from vmevalkit.store.atomic import write_file

    for path, text in files:
        if path is not None:
            write_file(path, text)
            typer.echo(f"{what}: {path}")
