"""``vmevalkit audit``: trick films over a scorer, and its certificate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vmevalkit.cli.command import FAILED
from vmevalkit.cli.progress import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vmevalkit.audit.audit import Job, Trial
    from vmevalkit.audit.certificate import Certificate
    from vmevalkit.audit.scorers import Scorer


def audit(
    task: Annotated[list[str] | None, typer.Option(help="Tasks to audit.", show_default="all")] = None,
    trick: Annotated[list[str] | None, typer.Option(help="Only these tricks.", show_default="all")] = None,
    films: Annotated[int, typer.Option(help="Films of each trick and task.")] = 40,
    own_films: Annotated[
        int | None, typer.Option(help="Films of each trick that is a task's own.", show_default="as --films")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the puzzles and of everything random in the films.")] = 0,
    scorer: Annotated[str, typer.Option(help="The scorer to audit.")] = "rules",
    workers: Annotated[int, typer.Option(help="Processes.")] = 1,
    out: Annotated[
        Path | None, typer.Option(help="Write the certificate here, as Markdown.", show_default=False)
    ] = None,
    json: Annotated[
        Path | None, typer.Option(help="Write it here, as JSON with every failure.", show_default=False)
    ] = None,
    notebook: Annotated[
        Path | None,
        typer.Option(help="Note each film here when it is done: the next call goes on.", show_default=False),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Make single films again, such as maze/static/zoom_75/17.", show_default=False),
    ] = None,
    evidence: Annotated[Path, typer.Option(help="Where --only keeps films, filmstrips and scores.")] = Path(
        "data/audit"
    ),
) -> None:
    """Film every trick through providers' artefacts, score the films, and certify the scorer or refuse."""
    from vmevalkit.audit.audit import job_of, jobs_for
    from vmevalkit.audit.certificate import certify
    from vmevalkit.audit.design import Recipe
    from vmevalkit.audit.scorers import SCORERS
    from vmevalkit.store.commit import prepare_for
    from vmevalkit.tasks import TASKS

    audited = SCORERS[scorer]
    if only:
        _show([job_of(Recipe.parse(text), seed) for text in only], audited, evidence)
        return
    jobs = [job for name in task or TASKS for job in jobs_for(TASKS[name], films, seed, trick or (), own_films)]
    for path in (out, json, notebook):
        if path is not None:
            prepare_for(path)
    trials = _examined(jobs, audited, workers, notebook)
    certificate = certify(trials, scorer, seed)
    _print(certificate)
    _print_seconds(trials)
    _write(certificate, out, json)
    if not certificate.ok:
        raise typer.Exit(FAILED)


def _examined(jobs: Sequence[Job], scorer: Scorer, workers: int, notebook: Path | None) -> list[Trial]:
    from vmevalkit.audit.audit import examine
    from vmevalkit.audit.notebook import examine_the_rest

    done = 0
    with progress("films") as on_done:

        def on_trial(_: Trial) -> None:
            nonlocal done
            done += 1
            on_done(done, len(jobs))

        if notebook is not None:
            return examine_the_rest(jobs, scorer, notebook, workers, on_trial)
        return examine(jobs, scorer, workers, on_trial)


def _show(jobs: Sequence[Job], scorer: Scorer, folder: Path) -> None:
    from vmevalkit.audit.evidence import keep

    wrong = 0
    for job in jobs:
        trial, strip = keep(job, scorer, folder)
        wrong += not trial.right
        got = "pass" if trial.passed else "fail" if trial.scored else "no verdict"
        typer.echo(f"{job.recipe} ({job.difficulty}) deserves {job.expected}, got {got}: {trial.told}")
        typer.echo(f"  {strip}, and the film and the score beside it")
    if wrong:
        raise typer.Exit(FAILED)


def _print(certificate: Certificate) -> None:
    from rich.console import Console

    from vmevalkit.audit.tables import LISTED, command, summary, terminal

    console = Console()
    for table in terminal(certificate):
        console.print(table)
    for failure in certificate.failures[:LISTED]:
        told = f"{failure.recipe} deserves {failure.expected}, got {failure.got}: {failure.told}"
        console.print(told, markup=False, highlight=False)
    if certificate.failures:
        again = command(certificate.failures[0].recipe, certificate)
        console.print(f"make one again: {again}", markup=False, highlight=False)
    console.print(summary(certificate), markup=False, style="bold green" if certificate.ok else "bold red")


def _print_seconds(trials: Sequence[Trial]) -> None:
    for name in dict.fromkeys(trial.recipe.task for trial in trials):
        mine = [trial for trial in trials if trial.recipe.task == name and trial.score is not None]
        if mine:
            film_s = sum(trial.film_cpu_s for trial in mine) / len(mine)
            score_s = sum(trial.score_cpu_s for trial in mine) / len(mine)
            typer.echo(f"{name}: CPU seconds a film: {film_s:.2f} to make, {score_s:.2f} to score")


def _write(certificate: Certificate, out: Path | None, record: Path | None) -> None:
    from json import dumps

    from vmevalkit.audit.certificate import to_record
    from vmevalkit.audit.tables import markdown
    from vmevalkit.store.commit import write_file

    for path, text in (
        (out, markdown(certificate)),
        (record, dumps(to_record(certificate), indent=2, ensure_ascii=False) + "\n"),
    ):
        if path is not None:
            write_file(path, text)
            typer.echo(f"the certificate is at {path}")
