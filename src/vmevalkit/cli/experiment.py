"""``vmevalkit experiment``: the whole line, as one file says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from vmevalkit.cli.command import FAILED
from vmevalkit.cli.progress import jobs_table, progress
from vmevalkit.cli.report import write_report
from vmevalkit.cli.run import shard_of, tell_ahead, tell_summary
from vmevalkit.cli.score import tell_summary as tell_scores

if TYPE_CHECKING:
    from vmevalkit.runner.experiment_file import ExperimentFile

S = TypeVar("S")


def experiment(
    file: Annotated[Path, typer.Argument(help="A YAML file: name, models, tasks, n, seed, samples, scorers, ...")],
    limit: Annotated[int | None, typer.Option(help="Begin at most so many films of each model.")] = None,
    shard: Annotated[str | None, typer.Option(help="Part I/N of the films; scores and report are left out.")] = None,
    max_usd: Annotated[float | None, typer.Option(help="In place of the file's.", show_default=False)] = None,
    workers: Annotated[int | None, typer.Option(help="In place of the file's.", show_default=False)] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what the films would cost; draw questions only.")
    ] = False,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Try again what failed before.")] = False,
) -> None:
    """Generate questions, run models, score the films and write the report. The same command goes on where it was
    stopped."""
    from dataclasses import replace

    from vmevalkit.runner.experiment_file import read_experiment

    page = read_experiment(file)
    page = replace(page, max_usd=max_usd if max_usd is not None else page.max_usd, workers=workers or page.workers)
    _check_names(page)
    part = shard_of(shard)
    _generate(page)
    failed = _run(page, part, limit, dry_run, retry_failed)
    if part is None and not dry_run:
        failed |= _score(page)
    if failed:
        raise typer.Exit(FAILED)


def _check_names(page: ExperimentFile) -> None:
    """A wrong name is refused before anything is made."""
    from vmevalkit.eval.scorers import SCORERS
    from vmevalkit.runner.plan import find_spec, refuse_retired
    from vmevalkit.runner.prompts import VARIANTS
    from vmevalkit.tasks import TASKS

    for task in page.tasks:
        TASKS[task]
    for scorer in page.scorers:
        SCORERS[scorer]
    VARIANTS[page.prompt_variant]
    refuse_retired([find_spec(model) for model in page.models])


def _generate(page: ExperimentFile) -> None:
    with progress("questions") as on_done:
        from vmevalkit.runner.generate import generate

        summary = generate(
            page.tasks, page.n, seed=page.seed, difficulty=page.difficulty, out=page.questions, workers=page.workers,
            on_done=on_done,
        )  # fmt: skip
    for made in summary.tasks:
        typer.echo(f"{made.task}: {made.drawn} drawn, {made.kept} kept; fingerprint {made.fingerprint}")
    if summary.failures:
        question, why = summary.failures[0]
        typer.echo(f"failed: {question}: {why}", err=True)
        raise typer.Exit(FAILED)


def _run(
    page: ExperimentFile, part: tuple[int, int] | None, limit: int | None, dry_run: bool, retry_failed: bool
) -> bool:
    """Whether any film failed."""
    from vmevalkit.jobs.tally import Board

    board = Board()
    with jobs_table(board) as on_done:
        from vmevalkit.runner.errands import Again
        from vmevalkit.runner.forecast import forecast
        from vmevalkit.runner.plan import Money
        from vmevalkit.runner.run import run
        from vmevalkit.runner.wishes import Wishes

        wishes = Wishes(seconds=page.seconds, prompt_variant=page.prompt_variant)
        again, money = Again(failed=retry_failed), Money(page.max_usd, page.assume_usd)
        if dry_run:
            ahead = forecast(
                page.models, page.questions, page.name, page.outputs, domains=page.tasks, samples=page.samples,
                wishes=wishes, again=again, shard=part, limit=limit, money=money,
            )  # fmt: skip
        else:
            summary = run(
                page.models, page.questions, page.name, page.outputs, domains=page.tasks, samples=page.samples,
                wishes=wishes, again=again, workers=page.workers, shard=part, limit=limit, money=money, board=board,
                on_done=on_done, tell=lambda line: typer.echo(line, err=True),
            )  # fmt: skip
    if dry_run:
        tell_ahead(ahead)
        return False
    return _failed(tell_summary, page.name, summary)


def _score(page: ExperimentFile) -> bool:
    """Whether any film could not be scored."""
    from vmevalkit.eval.experiment import score_experiment

    failed = False
    for scorer in page.scorers:
        with progress("scores") as on_done:
            summary = score_experiment(
                page.name, page.outputs, page.evaluations, scorer, list(page.models), page.workers, on_done
            )
        failed |= _failed(tell_scores, scorer, summary)
    write_report(page.name, Path(page.outputs), Path(page.evaluations))
    return failed


def _failed(tell: Callable[[str, S], None], name: str, summary: S) -> bool:
    """Whether a verb that ends so would have left with an exit code; this one goes on first."""
    try:
        tell(name, summary)
    except typer.Exit:
        return True
    return False
