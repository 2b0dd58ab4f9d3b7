"""``vmevalkit score``: judge films."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vmevalkit.cli.command import failures
from vmevalkit.cli.progress import progress
from vmevalkit.core.errors import UsageError

if TYPE_CHECKING:
    from vmevalkit.eval.experiment import FilmToScore, Summary

MOST_LINES = 10
"""Of one kind, so that what matters stays in sight."""


def score(
    experiment: Annotated[
        str | None, typer.Option(help="Score the films of this experiment.", show_default=False)
    ] = None,
    with_: Annotated[str, typer.Option("--with", help="The scorer.")] = "rules",
    model: Annotated[list[str] | None, typer.Option(help="Only these models.", show_default="all")] = None,
    videos: Annotated[
        Path | None,
        typer.Option(help="Score the films in this folder, each named after its question.", show_default=False),
    ] = None,
    questions: Annotated[Path, typer.Option(help="The questions that --videos answer.")] = Path("data/questions"),
    name: Annotated[str | None, typer.Option(help="The model that made --videos.", show_default=False)] = None,
    outputs: Annotated[Path, typer.Option(help="Where the experiment's films lie.")] = Path("data/outputs"),
    evaluations: Annotated[Path, typer.Option(help="Where scores go.")] = Path("data/evaluations"),
    workers: Annotated[int, typer.Option(help="Processes.")] = 1,
) -> None:
    """Score the films of an experiment, or films made elsewhere. Scores of the same film and rules are kept. The exit
    code is 1 when a film gets no verdict; runs without a film, and films of no question, are named but are no failure
    here."""
    _check_options(experiment, videos, name, model)
    with progress("scores") as on_done:
        from vmevalkit.eval.experiment import check_models, score_experiment, score_videos

        if videos is not None and name is not None:
            place = experiment or "videos"
            summary = score_videos(videos, questions, name, evaluations, place, with_, workers, on_done)
        else:
            place = str(experiment)
            check_models(model or [], place, outputs)
            summary = score_experiment(place, outputs, evaluations, with_, model, workers, on_done)
    tell_summary(place, summary)


def tell_summary(place: str, summary: Summary) -> None:
    """What was done. Leaves with an exit code that says so where a film has no verdict."""
    scores = [scoring.score for scoring in summary.scorings if scoring.score is not None]
    kept, passed = sum(scoring.kept for scoring in summary.scorings), sum(score.passed for score in scores)
    missing = len(summary.without_film)
    lacking = f"; {missing} {'run' if missing == 1 else 'runs'} without a film" if missing else ""
    typer.echo(
        f"{place}: {len(scores) - kept} scored, {kept} kept; {passed} passed, {len(summary.unscored)} without a verdict"
        f"{lacking}"
    )
    told = [*summary.without_film, *summary.strangers]
    for line in told[:MOST_LINES]:
        typer.echo(f"no film to score: {line}", err=True)
    if len(told) > MOST_LINES:
        typer.echo(f"no film to score: {len(told) - MOST_LINES} more", err=True)
    failures(
        [f"{_named(bad.film)}: {bad.error}" for bad in summary.failed]
        + [f"{_named(bad.film)}: no verdict: {bad.score.explanation}" for bad in summary.unscored if bad.score],
        MOST_LINES,
    )


def _named(film: FilmToScore) -> str:
    sample = f", sample {film.sample}" if film.sample else ""
    return f"{film.model} on {film.question.id}{sample}"


def _check_options(experiment: str | None, videos: Path | None, name: str | None, model: list[str] | None) -> None:
    """Refuse options that would be ignored, and calls that lack one."""
    if videos is None and experiment is None:
        raise UsageError("say what to score: --experiment NAME, or --videos DIR --questions DIR --name MODEL")
    if videos is not None and name is None:
        raise UsageError("films from elsewhere need the name of their model: --name MODEL")
    if videos is None and name is not None:
        raise UsageError(
            f"--name {name} names the model of films from elsewhere and needs --videos DIR; "
            f"to score one model of an experiment: --model {name}"
        )
    if videos is not None and model:
        raise UsageError(
            f"--model {' '.join(model)} chooses among the runs of an experiment, but --videos are all of one model; "
            f"leave it out: --name {name} names theirs"
        )
