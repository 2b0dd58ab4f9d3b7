"""``vmevalkit results``: the table of an experiment's rates, or of all its scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vmevalkit.cli.command import is_quiet, split_names
from vmevalkit.cli.options import EVALUATIONS, OUTPUTS, Evaluations, FromTable, Outputs, SomeExperiments
from vmevalkit.core.errors import StoreError, UsageError

if TYPE_CHECKING:
    import pandas as pd


def results(
    experiment: SomeExperiments = None,
    table: FromTable = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="Group by one or several of experiment, model, family, domain, group, difficulty, tag, failure_mode, "
            "level, rule_type, rule, prompt_variant, question.",
            show_default="model domain",
        ),
    ] = None,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format", help="table, csv, json, parquet, markdown or latex.", show_default="table, or by the suffix"
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write a file instead of printing.", show_default=False)] = None,
    scorer: Annotated[str | None, typer.Option(help="Only scores of this scorer.", show_default="all")] = None,
    rows: Annotated[
        bool, typer.Option("--rows", help="The tidy table itself: one row for each score, in place of rates.")
    ] = False,
    outputs: Outputs = OUTPUTS,
    evaluations: Evaluations = EVALUATIONS,
) -> None:
    """Print success rates with intervals, the number of questions and what the rates leave out.

    A success is a value of 4 or 5. An interval has the error of questions: several videos of one question do not count
    as several questions. Notes below the table say what can be read from it.
    """
    from vmevalkit.results.formats import choose_format, encode_rates, encode_rows
    from vmevalkit.results.rate_table import make_rate_table
    from vmevalkit.results.selection import keep_scorer
    from vmevalkit.store.atomic import write_file

    kind = choose_format(format_, out)
    notes: tuple[str, ...] = ()
    frame = load_scores(experiment, table, outputs, evaluations)
    if rows:
        frame = frame if scorer is None else keep_scorer(frame, scorer)
        content, count = encode_rows(frame, kind), len(frame)
    else:
        rates = make_rate_table(
            frame, split_names(by) or None, scorer, outputs, evaluations, with_commands=table is None
        )  # fmt: skip
        content, count, notes = encode_rates(rates, kind), len(rates.rates), rates.notes
    if out is None:
        typer.echo(content.decode(), nl=False)
    else:
        write_file(out, content)
        typer.echo(f"{out}: {count} {'row' if count == 1 else 'rows'}")
    print_notes(notes, err=kind != "table" or out is not None)


def load_scores(experiment: list[str] | None, table: Path | None, outputs: Path, evaluations: Path) -> pd.DataFrame:
    """Return the tidy table of experiments, or of a table of scores made elsewhere, and print what was assumed of it.

    Raises UsageError where both or neither are named."""
    names = split_names(experiment)
    if bool(names) == (table is not None):
        given = "both are given" if names else "neither is given"
        raise UsageError(f"name an experiment with --experiment, or a table of scores with --from; {given}")
    if table is not None:
        from vmevalkit.results.plain_table import read_plain_table

        found = read_plain_table(table)
        print_notes(found.notes, err=True)
        return found.frame
    from vmevalkit.results.table import load_results

    frame = load_results(*names, outputs=outputs, evaluations=evaluations)
    require_rows(len(frame), names, outputs)
    return frame


def print_rates(experiment: str, outputs: Path, evaluations: Path) -> None:
    """Print the rates of each model in each domain, and the notes."""
    from vmevalkit.results.formats import encode_rates
    from vmevalkit.results.rate_table import make_rate_table
    from vmevalkit.results.table import load_results

    frame = load_results(experiment, outputs=outputs, evaluations=evaluations)
    table = make_rate_table(frame, outputs=outputs, evaluations=evaluations)
    typer.echo(encode_rates(table, "table").decode(), nl=False)
    print_notes(table.notes)


def print_notes(notes: Sequence[str], err: bool = False) -> None:
    """Print the notes below a table, unless the user asked for quiet; to stderr where stdout is for a program."""
    for note in () if is_quiet() else notes:
        typer.echo(f"- {note}", err=err)


def require_rows(count: int, experiments: list[str], outputs: Path) -> None:
    """Raise StoreError where the experiments are empty."""
    if not count:
        from vmevalkit.results.commands import format_command

        command = format_command(["run", "--model", "MODEL", "--experiment", experiments[0]], outputs)
        names = ", ".join(experiments)
        raise StoreError(f"there are no runs and no scores in {names}; generate videos first: {command}")
