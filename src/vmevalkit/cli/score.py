"""``vmevalkit score``: judge films."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vmevalkit.cli.command import failures
from vmevalkit.cli.progress import progress
from vmevalkit.core.errors import UsageError


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
    """Score the films of an experiment, or films made elsewhere. Scores of the same film and rules are kept."""
    if videos is None and experiment is None:
        raise UsageError("say what to score: --experiment NAME, or --videos DIR --questions DIR --name MODEL")
    if videos is not None and name is None:
        raise UsageError("films from elsewhere need the name of their model: --name MODEL")
    with progress("scores") as on_done:
        from vmevalkit.eval.experiment import score_experiment, score_videos

        if videos is not None and name is not None:
            place = experiment or "videos"
            summary = score_videos(videos, questions, name, evaluations, place, with_, workers, on_done)
        else:
            place = str(experiment)
            summary = score_experiment(place, outputs, evaluations, with_, model, workers, on_done)
    scores = [scoring.score for scoring in summary.scorings if scoring.score is not None]
    kept = sum(scoring.kept for scoring in summary.scorings)
    passed, unscored = sum(score.passed for score in scores), sum(not score.scored for score in scores)
    typer.echo(f"{place}: {len(scores) - kept} scored, {kept} kept; {passed} passed, {unscored} without a verdict")
    for line in summary.without_film:
        typer.echo(f"no film to score: {line}", err=True)
    failures([f"{bad.film.model} on {bad.film.question.id}: {bad.error}" for bad in summary.failed])
