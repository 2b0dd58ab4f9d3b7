"""``vmevalkit compare``: two models on the same questions."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from vmevalkit.cli.completion import complete_experiments, complete_models
from vmevalkit.cli.options import EVALUATIONS, OUTPUTS, By, Evaluations, FromTable, Outputs
from vmevalkit.cli.results import load_scores
from vmevalkit.core.errors import UnknownName


def compare(
    first: Annotated[str, typer.Argument(help="A model.", metavar="MODEL", autocompletion=complete_models)],
    second: Annotated[str, typer.Argument(help="Another model.", metavar="MODEL", autocompletion=complete_models)],
    experiment: Annotated[
        str | None,
        typer.Option(help="The experiment, or several: A,B.", show_default=False, autocompletion=complete_experiments),
    ] = None,
    table: FromTable = None,
    margin: Annotated[
        float | None,
        typer.Option(
            help="Test whether the models are equivalent: the largest difference of success rates that does not "
            "matter, such as 0.1, chosen before the scores are seen.",
            show_default=False,
        ),
    ] = None,
    scorer: Annotated[str | None, typer.Option(help="Only scores of this scorer.", show_default="each")] = None,
    format_: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
    by: By = "domain",
    outputs: Outputs = OUTPUTS,
    evaluations: Evaluations = EVALUATIONS,
) -> None:
    """Compare two models on the questions that both have scores for.

    Prints the paired difference with a bootstrap interval over questions, an exact test, the smallest difference that
    this number of questions could have shown, and each domain with Holm's correction.
    """
    from vmevalkit.core.jsonable import to_json
    from vmevalkit.results.comparison import compare_models
    from vmevalkit.results.selection import replace_domains
    from vmevalkit.results.sentences import describe_comparison

    if format_ not in ("text", "json"):
        raise UnknownName("format", format_, ("text", "json"))
    frame = replace_domains(load_scores([experiment] if experiment else None, table, outputs, evaluations), by)
    found = compare_models(frame, first, second, margin=margin, scorer=scorer)
    if format_ == "json":
        typer.echo(json.dumps(to_json(found), indent=2))
        return
    typer.echo("\n\n".join("\n".join(describe_comparison(each)) for each in found))
