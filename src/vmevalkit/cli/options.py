"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vmevalkit.cli.command import count_cores
from vmevalkit.cli.completion import complete_experiments, complete_tasks
from vmevalkit.store import layout

Questions = Annotated[Path, typer.Option(help="Folder of the questions.")]
Outputs = Annotated[Path, typer.Option(help="Folder of the generated videos.")]
Evaluations = Annotated[Path, typer.Option(help="Folder of the scores.")]
By = Annotated[str, typer.Option(help="Compare domain by domain, or group by group: domain or group.")]
Workers = Annotated[int, typer.Option(help="Number of worker processes.", show_default="number of cores")]
Tasks = Annotated[
    list[str] | None,
    typer.Option(
        "--task",
        help="One or several tasks: --task maze chess, or maze,chess, or all.",
        show_default="all",
        autocompletion=complete_tasks,
    ),
]
Experiments = Annotated[
    list[str], typer.Option(help="One or several experiments.", autocompletion=complete_experiments)
]
SomeExperiments = Annotated[
    list[str] | None,
    typer.Option(
        "--experiment",
        help="One or several experiments.",
        show_default=False,
        autocompletion=complete_experiments,
    ),
]
FromTable = Annotated[
    Path | None,
    typer.Option(
        "--from",
        help="A table of scores made elsewhere, in place of an experiment: CSV, TSV or parquet with model, domain, "
        "question, score (1 to 5) or passed, and sample.",
        show_default=False,
    ),
]

BucketUrl = Annotated[str, typer.Argument(metavar="URL", help="Place in a bucket: s3://BUCKET/PREFIX.")]
OneExperiment = Annotated[
    str | None,
    typer.Option(
        "--experiment",
        help="Only this experiment.",
        show_default="the whole data folder",
        autocompletion=complete_experiments,
    ),
]
Data = Annotated[Path, typer.Option(help="The data folder.")]

_CLUSTER = "Several machines"
ExecutorName = Annotated[
    str,
    typer.Option("--executor", help="local: processes of this machine. ray: a Ray cluster.", rich_help_panel=_CLUSTER),
]
Address = Annotated[
    str | None,
    typer.Option(
        help="With --executor ray: auto or the address of a running cluster.",
        show_default="starts Ray on this machine",
        rich_help_panel=_CLUSTER,
    ),
]
Shared = Annotated[
    bool,
    typer.Option(
        "--shared",
        help="With --executor ray: all machines see the data folder, and read and write it themselves.",
        rich_help_panel=_CLUSTER,
    ),
]
Gpus = Annotated[
    float | None,
    typer.Option(
        "--gpus-per-worker",
        "--gpus",
        help="With --executor ray: GPUs of each process that loads a model.",
        show_default="1 if the cluster has any",
        rich_help_panel=_CLUSTER,
    ),
]

_AGAIN = "Running again"
RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Run failed videos again.", rich_help_panel=_AGAIN)]
RetryRefused = Annotated[
    bool,
    typer.Option("--retry-refused", help="Run videos again that a content policy refused.", rich_help_panel=_AGAIN),
]
ResubmitUncertain = Annotated[
    bool,
    typer.Option(
        "--resubmit-uncertain", help="Order again what may have been paid for already.", rich_help_panel=_AGAIN
    ),
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask before paying twice.", rich_help_panel=_AGAIN)]
OrderAgain = Annotated[
    bool,
    typer.Option(
        "--order-again",
        help="With --retry-failed: pay for new orders instead of polling earlier ones.",
        rich_help_panel=_AGAIN,
    ),
]

DATA, QUESTIONS, OUTPUTS, EVALUATIONS = layout.DATA, layout.QUESTIONS, layout.OUTPUTS, layout.EVALUATIONS
WORKERS = count_cores()
