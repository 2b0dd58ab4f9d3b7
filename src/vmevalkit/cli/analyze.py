"""``vmevalkit analyze``: the specification's statistics of an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vmevalkit.cli.command import split_names
from vmevalkit.cli.options import EVALUATIONS, OUTPUTS, By, Evaluations, Experiments, Outputs
from vmevalkit.cli.results import require_rows
from vmevalkit.core.errors import StoreError, UnknownName

if TYPE_CHECKING:
    from vmevalkit.stats.complexity import DomainComplexity

FORMATS = ("table", "markdown", "json")


def analyze(
    experiment: Experiments,
    scorer: Annotated[str | None, typer.Option(help="Only scores of this scorer.", show_default="each in turn")] = None,
    format_: Annotated[
        str | None, typer.Option("--format", help="table, markdown or json.", show_default="table, or by the suffix")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write a file instead of printing.", show_default=False)] = None,
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
    import orjson

    from vmevalkit.results.analysis import analyze as analyze_scores
    from vmevalkit.results.analysis_text import analysis_record, encode_analysis
    from vmevalkit.results.commands import score_command
    from vmevalkit.results.formats import SUFFIXES
    from vmevalkit.results.selection import list_names, replace_domains
    from vmevalkit.results.table import load_results
    from vmevalkit.store.atomic import write_file

    kind = format_ or ("table" if out is None else SUFFIXES.get(out.suffix.lower(), "table"))
    if kind not in FORMATS:
        raise UnknownName("format of an analysis", kind, FORMATS)
    names = split_names(experiment)
    frame = replace_domains(load_results(*names, outputs=outputs, evaluations=evaluations), by)
    require_rows(len(frame), names, outputs)
    scorers = list_names(frame, "scorer") if scorer is None else [scorer]
    if not scorers:
        command = score_command(names[0], outputs, evaluations)
        raise StoreError(f"no video of {', '.join(names)} is scored yet; score first: {command}")
    stated = state_complexity(list_names(frame, "domain"))
    analyses = [
        analyze_scores(frame, each, complexity=stated, include_baselines=include_baselines, trees=trees)
        for each in scorers
    ]
    if kind == "json":
        records = [analysis_record(each) for each in analyses]
        content = orjson.dumps(records, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode() + "\n"
    else:
        content = encode_analysis(analyses, kind)
    if out is None:
        typer.echo(content, nl=False)
    else:
        write_file(out, content)
        typer.echo(f"{out}: {len(analyses)} {'analysis' if len(analyses) == 1 else 'analyses'}")


def state_complexity(domains: list[str]) -> dict[str, DomainComplexity]:
    """Return what the tasks of these domains state about their puzzles."""
    from vmevalkit.stats.complexity import DomainComplexity
    from vmevalkit.tasks import TASKS

    return {
        name: DomainComplexity(*stated)
        for name in domains
        if name in TASKS and (stated := TASKS[name].complexity) is not None
    }
