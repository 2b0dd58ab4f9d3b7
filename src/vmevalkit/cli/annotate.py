"""``vmevalkit annotate``: a page on which people rate the videos of an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vmevalkit.cli.command import inform
from vmevalkit.cli.completion import complete_experiments
from vmevalkit.core.errors import UsageError
from vmevalkit.store.layout import EVALUATIONS, OUTPUTS

if TYPE_CHECKING:
    from vmevalkit.eval.annotation.plan import PlanOptions


def annotate(
    experiment: Annotated[
        str, typer.Option(help="The experiment whose videos are rated.", autocompletion=complete_experiments)
    ],
    sample: Annotated[
        float | None,
        typer.Option(
            help="Rate a random share of the videos, such as 0.2; its labels serve estimates.", show_default="all"
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random choice and of the order.")] = 1,
    queue: Annotated[
        str | None,
        typer.Option(
            help="all, sample or disagreement: the videos on which scorers differ most, for no estimate.",
            show_default="all, or sample with --sample",
        ),
    ] = None,
    most: Annotated[int, typer.Option(help="Videos of the queue disagreement.")] = 50,
    people: Annotated[int, typer.Option(help="Number of people who rate each video; 3 for a panel.")] = 1,
    gold: Annotated[float, typer.Option(help="Share of items with a known verdict, which measure attention.")] = 0.1,
    status: Annotated[bool, typer.Option("--status", help="Print who rated how much, and exit.")] = False,
    port: Annotated[int, typer.Option(help="Port of the page.")] = 7860,
    host: Annotated[str, typer.Option(help="Address to serve on; 0.0.0.0 opens it to the network.")] = "127.0.0.1",
    share: Annotated[bool, typer.Option("--share", help="Open a public address through Gradio's tunnel.")] = False,
    password: Annotated[str | None, typer.Option(help="Ask everybody for this password.", show_default=False)] = None,
    outputs: Annotated[Path, typer.Option(help="Folder of the generated videos.")] = OUTPUTS,
    evaluations: Annotated[Path, typer.Option(help="Folder of the scores.")] = EVALUATIONS,
) -> None:
    """Open a page on which people rate the videos of an experiment from 1 to 5.

    Labels are kept as they are given, each annotator's in their own files; the same command resumes. The videos are
    chosen once, by the first call.
    """
    from vmevalkit.eval.annotation.human import HumanEvaluator
    from vmevalkit.eval.annotation.status import describe_progress

    if status:
        for line in describe_progress(evaluations, experiment):
            typer.echo(line)
        return
    options = _make_options(queue, sample, seed, people, gold, most)
    disagreement = None
    if options.queue == "disagreement":
        from vmevalkit.results.disagreement import measure_disagreement

        disagreement = measure_disagreement(experiment, outputs, evaluations)
    evaluator = HumanEvaluator(experiment, outputs, evaluations, options, disagreement)
    inform(
        f"{experiment}: {evaluator.videos} videos and {evaluator.gold} gold items, "
        f"{'one person' if people == 1 else f'{people} people'} each"
    )
    inform(f"open http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port} and stop with Ctrl+C; every label is kept")
    evaluator.launch_interface(share=share, port=port, password=password, host=host)


def _make_options(
    queue: str | None, sample: float | None, seed: int, people: int, gold: float, most: int
) -> PlanOptions:
    from vmevalkit.eval.annotation.plan import QUEUES, PlanOptions

    chosen = queue or ("all" if sample is None else "sample")
    known = next((name for name in QUEUES if name == chosen), None)
    if known is None:
        raise UsageError(f"there is no queue {chosen!r}; use one of {', '.join(QUEUES)}")
    if sample is not None and known != "sample":
        raise UsageError(f"--sample draws at random and --queue {known} does not; use one of them")
    return PlanOptions(known, sample, seed, people, gold, most)
