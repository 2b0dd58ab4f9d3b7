"""``vmevalkit analyze``: the specification's statistics of an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vmevalkit.cli.options import EVALUATIONS, OUTPUTS, By, Evaluations, FromTable, Outputs, SomeExperiments
from vmevalkit.cli.results import load_scores
from vmevalkit.core.errors import StoreError, UnknownName

if TYPE_CHECKING:
    from vmevalkit.stats.complexity import DomainComplexity

FORMATS = ("table", "markdown", "csv", "latex", "json")
BESIDE = {".csv": "csv", ".tex": "latex"}
"""Files that are written beside a text."""


def analyze(
    experiment: SomeExperiments = None,
    table: FromTable = None,
    scorer: Annotated[str | None, typer.Option(help="Only scores of this scorer.", show_default="each in turn")] = None,
    format_: Annotated[
        str | None,
        typer.Option("--format", help="table, markdown, csv, latex or json.", show_default="table, or by the suffix"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write a file instead of printing; beside a text the tables as CSV and LaTeX.", show_default=False
        ),
    ] = None,
    include_baselines: Annotated[
        bool, typer.Option("--include-baselines", help="Analyse the trick baselines like models.")
    ] = False,
    trees: Annotated[int, typer.Option(min=10, help="Trees of the random forest.")] = 1000,
    by: By = "domain",
    outputs: Outputs = OUTPUTS,
    evaluations: Evaluations = EVALUATIONS,
) -> None:
    """Print the whole analysis: variance, effect sizes, mixed and logistic model, random forest, consistency, failures,
    tags, temporal metrics, complexity, difficulty.

    Where these scores do not allow a statistic, a sentence says why. docs/STATISTICS.md defines each one.
    """
    from vmevalkit.results.analysis import analyze as analyze_scores
    from vmevalkit.results.analysis_text import encode_analysis
    from vmevalkit.results.commands import score_command
    from vmevalkit.results.formats import SUFFIXES
    from vmevalkit.results.selection import list_names, replace_domains
    from vmevalkit.store.atomic import write_file

    kind = format_ or ("table" if out is None else SUFFIXES.get(out.suffix.lower(), "table"))
    if kind not in FORMATS:
        raise UnknownName("format of an analysis", kind, FORMATS)
    frame = replace_domains(load_scores(experiment, table, outputs, evaluations), by)
    scorers = list_names(frame, "scorer") if scorer is None else [scorer]
    if not scorers:
        names = list_names(frame, "experiment")
        command = score_command(names[0], outputs, evaluations)
        raise StoreError(f"no video of {', '.join(names)} is scored yet; score first: {command}")
    # A domain of a foreign table may have the name of a task and other puzzles.
    stated = state_complexity() if table is None else {}
    analyses = [
        analyze_scores(frame, each, complexity=stated, include_baselines=include_baselines, trees=trees)
        for each in scorers
    ]
    if out is None:
        typer.echo(encode_analysis(analyses, kind), nl=False)
        return
    files = {out: kind}
    if kind in ("table", "markdown"):
        files |= {out.with_suffix(suffix): other for suffix, other in BESIDE.items()}
    for path, each_kind in files.items():
        write_file(path, encode_analysis(analyses, each_kind))
    written = ", ".join(map(str, files))
    typer.echo(f"{written}: {len(analyses)} {'analysis' if len(analyses) == 1 else 'analyses'}")


def state_complexity() -> dict[str, DomainComplexity]:
    """Return what the tasks state about their puzzles, by domain."""
    from vmevalkit.stats.complexity import DomainComplexity
    from vmevalkit.tasks import TASKS

    stated = {name: TASKS[name].complexity for name in TASKS}
    return {name: DomainComplexity(*each) for name, each in stated.items() if each is not None}
