"""``vmevalkit import``: questions, videos and scores of others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vmevalkit.cli.command import FAILED, MOST_LINES, print_capped
from vmevalkit.cli.completion import complete_experiments
from vmevalkit.cli.options import EVALUATIONS, OUTPUTS, QUESTIONS, Evaluations, Outputs, Questions
from vmevalkit.core.errors import UsageError
from vmevalkit.core.secrets import redact


def import_(
    source: Annotated[
        str,
        typer.Argument(
            help="A folder of question folders, parquet files, WebDataset shards, a VideoFolder, a folder of "
            "save_to_disk, or hf:NAME of the hub. With --videos it is left out.",
            show_default=False,
        ),
    ] = "",
    videos: Annotated[
        Path | None,
        typer.Option(help="Import videos instead: a folder, or a CSV file as of score --videos.", show_default=False),
    ] = None,
    experiment: Annotated[
        str | None,
        typer.Option(
            help="The experiment that gets the videos and scores.",
            show_default="none",
            autocompletion=complete_experiments,
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="The model that made --videos.", show_default=False)] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="Names of columns: first_frame=picture, prompt=text, ...", show_default="by usual names"),
    ] = None,
    domain: Annotated[
        str | None, typer.Option(help="Domain of all questions.", show_default="that of the set, or its name")
    ] = None,
    redraw: Annotated[
        bool, typer.Option(help="Whether frames are drawn again where a record of others has the whole puzzle.")
    ] = True,
    questions: Questions = QUESTIONS,
    outputs: Outputs = OUTPUTS,
    evaluations: Evaluations = EVALUATIONS,
) -> None:
    """Import questions of others, what export wrote, or videos that were made elsewhere."""
    from vmevalkit.exchange.importing import import_rows, import_videos
    from vmevalkit.exchange.read import NAMES, read_rows

    if (videos is None) == (source == ""):
        raise UsageError("name a set to import, or --videos, one of both")
    if videos is not None:
        if experiment is None:
            raise UsageError("--videos become runs of an experiment; name it with --experiment")
        done = import_videos(videos, questions, experiment, name, outputs)
    else:
        columns = dict(text.partition("=")[::2] for text in column or ())
        for key in columns:
            if key not in NAMES:
                raise UsageError(f"--column {key}=... is unknown; use one of {', '.join(NAMES)}")
        rows = read_rows(source, columns, domain)
        done = import_rows(rows, questions, experiment, outputs, evaluations, redraw=redraw)
    typer.echo(
        f"{done.questions} questions ({done.scorable} can be scored by rules), {done.videos} videos, "
        f"{done.scores} scores imported; {done.kept} there already"
    )
    print_capped([f"not scored by rules: {line}" for line in done.unscored], "not scored by rules: {} more")
    print_capped([f"no question: {line}" for line in done.unmatched], "no question: {} more")
    if done.bad:
        for bad in done.bad[:MOST_LINES]:
            typer.echo(redact(f"error: {bad}"), err=True)
        typer.echo(f"error: {len(done.bad)} rows were left out; the others are imported", err=True)
        raise typer.Exit(FAILED)
