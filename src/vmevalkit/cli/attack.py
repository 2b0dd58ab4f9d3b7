"""``vmevalkit attack``: random videos whose labels follow from how they are made, and a search for wrong verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vmevalkit.cli.command import FAILED, inform, select_tasks
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
from vmevalkit.cli.progress import progress
from vmevalkit.core.errors import UsageError
from vmevalkit.store.layout import DATA

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vmevalkit.audit.attack.program import Program
    from vmevalkit.audit.attack.search import RunBatch
    from vmevalkit.audit.attack.trials import Trial
    from vmevalkit.core.async_scorer import AnyScorer, CallOptions
    from vmevalkit.jobs.executor import Executor

PURPOSE = "attack"
LISTED = 12


def attack(
    random: Annotated[
        int | None, typer.Option(help="Measure both error rates on so many random programs.", min=1, show_default=False)
    ] = None,
    search: Annotated[
        int | None,
        typer.Option(help="Search for wrong verdicts with so many scorings for each task.", min=1, show_default=False),
    ] = None,
    replay: Annotated[
        list[Path] | None, typer.Option(help="Score the programs of these JSON files again.", show_default=False)
    ] = None,
    task: Tasks = None,
    scorer: Annotated[str, typer.Option(help="Name of the scorer.")] = "rules",
    seed: Annotated[int, typer.Option(help="Seed of the puzzles and of the programs.")] = 0,
    workers: Workers = WORKERS,
    out: Annotated[Path | None, typer.Option(help="Write the rates to this Markdown file.", show_default=False)] = None,
    json: Annotated[
        Path | None, typer.Option(help="Write them to this JSON file, with every wrong verdict.", show_default=False)
    ] = None,
    finds: Annotated[
        Path, typer.Option(help="Where each wrong verdict is kept: video, filmstrip, program and a sentence.")
    ] = DATA / "attack",
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
    """Make videos of random operations, label them without looking at pixels, and count a scorer's wrong verdicts.

    The exit code is 1 where --random finds more errors than wanted, --search a wrong pass, or --replay any error.
    """
    from dataclasses import replace

    from vmevalkit.core.async_scorer import is_async
    from vmevalkit.jobs.executor import open_executor
    from vmevalkit.tasks import TASKS

    if sum(each is not None and each != [] for each in (random, search, replay)) != 1:
        raise UsageError("an attack is one of --random N, --search N and --replay FILE; give one of them")
    attacked = select_scorer(scorer, judge_model, base_url, variant, votes)
    if dry_run and (not is_async(attacked) or search):
        raise UsageError("--dry-run is for judges, with --random or --replay: a search cannot say what it will ask")
    calls = replace(
        make_call_options(max_usd, assume_usd, in_flight, per_minute, retry_refused, answers),
        purpose=f"{PURPOSE}/{attacked.evaluator}",
    )
    names = select_tasks(task) or list(TASKS)
    with open_executor(executor, workers=workers, address=address) as place:
        if replay:
            _replay(replay, attacked, calls, place, finds, dry_run)
        elif random:
            _measure(random, names, seed, attacked, calls, place, (out, json, finds), dry_run)
        elif search:
            _search(search, names, seed, attacked, calls, place, finds)


def _run(
    programs: Sequence[Program], scorer: AnyScorer, calls: CallOptions, executor: Executor, dry_run: bool,
    keep: Callable[[Trial], None],
) -> list[Trial] | None:  # fmt: skip
    """Run programs, and ``keep`` each trial once it is scored. Returns None after a dry run."""
    from vmevalkit.audit.attack.trials import estimate_programs, judge_programs, run_programs
    from vmevalkit.core.async_scorer import is_async, require_sync

    if is_async(scorer):
        count, usd = estimate_programs(programs, scorer, calls)
        end = "; nothing was asked" if dry_run else ""
        typer.echo(f"{scorer.evaluator}: {format_estimate(count, usd)}{end}")
        if dry_run:
            return None
        trials, spent_usd = judge_programs(programs, scorer, calls)
        typer.echo(f"attacks on {scorer.evaluator} have cost ${spent_usd:.2f}")
        for trial in trials:
            keep(trial)
        return trials
    finished = 0
    with progress("programs") as on_done:

        def on_trial(trial: Trial) -> None:
            nonlocal finished
            finished += 1
            keep(trial)
            on_done(finished, len(programs))

        return run_programs(programs, require_sync(scorer, scorer.evaluator), executor, on_trial)


def _measure(
    count: int, names: Sequence[str], seed: int, scorer: AnyScorer, calls: CallOptions, executor: Executor,
    places: tuple[Path | None, Path | None, Path], dry_run: bool,
) -> None:  # fmt: skip
    from json import dumps

    from vmevalkit.audit.attack.evidence import save_trial
    from vmevalkit.audit.attack.rates import format_report, format_table, measure_rates, summarise, to_report_record
    from vmevalkit.audit.attack.sampling import make_random_program
    from vmevalkit.audit.attack.search import Find
    from vmevalkit.store.atomic import check_writable, write_file

    out, json, finds = places
    for path in (out, json):
        if path is not None:
            check_writable(path)
    programs = [make_random_program(names, seed, index) for index in range(count)]
    kept: list[str] = []

    def keep(trial: Trial) -> None:  # at once: an attack that is interrupted has its finds
        if trial.is_wrong:
            sentence = Find(trial, trial.program).sentence
            kept.append(f"{trial.program}\n  {sentence}\n  {save_trial(trial, sentence, finds)}")

    trials = _run(programs, scorer, calls, executor, dry_run, keep)
    if trials is None:
        return
    report = measure_rates(trials, scorer.evaluator, seed)
    for entry in kept[:LISTED]:
        typer.echo(entry)
    if len(kept) > LISTED:
        typer.echo(f"{len(kept) - LISTED} more wrong verdicts are in {finds}")
    typer.echo(format_table([*report.tasks, report.total], "task"))
    typer.echo(format_table(report.tracks, "track"))
    inform(
        f"CPU seconds: {report.label_cpu_s:.3f} to label a program, {report.draw_cpu_s:.3f} to draw and "
        f"{report.score_cpu_s:.3f} to score a video"
    )
    for target, text in ((out, format_report(report)), (json, dumps(to_report_record(report), indent=2) + "\n")):
        if target is not None:
            write_file(target, text)
            typer.echo(f"report: {target}")
    typer.secho(summarise(report), fg="green" if report.is_within else "red", bold=True)
    if not report.is_within:
        raise typer.Exit(FAILED)


def _replay(
    paths: Sequence[Path], scorer: AnyScorer, calls: CallOptions, executor: Executor, finds: Path, dry_run: bool
) -> None:
    from vmevalkit.audit.attack.evidence import save_trial
    from vmevalkit.audit.attack.program import load_programs

    programs = [program for path in paths for program in load_programs(path)]
    trials = _run(programs, scorer, calls, executor, dry_run, lambda _: None)
    if trials is None:
        return
    is_wrong = False
    for trial in trials:
        label, stored = trial.label, trial.program.expected
        got = "nothing" if not trial.is_scored else "pass" if trial.passed else "fail"
        changed = f", but the file says {stored}" if stored and stored != label.verdict else ""
        explanation = trial.explanation if trial.is_scored else "too close to a limit, so nothing was scored"
        typer.echo(f"{trial.program}\n  deserves {label.verdict} ({label.reason}){changed}; got {got}: {explanation}")
        typer.echo(f"  {save_trial(trial, trial.program.note or trial.explanation, finds)}")
        is_wrong = is_wrong or trial.is_wrong or bool(changed)
    if is_wrong:
        raise typer.Exit(FAILED)


def _search(
    scorings: int, names: Sequence[str], seed: int, scorer: AnyScorer, calls: CallOptions, executor: Executor,
    finds: Path,
) -> None:  # fmt: skip
    from vmevalkit.audit.attack.evidence import save_trial
    from vmevalkit.audit.attack.search import search

    run_batch = _make_run_batch(scorer, calls, executor)
    wrong_passes = 0
    for name in names:
        with progress(name) as on_done:
            result = search(name, run_batch, scorings, seed, on_done)
        wrong_passes += result.wrong_passes
        for find in result.finds:
            typer.echo(f"{find.trial.program}\n  {find.sentence}\n  {save_trial(find.trial, find.sentence, finds)}")
        best, worst = result.highest_cheat, result.lowest_honest
        rewards = [trial.score.reward if trial is not None and trial.score else None for trial in (best, worst)]
        typer.echo(
            f"{name}: {result.wrong_passes} kinds of wrong passes and {result.wrong_fails} of wrong fails in "
            f"{result.scored} scorings of {result.programs} programs; highest reward of a cheat "
            f"{_format_reward(rewards[0])}, lowest of an honest video {_format_reward(rewards[1])}"
        )
    typer.secho(f"wrong passes: {wrong_passes}", fg="red" if wrong_passes else "green", bold=True)
    if wrong_passes:
        raise typer.Exit(FAILED)


def _make_run_batch(scorer: AnyScorer, calls: CallOptions, executor: Executor) -> RunBatch:
    from vmevalkit.audit.attack.trials import judge_programs, run_programs
    from vmevalkit.core.async_scorer import is_async, require_sync

    def run_batch(programs: Sequence[Program]) -> list[Trial]:
        if is_async(scorer):
            return judge_programs(programs, scorer, calls)[0]
        return run_programs(programs, require_sync(scorer, scorer.evaluator), executor)

    return run_batch


def _format_reward(reward: float | None) -> str:
    return "-" if reward is None else f"{reward:.2f}"
