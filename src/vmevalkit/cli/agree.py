"""``vmevalkit agree``: how far rules, judges and people agree, and rates corrected for the errors of judges."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vmevalkit.cli.command import split_names
from vmevalkit.cli.options import EVALUATIONS, OUTPUTS, Evaluations, Experiments, Outputs
from vmevalkit.cli.progress import print_tables
from vmevalkit.cli.results import print_notes, require_rows
from vmevalkit.core.errors import UnknownName


def agree(
    experiment: Experiments,
    reference: Annotated[
        str | None,
        typer.Option(
            help="The scorer that the others are measured by: people, rules, or the name of a scorer's files.",
            show_default="people, else rules",
        ),
    ] = None,
    format_: Annotated[str, typer.Option("--format", help="table, markdown or json.")] = "table",
    out: Annotated[Path | None, typer.Option(help="Write a file instead of printing.", show_default=False)] = None,
    outputs: Outputs = OUTPUTS,
    evaluations: Evaluations = EVALUATIONS,
) -> None:
    """Compare the scorers of an experiment: agreement by task, errors of judges, corrected success rates.

    A judge that sees only final frames is compared on the final state alone. A correction is refused, with the reason,
    where the judge may know nothing.
    """
    import json

    from vmevalkit.core.jsonable import to_json
    from vmevalkit.results.agreement import measure_agreement, require_scorers
    from vmevalkit.results.agreement_text import make_tables, write_markdown
    from vmevalkit.results.table import load_results
    from vmevalkit.store.atomic import write_file

    if format_ not in ("table", "markdown", "json"):
        raise UnknownName("format", format_, ("table", "markdown", "json"))
    names = split_names(experiment)
    frame = load_results(*names, outputs=outputs, evaluations=evaluations)
    require_rows(len(frame), names, outputs)
    report = measure_agreement(frame, reference)
    require_scorers(report)
    tables = make_tables(report)
    if format_ == "table" and out is None:
        from rich.table import Table

        for title, lines in tables:
            table = Table(title=title, title_justify="left")
            for column in lines[0]:
                table.add_column(column, overflow="fold")
            for line in lines:
                table.add_row(*line.values())
            print_tables([table])
        print_notes(report.notes)
        return
    text = json.dumps(to_json(report), indent=2, allow_nan=False) + "\n"
    if format_ != "json":
        parts = [f"## {title}\n\n{write_markdown(lines)}" for title, lines in tables]
        text = "\n\n".join([*parts, "\n".join(f"- {note}" for note in report.notes)]).rstrip() + "\n"
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_file(out, text)
        typer.echo(f"{out}: {len(tables)} tables")
